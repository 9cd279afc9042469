import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.query.matching import (
    THRESHOLD,
    contradicts,
    same_origin,
    score,
    title_likeness,
    title_of,
)
from recsys.records import Paper, Reference
from tests.rows import each_row

WORDS = st.lists(st.text(string.ascii_lowercase, min_size=2, max_size=9), min_size=1, max_size=12)
TITLES = st.text(max_size=60)


def alike(one: str, other: str) -> float:
    return title_likeness(title_of(one), title_of(other))


def scored(reference: Reference, paper: Paper) -> float:
    return score(reference, title_of(reference.title or ""), paper, title_of(paper.title))


@each_row(
    ("one", "other"),
    [
        ("Nests of Beetles", "NESTS OF BEETLES."),
        ("Multi-dimensional nests", "Multidimensional nests"),
        ("Multi-dimensional nests", "Multi\u2010dimensional  nests"),
        ("A graph\u2013based view", "A Graph Based View"),
        ("Müller\u2019s „nests“ & beetles", 'Mu\u0308ller\'s "nests" &amp; beetles'),
        ("Caf&eacute; nests of <i>Carabus</i>", "Café nests of Carabus"),
        ("Nests, part II", "Nests, Part 2"),
        ("Nests, part two", "Nests (Part II)"),
        ("H₂O in nests", "H2O in nests"),
    ],
)
def test_spellings_of_one_title_are_equal(one: str, other: str) -> None:
    assert alike(one, other) >= 0.97


@each_row(
    ("one", "other"),
    [
        ("Visualization of beetle nests", "Visualisation of beetle nests"),
        ("Visualization of beetle nests", "Vizualization of beetle nets"),
        ("The nests of the beetles of Crete", "Nests of beetles of Crete"),
        ("NestFinder: how beetles find their nests", "NestFinder"),
        ("How beetles find their nests", "How beetles find their nests: an enquiry"),
        ("Nests: an enquiry: prize lecture", "Nests: an enquiry"),
    ],
)
def test_a_slip_or_a_lost_subtitle_leaves_titles_alike(one: str, other: str) -> None:
    assert THRESHOLD <= alike(one, other) < 1


@each_row(
    ("one", "other"),
    [
        ("Nests of beetles, part I", "Nests of beetles, part II"),
        ("Nests of beetles", "Nests of beetles II"),
        ("Nests of beetles in 2009", "Nests of beetles in 2010"),
        ("3D nests of beetles", "2D nests of beetles"),
        ("Visualization of vector fields", "Visualization of tensor fields"),
        ("A survey of nests in northern Crete", "A survey of nests in southern Crete"),
        ("NestFinder: where beetles live", "NestFinder: where ants live"),
        ("Beetles", "Beetle nests of Crete"),
    ],
)
def test_titles_of_two_works_are_not_alike(one: str, other: str) -> None:
    assert alike(one, other) < THRESHOLD


def test_the_likeness_of_a_typing_error_is_its_share_of_the_letters() -> None:
    assert alike("abcdefghij klmnopqrst", "abcdefghij klmnopqrsx") == pytest.approx(1 - 1 / 20)


@given(TITLES, TITLES)
def test_likeness_is_symmetric_and_a_share(one: str, other: str) -> None:
    found = alike(one, other)
    assert 0 <= found <= 1
    assert found == pytest.approx(alike(other, one))
    assert alike(one, one) == (1 if title_of(one).words else 0)
    assert contradicts(title_of(one), title_of(other)) == contradicts(
        title_of(other), title_of(one)
    )


@given(WORDS, st.sampled_from([" ", "-", "  ", "\u2010", "\n"]), st.sampled_from(["", ".", "!"]))
def test_separators_and_case_do_not_count(words: list[str], between: str, after: str) -> None:
    assert alike(" ".join(words), between.join(words).upper() + after) == 1


LONG = "How beetles of northern Crete find their winter nests"
PAPER = Paper("p", LONG, year=2010, authors=("Ada Ash", "Bo Birch"))
SHORT = Paper("q", "Beetle nests", year=2010, authors=("Ada Ash",))
ONE_WORD = Paper("r", "Preface", year=2010, authors=("Ada Ash",))


