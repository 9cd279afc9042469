"""Made folders of PDFs: what is invented holds together, and its links are read back.

Here pages are drawn without LaTeX and Chromium, in lines of one and of two columns; the whole is
`python -m benchmarks.pdfs`.
"""

import html
import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.pdfs.__main__ import f1, judged, measure_links, together
from benchmarks.pdfs.invented_papers import Invented, invent
from benchmarks.pdfs.printing import (
    STYLES,
    WAYS,
    bibtex_entry,
    latex_document,
    make_folder,
    page_document,
    print_paper,
    styled_entry,
)
from recsys.errors import RecsysError
from recsys.records import Manuscript, Reference
from tests.pipelines.small_index import open_small_collection, write_small_index
from tests.recsys.formats.drafts.small_pdf import Text, write_pdf

NUMBER, LEADING, LOWEST = 10, 12, 60


@pytest.fixture(scope="module")
def papers() -> tuple[Invented, ...]:
    return invent(NUMBER, np.random.default_rng(3))


def test_papers_cite_earlier_ones_and_others(papers: Sequence[Invented]) -> None:
    assert invent(NUMBER, np.random.default_rng(3)) == papers
    order = {paper.work.key: place for place, paper in enumerate(papers)}
    for place, paper in enumerate(papers):
        assert len({work.key for work in paper.cites}) == len(paper.cites) >= 10
        assert all(order.get(work.key, -1) < place for work in paper.cites)
        assert all(work.year <= paper.work.year for work in paper.cites)
    assert sum(work.key in order for paper in papers for work in paper.cites) > NUMBER
    titles = [work.title.lower() for paper in papers for work in (paper.work, *paper.cites)]
    assert len(set(titles)) == len({work.key for p in papers for work in (p.work, *p.cites)})


def without_markup(entry: str) -> str:
    return html.unescape(re.sub(r"</?[bi]>", "", entry))


def draw(paper: Invented, style: str, columns: int) -> bytes:
    """Set a paper in lines of Times, in one column or in two."""
    entries = [
        STYLES[style]["label"].format(place) + without_markup(styled_entry(work, style))
        for place, work in enumerate(paper.cites, start=1)
    ]
    width = 84 if columns == 1 else 44
    lines = [(line, 0.0) for line in textwrap.wrap(paper.abstract, width)]
    lines += [("", 0.0), ("1 Introduction", 0.0)]
    lines += [(line, 0.0) for line in textwrap.wrap(paper.text[0][1][:1500], width)]
    lines += [("", 0.0), ("References", 0.0)]
    for entry in entries:
        wrapped = textwrap.wrap(entry, width, break_on_hyphens=False)
        lines += [(line, 12.0 if place else 0.0) for place, line in enumerate(wrapped)]
    names = ", ".join(f"{author.given} {author.family}" for author in paper.work.authors)
    head = [
        *(Text(_plain(line), 72, 750 - 22 * row, 18)
          for row, line in enumerate(textwrap.wrap(paper.work.title, 50))),
        Text(_plain(names), 72, 690, 12),
        Text(f"May {paper.work.year}", 72, 675, 10),
        Text("Abstract", 72, 660, 12),
    ]  # fmt: skip
    pages, page, column, y = [], head, 0, 640.0
    for line, indent in lines:
        if y < LOWEST:
            column, y = column + 1, 740.0
            if column == columns:
                pages.append(page)
                page, column = [], 0
        if line:
            page.append(Text(_plain(line), 72 + 250 * column + indent, y))
        y -= LEADING
    return write_pdf([*pages, page])


def _plain(text: str) -> str:
    """Leave what Times has in the encoding of the test's writer."""
    return text.encode("cp1252", "replace").decode("cp1252")


