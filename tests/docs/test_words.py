"""Pages are short, and their prose is no table: words and figures are counted."""

import re

import pytest

from docs.made.words import LIMITS, main, words_in
from tests.docs.written_pages import PAGES
from tests.rows import each_row

RESULTS = [name for name in PAGES if name.startswith("docs/results/")]
MOST_FIGURES = 3
_NO_PROSE = re.compile(
    r"<!-- (\S+) -->.*?<!-- /\1 -->|^```.*?^```$|^\|.*?$|`[^`]*`|\]\([^)]*\)",
    re.DOTALL | re.MULTILINE,
)
_FIGURE = re.compile(r"(?<![\w@-])\d[\d,.]*(?:st|nd|rd|th)?\b(?![\w-])")


def sentences(text: str) -> list[str]:
    """Split the prose of a page, without tables and code, at the ends of sentences."""
    prose = _NO_PROSE.sub(" x ", text)
    return re.split(r"(?<=[.:;?!])\s+(?=[A-Z*-])|\n\s*\n|\n(?=[-#])", prose)


@each_row("folder", ["results", ""])
def test_the_pages_of_a_folder_are_short(folder: str) -> None:
    found = words_in(folder)
    assert 0 < sum(found.values()) <= LIMITS[folder], found


@each_row("page", RESULTS)
def test_no_sentence_of_the_results_has_many_figures(page: str) -> None:
    crowded = [each for each in sentences(PAGES[page]) if len(_FIGURE.findall(each)) > MOST_FIGURES]
    assert crowded == []


def test_figures_are_counted() -> None:
    text = "It took 3 s, then 1,204 s,\nthen .5 s and 7 %. F1@20 is a name, `9 8` code.\n| 1 | 2 |"
    assert [len(_FIGURE.findall(each)) for each in sentences(text)] == [4, 0]


def test_the_words_of_each_page_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    out = capsys.readouterr().out
    assert all(name.removeprefix("docs/") in out for name in PAGES if name != "README.md")
    assert f"of {LIMITS['results']:,} in docs/results" in out
