"""Measure the graph that is read out of made PDFs: are the papers there, and the links of each?"""

import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

from benchmarks.made_pdfs.invented_papers import Invented
from benchmarks.made_pdfs.latex_pages import LAYOUTS, print_latex
from benchmarks.made_pdfs.office_pages import OFFICE_SHEETS, print_office
from benchmarks.made_pdfs.web_pages import SHEETS, STYLES, print_web_page
from benchmarks.result_tables import table
from recsys.pipelines.corpora.collect import AS_TOLD, collect
from recsys.pipelines.corpora.source_files import source_files
from recsys.progress import Progress, silent
from recsys.store.name_keys import fold

WAYS = (
    *(f"LaTeX: {name}" for name in LAYOUTS),
    *(f"Chromium: {sheet}, {style}" for sheet in SHEETS for style in STYLES),
    *(
        f"LibreOffice: {sheet}, {style}"
        for sheet, style in zip(OFFICE_SHEETS, ("APA", "IEEE"), strict=True)
    ),
)
"""How papers are printed; paper i of a folder is printed the way i modulo their number."""


@dataclass(slots=True)
class LinkFigures:
    """Counts of papers and of the links between papers of the folder."""

    papers: int = 0
    found: int = 0
    authors: int = 0
    links: int = 0
    given: int = 0
    right: int = 0

    @property
    def recall(self) -> float:
        """Share of the links that are there."""
        return self.right / self.links if self.links else 1.0

    @property
    def precision(self) -> float:
        """Share of what is there that is right."""
        return self.right / self.given if self.given else 1.0


def make_folder(
    papers: Sequence[Invented],
    folder: Path,
    *,
    ways: Sequence[str] = WAYS,
    jobs: int = 2,
    progress: Progress = silent,
) -> list[Path]:
    """Print papers, paper i in way i modulo their number; those that are there stay.

    Raises:
        RecsysError: pdflatex or Chromium is missing, or fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [(paper, ways[place % len(ways)]) for place, paper in enumerate(papers)]
    made = []
    with ThreadPoolExecutor(jobs) as crew:
        for path in crew.map(partial(_printed, folder=folder), tasks):
            made.append(path)
            progress("printing", len(made), len(papers))
    return made


def measure_links(
    papers: Sequence[Invented],
    folder: Path,
    *,
    ways: Sequence[str] = WAYS,
    progress: Progress = silent,
) -> dict[str, LinkFigures]:
    """Read a folder as a corpus, and compare its links with those that were printed, by way."""
    files, work = source_files([folder]), folder / ".work"
    papers_read, _ = collect(files, work, AS_TOLD, cache=folder / ".read", progress=progress)
    rows = papers_read.table().select(["id", "title", "authors", "references"]).to_pylist()
    shutil.rmtree(work)
    by_title = {title_key(row["title"]): row for row in rows}
    read = {paper.work.key: by_title.get(title_key(paper.work.title)) for paper in papers}
    keys = {row["id"]: key for key, row in read.items() if row is not None}
    known = {row["id"] for row in rows}
    figures: dict[str, LinkFigures] = defaultdict(LinkFigures)
    for place, paper in enumerate(papers):
        figure, row = figures[ways[place % len(ways)]], read[paper.work.key]
        meant = {work.key for work in paper.cites} & read.keys()
        figure.papers += 1
        figure.links += len(meant)
        if row is None:
            continue
        given = {reference for reference in row["references"] or () if reference in known}
        names = [f"{author.given} {author.family}" for author in paper.work.authors]
        figure.found += 1
        figure.authors += [*map(title_key, row["authors"] or ())] == [*map(title_key, names)]
        figure.given += len(given)
        figure.right += len({keys.get(reference) for reference in given} & meant)
    return dict(figures)


def together(figures: Iterable[LinkFigures]) -> LinkFigures:
    """Add figures up."""
    each = list(figures)
    sums = (sum(getattr(one, field.name) for one in each) for field in fields(LinkFigures))
    return LinkFigures(*sums)


def links_table(figures: Mapping[str, LinkFigures]) -> str:
    """Write the figures as Markdown."""
    header = ("print", "papers", "title found", "authors right", "links", "recall", "precision")
    rows = [
        (
            name,
            f"{each.papers}",
            f"{each.found}",
            f"{each.authors}",
            f"{each.links}",
            f"{each.recall:.3f}",
            f"{each.precision:.3f}",
        )
        for name, each in [*figures.items(), ("all", together(figures.values()))]
    ]
    return table(header, rows)


def title_key(text: str | None) -> str:
    """Reduce a title or name to its letters and digits: what a font does to others is no loss."""
    return re.sub(r"[\W_]+", "", fold(text or ""))


def _printed(task: tuple[Invented, str], folder: Path) -> Path:
    paper, way = task
    made = folder / f"{paper.work.key}.pdf"
    if made.is_file():
        return made
    program, _, name = way.partition(": ")
    work = folder / ".made"  # Hidden: no source of papers.
    work.mkdir(exist_ok=True)
    if program == "LaTeX":
        printed = print_latex(paper, LAYOUTS[name], work)
    else:
        sheet, _, style = name.rpartition(", ")
        print_page = print_office if program == "LibreOffice" else print_web_page
        printed = print_page(paper, sheet, style, work)
    return printed.rename(made)
