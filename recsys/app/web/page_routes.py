"""What people see in a browser: every page works without a script, and Back leads everywhere.

A question is sent once, understood, kept in memory and redirected to: each page of its answer is a
GET at `/answers/KEY`, whose query says what is chosen among its papers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import numpy as np
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from recsys.app.web.api_description import offered
from recsys.app.web.choices import Choices
from recsys.app.web.form_fields import FormFields
from recsys.app.web.index_registry import OpenIndex
from recsys.app.web.kept_questions import LIFETIME, KeptQuestion
from recsys.app.web.page_writing import (
    AnswerAddress,
    Item,
    anchor,
    excerpt,
    form_of,
    paper_address,
    papers_at,
    render,
    site_of,
)
from recsys.app.web.questions import (
    AnswerPage,
    WebQuestion,
    answer_page,
    answer_passage,
    around,
    joined,
    papers_named,
    placed,
    posed,
    years_of,
)
from recsys.app.web.replies import (
    FARTHEST,
    MEDIA_TYPES,
    Problem,
    RequestError,
    digest_of,
    offset_in,
    problem_of,
    token,
)
from recsys.app.web.service import Service, service_of
from recsys.app.web.upload_reader import DraftText, UploadedDraft
from recsys.app.web.uploads import SentForm, UploadedFile, pack, read_form, unpack
from recsys.errors import DraftError, InputError, NothingFound, RecsysError, check_name
from recsys.formats.answers import FORMATS, where_of
from recsys.formats.local_answers import shown_gaps
from recsys.formats.local_answers.shown_gaps import keys_of
from recsys.formats.papers.language import looks_english
from recsys.formats.references.citation_keys import citation_keys
from recsys.formats.references.reference_writers import WRITERS
from recsys.formats.references.shown_facts import one_line
from recsys.local.cite import LocalQuestion, marked
from recsys.query.question_schema import Filters
from recsys.query.resolve_draft import Question
from recsys.query.search import search
from recsys.recommend import KEPT
from recsys.records import Bibliography, LocalAnswer, Paper, PaperId, Reason, Recommendation

PER_PAGE = 20
MOST_LISTED = 100
"""Papers that a paper's page lists as cited, and as many as citing."""
FOR_PASSAGE, FOR_PLACE = 10, 3
"""Papers for the place of a passage, and for each of a draft."""
VIEWS = {"/answer": "", "/cite": "/sentences", "/map": "/map"}
"""Where questions are sent -> the view of their answer."""
PASTED = "pasted text.txt"
"""What a text is called that was pasted: messages name it."""
WANTED = Reason("liked", "you asked for more like this")
TOO_LONG = "The draft is too long to go through its sentences."
UNFILTERED = "The filters of the papers do not count here."
NOT_ENGLISH = (
    "Your draft seems not to be in English. Papers are compared by English words, so this answer "
    "is less reliable: an English title and abstract make it better."
)
_PRIVATE = {"cache-control": "private, no-cache"}
"""Back and Forward show a page again; otherwise it is asked for anew."""


# Questions: a form that was sent, with its files, in the terms of the library.


