"""What programs ask, and how they are answered."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from recsys.app.web.api.api_models import RecommendationsBody
from recsys.app.web.api.json_replies import MEDIA_TYPES, Reply, respond
from recsys.app.web.api.question_reading import SentQuestion, question_of
from recsys.app.web.given.given_files import read_given, read_given_text
from recsys.app.web.given.given_text import GivenDraft
from recsys.app.web.page_tokens import digest_of, offset_in, token
from recsys.app.web.paper_views import around, papers_named, search, years_of
from recsys.app.web.problem_details import RequestError
from recsys.app.web.put_question import WebQuestion, answered, joined, placed, posed
from recsys.app.web.service import MEDIA_TYPE, Service, service_of
from recsys.app.web.shelf import Opened, Place
from recsys.errors import InputError
from recsys.formats.answers import answer_record
from recsys.formats.drafts.objects import manuscript_of
from recsys.formats.references.reference_writers import WRITERS
from recsys.formats.references.shown_facts import bare_doi, paper_link
from recsys.query.filters import Filters
from recsys.query.named import named_paper
from recsys.records import Bibliography, Manuscript, Paper, ReadingLists

MOST_IDS, PER_PAGE = 200, 20
LONGEST_SEARCH = 1_000
"""Letters of words to look for."""


async def recommendations(request: Request) -> Response:
    """Answer a draft."""
    service, sent = service_of(request), await question_of(request, RecommendationsBody)
    given = await _given(service, sent)
    asked = _asked(sent.body, None if given is None else given.manuscript)
    work = partial(_recommend, asked, sent.told("next"), given if sent.body.where else None)
    return respond(request, await service.ask(sent.body.index, work))


async def _given(service: Service, sent: SentQuestion[RecommendationsBody]) -> GivenDraft | None:
    """Read the files of a question, and their sentences if these are asked for.

    Raises:
        RecsysError: they cannot be read, or nobody may ask for sentences without a file.
    """
    if sent.files and sent.body.where:
        return await service.read(partial(read_given_text, sent.files))
    if sent.files:
        return GivenDraft(await service.read(partial(read_given, sent.files)))
    if sent.body.where:
        raise InputError("Places are asked for, but no draft is given.", "Send its `file`, too.")
    return None


async def papers(request: Request) -> Response:
    """Return papers by their ids."""
    ids = [
        each for value in request.query_params.getlist("ids") for each in value.split(",") if each
    ]
    if not 0 < len(ids) <= MOST_IDS:
        raise RequestError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"{len(ids)} ids are given.",
            f"Give 1 to {MOST_IDS}: ?ids=A,B or ?ids=A&ids=B.",
        )
    form = request.query_params.get("format", "json")
    if form != "json" and form not in WRITERS:
        raise RequestError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"There is no format {form[:40]!r}.",
            f"The formats are json, {', '.join(WRITERS)}.",
        )
    return await _get(request, partial(_papers, ids, form))


async def paper(request: Request) -> Response:
    """Return one paper."""
    return await _get(request, partial(_paper, request.path_params["id"]))


async def searched(request: Request) -> Response:
    """Return papers that match words."""
    told = request.query_params.get("q", "")
    words = told.strip()
    if not words:
        raise RequestError(HTTPStatus.UNPROCESSABLE_ENTITY, "q is empty.", "Give words: ?q=maps.")
    if len(told) > LONGEST_SEARCH:
        raise RequestError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"q has {len(told):,} letters.",
            f"Give at most {LONGEST_SEARCH:,}.",
        )
    return await _get(request, partial(_search, words, request.query_params.get("next", "")))


async def indexes(request: Request) -> Response:
    """Describe the indexes."""
    service = service_of(request)
    places = await service.pool.run(lambda: [_index(place) for place in service.shelf])
    return respond(request, Reply({"indexes": places}, digest_of("", {"indexes": places})))


async def health(request: Request) -> Response:
    """Tell whether questions are answered."""
    troubled = any(place.trouble for place in service_of(request).shelf)
    return respond(request, Reply({"status": "degraded" if troubled else "ok"}))


async def metrics(request: Request) -> Response:
    """Return the counters."""
    service = service_of(request)
    text = service.counters.text(inside=service.pool.inside)
    return Response(text, media_type=MEDIA_TYPE)


async def _get(request: Request, work: Callable[[Opened], Reply]) -> Response:
    index = request.query_params.get("index")
    return respond(request, await service_of(request).ask(index, work))


def _recommend(
    asked: WebQuestion, told: Mapping[str, object], placing: GivenDraft | None, opened: Opened
) -> Reply:
    found = answered(opened, asked, posed(opened, asked), told)
    if placing is not None:
        found = placed(opened, found, placing)
    record = answer_record(found.answer)
    more = {
        "index": opened.name,
        "notes": list(found.answer.notes),
        "missing": list(found.answer.missing),
        "next": found.next or None,
    }
    return Reply(record | more, digest_of(found.digest, {"offset": found.offset}))


def _asked(body: RecommendationsBody, given: Manuscript | None) -> WebQuestion:
    told = {} if body.draft is None else body.draft.model_dump(exclude_none=True)
    typed = manuscript_of(told, "draft")
    draft = typed if given is None else joined(given, typed)
    wanted = body.filters
    filters = Filters(
        min_year=wanted.min_year,
        max_year=wanted.max_year,
        venues=tuple(wanted.venues),
        types=tuple(wanted.types),
        exclude_authors=tuple(wanted.exclude_authors),
        exclude_own=wanted.exclude_own,
        exclude_library=wanted.exclude_library,
        keep_front_matter=wanted.keep_front_matter,
    )
    filters.check()
    lists = ReadingLists(*map(_named, (body.seeds, body.not_like, body.library)))
    return WebQuestion(
        draft=draft,
        lists=lists,
        filters=filters,
        as_of=body.as_of,
        diversity=body.diversity,
        k=body.k,
        page=body.next,
    )


def _named(words: Sequence[str]) -> Bibliography:
    return Bibliography(tuple(map(named_paper, words)))


def _papers(ids: Sequence[str], form: str, opened: Opened) -> Reply:
    found, missing = papers_named(opened, ids)
    digest = digest_of(opened.fingerprint, {"papers": list(ids), "format": form})
    if form != "json":
        return Reply(WRITERS[form](found), digest, MEDIA_TYPES[form])
    return Reply({"papers": list(map(_record, found)), "missing": missing}, digest)


def _paper(paper_id: str, opened: Opened) -> Reply:
    found = around(opened, paper_id)
    ids = opened.recommender.collection.corpus.ids
    links = {
        "cites": [ids[row] for row in found.cites.tolist()],
        "cited_by": [ids[row] for row in found.cited_by.tolist()],
    }
    return Reply(_record(found.paper) | links, digest_of(opened.fingerprint, {"paper": paper_id}))


def _search(words: str, page: str, opened: Opened) -> Reply:
    digest = digest_of(opened.fingerprint, {"search": words})
    begin = offset_in(page, digest) if page else 0
    rows = search(opened, words)
    end = begin + PER_PAGE
    shown = opened.recommender.collection.corpus.papers(rows[begin:end])
    rest = token(end, digest) if end < len(rows) else None
    content = {"papers": list(map(_record, shown)), "next": rest}
    return Reply(content, digest_of(digest, {"offset": begin}))


def _record(paper: Paper) -> dict[str, Any]:
    return {
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": list(paper.authors),
        "year": paper.year,
        "venue": paper.venue,
        "doi": paper.doi or bare_doi(paper),
        "url": paper.url or paper_link(paper),
        "cites": None,
        "cited_by": None,
    }


def _index(place: Place) -> dict[str, Any]:
    opened = place.current()
    collection = opened.recommender.collection
    first, last = years_of(collection.corpus)
    return {
        "name": place.name,
        "papers": len(collection.corpus),
        "citations": len(collection.graph.cites.values),
        "from_year": first,
        "to_year": last,
        "fingerprint": opened.fingerprint,
        "trouble": place.trouble,
        "remarks": list(opened.remarks),
    }
