"""What programs ask, and how they are answered.

The docstring of an operation is what OpenAPI and the page on the API say of it.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Generic, TypeVar

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from recsys.app.web.api_models import (
    CheckBody,
    CitationsBody,
    QuestionBody,
    RecommendationsBody,
    parsed,
)
from recsys.app.web.index_registry import OpenIndex, ServedIndex
from recsys.app.web.questions import (
    MOST_CHECKED,
    AnswerPage,
    WebQuestion,
    answer_page,
    answer_passage,
    around,
    checked_in,
    joined,
    papers_named,
    placed,
    posed,
    years_of,
)
from recsys.app.web.replies import (
    FARTHEST,
    JSON,
    MEDIA_TYPES,
    Reply,
    RequestError,
    digest_of,
    offset_in,
    respond,
    token,
)
from recsys.app.web.service import UsageCounters, service_of
from recsys.app.web.upload_reader import UploadedDraft
from recsys.app.web.uploads import FORM, MULTIPART, UploadedFile, media_type, read_form
from recsys.errors import DraftError, InputError, check_name
from recsys.formats.answers import answer_record
from recsys.formats.check_formats import check_record
from recsys.formats.drafts.objects import manuscript_of
from recsys.formats.local_answers.gap_json import local_record
from recsys.formats.local_answers.shown_gaps import keys_of
from recsys.formats.references.citation_keys import citation_keys
from recsys.formats.references.reference_writers import WRITERS
from recsys.formats.references.shown_facts import bare_doi, paper_link
from recsys.local.cite import LocalQuestion
from recsys.query.question_schema import named_paper
from recsys.query.search import search
from recsys.records import Bibliography, Manuscript, Paper, ReadingLists
from recsys.store.arrays import Rows

MOST_IDS, PER_PAGE = 200, 20
LONGEST_SEARCH = 1_000
"""Letters of words to look for."""
FILE, REQUEST = "file", "request"
"""The parts of a multipart question: one or more files of the draft, and the object of all else."""

Model = TypeVar("Model", bound=BaseModel)


# Questions: JSON, or a form with files and JSON in a part.


@dataclass(frozen=True, slots=True)
class SentQuestion(Generic[Model]):
    """A question as it was sent. body: its object. files: those of the draft."""

    body: Model
    files: Sequence[UploadedFile] = ()

    @classmethod
    async def read(cls, request: Request, model: type[Model]) -> "SentQuestion[Model]":
        """Read a question.

        Raises:
            RequestError: it is of another type, cannot be read, or is of another shape.
        """
        kind = media_type(request)
        if kind == JSON:
            return cls(parsed(await request.body(), model))
        if kind not in (MULTIPART, FORM):
            what = f"The body is {kind[:80] or 'of no type'}."
            hint = f"Send {JSON}, or {MULTIPART} with the parts {FILE!r} and {REQUEST!r}."
            raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, what, hint)
        sent = await read_form(request)
        objects = [value for name, value in sent.pairs if name == REQUEST]
        return cls(parsed(objects[0] if objects else "{}", model), sent.files.get(FILE, ()))

    def facts(self) -> dict[str, Any]:
        """Return all that the answer depends on beside the index; of files, their hashes."""
        files = [[each.name, hashlib.sha256(each.content).hexdigest()] for each in self.files]
        return self.body.model_dump(exclude={"index", "next"}) | {"files": files}

    async def upload(self, request: Request, *, sentences: bool) -> UploadedDraft | None:
        """Read the files of the question, if there are any.

        Raises:
            RecsysError: they cannot be read.
        """
        if not self.files:
            return None
        return await service_of(request).read_draft(self.files, sentences=sentences)


async def recommendations(request: Request) -> Response:
    """Recommend papers for a draft.

    Send JSON: a question, or the object of a `draft.json` alone; or a form with the draft as one or
    more parts `file` (LaTeX with its .bib, .zip, .pdf, .docx, .md, .json), and all else as JSON in
    the part `request`. The draft is kept nowhere.
    """
    sent = await SentQuestion.read(request, RecommendationsBody)
    body, where = sent.body, sent.body.options().where
    upload = await sent.upload(request, sentences=where)
    if upload is None and where:
        raise InputError("Places are asked for, but no draft is given.", "Send its `file`, too.")
    asked = _asked(body, None if upload is None else upload.manuscript)

    def recommend(opened: OpenIndex) -> Reply:
        page = answer_page(opened, asked, posed(opened, asked), sent.facts())
        if upload is not None and where:
            page = placed(opened, page, upload)
        return Reply(page_record(opened, page), digest_of(page.digest, {"offset": page.offset}))

    return respond(request, await service_of(request).ask(body.index, recommend))


def page_record(opened: OpenIndex, page: AnswerPage) -> dict[str, Any]:
    """Write a page of an answer as an `AnswerModel`."""
    return answer_record(page.answer) | {
        "index": opened.name,
        "notes": list(page.answer.notes),
        "missing": list(page.answer.missing),
        "next": page.next or None,
    }


def _asked(body: QuestionBody, upload: Manuscript | None) -> WebQuestion:
    typed = manuscript_of(body.draft.model_dump(exclude_none=True) if body.draft else {}, "draft")
    options = body.options()
    options.filters.check()
    lists = (
        Bibliography(tuple(map(named_paper, words)))
        for words in (options.seeds, options.not_like, options.library)
    )
    return WebQuestion(
        draft=typed if upload is None else joined(upload, typed),
        lists=ReadingLists(*lists),
        options=options,
        page=body.next,
    )


async def citations(request: Request) -> Response:
    """Recommend papers for a place in a text.

    Send a passage as JSON, its place marked by | or told by `offset`; or a form with the draft as
    one or more parts `file`, and all else as JSON in the part `request`: then every place that
    lacks a citation is answered. The draft is kept nowhere.
    """
    sent = await SentQuestion.read(request, CitationsBody)
    body = sent.body
    upload = await sent.upload(request, sentences=True)
    if upload is not None and upload.text is None:
        raise upload.why or DraftError("The draft has no running text.", "Give a passage.")
    facts = body.model_dump(include={"title", "abstract", "references"}, exclude_none=True)
    typed = manuscript_of(facts, "body")

    def find(opened: OpenIndex) -> Reply:
        draft = typed if upload is None else joined(upload.manuscript, typed)
        text = None if upload is None else upload.text
        question = LocalQuestion(body.k, body.line, body.offset, body.most, body.as_of)
        answer = answer_passage(opened, draft, body.text, text, question)
        record = local_record(answer, keys_of(answer)) | {"index": opened.name}
        return Reply(record, digest_of(opened.fingerprint, {"citations": sent.facts()}))

    return respond(request, await service_of(request).ask(body.index, find))


async def checks(request: Request) -> Response:
    """Check the references of a bibliography.

    Send its text or a list of works as JSON; or a form with the bibliography as one or more parts
    `file`, and all else as JSON in the part `request`. Each reference is compared with the record
    that the index has; no other source is asked. Nothing is kept.
    """
    sent = await SentQuestion.read(request, CheckBody)
    body, files = sent.body, list(sent.files)
    if body.text.strip():
        files.append(UploadedFile("the text", body.text.encode()))
    listed = Bibliography()
    if files:
        listed = await service_of(request).read_lists(files)
    named = body.model_dump(include={"references"}, exclude_none=True)
    references = (*listed.references, *manuscript_of(named, "body").references)
    if not references:
        raise _unprocessable("No reference is given.", body.SHAPE)
    if len(references) > MOST_CHECKED:
        what = f"{len(references):,} references are given."
        raise _unprocessable(what, f"Send {MOST_CHECKED:,} at most, or run `recsys check`.")

    def find(opened: OpenIndex) -> Reply:
        report = checked_in(opened, references, listed.problems)
        record = check_record(report) | {"index": opened.name}
        return Reply(record, digest_of(opened.fingerprint, {"checks": sent.facts()}))

    return respond(request, await service_of(request).ask(body.index, find))


# Papers.


async def papers(request: Request) -> Response:
    """Show several papers, in any format."""
    values = request.query_params.getlist("ids")
    ids = [each for value in values for each in value.split(",") if each]
    if not 0 < len(ids) <= MOST_IDS:
        what = f"{len(ids)} ids are given."
        raise _unprocessable(what, f"Give 1 to {MOST_IDS}: ?ids=A,B or ?ids=A&ids=B.")
    form = request.query_params.get("format", "json")
    check_name(form, ("json", *WRITERS), "format")
    keys = request.query_params.get("keys") or None

    def find(opened: OpenIndex) -> Reply:
        known, missing = papers_named(opened, ids)
        digest = digest_of(opened.fingerprint, {"papers": list(ids), "format": form, "keys": keys})
        if form != "json":
            named = citation_keys(known, pattern=keys)
            return Reply(WRITERS[form](known, named), digest, MEDIA_TYPES[form])
        return Reply({"papers": list(map(paper_record, known)), "missing": missing}, digest)

    return await _get(request, find)


async def paper(request: Request) -> Response:
    """Show a paper, what it cites, and who cites it."""
    paper_id = request.path_params["id"]

    def find(opened: OpenIndex) -> Reply:
        known, ids = around(opened, paper_id), opened.recommender.collection.corpus.ids
        links = {
            "cites": [ids[row] for row in known.cites.tolist()],
            "cited_by": [ids[row] for row in known.cited_by.tolist()],
        }
        digest = digest_of(opened.fingerprint, {"paper": paper_id})
        return Reply(paper_record(known.paper) | links, digest)

    return await _get(request, find)


async def searched(request: Request) -> Response:
    """Find papers by words, an id or a DOI."""
    query, start = request.query_params.get("q", ""), request.query_params.get("next", "")
    words = query.strip()
    if not words:
        raise _unprocessable("q is empty.", "Give words: ?q=maps.")
    if len(query) > LONGEST_SEARCH:
        raise _unprocessable(f"q has {len(query):,} letters.", f"Give at most {LONGEST_SEARCH:,}.")

    def find(opened: OpenIndex) -> Reply:
        rows, asked = search(opened.recommender.collection, words), {"search": words}
        digest = digest_of(opened.fingerprint, asked | {"next": start})
        return Reply(papers_page(opened, rows, asked, start), digest)

    return await _get(request, find)


def papers_page(
    opened: OpenIndex,
    rows: Rows,
    asked: Mapping[str, object],
    start: str,
    size: int = PER_PAGE,
) -> dict[str, Any]:
    """Write one page of papers as a `SearchModel`.

    Args:
        opened: the index.
        rows: of all papers, in their order.
        asked: what was asked for, which the token of a page belongs to.
        start: the token of the page, "" for the first.
        size: papers of a page.

    Raises:
        RequestError: the token is of another question.
    """
    digest = digest_of(opened.fingerprint, asked)
    begin = offset_in(start, digest) if start else 0
    end = min(begin + size, FARTHEST)
    shown = opened.recommender.collection.corpus.papers(rows[begin:end])
    rest = token(end, digest) if end < min(len(rows), FARTHEST) else None
    return {"papers": list(map(paper_record, shown)), "next": rest}


def _unprocessable(what: str, hint: str) -> RequestError:
    return RequestError(HTTPStatus.UNPROCESSABLE_ENTITY, what, hint)


async def _get(request: Request, work: Callable[[OpenIndex], Reply]) -> Response:
    index = request.query_params.get("index")
    return respond(request, await service_of(request).ask(index, work))


def paper_record(paper: Paper) -> dict[str, Any]:
    """Write a paper as a `PaperModel`, without its citations."""
    return {
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "abstract_note": paper.abstract_note or None,
        "authors": list(paper.authors),
        "year": paper.year,
        "venue": paper.venue,
        "doi": paper.doi or bare_doi(paper),
        "url": paper.url or paper_link(paper),
        "cites": None,
        "cited_by": None,
    }


# The service.


async def indexes(request: Request) -> Response:
    """List the indexes."""
    service = service_of(request)

    records = await service.pool.run(lambda: list(map(index_record, service.indexes)))
    return respond(request, Reply({"indexes": records}, digest_of("", {"indexes": records})))


def index_record(served: ServedIndex) -> dict[str, Any]:
    """Write what is served of an index as an `IndexModel`."""
    opened = served.current()
    collection = opened.recommender.collection
    first, last = years_of(collection.corpus)
    return {
        "name": served.name,
        "papers": len(collection.corpus),
        "citations": len(collection.graph.cites.values),
        "from_year": first,
        "to_year": last,
        "fingerprint": opened.fingerprint,
        "trouble": served.trouble,
        "remarks": list(opened.remarks),
    }


async def health(request: Request) -> Response:
    """Tell whether questions are answered.

    Degraded: an index was changed and cannot be opened; the former one answers.
    """
    troubled = any(served.trouble for served in service_of(request).indexes)
    return respond(request, Reply({"status": "degraded" if troubled else "ok"}))


async def metrics(request: Request) -> Response:
    """Count requests, in Prometheus' text format.

    Only with --metrics. Nothing that was asked is in it.
    """
    service = service_of(request)
    text = service.counters.text(inside=service.pool.inside)
    return Response(text, media_type=UsageCounters.MEDIA_TYPE)