@dataclass(frozen=True, slots=True)
class AskedForm:
    """A form that was sent: its fields, and what its files say.

    text: the sentences of the draft, from a file, from the form, or kept with the former question.
    """

    fields: FormFields
    upload: UploadedDraft | None
    library: Bibliography | None
    text: DraftText | None

    @classmethod
    async def read(cls, sent: SentForm, fields: FormFields, service: Service) -> "AskedForm":
        """Read the files that were sent.

        Raises:
            InputError: one cannot be read.
        """
        drafts, libraries = sent.files.get("file", []), sent.files.get("library_file")
        if drafts and fields.pasted:
            what = "There is a file and a pasted text."
            raise InputError(what, "Send one of them: the other stays out.")
        if fields.pasted:
            drafts = [UploadedFile(PASTED, fields.pasted.encode("utf-8", "replace"))]
        upload, library = None, None
        if drafts:
            upload = await service.read_draft(drafts)
        if libraries:
            library = await service.read_lists(libraries)
        text = unpack(fields.text) if upload is None else upload.text
        if upload is not None and text is not None and fields.pasted:
            front = f"{upload.manuscript.title} {upload.manuscript.abstract or ''}"
            if sum(len(each.text.split()) for each in text.body.sentences) <= len(front.split()):
                text = None  # A title and an abstract are no running text.
        return cls(fields, upload, library, text)

    def check(self, view: str) -> None:
        """Refuse what has no answer.

        Raises:
            InputError: nothing is asked, or (DraftError) sentences of which there are none.
        """
        if view == VIEWS["/cite"]:
            if self.text is None and not self.fields.passage:
                if self.upload is not None and self.upload.why is not None:
                    raise self.upload.why
                raise DraftError(
                    "There is no sentence to look at.",
                    "Give the file of a draft with running text, or paste a passage.",
                )
        elif self.fields.empty() and self.upload is None:
            what = "Nothing is asked yet."
            raise InputError(what, "Drop a file, or paste the title and abstract.")

    def understood(self, opened: OpenIndex) -> tuple[KeptQuestion, FormFields]:
        """Find the papers that are named; part the question from what is chosen among its papers.

        Raises:
            InputError: a value makes no sense.
        """
        fields, upload = self.fields, self.upload
        typed, lists = fields.manuscript(), fields.lists()
        if self.library is not None:
            references = (*lists.library.references, *self.library.references)
            lists = replace(lists, library=Bibliography(references, self.library.problems))
        draft = typed if upload is None else joined(upload.manuscript, typed)
        question = posed(opened, WebQuestion(draft=draft, lists=lists, options=fields.asked()))
        text = fields.text if upload is None and self.text is not None else pack(self.text)
        notes = question.notes
        if not looks_english(f"{draft.title} {draft.abstract or ''}"):
            notes = (NOT_ENGLISH, *notes)
        if self.text is not None and not text:
            notes = (TOO_LONG, *notes)
        fields = replace(fields, index=opened.name, text=text, doi=draft.doi or "")
        base, choice = fields.understood_as(question).split()
        keys, taken = question.keys, question.taken_keys
        gaps = bool(text and self.text and marked(self.text.body.sentences))
        kept = KeptQuestion(fields=base, notes=notes, keys=keys, taken=taken, marked=gaps)
        return kept, choice


async def ask(request: Request, view: str) -> Response:
    """Understand a question, keep it, and lead to its answer; or say why there is none."""
    service, sent = service_of(request), await read_form(request)
    fields, former = FormFields.read(sent.pairs), None
    if request.method == "GET" and view == VIEWS["/map"] and fields.empty():
        return await home(request, tab="/map")
    if key := next((value for name, value in sent.pairs if name == "from"), ""):
        former = service.kept(key)
    if former is not None:  # What the page of the answer does not show goes along.
        library = former.fields.library if ("keep_library", "1") in sent.pairs else ""
        text, doi, paper_id = former.fields.text, former.fields.doi, former.fields.paper_id
        fields = replace(fields, text=text, library=library, doi=doi, paper_id=paper_id)
    try:
        asked = await AskedForm.read(sent, fields, service)
        asked.check(view)
        kept, choice = await service.ask(fields.index, asked.understood)
    except RecsysError as error:
        if request.method == "GET":
            return _refused(service, fields, problem_of(error))
        said = fields if former is not None else replace(fields, library="", text="")
        refused = KeptQuestion(fields=said, problem=problem_of(error)).after(former)
        return see(AnswerAddress(service.keep(refused)).to(view))
    kept = kept.after(former)
    return see(AnswerAddress(service.keep(kept), choice).to(view))


def see(address: str) -> Response:
    """Lead to an address of this site."""
    return RedirectResponse(address, HTTPStatus.SEE_OTHER, _PRIVATE)


def _refused(
    service: Service, fields: FormFields, problem: Problem, former: str = "", tab: str = ""
) -> Response:
    """Show the form, filled as it was, and above it why there is no answer.

    former: the key of the question, of which the form does not show all.
    """
    form = form_of(replace(fields, library="", text=""))
    tab = tab or ("/sentence" if fields.passage else "/")
    site = site_of(service, fields.index)
    page = render("ask", site, form=form, problem=problem, tab=tab, former=former)
    headers = {} if problem.wait is None else {"retry-after": str(problem.wait)}
    return HTMLResponse(page, problem.status, _PRIVATE | headers)


async def home(request: Request, tab: str = "/") -> Response:
    """Show the form; an address may fill it."""
    service, fields = service_of(request), FormFields.read(request.query_params.multi_items())

    def page(opened: OpenIndex) -> str:
        site = site_of(service, opened.name)
        return render("ask", site, form=form_of(fields, opened), problem=None, tab=tab)

    return HTMLResponse(await service.ask(fields.index, page), headers=_PRIVATE)


EXAMPLE = FormFields(
    title="Recommending citations with neural document embeddings",
    abstract="We embed scientific papers with a transformer that is trained on the citation graph, "
    "find the nearest neighbours of a draft, and rerank them by learning to rank.",
)
"""A draft that the starter corpus has papers for."""


