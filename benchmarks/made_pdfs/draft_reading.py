"""Measure what is read of a made PDF as a draft: title, authors, abstract, references, matches."""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from benchmarks.made_pdfs.invented_papers import Invented, Work
from benchmarks.made_pdfs.pdf_links import WAYS, title_key
from benchmarks.result_tables import table
from recsys.formats.drafts.pdf import read_pdf
from recsys.pipelines.index.build import BuildOptions, build
from recsys.progress import Progress, silent
from recsys.query.matching import match
from recsys.records import Manuscript, Paper, Reference
from recsys.store.collection import Collection
from recsys.store.generations import is_index
from recsys.store.name_keys import author_key, fold

_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014", "-") | {"\u2019": "'"})


@dataclass(slots=True)
class DraftFigures:
    """Sums over drafts; all but `titles`, `silent` and `papers` are sums of an F1 each.

    titles: letter by letter, but for dashes. silent: wrong titles that no note calls a guess.
    authors: of whole names. abstract: of words. references: of works found in the list. matched:
    of papers of a corpus that the list was matched to.
    """

    papers: float = 0
    titles: float = 0
    silent: float = 0
    authors: float = 0
    abstract: float = 0
    references: float = 0
    matched: float = 0


def cited_papers(papers: Sequence[Invented]) -> list[Paper]:
    """Make a corpus of all that the papers cite, to which their lists are matched."""
    works = {work.key: work for paper in papers for work in paper.cites}
    return [
        Paper(
            id=work.key,
            title=work.title,
            year=work.year,
            authors=tuple(f"{each.given} {each.family}" for each in work.authors),
            venue=work.venue,
            doi=work.doi or None,
        )
        for work in works.values()
    ]


def cited_index(papers: Sequence[Invented], folder: Path) -> Path:
    """Build an index of `cited_papers` where there is none yet."""
    if not is_index(folder):
        known = cited_papers(papers)
        source = folder.with_name(".cited.jsonl")
        source.write_text("".join(f"{_line(each)}\n" for each in known), encoding="utf-8")
        build([source], folder, BuildOptions(), cache=folder.parent)
    return folder


def _line(paper: Paper) -> str:
    told = {"id": paper.id, "title": paper.title, "authors": list(paper.authors)}
    return json.dumps(told | {"year": paper.year, "venue": paper.venue, "doi": paper.doi})


def measure_drafts(
    papers: Sequence[Invented],
    folder: Path,
    collection: Collection,
    *,
    ways: Sequence[str] = WAYS,
    progress: Progress = silent,
) -> dict[str, DraftFigures]:
    """Read each paper's PDF as `recsys recommend` does, and compare it with what was printed.

    Args:
        papers: what was printed, paper i in way i modulo their number.
        folder: of the PDFs, see `make_folder`.
        collection: of `cited_papers`.
        ways: how papers were printed.
        progress: told of each file.
    """
    figures: dict[str, DraftFigures] = defaultdict(DraftFigures)
    for place, paper in enumerate(papers):
        name = f"{paper.work.key}.pdf"
        found = read_pdf((folder / name).read_bytes(), name)
        _add(figures[ways[place % len(ways)]], judged(paper, found, collection))
        progress("reading drafts", place + 1, len(papers))
    return dict(figures)


def judged(paper: Invented, found: Manuscript, collection: Collection) -> DraftFigures:
    """Compare one draft with what was printed."""
    names = [f"{each.given} {each.family}" for each in paper.work.authors]
    right = plain(found.title) == plain(paper.work.title)
    warned = any("title is a guess" in note for note in found.notes)
    rows = {each.row for each in match(collection, found.references) if each.row is not None}
    return DraftFigures(
        papers=1,
        titles=right,
        silent=not right and not warned,
        authors=f1(map(plain, found.authors), map(plain, names)),
        abstract=f1(plain(found.abstract or "").split(), plain(paper.abstract).split()),
        references=_found(paper.cites, found.references),
        matched=f1(
            (collection.corpus.ids[row] for row in rows), (work.key for work in paper.cites)
        ),
    )


def plain(text: str) -> str:
    """Fold what no reader would call another text: cases, dashes, ligatures, white space."""
    whole = unicodedata.normalize("NFKC", text).translate(_DASHES)
    return " ".join(re.sub(r"(?<=\w)- (?=\w)", "-", whole).casefold().split())


def f1(found: Iterable[Hashable], right: Iterable[Hashable]) -> float:
    """Return the harmonic mean of precision and recall of two bags; 1 where both are empty.

    >>> f1(["a", "a", "b"], ["a", "b"])
    0.8
    """
    some, all_of = Counter(found), Counter(right)
    both = 2 * (some & all_of).total()
    number = some.total() + all_of.total()
    return both / number if number else 1.0


def drafts_table(figures: Mapping[str, DraftFigures]) -> str:
    """Write the figures as Markdown."""
    header = (
        "print", "papers", "title exact", "wrong, not called a guess", "authors F1", "abstract F1",
        "references F1", "matched F1",
    )  # fmt: skip
    together = DraftFigures()
    for each in figures.values():
        _add(together, each)
    rows = [
        (
            name,
            f"{each.papers:.0f}",
            f"{each.titles / each.papers:.3f}",
            f"{each.silent:.0f}",
            *(
                f"{value / each.papers:.3f}"
                for value in (each.authors, each.abstract, each.references, each.matched)
            ),
        )
        for name, each in [*figures.items(), ("all", together)]
    ]
    return table(header, rows)


def _found(works: Sequence[Work], references: Sequence[Reference]) -> float:
    """F1 of the works in a list; one is found by its title, else by author, year and page.

    A list that leaves titles out is read whole where the others are told.
    """
    titles = {title_key(work.title): work.key for work in works}
    places: dict[tuple[str | None, int | None, int | None], str] = {
        (author_key(f"{work.authors[0].given} {work.authors[0].family}"), work.year, work.page)
        : work.key for work in works
    }  # fmt: skip
    named = []
    for place, each in enumerate(references):
        by_place = (author_key(each.authors[0]) if each.authors else None, each.year, _page(each))
        key = titles.get(title_key(each.title)) or (not each.title and places.get(by_place))
        named.append(key or f"unknown {place}")
    return f1(named, (work.key for work in works))


def _page(reference: Reference) -> int | None:
    digits = re.match(r"\d+", fold(reference.page or ""))
    return int(digits[0]) if digits else None


def _add(sums: DraftFigures, one: DraftFigures) -> None:
    for field in fields(DraftFigures):
        setattr(sums, field.name, getattr(sums, field.name) + getattr(one, field.name))
