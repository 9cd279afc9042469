"""Citations as Scopus exports them.

The newer spelling: https://github.com/Goufu-Wang/refparse (README, "Basic Usage") and, for the
older one, https://rdrr.io/cran/bibnets/man/read_scopus.html; the works here are invented.
"""

import random

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.exports.scopus_citations import cited_in
from recsys.records import Reference
from tests.rows import each_row

NEWER = {
    "Lee A., Li B., Deep maps, Nature, 521, pp. 436-444, (2015)": Reference(
        title="Deep maps",
        authors=("A. Lee",),
        year=2015,
        venue="Nature",
        volume="521",
        page="436",
    ),
    (
        "Von Berg C.G., et al.., Making maps, of all kinds, IEEE Software, 27, 4, pp. 92-94, (2010)"
    ): Reference(
        title="Making maps, of all kinds",
        authors=("C.G. Von Berg",),
        year=2010,
        venue="IEEE Software",
        volume="27",
        page="92",
    ),
    "Marsh P., Maps A: The clinic, J Maps, 31, SUPPL. 1, pp. S9-S16, (1999)": Reference(
        title="Maps A: The clinic",
        authors=("P. Marsh",),
        year=1999,
        venue="J Maps",
        volume="31",
        page="S9",
    ),
    "Bjork B.C., Growth of open maps, 2009-2016, PeerJ, 5, (2017)": Reference(
        title="Growth of open maps, 2009-2016",
        authors=("B.C. Bjork",),
        year=2017,
        venue="PeerJ",
        volume="5",
    ),
    "Burns K., The History of Maps, 1957-1993, (1994)": Reference(
        title="The History of Maps, 1957-1993", authors=("K. Burns",), year=1994
    ),
    (
        "Cald A.R., Moving forward, Sports Maps (Auckland, N.Z.), 50, 3, pp. 449-459, (2020)"
    ): Reference(
        title="Moving forward",
        authors=("A.R. Cald",),
        year=2020,
        venue="Sports Maps (Auckland, N.Z.)",
        volume="50",
        page="449",
    ),
    "Holm M.F., Vitamin D, N Engl J Maps, 357, pp. 266-281, (2007)": Reference(
        title="Vitamin D",
        authors=("M.F. Holm",),
        year=2007,
        venue="N Engl J Maps",
        volume="357",
        page="266",
    ),
    "Wang X., Li Y., Some map, 2019 IEEE Conference on Maps (ICM), pp. 1-8, (2019)": Reference(
        title="Some map",
        authors=("X. Wang",),
        year=2019,
        venue="2019 IEEE Conference on Maps (ICM)",
        page="1",
    ),
    (
        "van der Berg L., O'Neil P.-J., Things, Lecture Notes in Maps, 16778 LNCS, pp. 3-8, (1999)"
    ): Reference(
        title="Things",
        authors=("L. van der Berg",),
        year=1999,
        venue="Lecture Notes in Maps",
        volume="16778 LNCS",
        page="3",
    ),
    "Bruns A., Inf. Commun. Maps, 22, pp. 1544-1566, (2019)": Reference(
        authors=("A. Bruns",), year=2019, venue="Inf. Commun. Maps", volume="22", page="1544"
    ),
    (
        "Sayer EW, Clark K, Karsch-Miz I., MapBank, Nucleic Maps Res, 48, pp. D84-D86, (2020)"
    ): Reference(
        title="MapBank",
        authors=("EW Sayer",),
        year=2020,
        venue="Nucleic Maps Res",
        volume="48",
        page="D84",
    ),
    (
        "Braun V., Using maps, Qual. Res., 3, 2, https://doi.org/10.1191/1478QP063OA, (2006)"
    ): Reference(
        title="Using maps",
        authors=("V. Braun",),
        year=2006,
        venue="Qual. Res.",
        volume="3",
        doi="10.1191/1478qp063oa",
    ),
    "Good I., Ben Y., Deep Maps, vol. 1, (2016)": Reference(
        title="Deep Maps", authors=("I. Good",), year=2016, volume="1"
    ),
    "UNESCO: Guidance for maps in education, (2023)": Reference(
        title="UNESCO: Guidance for maps in education", year=2023
    ),
    "COMEST, Study on the ethics of maps, (2019)": Reference(
        title="COMEST, Study on the ethics of maps", year=2019
    ),
    "Smith J., Title of 1984, J Chem, 12, 2010": Reference(
        title="Title of 1984", authors=("J. Smith",), year=2010, venue="J Chem", volume="12"
    ),
    "Hamada I., Yoshi H.K., Physica, 376-377, (2006)": Reference(
        authors=("I. Hamada",), year=2006, venue="Physica"
    ),
    "Lin T., Mausam, Etzi O., Jr., Berg A., No Noun, Left, J Maps, 1, pp. 2-3, (2012)": Reference(
        title="No Noun, Left",
        authors=("T. Lin",),
        year=2012,
        venue="J Maps",
        volume="1",
        page="2",
    ),
    "Scimap Journal & Country Rank,, (2022)": Reference(
        title="Scimap Journal & Country Rank", year=2022
    ),
    "Plain words about maps": Reference(title="Plain words about maps"),
}
OLDER = {
    "Barth, C., Cut conductors (2015) Example Technol., 28 (4). , Feb": Reference(
        title="Cut conductors",
        authors=("C. Barth",),
        year=2015,
        venue="Example Technol.",
        volume="28",
    ),
    "Smith, J., Brown, A., Old title (2010) Example Journal, 12 (3), pp. 45-67.": Reference(
        title="Old title",
        authors=("J. Smith",),
        year=2010,
        venue="Example Journal",
        volume="12",
        page="45",
    ),
    (
        "Smith, J., Old; second part (2010) J of A, B and C, 12, art. no. 1234. , "
        "http://dx.doi.org/10.1234/a.b-1"
    ): Reference(
        title="Old; second part",
        authors=("J. Smith",),
        year=2010,
        venue="J of A, B and C",
        volume="12",
        page="1234",
        doi="10.1234/a.b-1",
    ),
    "Ajzen, I., (1985) From maps to actions, pp. 11-39. , Action control, Springer": Reference(
        title="From maps to actions", authors=("I. Ajzen",), year=1985, page="11"
    ),
    "Lin, T., Mausam, Etzi, O., Jr., Berg, A., No Noun, Left (2012) J Maps, 1, pp. 2-3": Reference(
        title="No Noun, Left",
        authors=("T. Lin",),
        year=2012,
        venue="J Maps",
        volume="1",
        page="2",
    ),
    "Smith, J., et al., (2001) Nature, 409, p. 860": Reference(
        authors=("J. Smith",), year=2001, venue="Nature", volume="409", page="860"
    ),
    "de la Cruz, M.-A., Events of 1990 (1990) revisited (1995) History, 3, pp. 1-2": Reference(
        title="Events of 1990 (1990) revisited",
        authors=("M.-A. de la Cruz",),
        year=1995,
        venue="History",
        volume="3",
        page="1",
    ),
}


