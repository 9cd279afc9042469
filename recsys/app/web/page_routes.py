"""What people see in a browser: every page works without a script."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import quote

import numpy as np
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from recsys.app.web.api_description import offered
from recsys.app.web.form_fields import FormFields
from recsys.app.web.index_registry import OpenIndex
from recsys.app.web.page_writing import (
    Item,
    form_of,
    paper_address,
    papers_at,
    render,
    site_of,
)
from recsys.app.web.questions import (
    WebQuestion,
    answer_page,
    answer_passage,
    around,
    joined,
    papers_named,
    placed,
    posed,
)
from recsys.app.web.replies import (
    MEDIA_TYPES,
    RequestError,
    digest_of,
    offset_in,
    problem_of,
    token,
)
from recsys.app.web.service import Service, service_of
from recsys.app.web.upload_reader import DraftText, UploadedDraft
from recsys.app.web.uploads import (
    SentForm,
    pack,
    read_form,
    read_uploaded_draft,
    read_uploaded_lists,
    unpack,
)
from recsys.errors import DraftError, InputError, NothingFound, RecsysError
from recsys.formats.answers import FORMATS, keys_in, where_of
from recsys.formats.local_answers import shown_gaps
from recsys.formats.local_answers.shown_gaps import keys_of
from recsys.formats.references.citation_keys import citation_keys
from recsys.formats.references.reference_writers import WRITERS
from recsys.formats.references.shown_facts import one_line
from recsys.local.cite import LocalQuestion
from recsys.query.query import removed_in_words
from recsys.query.question_schema import Filters
from recsys.query.resolve_draft import Question
from recsys.query.search import search
from recsys.records import Answer, Bibliography, LocalAnswer, Paper, PaperId

PER_PAGE = 20
MOST_LISTED = 100
"""Papers that a paper's page lists as cited, and as many as citing."""
FOR_PASSAGE, FOR_PLACE = 10, 3
"""Papers for the place of a passage, and for each of a draft."""
CHANGED = "The question or the index has changed: these are the first papers of the new answer."
TOO_LONG = (
    "The draft is too long for its sentences to stay with this page: give its file again for them."
)
UNFILTERED = "The filters do not count here."


# Questions: a form that was sent, with its files, in the terms of the library.


@dataclass(frozen=True, slots=True)
class AskedForm:
    """A form that was sent: its fields, and what its files say.

    text: the sentences of the draft, from a file or from the form.
    """

    fields: FormFields
    upload: UploadedDraft | None
    library: Bibliography | None
    text: DraftText | None

    @classmethod
    async def read(cls, sent: SentForm, service: Service) -> "AskedForm":
        """Read the files that were sent.

        Raises:
            InputError: one cannot be read.
        """
        drafts, libraries = sent.files.get("file"), sent.files.get("library_file")
        fields, upload, library = FormFields.read(sent.pairs), None, None
        if drafts:
            reading = partial(read_uploaded_draft, drafts, sentences=True)
            upload = await service.reading.run(reading)
        if libraries:
            library = await service.reading.run(partial(read_uploaded_lists, libraries))
        text = unpack(fields.text) if upload is None else upload.text
        return cls(fields, upload, library, text)

    def understood(self, opened: OpenIndex) -> tuple[WebQuestion, Question, FormFields]:
        """Find the papers that are named, and say all of it in the fields of the form."""
        fields, upload = self.fields, self.upload
        typed, lists = fields.manuscript(), fields.lists()
        if self.library is not None:
            references = (*lists.library.references, *self.library.references)
            lists = replace(lists, library=Bibliography(references, self.library.problems))
        asked = WebQuestion(
            draft=typed if upload is None else joined(upload.manuscript, typed),
            lists=lists,
            options=fields.asked(),
        )
        question = posed(opened, asked)
        text = fields.text if upload is None else pack(self.text)
        fields = replace(fields, index=opened.name, text=text).understood_as(question)
        return asked, question, fields

    def notes(self, fields: FormFields) -> tuple[str, ...]:
        """Say what of the draft the fields of its answer could not hold."""
        return (TOO_LONG,) if self.text is not None and not fields.text else ()


