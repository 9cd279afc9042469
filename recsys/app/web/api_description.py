"""The operations of the API: one literal table; routes, OpenAPI and a page are made of it."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.requests import Request
from starlette.responses import Response

from recsys.app.web import api_models as models
from recsys.app.web import api_routes as routes
from recsys.app.web.replies import JSON, MEDIA_TYPES, PROBLEM_JSON, Reply, digest_of, respond
from recsys.app.web.service import UsageCounters, service_of
from recsys.app.web.uploads import MULTIPART
from recsys.store.artifacts import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation; its handler's docstring tells what it does.

    answers: the model of its reply. asks: that of its body, which may come as JSON or beside files.
    alone: what may be the body instead. parameters: as OpenAPI describes them. problems: statuses
    of other replies. formats: it answers in formats of reference managers, too. example: its
    address in an example, where PAPER stands for an id; body: what follows in curl.
    """

    path: str
    handler: Callable[[Request], Awaitable[Response]]
    answers: type[BaseModel] | None = None
    asks: type[BaseModel] | None = None
    alone: type[BaseModel] | None = None
    parameters: tuple[Mapping[str, object], ...] = ()
    problems: tuple[int, ...] = ()
    formats: bool = False
    example: str = ""
    body: str = ""

    @property
    def method(self) -> str:
        """How it is asked for: what takes a body is posted."""
        return "POST" if self.asks else "GET"

    @property
    def summary(self) -> str:
        """What it does, in a few words."""
        return (inspect.getdoc(self.handler) or "").partition("\n")[0].rstrip(".")

    @property
    def description(self) -> str:
        """What else is to be known of it."""
        return " ".join((inspect.getdoc(self.handler) or "").partition("\n")[2].split())


def _parameter(
    name: str,
    description: str,
    schema: Mapping[str, object],
    required: bool = False,
    where: str = "query",
) -> Mapping[str, object]:
    """Describe a parameter of an operation as OpenAPI does; where: query or path."""
    about = {"required": required, "description": description, "schema": schema}
    return {"name": name, "in": where, **about}


_TEXT: Mapping[str, object] = {"type": "string", "minLength": 1, "maxLength": routes.LONGEST_SEARCH}
_INDEX = _parameter("index", "The index; without it, the first.", {"type": "string"})
_NEXT = _parameter("next", "`next` of the page before.", {"type": "string", "maxLength": 200})
_IDS: Mapping[str, object] = {"type": "array", "items": {"type": "string", "minLength": 1}}

_OF_QUESTIONS = (400, 404, 408, 413, 415, 422, 503)

OPERATIONS = (
    Operation(
        path="/v1/recommendations",
        handler=routes.recommendations,
        answers=models.AnswerModel,
        body="-H 'Content-Type: application/json' "
        """-d '{"draft": {"title": "Attention for citation recommendation"}, "k": 5}'""",
        problems=_OF_QUESTIONS,
        asks=models.RecommendationsBody,
        alone=models.DraftBody,
    ),
    Operation(
        path="/v1/citations",
        handler=routes.citations,
        answers=models.LocalAnswerModel,
        body="-H 'Content-Type: application/json' "
        """-d '{"text": "Papers that cite each other get similar vectors |.", "k": 5}'""",
        problems=_OF_QUESTIONS,
        asks=models.CitationsBody,
    ),
    Operation(
        path="/v1/check",
        handler=routes.checks,
        answers=models.CheckModel,
        body="-H 'Content-Type: application/json' "
        """-d '{"references": [{"title": "Attention is all you need", "year": 2017}]}'""",
        problems=_OF_QUESTIONS,
        asks=models.CheckBody,
    ),
    Operation(
        path="/v1/papers/{id}",
        example="/v1/papers/PAPER",
        handler=routes.paper,
        answers=models.PaperModel,
        parameters=(
            _parameter("id", "The paper's id, DOI, arXiv or ACL id.", _TEXT, True, "path"),
            _INDEX,
        ),
        problems=(404, 503),
    ),
    Operation(
        path="/v1/papers",
        example="/v1/papers?ids=PAPER&format=bibtex",
        handler=routes.papers,
        answers=models.PapersModel,
        parameters=(
            _parameter(
                "ids", "Ids, 1 to 200; several also with commas between.", _IDS, required=True
            ),
            _parameter(
                "format",
                "Of the reply; without it, json.",
                {"type": "string", "enum": ["json", *MEDIA_TYPES]},
            ),
            _parameter(
                "keys",
                "The pattern of citation keys, such as `[auth:lower][year]`.",
                {"type": "string"},
            ),
            _INDEX,
        ),
        problems=(404, 422, 503),
        formats=True,
    ),
    Operation(
        path="/v1/search",
        example="/v1/search?q=attention",
        handler=routes.searched,
        answers=models.SearchModel,
        parameters=(_parameter("q", "What to look for.", _TEXT, True), _INDEX, _NEXT),
        problems=(400, 404, 422, 503),
    ),
    Operation(
        path="/v1/indexes", handler=routes.indexes, answers=models.IndexesModel, problems=(503,)
    ),
    Operation(path="/healthz", handler=routes.health, answers=models.HealthModel),
    Operation(path="/metrics", handler=routes.metrics),
)
"""In the order in which they are shown."""

