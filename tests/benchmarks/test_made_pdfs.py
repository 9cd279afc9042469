"""Made folders of PDFs: what is invented holds together, and its links are read back.

Here pages are drawn without LaTeX and Chromium, in lines of one and of two columns; the whole is
`python -m benchmarks.made_pdfs`.
"""

import html
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmarks.made_pdfs import latex_pages, pdf_links, web_pages
from benchmarks.made_pdfs.invented_papers import Invented, invent
from benchmarks.made_pdfs.latex_pages import LAYOUTS, print_latex
from benchmarks.made_pdfs.pdf_links import (
    LinkFigures,
    links_table,
    measure_links,
    together,
)
from benchmarks.made_pdfs.web_pages import STYLES, print_web_page
from recsys.errors import RecsysError
from tests.recsys.formats.drafts.small_pdf import Text, write_pdf

NUMBER, LEADING, LOWEST = 10, 12, 60


@pytest.fixture(scope="module")
def papers() -> tuple[Invented, ...]:
    return invent(NUMBER, np.random.default_rng(3))


def test_papers_cite_earlier_ones_and_others(papers: Sequence[Invented]) -> None:
    order = {paper.work.key: place for place, paper in enumerate(papers)}
    for place, paper in enumerate(papers):
        assert len({work.key for work in paper.cites}) == len(paper.cites) >= 10
        assert all(order.get(work.key, -1) < place for work in paper.cites)
        assert all(work.year <= paper.work.year for work in paper.cites)
    assert sum(work.key in order for paper in papers for work in paper.cites) > NUMBER
    titles = [work.title.lower() for paper in papers for work in (paper.work, *paper.cites)]
    assert len(set(titles)) == len({work.key for p in papers for work in (p.work, *p.cites)})


def test_the_same_seed_invents_the_same(papers: Sequence[Invented]) -> None:
    assert invent(NUMBER, np.random.default_rng(3)) == papers


def draw(paper: Invented, style: str, columns: int) -> bytes:
    """Set a paper in lines of Times, in one column or in two."""
    write, number = STYLES[style]
    entries = [
        number.format(place) + html.unescape(re.sub(r"</?[bi]>", "", write(work)))
        for place, work in enumerate(paper.cites, start=1)
    ]
    width = 84 if columns == 1 else 44
    lines = [(line, 0.0) for line in textwrap.wrap(paper.abstract, width)]
    lines += [("", 0.0), ("1 Introduction", 0.0)]
    lines += [(line, 0.0) for line in textwrap.wrap(paper.text[0][1][:1500], width)]
    lines += [("", 0.0), ("References", 0.0)]
    for entry in entries:
        wrapped = textwrap.wrap(entry, width, break_on_hyphens=False)
        lines += [(line, 0.0 if first else 12.0) for first, line in _first(wrapped)]
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


def _first(lines: Sequence[str]) -> list[tuple[bool, str]]:
    return [(not place, line) for place, line in enumerate(lines)]


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
    assert whole.papers == whole.found == NUMBER
    assert whole.recall >= 0.9
    assert whole.precision >= 0.99


def test_the_table_adds_up() -> None:
    figures = {"a": LinkFigures(2, 2, 1, 10, 9, 9), "b": LinkFigures(1, 1, 1, 10, 10, 5)}
    lines = links_table(figures).splitlines()
    assert lines[2] == "| a | 2 | 2 | 1 | 10 | 0.900 | 1.000 |"
    assert lines[-1] == "| all | 3 | 3 | 2 | 20 | 0.700 | 0.737 |"
    assert LinkFigures().recall == LinkFigures().precision == 1.0


def test_entries_and_documents_hold_what_is_invented(papers: Sequence[Invented]) -> None:
    paper = papers[-1]
    written = latex_pages._document(paper, LAYOUTS["llncs"])
    assert written.startswith("\\documentclass{llncs}")
    assert all(author.family in written for author in paper.work.authors)
    for work in paper.cites:
        assert f"{{{work.key}," in latex_pages._entry(work)
        for style, (write, _) in STYLES.items():
            text = html.unescape(write(work))
            assert work.title.rstrip("?") in text, style
            assert str(work.year) in text
    page = web_pages._document(paper, "two columns", "APA")
    assert html.escape(paper.work.title) in page and page.count('class="entry"') == len(paper.cites)


def test_without_the_programs_the_error_says_what_to_install(
    papers: Sequence[Invented], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RecsysError, match="pdflatex could not be started"):
        print_latex(papers[0], LAYOUTS["llncs"], tmp_path)
    with pytest.raises(RecsysError, match="There is no program chromium"):
        print_web_page(papers[0], "one column", "APA", tmp_path)


def test_what_is_printed_already_is_not_printed_again(
    papers: Sequence[Invented], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    for paper in papers:
        (tmp_path / f"{paper.work.key}.pdf").write_bytes(b"")
    made = pdf_links.make_folder(papers, tmp_path, jobs=1)
    assert [path.stem for path in made] == [paper.work.key for paper in papers]