def test_nine_tenths_of_the_links_of_a_folder_are_read(
    papers: Sequence[Invented], tmp_path: Path
) -> None:
    ways = [f"{style}, {columns}" for style in STYLES for columns in (1, 2)]
    for place, paper in enumerate(papers):
        style, _, columns = ways[place % len(ways)].partition(", ")
        (tmp_path / f"{paper.work.key}.pdf").write_bytes(draw(paper, style, int(columns)))
    figures = measure_links(papers, tmp_path, ways=ways)
    whole = together(figures.values())
    assert whole["papers"] == whole["found"] == NUMBER
    assert whole["right"] >= 0.9 * whole["links"] > 0
    assert whole["right"] >= 0.99 * whole["given"]


def test_a_draft_is_judged_by_what_was_printed(papers: Sequence[Invented], tmp_path: Path) -> None:
    collection = open_small_collection(write_small_index(tmp_path / "small.index"))
    paper = papers[-1]
    names = tuple(author.natural for author in paper.work.authors)
    references = tuple(
        Reference(title=work.title, year=work.year)
        if place % 2
        else Reference(
            authors=(work.authors[0].natural,), year=work.year, page=f"{work.page}-{work.page + 9}"
        )
        for place, work in enumerate(paper.cites)
    )
    right = Manuscript(paper.work.title.upper(), paper.abstract, names, references=references)
    alike = dict.fromkeys(("papers", "titles", "authors", "abstract", "references"), 1.0)
    assert judged(paper, right, collection) == alike | {"silent": 0, "matched": 0.0}
    guess = replace(right, title="Else", notes=("The title is a guess.",), references=())
    wrong = {"titles": 0, "references": 0.0, "matched": 0.0}
    assert judged(paper, guess, collection) == alike | wrong | {"silent": 0}
    assert judged(paper, replace(guess, notes=()), collection) == alike | wrong | {"silent": 1}
    assert f1(["a", "a", "b"], ["a", "b"]) == 0.8
    assert f1([], []) == 1


def test_entries_and_documents_hold_what_is_invented(papers: Sequence[Invented]) -> None:
    paper = papers[-1]
    text = latex_document(paper, "llncs")
    assert text.startswith("\\documentclass{llncs}")
    assert all(author.family in text for author in paper.work.authors)
    for work in paper.cites:
        assert f"{{{work.key}," in bibtex_entry(work)
        for style in STYLES:
            entry = without_markup(styled_entry(work, style))
            assert work.title.rstrip("?") in entry, style
            assert str(work.year) in entry
    for kind, mark in (("html", 'class="entry"'), ("fodt", 'style-name="Entry"')):
        page = html.unescape(page_document(paper, "two columns", "APA", kind))
        assert paper.work.title in page
        assert page.count(mark) == len(paper.cites)


_PRINTER = """#!/bin/sh
for word; do
  case "$word" in
    --print-to-pdf=*) out=${word#*=};;
    *.fodt) out=${word%.fodt}.pdf;;
    own*) out=$word.pdf;;
  esac
done
echo "$0" > "$out"
"""


_WAYS = {"pdflatex": WAYS[0], "chromium": "Chromium: one column, APA", "soffice": WAYS[-1]}


def test_each_way_of_printing_starts_its_program(
    papers: Sequence[Invented], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("pdflatex", "bibtex", "chromium", "soffice"):
        program = tmp_path / "bin" / name
        program.write_text(_PRINTER)
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name, way in _WAYS.items():
        made = print_paper(papers[0], way, tmp_path)
        assert made.suffix == ".pdf" and made.read_text().split("/")[-1].strip() == name
    sources = {f"{papers[0].work.key}{suffix}" for suffix in (".tex", ".bib", ".html", ".fodt")}
    assert sources <= {path.name for path in tmp_path.iterdir()}
    monkeypatch.setenv("PATH", "")
    for name, way in _WAYS.items():
        with pytest.raises(RecsysError, match=f"{name} could not be started") as error:
            print_paper(papers[0], way, tmp_path)
        assert "apt-get install" in error.value.hint
    for paper in papers:
        (tmp_path / f"{paper.work.key}.pdf").write_bytes(b"")
    again = make_folder(papers, tmp_path, jobs=1)  # What is printed is not printed again.
    assert [path.stem for path in again] == [paper.work.key for paper in papers]
