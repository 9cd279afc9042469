"""What people see in a browser: every page works without a script."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import quote

import numpy as np
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from recsys.app.web.api.api_description import operations
from recsys.app.web.api.json_replies import MEDIA_TYPES
from recsys.app.web.door.form_reading import read_form
from recsys.app.web.given.given_text import GivenDraft
from recsys.app.web.page_tokens import belongs, digest_of, offset_in, token
from recsys.app.web.pages import page_contents, page_writing
from recsys.app.web.pages.asked_forms import Asked, refused, sent_form
from recsys.app.web.pages.form_fields import FormFields
from recsys.app.web.pages.page_contents import Found, Listed
from recsys.app.web.paper_views import around, papers_named, search
from recsys.app.web.put_question import answered, placed
from recsys.app.web.service import Service, service_of
from recsys.app.web.shelf import Opened
from recsys.errors import InputError, NothingFound, RecsysError
from recsys.formats.answer_formats import FORMATS
from recsys.formats.references.reference_writers import WRITERS
from recsys.records import Paper

CHANGED = "The question or the index has changed: these are the first papers of the new answer."


async def home(request: Request) -> Response:
    """Show the form; an address may fill it."""
    fields = FormFields.read(request.query_params.multi_items())
    return await _page(request, fields.index, partial(_ask, service_of(request), fields))


async def answer(request: Request) -> Response:
    """Answer the form, or the question that an address holds."""
    service, sent = service_of(request), await sent_form(request)
    fields = FormFields.read(sent.pairs)
    try:
        asked = await Asked.of(sent, service)
        if asked.empty():
            raise InputError(
                "Nothing is asked.", "Give a title, a file, or papers like those sought."
            )
        return HTMLResponse(await service.ask(fields.index, partial(_answer, service, asked)))
    except RecsysError as error:
        return refused(service, fields, error)


async def draw(request: Request) -> Response:
    """Draw the map around a draft."""
    service = service_of(request)
    asked = await Asked.of(await sent_form(request), service)
    return HTMLResponse(await service.ask(asked.fields.index, partial(_map, service, asked)))


async def export(request: Request) -> Response:
    """Give the papers that are chosen, or all that are shown, as a file."""
    sent = await read_form(request)
    told = dict(sent.pairs)
    form = told.get("format", "bibtex")
    if form not in WRITERS:
        raise InputError(
            f"There is no format {form[:40]!r}.", f"The formats are {', '.join(WRITERS)}."
        )
    chosen = [value for name, value in sent.pairs if name == "paper"]
    ids = chosen or [value for name, value in sent.pairs if name == "shown"]
    work = partial(_papers, ids)
    found = await service_of(request).ask(told.get("index"), work)
    name = f"recommended{FORMATS[form].suffix}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(WRITERS[form](found), headers=headers, media_type=MEDIA_TYPES[form])


async def paper(request: Request) -> Response:
    """Show one paper."""
    told = request.query_params
    work = partial(_paper, service_of(request), told.get("id", ""))
    return await _page(request, told.get("index"), work)


async def searched(request: Request) -> Response:
    """Show papers that match words."""
    told = request.query_params
    work = partial(_search, service_of(request), told.get("q", "").strip(), told.get("page", ""))
    return await _page(request, told.get("index"), work)


async def api(request: Request) -> Response:
    """Describe the API."""
    service = service_of(request)
    some = next(iter(service.shelf)).opened.recommender.collection.corpus.ids[0]
    described = operations(
        str(request.base_url), metrics=service.settings.metrics, paper=quote(some, safe="")
    )
    return HTMLResponse(page_writing.api(page_contents.site_of(service), described))


async def _page(request: Request, index: str | None, work: Callable[[Opened], str]) -> HTMLResponse:
    return HTMLResponse(await service_of(request).ask(index, work))


def _ask(service: Service, fields: FormFields, opened: Opened) -> str:
    site = page_contents.site_of(service, opened.name)
    return page_writing.ask(site, page_contents.form_of(fields, opened))


def _answer(service: Service, asked: Asked, opened: Opened) -> str:
    return page_writing.answer(page_contents.site_of(service, opened.name), _found(asked, opened))


def _found(asked: Asked, opened: Opened) -> Found:
    web, question, fields = asked.understood(opened)
    told, page, notes = fields.key(), asked.fields.page, list(asked.notes(fields))
    if page and not belongs(page, digest_of(opened.fingerprint, told)):
        page, notes = "", [CHANGED]
    try:
        found = answered(opened, replace(web, page=page), question, told)
    except NothingFound as error:
        return page_contents.nothing_found(opened, fields, question, str(error), notes)
    if asked.text is not None:
        found = placed(opened, found, GivenDraft(web.draft, asked.text))
    return page_contents.found_of(opened, fields, found, notes)


def _map(service: Service, asked: Asked, opened: Opened) -> str:
    from recsys.mapping import draw_map, map_svg, map_table

    web, question, fields = asked.understood(opened)
    drawn = draw_map(opened.recommender, question, filters=web.filters)

    def address(paper: Paper) -> str:
        return page_contents.paper_address(opened.name, paper.id)

    gaps = [drawn.groups[place] for place in drawn.gaps]
    return page_writing.map(
        page_contents.site_of(service, opened.name),
        page_contents.form_of(fields, opened),
        map_svg(drawn, paper_address=address),
        map_table(drawn, paper_address=address),
        tuple(f"{gap.label}: {gap.counted}" for gap in gaps),
    )


def _papers(ids: Sequence[str], opened: Opened) -> list[Paper]:
    if not ids:
        raise InputError("No paper is chosen.", "Choose one, or ask first.")
    found, _ = papers_named(opened, ids)
    return found


def _paper(service: Service, paper_id: str, opened: Opened) -> str:
    shown = page_contents.paper_of(opened, around(opened, paper_id))
    return page_writing.paper(page_contents.site_of(service, opened.name), shown)


def _search(service: Service, words: str, page: str, opened: Opened) -> str:
    digest = digest_of(opened.fingerprint, {"search": words})
    begin = offset_in(page, digest) if page else 0
    rows = search(opened, words) if words else np.empty(0, np.int32)
    end = begin + page_contents.PER_PAGE
    items: tuple[Listed, ...] = page_contents.listed(opened, rows[begin:end])
    rest = token(end, digest) if end < len(rows) else ""
    return page_writing.search(page_contents.site_of(service, opened.name), words, items, rest)
