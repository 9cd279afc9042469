"""Put what was found into the values that the pages show."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from recsys.app.web.page_tokens import token
from recsys.app.web.pages.form_fields import FormFields
from recsys.app.web.paper_views import Around, years_of
from recsys.app.web.put_question import Answered
from recsys.app.web.service import Service
from recsys.app.web.shelf import Opened
from recsys.formats.answers import percent
from recsys.formats.references.bibtex import write as bibtex
from recsys.formats.references.people import natural
from recsys.formats.references.shown_facts import (
    bare_doi,
    citation_keys,
    names_of,
    one_line,
    paper_link,
    web_address,
)
from recsys.formats.references.web_page import span
from recsys.formats.shown_places import where_of
from recsys.query.apply_filters import REMOVED
from recsys.query.question import IN_LIBRARY, Question
from recsys.records import Answer, Paper, PaperId, Recommendation
from recsys.store.arrays import Rows
from recsys.version import VERSION

# The values that the pages show: text as it is; the templates escape it.


@dataclass(frozen=True, slots=True)
class IndexChoice:
    """An index that can be asked. about: a sentence part, such as `6,951 papers, 1986 to 2026`."""

    name: str
    papers: int
    about: str


@dataclass(frozen=True, slots=True)
class Site:
    """What is the same on every page of one answer.

    index: the name of the one that the page speaks of. starter: it is the starter corpus. map:
    maps can be drawn.
    """

    indexes: tuple[IndexChoice, ...]
    index: str
    version: str
    starter: bool = False
    map: bool = True


@dataclass(frozen=True, slots=True)
class Listed:
    """A paper in a list. facts: who and when. address: its page within the site."""

    id: str
    title: str
    facts: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """What the question is now; the fields of the HTML form carry the same names.

    authors, references, venues, types, exclude_authors, more_like, less_like: one per line.
    cites, more, less: corpus papers that were found. library: ids of the author's own papers, sent
    back as one JSON array. Years and `mmr` are strings as typed. text: the sentences of a draft,
    sent back as they are. keyphrases: None where the index reads none.
    """

    index: str
    title: str = ""
    abstract: str = ""
    authors: str = ""
    venue: str = ""
    cites: tuple[Listed, ...] = ()
    references: str = ""
    more: tuple[Listed, ...] = ()
    less: tuple[Listed, ...] = ()
    library: tuple[str, ...] = ()
    min_year: str = ""
    max_year: str = ""
    venues: str = ""
    types: str = ""
    exclude_authors: str = ""
    as_of: str = ""
    exclude_own: bool = False
    exclude_library: bool = False
    keep_front_matter: bool = False
    mmr: str = "0"
    more_like: str = ""
    less_like: str = ""
    passage: str = ""
    text: str = ""
    keyphrases: str | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """Where in the draft a paper fits best. place: such as `paper.tex:120`. sentence: in quotes."""

    place: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Item:
    """A recommended paper.

    link: its web address, http(s) only, or empty. percent: the probability in words. key: for
    BibTeX. coins: an element that Zotero reads, HTML that is safe. address: its page. where: None
    where nobody looked, or it fits no single sentence. versions: others of the same work.
    """

    rank: int
    id: str
    title: str
    link: str | None
    authors: tuple[str, ...]
    year: int | None
    venue: str | None
    probability: float
    percent: str
    reasons: tuple[str, ...]
    in_library: bool
    key: str
    coins: str
    address: str
    doi: str | None = None
    where: Where | None = None
    versions: tuple[Listed, ...] = ()


@dataclass(frozen=True, slots=True)
class PlaceShown:
    """A place that lacks a citation, and the papers that fit there.

    name: such as `paper.tex:120:14`. before, after: the words of its sentence around it. kind: what
    it is, such as `citation missing`. section: "" where none is known.
    """

    name: str
    before: str
    after: str
    kind: str
    section: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class FoundHere:
    """What fits where: in a passage, whose only place is shown, or in the sentences of a draft.

    draft: its file's name; "" for a passage. counted: a sentence on what was looked at. share: as
    in `Found`.
    """

    form: Form
    draft: str
    understood: str
    counted: str
    notes: tuple[str, ...]
    missing: tuple[str, ...]
    places: tuple[PlaceShown, ...]
    share: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """An answer: what was understood, and one page of recommended papers.

    missing: named papers that the corpus does not hold. removed: a sentence on what the filters
    left out. next, previous: what asks for those pages, or empty. share: the address within the
    site that holds the question, empty where it is too large for one.
    """

    form: Form
    understood: str
    notes: tuple[str, ...]
    missing: tuple[str, ...]
    items: tuple[Item, ...]
    removed: str
    next: str = ""
    previous: str = ""
    first_rank: int = 1
    share: str = ""


@dataclass(frozen=True, slots=True)
class PaperShown:
    """A paper's page. cites_more, cited_by_more: how many more there are than are listed."""

    id: str
    title: str
    link: str | None
    authors: tuple[str, ...]
    year: int | None
    venue: str | None
    abstract: str | None
    doi: str | None
    url: str | None
    cites: tuple[Listed, ...]
    cited_by: tuple[Listed, ...]
    cites_more: int
    cited_by_more: int
    similar: tuple[Listed, ...]
    bibtex: str
    coins: str
    keyphrases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API. parameters: (name, where, required, description) each."""

    method: str
    path: str
    summary: str
    description: str
    curl: str
    parameters: tuple[tuple[str, str, bool, str], ...] = ()


MOST_LISTED = 100
"""Papers that a paper's page lists as cited, and as many as citing."""
PER_PAGE = 20


