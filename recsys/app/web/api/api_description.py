"""The operations of the API: one literal table; routes, OpenAPI and a page are made of it."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.requests import Request
from starlette.responses import Response

from recsys.app.web.api import api_models as models
from recsys.app.web.api import api_routes as routes
from recsys.app.web.api.api_models import CitationsBody, LocalAnswerModel
from recsys.app.web.api.citation_routes import citations
from recsys.app.web.api.json_replies import JSON, MEDIA_TYPES, respond_with
from recsys.app.web.api.question_reading import FILE, REQUEST
from recsys.app.web.door.form_reading import MULTIPART
from recsys.app.web.pages.page_contents import Operation
from recsys.app.web.problem_details import MEDIA_TYPE as PROBLEM
from recsys.app.web.service import MEDIA_TYPE as METRICS
from recsys.version import VERSION

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
_REF = "#/components/schemas/{model}"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation, in the query or, where the path names it, in the path."""

    name: str
    description: str
    schema: Mapping[str, object]
    required: bool = False


@dataclass(frozen=True, slots=True)
class Described:
    """One operation. answers: what the model of its reply is. problems: statuses of others.

    asks: the model of its body, which may come as JSON or beside files.
    curl: what follows the address in an example. formats: it answers in formats of reference
    managers, too.
    """

    method: str
    path: str
    handler: Handler
    summary: str
    answers: type[BaseModel] | None
    curl: str
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    problems: tuple[int, ...] = ()
    formats: bool = False
    asks: type[BaseModel] | None = None

    @property
    def route(self) -> str:
        """The path as Starlette writes it: an id may hold slashes."""
        return self.path.replace("{id}", "{id:path}")


_TEXT: Mapping[str, object] = {"type": "string", "minLength": 1, "maxLength": routes.LONGEST_SEARCH}
_INDEX = Parameter("index", "The index; without it, the first.", {"type": "string"})
_NEXT = Parameter("next", "`next` of the page before.", {"type": "string", "maxLength": 200})
_IDS: Mapping[str, object] = {"type": "array", "items": {"type": "string", "minLength": 1}}

_OF_QUESTIONS = (400, 404, 408, 413, 415, 422, 503)

OPERATIONS = (
    Described(
        "POST",
        "/v1/recommendations",
        routes.recommendations,
        "Recommend papers for a draft",
        models.AnswerModel,
        "-H 'Content-Type: application/json' "
        """-d '{"draft": {"title": "Attention for citation recommendation"}, "k": 5}'""",
        description=(
            "Send JSON; or a form with the draft as one or more parts `file` (LaTeX with its .bib, "
            ".zip, .pdf, .docx, .md, .json), and all else as JSON in the part `request`. The draft "
            "is kept nowhere."
        ),
        problems=_OF_QUESTIONS,
        asks=models.RecommendationsBody,
    ),
    Described(
        "POST",
        "/v1/citations",
        citations,
        "Recommend papers for a place in a text",
        LocalAnswerModel,
        "-H 'Content-Type: application/json' "
        """-d '{"text": "Papers that cite each other get similar vectors |.", "k": 5}'""",
        description=(
            "Send a passage as JSON, its place marked by | or told by `offset`; or a form with the "
            "draft as one or more parts `file`, and all else as JSON in the part `request`: then "
            "every place that lacks a citation is answered. The draft is kept nowhere."
        ),
        problems=_OF_QUESTIONS,
        asks=CitationsBody,
    ),
    Described(
        "GET",
        "/v1/papers/{id}",
        routes.paper,
        "Show a paper, what it cites, and who cites it",
        models.PaperModel,
        "",
        parameters=(Parameter("id", "The paper's id.", _TEXT, True), _INDEX),
        problems=(404, 503),
    ),
    Described(
        "GET",
        "/v1/papers",
        routes.papers,
        "Show several papers, in any format",
        models.PapersModel,
        "",
        parameters=(
            Parameter("ids", "Ids, 1 to 200; several also with commas between.", _IDS, True),
            Parameter(
                "format",
                "Of the reply; without it, json.",
                {"type": "string", "enum": ["json", *MEDIA_TYPES]},
            ),
            _INDEX,
        ),
        problems=(404, 422, 503),
        formats=True,
    ),
    Described(
        "GET",
        "/v1/search",
        routes.searched,
        "Find papers by words, an id or a DOI",
        models.SearchModel,
        "",
        parameters=(Parameter("q", "What to look for.", _TEXT, True), _INDEX, _NEXT),
        problems=(400, 404, 422, 503),
    ),
    Described(
        "GET",
        "/v1/indexes",
        routes.indexes,
        "List the indexes",
        models.IndexesModel,
        "",
        problems=(503,),
    ),
    Described(
        "GET",
        "/healthz",
        routes.health,
        "Tell whether questions are answered",
        models.HealthModel,
        "",
        description="Degraded: an index was changed and cannot be opened; the former one answers.",
    ),
    Described(
        "GET",
        "/metrics",
        routes.metrics,
        "Count requests, in Prometheus' text format",
        None,
        "",
        description="Only with --metrics. Nothing that was asked is in it.",
    ),
)
"""In the order in which they are shown."""
_EXAMPLES = {
    "/v1/papers/{id}": "/v1/papers/{id}".replace("{id}", "PAPER"),
    "/v1/papers": "/v1/papers?ids=PAPER&format=bibtex",
    "/v1/search": "/v1/search?q=attention",
}