@each_row(("text", "work"), [*NEWER.items(), *OLDER.items()])
def test_an_item_is_taken_apart(text: str, work: Reference) -> None:
    assert cited_in(text) == (work,)


@each_row("works", [NEWER, OLDER, {**OLDER, **NEWER}])
def test_items_of_a_cell_are_told_apart(works: dict[str, Reference]) -> None:
    assert cited_in("; ".join(works)) == tuple(works.values())


def test_an_empty_cell_cites_nothing() -> None:
    assert cited_in("") == cited_in(" ; ; ") == ()


WORDS = st.lists(st.sampled_from(["maps", "of", "Deep", "cells", "x-ray"]), min_size=2, max_size=6)


@given(st.lists(st.tuples(WORDS, st.integers(1900, 2024), st.integers(1, 999)), max_size=5))
def test_what_is_written_is_read(works: list[tuple[list[str], int, int]]) -> None:
    newer = [
        f"Lee A.B., Li C., A {' '.join(words)}, "
        f"Journal of Maps, {volume}, 2, pp. {volume}-1000, ({year})"
        for words, year, volume in works
    ]
    older = [
        f"Lee, A.B., Li, C., A {' '.join(words)} ({year}) "
        f"Journal of Maps, {volume} (2), pp. {volume}-1000"
        for words, year, volume in works
    ]
    expected = [
        Reference(
            title=f"A {' '.join(words)}",
            authors=("A.B. Lee",),
            year=year,
            venue="Journal of Maps",
            volume=str(volume),
            page=str(volume),
        )
        for words, year, volume in works
    ]
    assert list(cited_in("; ".join(newer))) == list(cited_in("; ".join(older))) == expected


def test_any_text_is_read() -> None:
    rng = random.Random(18)
    text = "; ".join([*NEWER, *OLDER])
    for _ in range(150):
        letters = list(text)
        for _ in range(rng.randrange(1, 200)):
            place = rng.randrange(len(letters))
            letters[place] = rng.choice(",;. ()10.A\u2013é\n\0")
        for work in cited_in("".join(letters[rng.randrange(len(letters)) :])):
            assert work.year is None or 1500 <= work.year < 2100


@each_row("part", [",", "; ", "a, ", "A. ", "(2010) ", "10.1234/", "pp. 1, ", "(", "A."])
def test_long_cells_take_little_time(part: str) -> None:
    assert len(cited_in(part * (300_000 // len(part)))) < 300_000


def test_a_meeting_may_begin_with_its_number() -> None:
    (found,) = cited_in("Ross A., Li B., Slow maps, 45th Meeting of Cartographers, pp. 1-9, (2007)")
    assert found.title == "Slow maps"
    assert found.venue == "45th Meeting of Cartographers"
    (found,) = cited_in("Ross A., Slow maps, 3rd ed. of all, pp. 1-9, (2007)")
    assert found.title == "Slow maps, 3rd ed. of all"