async def example(request: Request) -> Response:
    """Ask with an example: of another corpus, its latest paper that cites most of the others."""
    service, index = service_of(request), request.query_params.get("index")

    def asked(opened: OpenIndex) -> FormFields:
        if service.settings.starter:
            return EXAMPLE
        collection = opened.recommender.collection
        cited = np.diff(collection.graph.cites.starts)
        for row in np.lexsort((-cited, -collection.corpus.years))[:MOST_LISTED].tolist():
            paper = collection.corpus.full_papers([row])[0]
            if paper.title and paper.abstract:
                return FormFields(title=paper.title, abstract=paper.abstract)
        return FormFields(title=collection.corpus.title(0))

    def understood(opened: OpenIndex) -> KeptQuestion:
        return AskedForm(asked(opened), None, None, None).understood(opened)[0]

    kept = await service.ask(index, understood)
    return see(AnswerAddress(service.keep(kept)).to())


# Answers: what was kept, and what is chosen among its papers.


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """A question that is answered again, with what is chosen now.

    fields: both together.
    """

    kept: KeptQuestion
    address: AnswerAddress
    fields: FormFields

    @classmethod
    def read(cls, request: Request, view: str = "") -> "KeptAnswer | None":
        """Find the question of an address; None when it is no longer kept."""
        service, key = service_of(request), request.path_params["key"]
        choice = FormFields.read(request.query_params.multi_items())
        choice = FormFields(
            more=choice.more, less=choice.less, options=choice.options, page=choice.page
        )
        kept = service.kept(key)
        if kept is None:
            return None
        address = AnswerAddress(key, choice, service.pinned(kept), view)
        return cls(kept, address, kept.fields.choosing(choice))

    def asked(self) -> WebQuestion:
        """Return the question in the terms of the library."""
        fields = self.fields
        return WebQuestion(draft=fields.manuscript(), lists=fields.lists(), options=fields.asked())

    def papers(self, opened: OpenIndex, question: Question) -> AnswerPage:
        """Return the papers of the page that is asked for."""
        number = self.fields.page or "1"
        if not (number.isascii() and number.isdigit() and 0 < int(number[:9]) <= FARTHEST):
            raise RequestError(HTTPStatus.BAD_REQUEST, "There is no such page of the answer.")
        begin = (int(number) - 1) * PER_PAGE
        page = token(begin, digest_of(opened.fingerprint, {})) if begin else ""
        return answer_page(opened, replace(self.asked(), page=page), question, {})

    def places(self, opened: OpenIndex) -> LocalAnswer:
        """Return what fits at the place of a passage, or at those of the draft."""
        asked, passage = self.asked(), self.fields.passage or None
        k = FOR_PLACE if passage is None else FOR_PASSAGE
        question = LocalQuestion(k, as_of=asked.options.as_of)
        text = None if passage is not None else unpack(self.fields.text)
        if TOO_LONG in self.kept.notes:
            raise DraftError(TOO_LONG, "Give a chapter of it instead.")
        if passage is None and text is None:
            what = "Only the title and the abstract of this draft are known."
            hint = "Give its whole text, as a file or pasted, to go through its sentences."
            raise DraftError(what, hint)
        return answer_passage(opened, asked.draft, passage, text, question)


async def show(
    request: Request, view: str, work: Callable[[Service, KeptAnswer, OpenIndex], str]
) -> Response:
    """Show a view of an answer; or the form, and why there is none."""
    service, answered = service_of(request), KeptAnswer.read(request, view)
    tab = view if view == "/check" else ""
    if answered is None:
        hours = f"{LIFETIME / 3600:g} hours"
        problem = Problem(
            HTTPStatus.GONE,
            f"recsys keeps a draft only in memory: until it is stopped, or for {hours} after you "
            "last looked at its answer.",
            "Give the draft once more; what you had chosen is still filled in.",
        )
        fields = FormFields.read(request.query_params.multi_items())
        return _refused(service, replace(fields, page=""), problem, tab=tab)
    if answered.kept.problem is not None:
        key, kept = answered.address.key, answered.kept
        return _refused(service, kept.fields, answered.kept.problem, key, tab)
    try:
        page = await service.ask(answered.fields.index, partial(work, service, answered))
    except RecsysError as error:
        problem = problem_of(error)
        if isinstance(error, NothingFound):  # Its stages are for those who know them.
            problem = replace(problem, what="No paper is left for this draft.")
        return _refused(service, answered.fields, problem, answered.address.key, tab)
    return HTMLResponse(page, headers=_PRIVATE)