async def _answered(
    request: Request,
    check: Callable[[AskedForm], None],
    work: Callable[[Service, AskedForm, OpenIndex], str],
) -> Response:
    """Answer a form; or say above it, filled as it was, why there is no answer."""
    service, sent = service_of(request), await read_form(request)
    fields = FormFields.read(sent.pairs)
    try:
        asked = await AskedForm.read(sent, service)
        check(asked)
        return HTMLResponse(await service.ask(fields.index, partial(work, service, asked)))
    except RecsysError as error:
        problem = problem_of(error)
        form = form_of(replace(fields, library="", text=""))
        page = render("ask", site_of(service, fields.index), form=form, problem=problem)
        headers = {} if problem.wait is None else {"retry-after": str(problem.wait)}
        return HTMLResponse(page, problem.status, headers)


async def home(request: Request) -> Response:
    """Show the form; an address may fill it."""
    service, fields = service_of(request), FormFields.read(request.query_params.multi_items())

    def page(opened: OpenIndex) -> str:
        site = site_of(service, opened.name)
        return render("ask", site, form=form_of(fields, opened), problem=None)

    return HTMLResponse(await service.ask(fields.index, page))


# The whole draft.


async def answer(request: Request) -> Response:
    """Answer the form, or the question that an address holds."""

    def check(asked: AskedForm) -> None:
        if asked.fields.empty() and asked.upload is None:
            raise InputError(
                "Nothing is asked.", "Give a title, a file, or papers like those sought."
            )

    return await _answered(request, check, _answer)


def _answer(service: Service, asked: AskedForm, opened: OpenIndex) -> str:
    web, question, fields = asked.understood(opened)
    facts, start, notes = fields.key(), asked.fields.page, asked.notes(fields)
    if start:
        try:
            offset_in(start, digest_of(opened.fingerprint, facts))
        except RequestError:
            start, notes = "", (CHANGED,)
    found: Question | Answer = question
    shown: dict[str, object]
    try:
        page = answer_page(opened, replace(web, page=start), question, facts)
    except NothingFound as error:
        shown = {"items": (), "removed": str(error), "previous": ""}
    else:
        if asked.text is not None:
            page = placed(opened, page, UploadedDraft(web.draft, asked.text))
        found = answered = page.answer
        keys = keys_in(answered)
        shown = {
            "items": [
                Item(item, key, where_of(answered, item.paper.id))
                for item, key in zip(answered.recommendations, keys, strict=True)
            ],
            "removed": removed_in_words(answered.stages),
            "next": page.next,
            "previous": token(max(page.offset - PER_PAGE, 0), page.digest) if page.offset else "",
            "first_rank": page.offset + 1,
            "share": fields.address(),
            "keys": answered.keys or "",  # For the form of /export.
        }
    return render(
        "answer",
        site_of(service, opened.name),
        form=form_of(fields, opened),
        understood=question.understood,
        notes=(*notes, *found.notes),
        missing=found.missing,
        **shown,
    )


async def draw(request: Request) -> Response:
    """Draw the map around a draft."""
    service = service_of(request)
    asked = await AskedForm.read(await read_form(request), service)

    def page(opened: OpenIndex) -> str:
        from recsys.mapping import draw_map, map_svg, map_table

        web, question, fields = asked.understood(opened)
        drawn = draw_map(opened.recommender, question, filters=web.options.filters)

        def address(paper: Paper) -> str:
            return paper_address(opened.name, paper.id)

        gaps = [drawn.groups[place] for place in drawn.gaps]
        return render(
            "map",
            site_of(service, opened.name),
            form=form_of(fields, opened),
            svg=map_svg(drawn, paper_address=address),
            table=map_table(drawn, paper_address=address),
            gaps=[f"{gap.label}: {gap.counted}" for gap in gaps],
        )

    return HTMLResponse(await service.ask(asked.fields.index, page))


# Places: in a passage that somebody pastes, and in the sentences of a draft.


async def cite(request: Request) -> Response:
    """Answer for the place of a passage, or for those of a draft that lack a citation."""

    def check(asked: AskedForm) -> None:
        if asked.text is None and not asked.fields.passage:
            if asked.upload is not None and asked.upload.why is not None:
                raise asked.upload.why
            raise DraftError(
                "There is no sentence to look at.",
                "Give the file of a draft with running text, or paste a passage.",
            )

    return await _answered(request, check, _cite)


