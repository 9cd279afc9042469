"""Keyphrases before an abstract: put there once, and taken off again."""

from hypothesis import given
from hypothesis import strategies as st

from recsys.store.words import (
    cleaned_keyphrases,
    keyphrases_in,
    with_keyphrases,
    without_keyphrases,
)
from tests.rows import each_row

PHRASES = st.lists(st.text(max_size=12), max_size=4)
ABSTRACTS = st.none() | st.text(min_size=1, max_size=40).map(str.strip).filter(bool)


@each_row(
    ("given", "found"),
    [
        (["maps", "time series."], ("maps", "time series")),
        (["Index Terms\u2014", "Index Terms\u2014maps", "Keywords: charts"], ("maps", "charts")),
        (["Maps", "maps", " maps;"], ("Maps",)),
        (["", "  ", "\u2014", "tree\n maps"], ("tree maps",)),
        (["keyword search", "index terms of books"], ("keyword search", "index terms of books")),
    ],
)
def test_phrases_lose_headings_marks_and_repetitions(
    given: list[str], found: tuple[str, ...]
) -> None:
    assert cleaned_keyphrases(given) == found


@each_row(
    ("abstract", "phrases", "text"),
    [
        ("We ring bells.", ("bells", "ropes"), "bells, ropes. We ring bells."),
        (None, ("bells",), "bells."),
        ("We ring bells.", (), "We ring bells."),
        (None, ("",), None),
    ],
)
def test_they_stand_before_the_abstract_and_are_taken_off(
    abstract: str | None, phrases: tuple[str, ...], text: str | None
) -> None:
    assert with_keyphrases(abstract, phrases) == text
    assert without_keyphrases(text, phrases) == abstract


@given(ABSTRACTS, PHRASES)
def test_they_are_put_there_once(abstract: str | None, phrases: list[str]) -> None:
    text = with_keyphrases(abstract, phrases)
    assert with_keyphrases(text, phrases) == text
    if text != abstract:
        assert without_keyphrases(text, phrases) == abstract


@each_row(
    ("source", "found"),
    [
        ("keyphrases", ("own",)),
        ("labels.many", ("a", "b")),
        ("labels.one", ("c",)),
        ("labels.odd", ("d",)),
        ("labels.none", ()),
    ],
)
def test_a_paper_has_them_in_its_field_or_in_a_label(source: str, found: tuple[str, ...]) -> None:
    labels = {"many": ["a", "b"], "one": "c", "odd": ["d", 7, None]}
    assert keyphrases_in(source, ["own"], labels) == found
