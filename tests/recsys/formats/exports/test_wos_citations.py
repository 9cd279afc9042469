"""Cited references as in https://github.com/massimoaria/bibliometrix/pull/644 and its issue 640."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.formats import identifiers
from recsys.formats.exports import wos_citations
from recsys.formats.exports.wos_citations import author_of, cited_in, cited_of
from recsys.records import Reference
from tests.rows import each_row

LINES = {
    "Smith J, 2010, NATURE, V1, P2, DOI 10.5555/x": Reference(
        authors=("J Smith",), year=2010, venue="NATURE", volume="1", page="2", doi="10.5555/x"
    ),
    "Smith J., 2010, PHYS REV Q, V81, ARTN 012345, DOI 10.5555/PhysRevQ.81.012345": Reference(
        authors=("J. Smith",),
        year=2010,
        venue="PHYS REV Q",
        volume="81",
        page="012345",
        doi="10.5555/physrevq.81.012345",
    ),
    "Smith J, 2010, J X, DOI [10.5555/a, 10.5555/b]": Reference(
        authors=("J Smith",), year=2010, venue="J X", doi="10.5555/a", ids=("10.5555/b",)
    ),
    "Smith J, 2010, J X, V2, DOI DOI 10.5555/A(9)1": Reference(
        authors=("J Smith",), year=2010, venue="J X", volume="2", doi="10.5555/a(9)1"
    ),
    "Aaker, JL, 1997, J X, V34, P347, DOI 10.5555/3": Reference(
        authors=("JL Aaker",), year=1997, venue="J X", volume="34", page="347", doi="10.5555/3"
    ),
    "*NAT RES COUNC, 2009, REPORT": Reference(
        authors=("NAT RES COUNC",), year=2009, venue="REPORT", title="REPORT"
    ),
    "[Anonymous], 1999, BOOK TITLE": Reference(year=1999, venue="BOOK TITLE", title="BOOK TITLE"),
    "SMITH J, IN PRESS J LIGHT": Reference(authors=("J SMITH",), venue="J LIGHT", title="J LIGHT"),
    "PURI A, UNPUB": Reference(authors=("A PURI",)),
    "2007, Group Research": Reference(year=2007, venue="Group Research", title="Group Research"),
    "Klein N., GUARDIAN 0508": Reference(
        authors=("N. Klein",), venue="GUARDIAN 0508", title="GUARDIAN 0508"
    ),
    "BIRMAN JL, 1982, EXCITONS, pCH2": Reference(
        authors=("JL BIRMAN",), year=1982, venue="EXCITONS", page="CH2"
    ),
    "CHIN WW, 1998, MIS Q, V22, pVII": Reference(
        authors=("WW CHIN",), year=1998, venue="MIS Q", volume="22", page="VII"
    ),
    "Kate M., 2020, Invented Engineering, V5, p100054. 18": Reference(
        authors=("M. Kate",), year=2020, venue="Invented Engineering", volume="5", page="100054"
    ),
    "Rees MJ, 2001, MON NOT R LIGHT SOC, V3, PL123": Reference(
        authors=("MJ Rees",), year=2001, venue="MON NOT R LIGHT SOC", volume="3", page="L123"
    ),
    "Rees MJ, 2001, ASTRON X, P L123": Reference(
        authors=("MJ Rees",), year=2001, venue="ASTRON X", page="L123"
    ),
    "Ho J, 2020, VACUUM": Reference(authors=("J Ho",), year=2020, venue="VACUUM", title="VACUUM"),
    "Ho J, 2020, Light, Shade, and Dusk: A Handbook, P7": Reference(
        authors=("J Ho",), year=2020, venue="Light, Shade, and Dusk: A Handbook", page="7"
    ),
    "Moll E., 1986, Patent No. [U.S. 4,619,748, 4619748]": Reference(
        authors=("E. Moll",),
        year=1986,
        venue="Patent No. [U.S. 4,619,748, 4619748]",
        title="Patent No. [U.S. 4,619,748, 4619748]",
    ),
    "Agos Andrea, 2023, ARXIV230111325": Reference(
        authors=("Andrea Agos",), year=2023, venue="ARXIV230111325", arxiv="2301.11325"
    ),
    "Kingma D, 2014, ARXIV14126980": Reference(
        authors=("D Kingma",), year=2014, venue="ARXIV14126980", arxiv="1412.6980"
    ),
    "Chen M., 2021, arXiv preprint arXiv:2107.03374": Reference(
        authors=("M. Chen",), year=2021, venue="arXiv preprint arXiv:2107.03374", arxiv="2107.03374"
    ),
    "Gun J., 2020, [No title captured], P151": Reference(
        authors=("J. Gun",), year=2020, page="151"
    ),
    "王伟, 2011, 计算机学报, V34, P1": Reference(
        authors=("王伟",), year=2011, venue="计算机学报", volume="34", page="1"
    ),
    "Núñez Ímola Á, 2011, REV ESPAÑ LUZ, V3, P1": Reference(
        authors=("Á Núñez Ímola",), year=2011, venue="REV ESPAÑ LUZ", volume="3", page="1"
    ),
    "Lee A, 0099, OLD": Reference(authors=("A Lee",), venue="OLD", title="OLD"),
    "DOI 10.5555/alone": Reference(doi="10.5555/alone"),
    "A title alone": Reference(venue="A title alone", title="A title alone"),
    "Fox E, 1996, J AM SOC LIGHT, V47, P1, "
    "DOI 10.5555/(SICI)1097-4571(199601)47:1<1::AID-ASI1>3.0.CO;2-3": Reference(
        authors=("E Fox",),
        year=1996,
        venue="J AM SOC LIGHT",
        volume="47",
        page="1",
        doi="10.5555/(sici)1097-4571(199601)47:1<1::aid-asi1>3.0.co;2-3",
    ),
    "": Reference(),
}
PIECES = [
    *("Lee A", "Lee", "JL", "2001", "J X", "VIRUS", "V2", "P3", "pIX", "ART 7", "IN PRESS"),
    *("DOI 10.5555/a-b.1", "DOI [10.5555/a, 10.5555/b]"),
]
# Neither a number nor a name of nobody.
WORD = st.from_regex(r"[B-DF-H][a-df-h]{2,7}", fullmatch=True)
NUMBER = st.integers(1, 99_999).map(str)
DOI = st.from_regex(r"10\.[0-9]{4,5}/[A-Za-z0-9.()/_-]{1,12}", fullmatch=True)


@each_row(("line", "cited"), LINES.items())
def test_a_line_is_understood(line: str, cited: Reference) -> None:
    assert cited_of(line) == cited


def test_a_cell_is_parted_as_it_was_joined() -> None:
    lines = [line for line in LINES if line]
    assert cited_in("; ".join(lines)) == tuple(map(cited_of, lines))
    assert cited_in("") == cited_in(" ; ;") == ()


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
