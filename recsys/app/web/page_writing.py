"""Write the pages: what their templates show, and how a paper looks in them.

Each page works without its script.
"""

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from recsys.app.web.form_fields import FormFields
from recsys.app.web.index_registry import OpenIndex
from recsys.app.web.questions import years_of
from recsys.app.web.service import MEGABYTE, Service
from recsys.formats.answers import percent
from recsys.formats.local_answers.shown_gaps import HERE
from recsys.formats.references.people import natural
from recsys.formats.references.reference_writers import entry
from recsys.formats.references.shown_facts import (
    bare_doi,
    names_of,
    one_line,
    paper_link,
    web_address,
)
from recsys.formats.references.web_page import span
from recsys.html_pages import templates_in
from recsys.query.question_schema import options
from recsys.query.resolve_draft import IN_LIBRARY
from recsys.records import Paper, PaperId, Recommendation
from recsys.store.arrays import Rows
from recsys.store.artifacts import VERSION

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
NAVIGATION = (
    ("/", "Ask"),
    ("/map", "Map"),
    ("/check", "Check"),
    ("/watch", "Watch"),
    ("/help", "Help"),
)
"""The header's links: address and words."""
TABS = (("/", "Whole draft"), ("/sentence", "One sentence"), ("/check", "Check references"))
"""What can be asked, each on a page of its own: address and words."""
EXPORTS = (
    ("bibtex", "BibTeX"),
    ("ris", "RIS"),
    ("csl-json", "CSL-JSON"),
    ("csv", "CSV"),
    ("markdown", "Markdown"),
    ("zotero", "Zotero"),
)
"""Formats that papers are downloaded in: the value that is sent, and its name for people."""
SHOWN_AUTHORS = 6
"""More authors than that are folded away."""
SHOWN_REASONS = 2
SHOWN_VENUES = 6
MOST_VENUES = 40
"""Venues that the filter offers; more are too rare to be looked for by eye."""
LONGEST_EXCERPT = 320
"""Letters of an abstract on a card: two lines of the widest page."""


@dataclass(frozen=True, slots=True)
class Site:
    """What is the same on every page of one answer.

    indexes: what can be asked: name -> a sentence part, such as `6,951 papers, 1986 to 2026`.
    index: the name of the one that the page speaks of. starter: it is the starter corpus. body:
    bytes that a form may have.
    """

    indexes: Mapping[str, str]
    index: str
    version: str = VERSION
    starter: bool = False
    body: int = 16 * MEGABYTE


@dataclass(frozen=True, slots=True)
class Form:
    """What the question is now.

    fields: as they are sent again. cites, more, less: the papers that their ids name. library: ids
    of the author's own papers. reads_keyphrases: whether the index does.
    """

    fields: FormFields
    cites: Sequence[Paper] = ()
    more: Sequence[Paper] = ()
    less: Sequence[Paper] = ()
    library: Sequence[PaperId] = ()
    reads_keyphrases: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """A recommended paper as a page shows it.

    key: for BibTeX. excerpt: how its abstract begins. citations: of papers of the corpus. where:
    the place in the draft, such as `paper.tex:120`, and its sentence in quotes; None where nobody
    looked, or it fits no single sentence. savable: whether programs that save papers find it here.
    """

    recommendation: Recommendation
    key: str
    excerpt: str = ""
    citations: int = 0
    where: tuple[str, str] | None = None
    savable: bool = True


@dataclass(frozen=True, slots=True)
class AnswerAddress:
    """The address of an answer, and those of what may be chosen from there.

    key: of the question, as it is kept. choice: what is chosen among its papers now. pinned: the
    ids of the collection. view: "" for the papers, else such as `/sentences`.
    """

    key: str
    choice: FormFields = field(default_factory=FormFields)
    pinned: Sequence[PaperId] = ()
    view: str = ""

    @property
    def path(self) -> str:
        """The address of the papers, with nothing chosen."""
        return f"/answers/{self.key}"

    def to(self, view: str = "", choice: FormFields | None = None) -> str:
        """Return the address of a view, with what is chosen."""
        query = (self.choice if choice is None else choice).query()
        return self.path + view + (f"?{query}" if query else "")

    def liking(self, paper_id: PaperId, *, more: bool = True) -> str:
        """Return the address where a paper is liked, or not."""
        others = tuple(each for each in self.choice.more if each != paper_id)
        less = tuple(each for each in self.choice.less if each != paper_id)
        liked = (*others, paper_id) if more else others
        return self.to(choice=replace(self.choice, more=liked, less=less, page=""))

    def disliking(self, paper_id: PaperId, *, less: bool = True) -> str:
        """Return the address where nothing like a paper is sought, or not so."""
        others = tuple(each for each in self.choice.less if each != paper_id)
        more = tuple(each for each in self.choice.more if each != paper_id)
        disliked = (*others, paper_id) if less else others
        return self.to(choice=replace(self.choice, less=disliked, more=more, page=""))

    def turned(self, page: int) -> str:
        """Return the address of a page of the papers."""
        return self.to(choice=replace(self.choice, page=str(page) if page > 1 else ""))

    def unfiltered(self) -> str:
        """Return the address of the papers without filters."""
        return self.to(choice=replace(self.choice, options={}, page=""))

    def export(self, form: str) -> str:
        """Return the address of the collection as a file, or of the papers of this page."""
        address = self.to("/export")
        mark = "&" if "?" in address else "?"
        return address + mark + urlencode({"format": form, "of": self.view})