_WHY = {
    400: "The body or the token of a page cannot be read",
    404: "There is no such index or paper",
    408: "The body took too long to arrive",
    413: "The body is too large",
    415: "The body is neither JSON nor a form",
    422: "The question makes no sense, or no paper is left",
    503: "Too many questions wait, or an index cannot be read",
}


def offered(*, metrics: bool) -> tuple[Operation, ...]:
    """List the operations that are served."""
    return tuple(each for each in OPERATIONS if metrics or each.handler is not routes.metrics)


@cache
def openapi(*, metrics: bool = False) -> dict[str, Any]:
    """Write the description in OpenAPI 3.1."""
    used = {model for each in OPERATIONS for model in (each.answers, each.asks) if model}
    kinds = sorted(used | {models.ProblemModel}, key=lambda model: model.__name__)
    _, schemas = models_json_schema(
        [(model, "validation") for model in kinds], ref_template="#/components/schemas/{model}"
    )
    paths: dict[str, dict[str, Any]] = {}
    for each in offered(metrics=metrics):
        paths.setdefault(each.path, {})[each.method.lower()] = _described(each)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "recsys",
            "version": VERSION,
            "description": "Recommends which papers a draft should cite.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {"schemas": schemas["$defs"]},
    }


def _described(operation: Operation) -> dict[str, Any]:
    def content(kind: str, model: type[BaseModel]) -> dict[str, Any]:
        return {kind: {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}}

    replies: dict[str, Any] = {UsageCounters.MEDIA_TYPE: {"schema": {"type": "string"}}}
    if operation.answers:
        replies = content(JSON, operation.answers)
    if operation.formats:  # Text, or JSON that is no model of ours.
        records = {"type": "array", "items": {"type": "object"}}
        for kind in MEDIA_TYPES.values():
            replies[kind] = {"schema": records if kind.endswith("json") else {"type": "string"}}
    problem = content(PROBLEM_JSON, models.ProblemModel)
    described: dict[str, Any] = {
        "summary": operation.summary,
        "operationId": operation.handler.__name__,
        "responses": {"200": {"description": operation.summary, "content": replies}}
        | {str(n): {"description": _WHY[n], "content": problem} for n in operation.problems},
    }
    if operation.description:
        described["description"] = operation.description
    if operation.parameters:
        described["parameters"] = list(operation.parameters)
    if operation.asks:
        json_body = content(JSON, operation.asks)
        if operation.alone:
            either = (json_body, content(JSON, operation.alone))
            json_body = {JSON: {"schema": {"anyOf": [each[JSON]["schema"] for each in either]}}}
        item = {"type": "string", "contentMediaType": "application/octet-stream"}
        files = {"type": "array", "items": item}
        parts = {routes.FILE: files, routes.REQUEST: json_body[JSON]["schema"]}
        form = {
            "schema": {"type": "object", "properties": parts},
            "encoding": {routes.REQUEST: {"contentType": JSON}},
        }
        described["requestBody"] = {"required": True, "content": json_body | {MULTIPART: form}}
    return described


async def description(request: Request) -> Response:
    """Answer with the description in OpenAPI 3.1: the same as long as the program is."""
    content = openapi(metrics=service_of(request).settings.metrics)
    return respond(request, Reply(content, digest_of("", {"content": content})))
