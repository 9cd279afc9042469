"""Print 240 invented papers, read them as a corpus and as drafts, and write the table.

Run as `python -m benchmarks.pdfs --work DIR --docs docs/results`.
"""

import json
import re
import shutil
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from benchmarks.bench import OUT, program, tell
from benchmarks.pdfs.invented_papers import Invented, invent
from benchmarks.pdfs.printing import WAYS, make_folder
from benchmarks.result_tables import written
from docs.made.marked_pages import page_with, rewrite_block
from recsys.formats.drafts.pdf import parse
from recsys.indexes.opening import open_collection
from recsys.pipelines.corpora.collect import AS_TOLD, collect
from recsys.pipelines.corpora.paper_names import letters
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.index.build import BuildOptions, build
from recsys.protocols import Progress, silent
from recsys.query.matching import match
from recsys.records import Manuscript
from recsys.store.collection import Collection
from recsys.store.generations import is_index
from recsys.store.names import author_key
from recsys.store.words import fold

PAPERS, SEED = 240, 7
BLOCK = "pdfs"
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014", "-") | {"\u2019": "'"})

Sums = dict[str, float]
"""Counts and sums of figures over papers, by name."""


def run(
    docs: Annotated[Path, typer.Option(help="Folder of the pages to rewrite.")],
    work: Path = OUT / "pdfs",
    papers: int = PAPERS,
) -> None:
    """Print papers unless they are there, read them in both ways, and write the table."""
    page_with(docs, BLOCK)
    invented = invent(papers, np.random.default_rng(SEED))
    make_folder(invented, work, progress=tell)
    links = measure_links(invented, work, progress=tell)
    cited = open_collection(cited_index(invented, work / ".cited.index"))
    drafts = measure_drafts(invented, work, cited, progress=tell)
    rewrite_block(docs, BLOCK, pdf_table({way: links[way] | drafts[way] for way in links}))


def pdf_table(figures: Mapping[str, Mapping[str, float]]) -> str:
    """Write a row for each program, one for REVTeX, whose lists lack titles, and one for all."""
    rows: dict[str, Sums] = {}
    for way, each in figures.items():
        program = way if way == "LaTeX: revtex" else way.partition(":")[0]
        rows[program] = together([rows.get(program, {}), each])
    return written(BLOCK, {**rows, "all": together(figures.values())})


def together(figures: Iterable[Mapping[str, float]]) -> Sums:
    """Add figures up."""
    sums: Sums = {}
    for each in figures:
        for name, value in each.items():
            sums[name] = sums.get(name, 0) + value
    return sums


def measure_links(
    papers: Sequence[Invented],
    folder: Path,
    *,
    ways: Sequence[str] = WAYS,
    progress: Progress = silent,
) -> dict[str, Sums]:
    """Read a folder as a corpus, and compare its links with those that were printed, by way.

    Returns:
        {way: papers, found (by title), links (between papers of the folder), given (that were
        read), right (of these)}; paper i was printed in way i modulo their number.
    """
    files, work = source_files([folder]), folder / ".work"
    papers_read, _ = collect(files, work, AS_TOLD, cache=folder / ".read", progress=progress)
    rows = papers_read.table().select(["id", "title", "references"]).to_pylist()
    shutil.rmtree(work)
    by_title = {letters(row["title"] or ""): row for row in rows}
    read = {paper.work.key: by_title.get(letters(paper.work.title)) for paper in papers}
    keys = {row["id"]: key for key, row in read.items() if row is not None}
    known = {row["id"] for row in rows}
    figures = defaultdict(list)
    for place, paper in enumerate(papers):
        row = read[paper.work.key] or {}
        meant = {work.key for work in paper.cites} & read.keys()
        given = {reference for reference in row.get("references") or () if reference in known}
        figures[ways[place % len(ways)]].append(
            {
                "papers": 1,
                "found": bool(row),
                "links": len(meant),
                "given": len(given),
                "right": len({keys.get(reference) for reference in given} & meant),
            }
        )
    return {way: together(each) for way, each in figures.items()}


def measure_drafts(
    papers: Sequence[Invented],
    folder: Path,
    collection: Collection,
    *,
    ways: Sequence[str] = WAYS,
    progress: Progress = silent,
) -> dict[str, Sums]:
    """Read each paper's PDF as `recsys recommend` does, and compare it with what was printed.

    collection: see `cited_index`.

    Returns:
        {way: sums of what `judged` says}, as `measure_links` does.
    """
    figures = defaultdict(list)
    for place, paper in enumerate(papers):
        name = f"{paper.work.key}.pdf"
        found = parse((folder / name).read_bytes(), Path(name)).manuscript()
        figures[ways[place % len(ways)]].append(judged(paper, found, collection))
        progress("reading drafts", place + 1, len(papers))
    return {way: together(each) for way, each in figures.items()}


def cited_index(papers: Sequence[Invented], folder: Path) -> Path:
    """Build an index of all that papers cite, where there is none yet: lists are matched to it."""
    if not is_index(folder):
        source = folder.with_name(".cited.jsonl")
        works = {work.key: work for paper in papers for work in paper.cites}
        with source.open("w", encoding="utf-8") as file:
            for key, work in works.items():
                names = [author.natural for author in work.authors]
                record = {"id": key, "title": work.title, "authors": names, "year": work.year}
                record |= {"venue": work.venue, "doi": work.doi or None}
                file.write(json.dumps(record) + "\n")
        build([source], folder, BuildOptions(), cache=folder.parent)
    return folder


def judged(paper: Invented, found: Manuscript, collection: Collection) -> Sums:
    """Compare one draft with what was printed; all but the first three figures are an F1 each.

    Returns:
        papers: 1. titles: letter by letter, but for dashes. silent: wrong titles that no note calls
        a guess. authors: of whole names. abstract: of words. references: of works found in the
        list. matched: of papers of a corpus that the list was matched to.
    """
    work = paper.work
    right = plain(found.title) == plain(work.title)
    warned = any("title is a guess" in note for note in found.notes)
    rows = {each.row for each in match(collection, found.references) if each.row is not None}
    cited = [each.key for each in paper.cites]
    # Say which work each reference is; one is found by its title, else by author, year and page.
    titles = {letters(work.title): work.key for work in paper.cites}
    places: dict[tuple[str | None, int | None, str], str] = {
        (author_key(work.authors[0].natural), work.year, str(work.page)): work.key
        for work in paper.cites
    }
    named = []
    for place, each in enumerate(found.references):
        author = author_key(each.authors[0]) if each.authors else None
        page_number = re.sub(r"\D.*", "", fold(each.page or "")).lstrip("0")
        by_place = (author, each.year, page_number)
        key = titles.get(letters(each.title or "")) or (not each.title and places.get(by_place))
        named.append(key or f"unknown {place}")
    return {
        "papers": 1,
        "titles": right,
        "silent": not right and not warned,
        "authors": f1(map(plain, found.authors), (plain(each.natural) for each in work.authors)),
        "abstract": f1(plain(found.abstract or "").split(), plain(paper.abstract).split()),
        "references": f1(named, cited),
        "matched": f1((collection.corpus.ids[row] for row in rows), cited),
    }


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
    number = some.total() + all_of.total()
    return 2 * (some & all_of).total() / number if number else 1.0


main = program("benchmarks.pdfs", run)
if __name__ == "__main__":
    sys.exit(main())