def site_of(service: Service, index: str = "") -> Site:
    """Describe the site; index: the one that a page speaks of, the first without a name."""
    choices = tuple(_choice(place.opened) for place in service.shelf)
    known = {choice.name for choice in choices}
    chosen = index if index in known else choices[0].name
    return Site(choices, chosen, VERSION, starter=service.settings.starter)


def form_of(fields: FormFields, opened: Opened | None = None) -> Form:
    """Fill the form; papers are named by their titles where the index is known."""
    named = _Named(opened)
    return Form(
        index=opened.name if opened else fields.index,
        title=fields.title,
        abstract=fields.abstract,
        keyphrases=fields.keyphrases if _reads_keyphrases(opened, fields) else None,
        authors=fields.authors,
        venue=fields.venue,
        cites=named.all(fields.cites),
        references=fields.references,
        more=named.all(fields.more),
        less=named.all(fields.less),
        library=() if opened is None else fields.library_ids(),
        min_year=fields.min_year,
        max_year=fields.max_year,
        venues=fields.venues,
        types=fields.types,
        exclude_authors=fields.exclude_authors,
        as_of=fields.as_of,
        exclude_own=bool(fields.exclude_own),
        exclude_library=bool(fields.exclude_library),
        keep_front_matter=bool(fields.keep_front_matter),
        mmr=fields.mmr or "0",
        more_like=fields.more_like,
        less_like=fields.less_like,
        passage=fields.passage,
        text=fields.text,
    )


def _reads_keyphrases(opened: Opened | None, fields: FormFields) -> bool:
    if opened is None:
        return bool(fields.keyphrases)
    return opened.recommender.collection.keyphrases


def found_of(
    opened: Opened, fields: FormFields, found: Answered, notes: Sequence[str] = ()
) -> Found:
    """Show one page of an answer."""
    items = found.answer.recommendations
    keys = citation_keys([item.paper for item in items])
    back = token(max(found.offset - PER_PAGE, 0), found.digest) if found.offset else ""
    return Found(
        form=form_of(fields, opened),
        understood=found.question.understood,
        notes=(*notes, *found.answer.notes),
        missing=found.answer.missing,
        items=tuple(
            replace(item_of(opened, item, key), where=_where(found.answer, item.paper.id))
            for item, key in zip(items, keys, strict=True)
        ),
        removed=removed(found.answer),
        next=found.next,
        previous=back,
        first_rank=found.offset + 1,
        share=fields.address(),
    )