def _cite(service: Service, asked: AskedForm, opened: OpenIndex) -> str:
    web, _, fields = asked.understood(opened)
    passage = fields.passage or None
    k = FOR_PLACE if passage is None else FOR_PASSAGE
    question = LocalQuestion(k, as_of=web.options.as_of)
    found = answer_passage(opened, web.draft, passage, asked.text, question)
    unfiltered = () if web.options.filters == Filters() else (UNFILTERED,)
    counted = shown_gaps.nothing_found(found)
    if found.gaps:
        counted = f"Looked at: {shown_gaps.looked_at(found)}."
    return render(
        "here",
        site_of(service, opened.name),
        form=form_of(fields, opened),
        draft=one_line(found.draft or ""),
        understood=found.understood,
        counted=counted,
        notes=(*asked.notes(fields), *unfiltered, *found.notes),
        missing=found.missing,
        places=_places(found),
        share="" if found.draft is not None else fields.address("/cite"),
    )


def _places(found: LocalAnswer) -> list[dict[str, Any]]:
    """Show the places; programs that save papers are told of each only once."""
    keys, shown, places = keys_of(found), set[PaperId](), []
    for gap in found.gaps:
        before, after = shown_gaps.around(gap)
        papers = []
        for each in gap.recommendations:
            savable = each.paper.id not in shown
            papers.append(Item(each, keys.names[each.paper.id], savable=savable))
            shown.add(each.paper.id)
        places.append(
            {
                "name": shown_gaps.place_of(found, gap),
                "before": before,
                "after": after,
                "kind": shown_gaps.headline(gap),
                "section": one_line(gap.sentence.section),
                "papers": papers,
            }
        )
    return places


# Papers, and the API.


async def export(request: Request) -> Response:
    """Give the papers that are chosen, or all that are shown, as a file."""
    sent = await read_form(request)
    fields = dict(sent.pairs)
    form = fields.get("format", "bibtex")
    if form not in WRITERS:
        raise InputError(
            f"There is no format {form[:40]!r}.", f"The formats are {', '.join(WRITERS)}."
        )
    chosen = [value for name, value in sent.pairs if name == "paper"]
    ids = chosen or [value for name, value in sent.pairs if name == "shown"]

    def papers(opened: OpenIndex) -> list[Paper]:
        if not ids:
            raise InputError("No paper is chosen.", "Choose one, or ask first.")
        return papers_named(opened, ids)[0]

    known = await service_of(request).ask(fields.get("index"), papers)
    text = WRITERS[form](known, citation_keys(known, pattern=fields.get("keys") or None))
    name = f"recommended{FORMATS[form].suffix}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, headers=headers, media_type=MEDIA_TYPES[form])


async def paper(request: Request) -> Response:
    """Show one paper."""
    service, paper_id = service_of(request), request.query_params.get("id", "")

    def page(opened: OpenIndex) -> str:
        known = around(opened, paper_id)
        return render(
            "paper",
            site_of(service, opened.name),
            paper=known.paper,
            similar=papers_at(opened, known.similar),
            cites=papers_at(opened, known.cites[:MOST_LISTED]),
            cited_by=papers_at(opened, known.cited_by[:MOST_LISTED]),
            cites_more=max(len(known.cites) - MOST_LISTED, 0),
            cited_by_more=max(len(known.cited_by) - MOST_LISTED, 0),
        )

    return HTMLResponse(await service.ask(request.query_params.get("index"), page))


async def searched(request: Request) -> Response:
    """Show papers that match words."""
    service, query = service_of(request), request.query_params
    words, start = query.get("q", "").strip(), query.get("page", "")

    def page(opened: OpenIndex) -> str:
        digest = digest_of(opened.fingerprint, {"search": words})
        begin = offset_in(start, digest) if start else 0
        rows = search(opened.recommender.collection, words) if words else np.empty(0, np.int32)
        end = begin + PER_PAGE
        return render(
            "search",
            site_of(service, opened.name),
            query=words,
            papers=papers_at(opened, rows[begin:end]),
            next=token(end, digest) if end < len(rows) else "",
        )

    return HTMLResponse(await service.ask(query.get("index"), page))


async def api(request: Request) -> Response:
    """Describe the API."""
    service = service_of(request)
    served = next(iter(service.indexes))
    page = render(
        "api",
        site_of(service),
        operations=offered(metrics=service.settings.metrics),
        base=str(request.base_url).rstrip("/"),
        paper=quote(served.opened.recommender.collection.corpus.ids[0], safe=""),
    )
    return HTMLResponse(page)
