"""Cues of sentences: what is counted, and what may not be seen."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.local.citation_worthiness import (
    _PHRASES,
    _WORDS,
    FIRST_PLACE,
    NAMES,
    SIZE,
    UNKNOWN,
    cues_of,
    places_of,
    section_kind,
    weigh,
)
from recsys.passages import Mark, Sentence
from tests.rows import each_row

_CITED = (Mark(3, ("a",)),)


def _cue(sentence: Sentence, name: str) -> float:
    return float(cues_of([sentence])[0, NAMES.index(name)])


def _draft(number: int = 12) -> list[Sentence]:
    return [Sentence(f"Bees see {i} colours.", paragraph=i // 4) for i in range(number)]


@each_row(
    ("text", "name", "count"),
    [
        ("Previous studies of bees are rare.", "past_work", 1),
        ("It has been shown that bees count.", "perfect_passive", 3),
        ("Our bees and we like the sun.", "own", 2),
        ("BERT and GraphSAGE came after GPT-2.", "capitals", 3),
        ("Since 1998 and 2004, bees vanish.", "years", 2),
        ("About 12.5 of 40 bees came back.", "numbers", 2),
        ("Bees find this best.", "superlatives", 1),
        ("So we ask:", "ends_openly", 1),
    ],
)
def test_wording_is_counted(text: str, name: str, count: int) -> None:
    assert _cue(Sentence(text), name) == count


@each_row(
    ("title", "kind"),
    [
        ("1 Introduction", "introduction"),
        ("Background and motivation", "related"),
        ("Materials and Methods", "methods"),
        ("RESULTS", "results"),
        ("Bees", "other"),
        ("  ", "unknown"),
    ],
)
def test_sections_have_kinds(title: str, kind: str) -> None:
    assert section_kind(title) == kind
    assert _cue(Sentence("Bees see well.", section=title), f"in_{kind}") == 1


def test_no_word_stands_in_two_lists() -> None:
    words = [word for text in _WORDS.values() for word in dict.fromkeys(text.split())]
    pairs = [pair for text in _PHRASES.values() for pair in text.split("|")]
    assert sorted(set(words)) == sorted(words)
    assert sorted(set(pairs)) == sorted(pairs)
    assert all(len(pair.split()) == 2 for pair in pairs)


def test_a_sentences_own_marks_are_not_seen() -> None:
    plain = _draft()
    for i in range(len(plain)):
        cited = [replace(s, marks=_CITED) if j == i else s for j, s in enumerate(plain)]
        assert np.array_equal(cues_of(cited)[i], cues_of(plain)[i])


def test_marks_around_are_seen_and_gaps_are_none() -> None:
    draft = _draft()
    draft[1] = replace(draft[1], marks=_CITED)
    draft[5] = replace(draft[5], marks=(Mark(0, gap=True),))
    cues = cues_of(draft)
    assert cues[2, NAMES.index("before_cites")] == 1
    assert cues[0, NAMES.index("after_cites")] == 1
    assert cues[0, NAMES.index("paragraph_cites")] == pytest.approx(1 / 3)
    assert cues[0, NAMES.index("draft_cites")] == pytest.approx(1 / 11)
    assert cues[4:7, NAMES.index("before_cites")].sum() == 0


def test_places_are_those_of_draft_and_paragraph() -> None:
    cues = cues_of(_draft())
    assert cues[6, NAMES.index("place")] == pytest.approx(0.5)
    assert cues[6, NAMES.index("place_in_paragraph")] == pytest.approx(0.5)
    assert cues[[4, 7], NAMES.index("begins")].tolist() == [1, 0]
    assert cues[[4, 7], NAMES.index("ends")].tolist() == [0, 1]


def test_a_short_passage_has_no_places() -> None:
    assert (cues_of(_draft(3))[:, FIRST_PLACE:] == UNKNOWN).all()


def test_no_sentences_have_no_cues() -> None:
    assert cues_of([]).shape == (0, len(NAMES))


@given(st.lists(st.text(max_size=60), max_size=12))
def test_any_text_has_finite_cues_and_places_in_the_table(texts: list[str]) -> None:
    cues = cues_of([Sentence(text, section=text) for text in texts])
    assert cues.shape == (len(texts), len(NAMES))
    assert np.isfinite(cues).all()
    for text in texts:
        places = places_of(text)
        assert (np.diff(places) > 0).all()
        assert not len(places) or 0 <= places[0] <= places[-1] < SIZE


def test_words_weigh_once_and_by_the_root_of_their_number() -> None:
    weights = np.ones(SIZE, np.float32)
    # "bees", "see", "bees see", "see bees"
    assert weigh(["Bees see bees", ""], weights, 0.5) == pytest.approx([2.5, 0.5])