def answer(service: Service, answered: KeptAnswer, opened: OpenIndex) -> str:
    """Show the papers for a draft."""
    question = posed(opened, answered.asked())
    draft = question.draft
    if draft.title or draft.abstract or question.cited:  # Else it is asked by liked papers alone.
        draft = replace(draft, references=question.cited, disliked=())
    notes = (*answered.kept.notes, *question.notes)
    shown: dict[str, object]
    choices = Choices()
    try:
        choices = opened.choices(draft)
        page = answered.papers(opened, question)
    except NothingFound as error:
        shown = {"items": (), "advice": error.hint}
    else:
        if text := unpack(answered.fields.text):
            page = placed(opened, page, UploadedDraft(answered.asked().draft, text))
        found = page.answer
        number = page.offset // PER_PAGE + 1
        liked = _liked(opened, question, choices) if number == 1 else ()
        recommended = (*liked, *found.recommendations)
        papers = [each.paper for each in recommended]
        where = {each.id: where_of(found, each.id) for each in papers}
        shown = {
            "items": _items(opened, recommended, answered.kept.keys_of(papers), where),
            "papers": found.stages[KEPT],
            "first_rank": page.offset + 1,
            "number": number,
            "next": bool(page.next),
            "share": answered.fields.address(),
        }
        notes = (*notes, *found.notes)
    return render(
        "answer",
        site_of(service, opened.name),
        **_about(answered, opened),
        understood=question.understood,
        notes=tuple(dict.fromkeys(notes)),
        missing=question.missing,
        choices=choices,
        years=years_of(opened.recommender.collection.corpus),
        **shown,
    )


def _about(answered: KeptAnswer, opened: OpenIndex) -> dict[str, object]:
    """Return what all views of an answer show."""
    rows = map(opened.recommender.collection.corpus.row, answered.address.pinned)
    pins = papers_at(opened, [row for row in rows if row is not None])
    return {
        "form": form_of(answered.fields, opened),
        "at": answered.address,
        "pins": pins,
        "keys": answered.kept.keys,
        "marked": answered.kept.marked,
    }


def _liked(opened: OpenIndex, question: Question, choices: Choices) -> tuple[Recommendation, ...]:
    """Keep the papers in the list of which more are sought: the ranker itself leaves them out."""
    corpus = opened.recommender.collection.corpus
    rows = [row for each in question.liked if (row := corpus.row(each)) is not None]
    return tuple(
        Recommendation(0, paper, probability, probability, (), (WANTED,))
        for row, paper in zip(rows, corpus.papers(rows), strict=True)
        for probability in [choices.probabilities.get(row, 0.0)]
    )


def _items(
    opened: OpenIndex,
    recommendations: Sequence[Recommendation],
    keys: Sequence[str],
    where: dict[PaperId, tuple[str, str] | None],
) -> tuple[Item, ...]:
    """Add to papers what a page shows of them."""
    collection = opened.recommender.collection
    return tuple(
        Item(
            each,
            key,
            excerpt(each.paper.abstract),
            len(collection.graph.cited_by[collection.corpus.row(each.paper.id) or 0]),
            where.get(each.paper.id),
        )
        for each, key in zip(recommendations, keys, strict=True)
    )


def draw(service: Service, answered: KeptAnswer, opened: OpenIndex) -> str:
    """Draw the map around a draft."""
    from recsys.mapping import draw_map, map_view

    asked = answered.asked()
    drawn = draw_map(opened.recommender, posed(opened, asked), filters=asked.options.filters)
    view = map_view(drawn, paper_address=lambda paper: paper_address(opened.name, paper.id))
    return render("map", site_of(service, opened.name), **_about(answered, opened), map=view)


# Places: in a passage that somebody pastes, and in the sentences of a draft.


def cite(service: Service, answered: KeptAnswer, opened: OpenIndex) -> str:
    """Show papers for the place of a passage, or for those of a draft that lack a citation."""
    found, fields = answered.places(opened), answered.fields
    filtered = not fields.passage and fields.asked().filters != Filters()
    counted = shown_gaps.nothing_found(found)
    if found.gaps:
        counted = f"Looked at: {shown_gaps.looked_at(found)}."
    notes = (*answered.kept.notes, *((UNFILTERED,) if filtered else ()), *found.notes)
    return render(
        "here",
        site_of(service, opened.name),
        **_about(answered, opened),
        draft=one_line(found.draft or ""),
        understood=found.understood,
        counted=counted,
        notes=tuple(dict.fromkeys(notes)),
        missing=found.missing,
        places=_places(opened, found),
        share="" if found.draft is not None else fields.address("/cite"),
    )