@each_row(
    ("paper", "authors", "year", "matches"),
    [
        (PAPER, ("Ash, A.",), 2010, True),
        (PAPER, ("Ash, A.",), 2011, True),
        (PAPER, ("Ash, A.",), 2015, True),
        (PAPER, ("Bo Birch",), None, True),
        (PAPER, (), None, True),
        (PAPER, ("Cy Cedar",), 2010, True),
        (PAPER, ("Cy Cedar",), 2012, False),
        (SHORT, ("Ash, A.",), 2011, True),
        (SHORT, (), None, True),
        (SHORT, ("Ash, A.",), 2012, False),
        (SHORT, ("Cy Cedar",), 2010, False),
        (ONE_WORD, ("Ash, A.",), 2010, True),
        (ONE_WORD, (), 2010, True),
        (ONE_WORD, (), 2011, False),
        (ONE_WORD, (), None, False),
    ],
)
def test_the_less_a_title_tells_the_more_must_agree(
    paper: Paper, authors: tuple[str, ...], year: int | None, matches: bool
) -> None:
    reference = Reference(title=paper.title, authors=authors, year=year)
    assert (scored(reference, paper) >= THRESHOLD) == matches


@each_row(
    ("given_name", "name"),
    [
        ("Müller, Jörg", "J. Mueller"),
        ("Garcia-Molina, H.", "Hector Garcia Molina"),
        ("Abousalh-Neto, N. A.", "Nascif A. Abousalh-Neto"),
        ("Wang Yong", "Yong Wang"),
        ("O'Brien, T.", "Tim OBrien"),
        ("Li, X.", "Xin Li"),
    ],
)
def test_spellings_of_a_name_agree(given_name: str, name: str) -> None:
    reference = Reference(title=LONG, authors=(given_name,), year=2010)
    assert scored(reference, Paper("p", LONG, year=2010, authors=(name,))) == 1


def test_short_surnames_are_compared_to_the_letter() -> None:
    reference = Reference(title="Beetle nests", authors=("Xin Li",), year=2010)
    assert (
        scored(reference, Paper("p", "Beetle nests", year=2010, authors=("Xin Liu",))) < THRESHOLD
    )


@each_row(
    ("given_name", "name", "expected"),
    [
        ("Wei, Jianhua", "Jianhua Wei", True),
        ("Wei, Jianhua", "J. Wei", True),
        ("Wei, J.", "Jinsong Wei", True),
        ("Wei, Jianhua", "Jinsong Wei", False),
        ("Jianhua, Wei", "Jianhua Wei", True),
        ("Wei, Winfield", "Winfleld Wei", True),
    ],
)
def test_given_names_in_full_tell_authors_apart(given_name: str, name: str, expected: bool) -> None:
    reference = Reference(title="Beetle nests", authors=(given_name,), year=2010)
    value = scored(reference, Paper("p", "Beetle nests", year=2010, authors=(name,)))
    assert (value >= THRESHOLD) is expected


@each_row(
    ("one", "other", "expected"),
    [
        ("Beetle nests", "Numerical cloud models", True),
        ("Beetle nests", "Nests of beetle kin", False),
        ("NestFinder", "NestFinder: how beetles live", False),
        ("On the", "Numerical cloud models", False),
        ("Beetle nets", "Betle nests", False),
    ],
)
def test_only_flatly_different_titles_contradict(one: str, other: str, expected: bool) -> None:
    assert contradicts(title_of(one), title_of(other)) == expected


def test_origin_needs_author_and_year_on_both_sides() -> None:
    reference = Reference(authors=("Ash, A.",), year=2012)
    assert same_origin(reference, PAPER)
    assert not same_origin(Reference(authors=("Ash, A.",), year=2013), PAPER)
    assert not same_origin(Reference(authors=("Cedar, C.",), year=2010), PAPER)
    assert not same_origin(Reference(authors=("Ash, A.",)), PAPER)
    assert not same_origin(reference, Paper("p", LONG, year=2012))


def test_a_title_of_any_length_is_compared_quickly() -> None:
    assert alike("word " * 1_000_000, "word " * 1_000_000) == 1