def site_of(service: Service, index: str = "") -> Site:
    """Describe the site; index: the one that a page speaks of, the first without a name."""
    indexes = {}
    for served in service.indexes:
        corpus = served.opened.recommender.collection.corpus
        first, last = years_of(corpus)
        years = f", {first} to {last}" if first is not None else ""
        indexes[served.name] = f"{len(corpus):,} papers{years}"
    index = index if index in indexes else next(iter(indexes))
    settings = service.settings
    return Site(indexes, index, starter=settings.starter, body=settings.body)


def form_of(fields: FormFields, opened: OpenIndex | None = None) -> Form:
    """Fill the form; papers are named by their titles where the index is known."""

    def named(ids: Iterable[PaperId]) -> list[Paper]:
        if opened is None:
            return [Paper(each, each) for each in ids]
        rows = map(opened.recommender.collection.corpus.row, dict.fromkeys(ids))
        return papers_at(opened, [row for row in rows if row is not None])

    reads_keyphrases = bool(fields.keyphrases)
    if opened is not None:
        reads_keyphrases = opened.recommender.collection.keyphrases
    return Form(
        replace(
            fields,
            index=fields.index if opened is None else opened.name,
            keyphrases=fields.keyphrases if reads_keyphrases else "",
        ),
        named(fields.cites),
        named(fields.more),
        named(fields.less),
        () if opened is None else fields.library_ids(),
        reads_keyphrases,
    )


def papers_at(opened: OpenIndex, rows: Rows | Sequence[int]) -> list[Paper]:
    """Return the papers of rows, without their abstracts."""
    return opened.recommender.collection.corpus.papers(rows) if len(rows) else []


def anchor(paper_id: PaperId) -> str:
    """Name the place of a paper on a page."""
    return f"p{zlib.crc32(paper_id.encode('utf-8', 'replace')):08x}"


def paper_address(index: str, paper_id: PaperId) -> str:
    """Return the address of a paper's page within the site."""
    return f"/paper?{urlencode({'index': index, 'id': paper_id})}"


def render(page: str, site: Site, **values: object) -> str:
    """Render a page; values: what its template takes.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    return _templates().get_template(f"{page}.html.jinja").render(site=site, **values)


@cache
def _templates() -> "Environment":
    templates = templates_in(TEMPLATES, "A web page")
    templates.globals.update(
        exports=EXPORTS,
        here=HERE,
        in_library=IN_LIBRARY,
        most_venues=MOST_VENUES,
        navigation=NAVIGATION,
        offered=[each for each in options() if each.spec.label],
        paper_address=paper_address,
        shown_authors=SHOWN_AUTHORS,
        shown_reasons=SHOWN_REASONS,
        shown_venues=SHOWN_VENUES,
        tabs=TABS,
    )
    templates.filters.update(
        anchor=lambda paper: anchor(paper.id),
        authors=lambda paper: [natural(name) for name in names_of(paper)],
        bar=lambda probability: round(100 * min(max(probability, 0), 1)),  # It is 100 long.
        bibtex=lambda paper, key: entry(key, paper),
        coins=span,
        doi=bare_doi,
        excerpt=excerpt,
        facts=_facts,
        heading=lambda paper: one_line(paper.title) or "Untitled",
        link=paper_link,
        listing=lambda paper: one_line(paper.title) or paper.id,
        percent=percent,
        plainly=plainly,
        web_address=web_address,
    )
    return templates


def _facts(paper: Paper) -> str:
    """Say in a few words who wrote a paper, when, and where."""
    names = [natural(name) for name in names_of(paper)]
    facts = [names[0] + (" et al." if len(names) > 1 else "")] if names else []
    facts += [str(paper.year)] if paper.year is not None else []
    facts += [one_line(paper.venue)] if paper.venue else []
    return ", ".join(facts)


def excerpt(abstract: str | None) -> str:
    """Return the beginning of an abstract, cut between words."""
    text = one_line(abstract or "")
    if len(text) <= LONGEST_EXCERPT:
        return text
    cut = text[:LONGEST_EXCERPT]
    return (cut[: cut.rfind(" ")] if " " in cut else cut).rstrip(" ,;:.") + "\u2026"


_IN_PAGE_WORDS = (
    (r"give (?:it by )?--(?:title|abstract)\b", "type it in"),
    (r"another --index\b", "another corpus"),
    (r"Name the columns yourself, .*", "Call its columns title, authors, year and doi."),
    (r"; --root DIR lets it be read", ""),
)
"""What messages say of options that no field of the page has -> what is said instead."""
_FLAG = re.compile(r"--[a-z][a-z-]+")


def plainly(text: str) -> str:
    """Say what a message says without the options of commands: by the names of their fields.

    >>> plainly("No title was found: give it by --title.")
    'No title was found: type it in.'
    >>> plainly("Loosen --min-year 2015: without it there would be 2 papers.")
    'Loosen \u201cFrom year\u201d 2015: without it there would be 2 papers.'
    """
    for pattern, words in _IN_PAGE_WORDS:
        text = re.sub(pattern, words, text)
    labels = {each.spec.flag: f"\u201c{each.spec.label}\u201d" for each in options()}
    return _FLAG.sub(lambda flag: labels.get(flag[0]) or flag[0], text)
