"""Write the pages: what their templates show, and how a paper looks in them.

Each page works without its script.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from recsys.app.web.form_fields import FormFields
from recsys.app.web.index_registry import OpenIndex
from recsys.app.web.questions import years_of
from recsys.app.web.service import Service
from recsys.formats.answers import percent
from recsys.formats.local_answers.shown_gaps import HERE
from recsys.formats.references.people import natural
from recsys.formats.references.reference_writers import bibtex
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
SHOWN_AUTHORS = 8
"""More authors than that are folded away."""
EXPORTS = (
    ("bibtex", "BibTeX"),
    ("ris", "RIS"),
    ("csl-json", "CSL-JSON"),
    ("csv", "CSV"),
    ("markdown", "Markdown"),
)
"""Formats that papers are downloaded in: the value that is sent, and its name for people."""


@dataclass(frozen=True, slots=True)
class Site:
    """What is the same on every page of one answer.

    indexes: what can be asked: name -> a sentence part, such as `6,951 papers, 1986 to 2026`.
    index: the name of the one that the page speaks of. starter: it is the starter corpus.
    """

    indexes: Mapping[str, str]
    index: str
    version: str = VERSION
    starter: bool = False


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

    key: for BibTeX. where: the place in the draft, such as `paper.tex:120`, and its sentence in
    quotes; None where nobody looked, or it fits no single sentence. savable: whether programs that
    save papers find it here.
    """

    recommendation: Recommendation
    key: str
    where: tuple[str, str] | None = None
    savable: bool = True


def site_of(service: Service, index: str = "") -> Site:
    """Describe the site; index: the one that a page speaks of, the first without a name."""
    indexes = {}
    for served in service.indexes:
        corpus = served.opened.recommender.collection.corpus
        first, last = years_of(corpus)
        years = f", {first} to {last}" if first is not None else ""
        indexes[served.name] = f"{len(corpus):,} papers{years}"
    index = index if index in indexes else next(iter(indexes))
    return Site(indexes, index, starter=service.settings.starter)


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
        paper_address=paper_address,
        shown_authors=SHOWN_AUTHORS,
        offered=[each for each in options() if each.spec.label],
    )
    templates.filters.update(
        authors=_authors,
        bar=lambda probability: round(100 * min(max(probability, 0), 1)),  # It is 100 long.
        bibtex=lambda paper: bibtex([paper]),
        coins=span,
        doi=bare_doi,
        facts=_facts,
        heading=lambda paper: one_line(paper.title) or "Untitled",
        ids=lambda ids: json.dumps(
            list(ids)
        ),  # One value of a form: any character may be in an id.
        link=paper_link,
        listing=lambda paper: one_line(paper.title) or paper.id,
        percent=percent,
        web_address=web_address,
    )
    return templates


def _authors(paper: Paper) -> list[str]:
    return [natural(name) for name in names_of(paper)]


def _facts(paper: Paper) -> str:
    """Say in a few words who wrote a paper, when, and where."""
    names = _authors(paper)
    facts = [names[0] + (" et al." if len(names) > 1 else "")] if names else []
    facts += [str(paper.year)] if paper.year is not None else []
    facts += [one_line(paper.venue)] if paper.venue else []
    return ", ".join(facts)