def _places(opened: OpenIndex, found: LocalAnswer) -> list[dict[str, Any]]:
    """Show the places; programs that save papers are told of each only once."""
    names, shown, places = keys_of(found).names, set[PaperId](), []
    for gap in found.gaps:
        before, after = shown_gaps.around(gap)
        papers = []
        keys = [names[each.paper.id] for each in gap.recommendations]
        for item in _items(opened, gap.recommendations, keys, {}):
            paper_id = item.recommendation.paper.id
            papers.append(replace(item, savable=paper_id not in shown))
            shown.add(paper_id)
        places.append(
            {
                "name": shown_gaps.place_of(found, gap),
                "before": before,
                "after": after,
                "kind": shown_gaps.headline(gap),
                "section": one_line(gap.sentence.section),
                "papers": papers,
                "confident": gap.confident,
            }
        )
    return places


# The collection, and files of papers.


async def pin(request: Request) -> Response:
    """Put a paper into the collection of an answer, or take it out, and go back to the page."""
    service, answered = service_of(request), KeptAnswer.read(request)
    fields = dict((await read_form(request)).pairs)
    if answered is None:
        return see(AnswerAddress(request.path_params["key"]).to())
    paper_id, view = fields.get("unpin") or fields.get("pin", ""), fields.get("view", "")
    service.store.pin(answered.kept.collection, paper_id, "unpin" not in fields)
    address = answered.address.to(view if view in VIEWS.values() else "")
    return see(f"{address}#{anchor(paper_id)}" if "pin" in fields else address)


async def export(request: Request) -> Response:
    """Give papers as a file: those of an address; of an answer, its collection or its page."""
    service, query = service_of(request), request.query_params
    form = query.get("format", "bibtex")
    writer = "ris" if form == "zotero" else form  # What Zotero's import keeps most of.
    check_name(writer, WRITERS, "format")
    ids, index = query.getlist("paper"), query.get("index")
    answered = None
    if "key" in request.path_params:
        answered = KeptAnswer.read(request, query.get("of", ""))
        if answered is None:
            return see(AnswerAddress(request.path_params["key"]).to())
        ids, index = list(answered.address.pinned), answered.fields.index

    def papers(opened: OpenIndex) -> list[Paper]:
        named = ids or (_on_page(opened, answered) if answered is not None else [])
        if not named:
            raise InputError("No paper is chosen.", "Pin one, or ask first.")
        return papers_named(opened, named)[0]

    found = await service.ask(index, papers)
    keys = citation_keys(found, pattern=query.get("keys") or None)
    if answered is not None:
        keys = answered.kept.keys_of(found)
    text = WRITERS[writer](found, keys)
    headers = {"content-disposition": f'attachment; filename="papers{FORMATS[writer].suffix}"'}
    return Response(text, headers=headers, media_type=MEDIA_TYPES[writer])


def _on_page(opened: OpenIndex, answered: KeptAnswer) -> list[PaperId]:
    """List the papers that a view of an answer shows."""
    if answered.address.view == "/sentences":
        gaps = answered.places(opened).gaps
        return [each.paper.id for gap in gaps for each in gap.recommendations]
    question = posed(opened, answered.asked())
    page = answered.papers(opened, question)
    liked = question.liked if not page.offset else ()
    return [*liked, *(each.paper.id for each in page.answer.recommendations)]


# Papers, and the API.


async def paper(request: Request) -> Response:
    """Show one paper."""
    service, paper_id = service_of(request), request.query_params.get("id", "")

    def page(opened: OpenIndex) -> str:
        known = around(opened, paper_id)
        return render(
            "paper",
            site_of(service, opened.name),
            paper=known.paper,
            key=citation_keys([known.paper])[0],
            similar=papers_at(opened, known.similar),
            cites=papers_at(opened, known.cites[:MOST_LISTED]),
            cited_by=papers_at(opened, known.cited_by[:MOST_LISTED]),
            cites_more=max(len(known.cites) - MOST_LISTED, 0),
            cited_by_more=max(len(known.cited_by) - MOST_LISTED, 0),
        )

    shown = await service.ask(request.query_params.get("index"), page)
    return HTMLResponse(shown, headers=_PRIVATE)


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

    return HTMLResponse(await service.ask(query.get("index"), page), headers=_PRIVATE)


async def guide(request: Request) -> Response:
    """Say how to ask, and how to read an answer."""
    hours = f"{LIFETIME / 3600:g}"
    return HTMLResponse(render("help", site_of(service_of(request)), hours=hours))


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