def nothing_found(
    opened: Opened, fields: FormFields, question: Question, why: str, notes: Sequence[str]
) -> Found:
    """Show a question that no paper answers, so that it can be changed."""
    return Found(
        form=form_of(fields, opened),
        understood=question.understood,
        notes=(*notes, *question.notes),
        missing=question.missing,
        items=(),
        removed=why,
    )


def removed(answer: Answer) -> str:
    """Say how many papers each filter left out; "" where none did."""
    counts = [f"{n:,} {name}" for name, n in answer.stages.items() if name.startswith(REMOVED)]
    return f"Of the papers proposed: {', '.join(counts)}." if counts else ""


def paper_of(opened: Opened, found: Around) -> PaperShown:
    """Show a paper and what is around it."""
    paper = found.paper
    return PaperShown(
        id=paper.id,
        title=one_line(paper.title),
        link=paper_link(paper),
        authors=_authors(paper),
        year=paper.year,
        venue=paper.venue,
        abstract=paper.abstract,
        doi=bare_doi(paper),
        url=web_address(paper),
        cites=listed(opened, found.cites[:MOST_LISTED]),
        cited_by=listed(opened, found.cited_by[:MOST_LISTED]),
        cites_more=max(len(found.cites) - MOST_LISTED, 0),
        cited_by_more=max(len(found.cited_by) - MOST_LISTED, 0),
        similar=listed(opened, found.similar),
        bibtex=bibtex([paper]),
        coins=span(paper),
        keyphrases=paper.keyphrases,
    )


def listed(opened: Opened, rows: Rows) -> tuple[Listed, ...]:
    """Show papers in a list."""
    papers = opened.recommender.collection.corpus.papers(rows) if len(rows) else []
    return tuple(_listed(opened.name, paper) for paper in papers)


def paper_address(index: str, paper_id: PaperId) -> str:
    """Return the address of a paper's page within the site."""
    return f"/paper?{urlencode({'index': index, 'id': paper_id})}"


def item_of(opened: Opened, item: Recommendation, key: str) -> Item:
    """Show a recommended paper."""
    paper = item.paper
    return Item(
        rank=item.rank,
        id=paper.id,
        title=one_line(paper.title),
        link=paper_link(paper),
        authors=_authors(paper),
        year=paper.year,
        venue=paper.venue,
        probability=item.probability,
        percent=percent(item.probability),
        reasons=tuple(reason.text for reason in item.reasons if reason != IN_LIBRARY),
        in_library=IN_LIBRARY in item.reasons,
        key=key,
        coins=span(paper),
        address=paper_address(opened.name, paper.id),
        doi=bare_doi(paper),
        versions=tuple(_listed(opened.name, each) for each in item.versions),
    )


class _Named:
    """Names papers by their titles."""

    def __init__(self, opened: Opened | None) -> None:
        self._opened = opened

    def all(self, ids: Iterable[PaperId]) -> tuple[Listed, ...]:
        if self._opened is None:
            return tuple(Listed(each, each) for each in ids)
        corpus = self._opened.recommender.collection.corpus
        known = {each: row for each in ids if (row := corpus.row(each)) is not None}
        papers = corpus.papers(list(known.values())) if known else []
        return tuple(_listed(self._opened.name, paper) for paper in papers)


def _choice(opened: Opened) -> IndexChoice:
    corpus = opened.recommender.collection.corpus
    first, last = years_of(corpus)
    years = f", {first} to {last}" if first is not None else ""
    return IndexChoice(opened.name, len(corpus), f"{len(corpus):,} papers{years}")


def _where(answer: Answer, paper_id: PaperId) -> Where | None:
    found = where_of(answer, paper_id)
    return None if found is None else Where(*found)


def _listed(index: str, paper: Paper) -> Listed:
    names = _authors(paper)
    facts = [names[0] + (" et al." if len(names) > 1 else "")] if names else []
    facts += [str(paper.year)] if paper.year is not None else []
    facts += [one_line(paper.venue)] if paper.venue else []
    title = one_line(paper.title) or paper.id
    return Listed(paper.id, title, ", ".join(facts), paper_address(index, paper.id))


def _authors(paper: Paper) -> tuple[str, ...]:
    return tuple(map(natural, names_of(paper)))
