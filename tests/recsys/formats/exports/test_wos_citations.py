"""Cited references as in https://github.com/massimoaria/bibliometrix/pull/644 and its issue 640."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.formats import identifiers
from recsys.formats.exports import wos_citations
from recsys.formats.exports.wos_citations import author_of, cited_in, cited_of
from recsys.records import Reference
from tests.recsys.formats.exports.cited_works import LINES
from tests.rows import each_row

PIECES = [
    *("Lee A", "Lee", "JL", "2001", "J X", "VIRUS", "V2", "P3", "pIX", "ART 7", "IN PRESS"),
    *("DOI 10.5555/a-b.1", "DOI [10.5555/a, 10.5555/b]"),
]
# Neither a number nor a name of nobody.
WORD = st.from_regex(r"[B-DF-H][a-df-h]{2,7}", fullmatch=True)
NUMBER = st.integers(1, 99_999).map(str)
DOI = st.from_regex(r"10\.[0-9]{4,5}/[A-Za-z0-9.()/_-]{1,12}", fullmatch=True)


def test_semicolons_in_a_list_of_dois_part_nothing() -> None:
    first, second = cited_in("A B, 2000, X, V1, DOI [10.5555/a; 10.5555/b]; C D, 2001, Y, V2")
    assert (first.doi, second.year) == ("10.5555/a", 2001)
    unclosed = cited_in("A B, 2000, X [part, V1; C D, 2001, Y, V2")
    assert [each.year for each in unclosed] == [2000, 2001]


@each_row(
    ("name", "spoken"),
    [
        ("van der Aalst WMP", "WMP van der Aalst"),
        ("Costa de Beauregard O.", "O. Costa de Beauregard"),
        ("Thompson J D", "J D Thompson"),
        ("Hernández-Paz Pedro Jesús", "Pedro Jesús Hernández-Paz"),
        ("van Raal Maria", "Maria van Raal"),
        ("Smith J et al.", "J Smith"),
        ("Lee JH Jr", "JH Lee Jr"),
        ("Seok Yun\uff0c,", "Yun Seok"),
        ("OpenAI", "OpenAI"),
        ("Anonymous", None),
        ("*", None),
        ("", None),
    ],
)
def test_authors_are_spoken(name: str, spoken: str | None) -> None:
    assert author_of(name) == spoken


@given(
    author=st.none() | WORD,
    year=st.none() | st.integers(1400, 2100).map(str),
    source=st.none() | st.lists(WORD, min_size=2, max_size=3).map(" ".join),
    volume=st.none() | NUMBER,
    page=st.none() | NUMBER,
    doi=st.none() | DOI,
)
def test_missing_pieces_leave_the_others_alone(
    author: str | None,
    year: str | None,
    source: str | None,
    volume: str | None,
    page: str | None,
    doi: str | None,
) -> None:
    told = (volume and f"V{volume}", page and f"P{page}", doi and f"DOI {doi}")
    found = cited_of(", ".join(filter(None, (author and f"{author} J", year, source, *told))))
    if year or (author and source):
        assert found.authors == ((f"J {author}",) if author else ())
        assert found.year == (int(year) if year else None)
        assert (found.venue, found.volume, found.page) == (source, volume, page)
    assert found.doi == identifiers.doi(doi)


@given(
    line=st.text(max_size=80) | st.lists(st.sampled_from([*LINES, ", ", "; ", "["])).map("".join)
)
def test_any_text_is_read_and_no_word_is_lost(line: str) -> None:
    found = cited_of(line)
    assert isinstance(found, Reference)
    assert all(isinstance(each, Reference) for each in cited_in(line))


@given(words=st.lists(WORD, min_size=3, max_size=9))
def test_no_word_is_lost(words: list[str]) -> None:
    found = cited_of(f"{words[0]} {words[1]}, 2001, {' '.join(words[2:])}")
    assert sorted(" ".join((*found.authors, found.venue or "")).split()) == sorted(words)


@given(
    taken=st.lists(st.booleans(), min_size=len(PIECES), max_size=len(PIECES)),
    other=st.none() | WORD,
)
def test_the_usual_lines_are_read_as_the_others_are(taken: list[bool], other: str | None) -> None:
    parts = [piece for piece, told in zip(PIECES, taken, strict=True) if told]
    line = ", ".join([*parts[:2], *([other] if other else []), *parts[2:]])
    usual = cited_of(line)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wos_citations, "_USUAL", re.compile(r"(?!)"))
        assert cited_of(line) == usual


@each_row("unit", [", ", "V1, ", "[", "; [", "DOI ", "10.1/", "A ", "arXiv", "Smith J, "])
def test_long_lines_and_cells_are_read_soon(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    cited_of(text)
    cited_in(text)