def offered(*, metrics: bool) -> tuple[Described, ...]:
    """List the operations that are served."""
    return tuple(each for each in OPERATIONS if metrics or each.handler is not routes.metrics)


def operations(base: str, *, metrics: bool = False, paper: str = "PAPER") -> tuple[Operation, ...]:
    """Describe the operations to people.

    base: the address of the site. paper: an id for the examples.
    """
    return tuple(_shown(each, base.rstrip("/"), paper) for each in offered(metrics=metrics))


def _shown(each: Described, base: str, paper: str) -> Operation:
    path = _EXAMPLES.get(each.path, each.path).replace("PAPER", paper)
    parts = ["curl", f"'{base}{path}'", each.curl]
    return Operation(
        each.method,
        each.path,
        each.summary,
        each.description,
        " ".join(part for part in parts if part),
        tuple((p.name, _where(each, p), p.required, p.description) for p in each.parameters),
    )


def _where(each: Described, parameter: Parameter) -> str:
    return "path" if f"{{{parameter.name}}}" in each.path else "query"


@cache
def openapi(*, metrics: bool = False) -> dict[str, Any]:
    """Write the description in OpenAPI 3.1."""
    used = {each.answers for each in OPERATIONS if each.answers}
    used |= {each.asks for each in OPERATIONS if each.asks} | {models.ProblemModel}
    kinds: Iterable[Any] = sorted(used, key=lambda model: model.__name__)
    _, schemas = models_json_schema([(model, "validation") for model in kinds], ref_template=_REF)
    paths: dict[str, dict[str, Any]] = {}
    for each in offered(metrics=metrics):
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each)
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


async def description(request: Request) -> Response:
    """Answer with the description in OpenAPI 3.1."""
    metrics = request.app.state.service.settings.metrics
    return respond_with(request, openapi(metrics=metrics))


def _operation(each: Described) -> dict[str, Any]:
    found: dict[str, Any] = {
        "summary": each.summary,
        "operationId": each.handler.__name__,
        "responses": {"200": _reply(each)} | {str(n): _problem(n) for n in each.problems},
    }
    if each.description:
        found["description"] = each.description
    if each.parameters:
        found["parameters"] = [_parameter(each, parameter) for parameter in each.parameters]
    if each.asks:
        found["requestBody"] = _body(each.asks)
    return found


def _parameter(each: Described, parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": _where(each, parameter),
        "required": parameter.required,
        "description": parameter.description,
        "schema": parameter.schema,
    }


def _reply(each: Described) -> dict[str, Any]:
    if each.answers is None:
        return {"description": each.summary, "content": {METRICS: {"schema": {"type": "string"}}}}
    content: dict[str, Any] = {JSON: {"schema": _schema(each.answers)}}
    if each.formats:
        content |= {kind: {"schema": _written(kind)} for kind in MEDIA_TYPES.values()}
    return {"description": each.summary, "content": content}


def _written(kind: str) -> Mapping[str, object]:
    """Describe papers in a format of reference managers: text, or JSON that is no model of ours."""
    if kind.endswith("json"):
        return {"type": "array", "items": {"type": "object"}}
    return {"type": "string"}


def _problem(status: int) -> dict[str, Any]:
    content = {PROBLEM: {"schema": _schema(models.ProblemModel)}}
    return {"description": _WHY[status], "content": content}


def _schema(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REF.format(model=model.__name__)}


_WHY = {
    400: "The body or the token of a page cannot be read",
    404: "There is no such index or paper",
    408: "The body took too long to arrive",
    413: "The body is too large",
    415: "The body is neither JSON nor a form",
    422: "The question makes no sense, or no paper is left",
    503: "Too many questions wait, or an index cannot be read",
}


def _body(asked: type[BaseModel]) -> Mapping[str, Any]:
    """Describe a question as JSON, and as a part beside the files of a draft."""
    files = {
        "type": "array",
        "items": {"type": "string", "contentMediaType": "application/octet-stream"},
    }
    parts = {FILE: files, REQUEST: _schema(asked)}
    form = {
        "schema": {"type": "object", "properties": parts},
        "encoding": {REQUEST: {"contentType": JSON}},
    }
    return {"required": True, "content": {JSON: {"schema": _schema(asked)}, MULTIPART: form}}
