"""What makes two papers versions of one work: pairs made up after those that real corpora hold."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from recsys.query.matching import title_of
from recsys.ranking.duplicates import Work, _one_slip, one_work
from tests.rows import each_row

LONG = "Measuring the slow drift of gravel in braided rivers"
TEXT = frozenset(range(100, 140))


def work(title: str, year: int | None = 2010, authors: str = "ab", venue: int = -1) -> Work:
    return Work(title_of(title), frozenset(map(ord, authors)), year, venue, frozenset(range(6)), 6)


def with_text(paper: Work, terms: frozenset[int] = TEXT) -> Work:
    return replace(paper, terms=paper.terms | terms)


def judged(one: Work, other: Work, cosine: float = 1.0) -> bool:
    found = one_work(one, other, cosine)
    assert one_work(other, one, cosine) == found
    return found


@each_row(
    "title",
    [
        LONG.upper(),
        "Measuring the Slow-Drift of Gravel in Braided Rivers.",
        "Measuring slow drift of the gravel in braided rivers",
        "<i>Measuring</i> the slow drift of gravel in braided r\u00edvers",
        "Measurng the slow drift of gravel in braided rivers",
    ],
)
def test_case_marks_articles_and_a_typing_error_make_no_other_work(title: str) -> None:
    assert judged(work(LONG), work(title, 2011))


@each_row(
    ("one", "other"),
    [
        (f"{LONG}, Part I", f"{LONG}, Part II"),
        (f"{LONG} I", f"{LONG} II"),
        (LONG, f"{LONG} II"),
        (f"{LONG} in 2009", f"{LONG} in 2010"),
        (
            "Parallel drift of 2D gravel complexes in rivers",
            "Parallel drift of 3D gravel complexes in rivers",
        ),
        (f"{LONG}: a survey", f"{LONG}: a survey revisited"),
        (LONG, f"{LONG}: an update"),
        (LONG, f"{LONG} with glaciers"),
        (LONG, f"Erratum: {LONG}"),
        (
            "First report on the gravel of braided rivers",
            "Third report on the gravel of braided rivers",
        ),
        (
            "Supervised drift of gravel in braided rivers",
            "Unsupervised drift of gravel in braided rivers",
        ),
        (
            "Hindi to Punjabi machine translation system",
            "Punjabi to Hindi machine translation system",
        ),
        (
            "Measured drift of B gravel in braided rivers",
            "Measured drift of K gravel in braided rivers",
        ),
    ],
)
def test_parts_years_and_sequels_are_works_of_their_own(one: str, other: str) -> None:
    assert not judged(work(one), work(other))


def test_what_is_about_a_paper_is_another_work_even_with_its_abstract() -> None:
    paper = with_text(work(LONG))
    for title in (f"Correction: {LONG}", f"Data from: {LONG}", f"{LONG} revisited"):
        assert not judged(paper, with_text(work(title)))
    assert not judged(with_text(work(f"{LONG}, part 1")), with_text(work(f"{LONG}, part 2")))


@each_row(
    "title", ["Slow drift of gravel in braided rivers", f"{LONG}: a field study", "Drift of gravel"]
)
def test_a_title_may_lack_words_where_the_abstracts_are_one(title: str) -> None:
    assert judged(with_text(work(LONG, 2009)), with_text(work(title, 2012)))
    assert not judged(work(LONG), work(title))
    other_text = frozenset(range(200, 240))
    assert not judged(with_text(work(LONG)), with_text(work(title), other_text))


def test_seven_tenths_of_the_terms_make_one_text() -> None:
    # 6 of the title and 40; the other one lacks some: 33 of 46 are .72, 32 of 46 are .696.
    paper, title = with_text(work(LONG)), f"{LONG}: a field study"
    assert judged(paper, with_text(work(title), frozenset(range(100, 127))))
    assert not judged(paper, with_text(work(title), frozenset(range(100, 126))))


def test_what_appears_in_one_place_every_year_is_a_series_unless_the_text_is_one() -> None:
    one, other = work(LONG, 2009, venue=3), work(LONG, 2010, venue=3)
    assert not judged(one, other)
    assert judged(one, replace(other, venue=4))
    assert judged(one, replace(other, year=2009))
    assert judged(with_text(one), with_text(other))
    assert not judged(with_text(one), with_text(other, frozenset(range(200, 240))), 0.99)


@each_row(
    ("apart", "alone", "extended"),
    [(1, True, True), (2, False, True), (3, False, True), (4, False, False)],
)
def test_years_may_be_further_apart_where_abstracts_are_known(
    apart: int, alone: bool, extended: bool
) -> None:
    one, other = work(LONG, 2010, venue=3), work(LONG, 2010 + apart, venue=4)
    assert judged(one, other) == alone
    longer = frozenset(range(120, 180))
    assert judged(with_text(one), with_text(other, longer), 0.75) == extended
    assert not judged(with_text(one), with_text(other, longer), 0.74)


def test_a_reprint_may_come_any_number_of_years_later() -> None:
    one = with_text(work(LONG, 1990, venue=3))
    for later in (work(f"The {LONG.upper()}", 2006), work(LONG, 1994, "a", 3), work(LONG, 2026)):
        assert judged(one, with_text(later))
    short = "Gravel of the rivers"
    assert judged(with_text(work(short, 1990)), with_text(work(short, 2006)))


@each_row(
    ("title", "change"),
    [
        (LONG, {"terms": frozenset(range(6)) | frozenset(range(120, 160))}),  # Another report.
        (LONG, {"numbers": frozenset((3,))}),  # In the same words, but for its year.
        (LONG, {"authors": frozenset(map(ord, "cd"))}),
        (LONG, {"authors": frozenset()}),
        (LONG, {"title": title_of(f"{LONG}, Part 2")}),
        (LONG, {"title": title_of(f"{LONG}: a field study")}),
        ("Editorial", {}),
    ],
)
def test_what_comes_every_year_is_no_reprint(title: str, change: dict[str, Any]) -> None:
    one = with_text(work(title, 1990))
    assert not judged(one, replace(one, year=2006, **change))


def test_a_few_words_are_no_abstract_that_tells_a_reprint() -> None:
    one = with_text(work(LONG, 1990), frozenset(range(100, 114)))
    assert not judged(one, replace(one, year=2006))


def test_a_talk_by_one_of_several_authors_stands_beside_their_paper() -> None:
    assert not judged(work(LONG, authors="abc"), work(LONG, authors="a"))
    assert not judged(work(LONG, authors="ab"), work(LONG, authors="a"))
    assert judged(work(LONG, authors="abc"), work(LONG, authors="ab"))
    assert not judged(work(LONG, authors="ab"), work(LONG, authors="cd"))


def test_without_authors_the_year_has_to_agree() -> None:
    assert judged(work(LONG, authors=""), work(LONG, authors=""))
    assert judged(work(LONG, authors=""), work(LONG))
    assert not judged(work(LONG, authors=""), work(LONG, 2011))
    assert not judged(work(LONG, None, authors=""), work(LONG))
    assert not judged(
        work("The gravel of rivers", authors=""), work("The gravel of rivers", authors="")
    )


TITLES = st.sampled_from([LONG, LONG.upper(), f"{LONG} II", f"{LONG}: a field study", "Gravel", ""])
WORKS = st.builds(
    lambda title, year, authors, venue, text: replace(
        work(title, year, authors, venue), terms=frozenset(range(6)) | text
    ),
    TITLES,
    st.none() | st.integers(2008, 2013),
    st.sampled_from(["", "a", "ab", "abc", "x"]),
    st.integers(-1, 1),
    st.sampled_from([frozenset[int](), TEXT, frozenset(range(110, 150))]),
)


@given(WORKS, WORKS, st.sampled_from([0.0, 0.74, 0.76, 1.0]))
def test_a_verdict_is_mutual_and_never_across_numbers_or_strangers(
    one: Work, other: Work, cosine: float
) -> None:
    if judged(one, other, cosine):
        assert ("2" in one.title.words) == ("2" in other.title.words)
        assert not (one.authors and other.authors) or one.authors & other.authors
        near = one.year is None or other.year is None or abs(one.year - other.year) <= 3
        assert near or (one.title.words == other.title.words and one.terms == other.terms)


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_one_slip_is_a_distance_of_one_at_most(left: str, right: str) -> None:
    assert _one_slip(left, right) == (OSA.distance(left, right) <= 1)
