"""The judge of sentences at answering time: its chances, and what it refuses to be."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing
from recsys.local.citation_worthiness import (
    KIND,
    NAMES,
    SCHEMA,
    SIZE,
    WORD_WEIGHTS,
    CitationWorthiness,
    cues_of,
    is_long_enough,
    is_own,
    may_be_flagged,
    places_of,
    section_kind,
)
from recsys.ranking.quickscorer import trees_of
from recsys.ranking.ranker import TREES
from recsys.records import Mark, Sentence
from recsys.store.arrays import Floats
from recsys.store.artifacts import seal
from tests.rows import each_row

_CONFIG: dict[str, Any] = {"cues": list(NAMES), "bias": -1.0, "least": 0.75}


def _stump(feature: str, threshold: float) -> dict[str, Any]:
    """A tree that gives 2 above a threshold, else 0."""
    left, right = {"leaf_value": 0.0}, {"leaf_value": 2.0}
    split = {"split_feature": NAMES.index(feature), "threshold": threshold}
    return {**split, "left_child": left, "right_child": right}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A judge of two trees: one asks the words of the sentence, one those of the one before."""
    trees = [_stump("score", 0.5), _stump("before_score", 0.5)]
    trees_of(trees, len(NAMES)).save(tmp_path)
    words = np.zeros(SIZE, np.float16)
    words[places_of("known")] = 10
    np.save(tmp_path / WORD_WEIGHTS, words)
    seal(tmp_path, KIND, SCHEMA, _CONFIG)
    return tmp_path


def test_the_words_of_a_sentence_and_of_its_neighbour_count(folder: Path) -> None:
    judge = CitationWorthiness.load(folder)
    sentences = [
        Sentence("Bees fly far."),
        Sentence("Bees are known well."),
        Sentence("It is known."),
    ]
    chances = judge.probabilities(sentences)
    assert chances == pytest.approx([1 / (1 + np.exp(-odds)) for odds in (0, 2, 4)])
    assert judge.probabilities([]).shape == (0,)
    assert judge.least == 0.75


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        *(({name: ...}, ArtifactCorrupt, name) for name in _CONFIG),
        *(
            ({name: value}, ArtifactCorrupt, "cannot be read")
            for name, value in (
                ("bias", [1]),
                ("bias", "x"),
                ("least", None),
            )
        ),
        ({"cues": ["length"]}, ArtifactMismatch, "other cues"),
        ({"schema": SCHEMA + 1}, ArtifactMismatch, None),
    ],
)
def test_a_manifest_of_something_else_is_refused(
    changed: dict[str, Any], error: type[Exception], said: str | None, folder: Path
) -> None:
    """changed: values otherwise than they should be; ...: left out."""
    schema = changed.pop("schema", SCHEMA)
    config = {name: value for name, value in (_CONFIG | changed).items() if value is not ...}
    seal(folder, KIND, schema, config)
    with pytest.raises(error, match=said):
        CitationWorthiness.load(folder)


@pytest.mark.parametrize("name", [TREES, WORD_WEIGHTS, None])
def test_files_that_do_not_fit_are_corrupt(name: str | None, folder: Path) -> None:
    """name: of the file that becomes noise; None: words of another table."""
    if name is None:
        np.save(folder / WORD_WEIGHTS, np.zeros(7, np.float16))
    else:
        (folder / name).write_bytes(b"noise")
    seal(folder, KIND, SCHEMA, _CONFIG)
    with pytest.raises(ArtifactCorrupt, match=None if name else "do not fit"):
        CitationWorthiness.load(folder)


def test_a_folder_that_is_not_there_is_named(folder: Path) -> None:
    with pytest.raises(ArtifactMissing, match="none"):
        CitationWorthiness.load(folder / "none")


# Cues of sentences: what is counted, and what may not be seen.

_CITED = (Mark(3, ("a",)),)


def _cues(sentences: Sequence[Sentence]) -> Floats:
    return cues_of(sentences, np.zeros(len(sentences), np.float32))


def _cue(sentence: Sentence, name: str) -> float:
    return float(_cues([sentence])[0, NAMES.index(name)])


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


def test_marks_and_too_few_words_are_not_flagged_and_length_takes_no_time() -> None:
    for mark in (Mark(5, ("lee2020",)), Mark(5), Mark(5, gap=True)):
        assert not may_be_flagged(Sentence("Bees tell each other where flowers grow.", (mark,)))
    few = ("", "Bees see ultraviolet light.", "Bees see ultraviolet light well.")
    assert [is_long_enough(text) for text in few] == [False, False, True]
    assert not is_own("bees and " * 20_000)
    assert not is_own("(" * 50_000 + "table " * 10)


def test_a_sentences_own_marks_are_not_seen() -> None:
    plain = _draft()
    for i in range(len(plain)):
        cited = [replace(s, marks=_CITED) if j == i else s for j, s in enumerate(plain)]
        assert np.array_equal(_cues(cited)[i], _cues(plain)[i])


def test_marks_around_are_seen_and_gaps_are_none() -> None:
    draft = _draft()
    draft[1] = replace(draft[1], marks=_CITED)
    draft[5] = replace(draft[5], marks=(Mark(0, gap=True),))
    cues = {name: column.tolist() for name, column in zip(NAMES, _cues(draft).T, strict=True)}
    assert cues["before_cites"] == [0, 0, 1, *[0] * 9]
    assert cues["two_before_cites"] == [0, 0, 0, 1, *[0] * 8]
    assert cues["after_cites"] == [1, *[0] * 11]
    assert cues["paragraph_cites"][:5] == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3, 0])
    assert cues["within_3_cites"][:6] == pytest.approx([1 / 3, 0, 1 / 5, 1 / 6, 1 / 6, 0])
    assert cues["draft_cites"] == pytest.approx([*[0] * 4, *[1 / 8] * 8])
    assert cues["since_cited"] == [30, 30, *range(1, 11)]
    assert cues["until_cited"] == [1, *[30] * 11]


def test_sentences_of_a_section_are_those_outside_the_own_paragraph() -> None:
    draft = [replace(each, section="ab"[i // 8]) for i, each in enumerate(_draft())]
    draft[1] = replace(draft[1], marks=_CITED)
    cues = _cues(draft)
    assert cues[:, NAMES.index("section_cites")].tolist() == [*[0] * 4, *[1 / 4] * 4, *[0] * 4]
    assert cues[:, NAMES.index("place_in_section")].tolist() == [*range(8), *range(4)]


def test_places_are_those_of_draft_and_paragraph() -> None:
    cues = _cues(_draft())
    assert cues[6, NAMES.index("place")] == pytest.approx(0.5)
    assert cues[6, NAMES.index("place_in_paragraph")] == pytest.approx(0.5)
    assert cues[[4, 7], NAMES.index("begins")].tolist() == [1, 0]
    assert cues[[4, 7], NAMES.index("ends")].tolist() == [0, 1]


@given(st.lists(st.text(max_size=60), max_size=12))
def test_any_text_has_finite_cues_and_places_in_the_table(texts: list[str]) -> None:
    cues = _cues([Sentence(text, section=text) for text in texts])
    assert cues.shape == (len(texts), len(NAMES))
    assert np.isfinite(cues).all()
    for text in texts:
        places = places_of(text)
        assert (np.diff(places) > 0).all()
        assert not len(places) or 0 <= places[0] <= places[-1] < SIZE


# What is never asked for a citation.


@each_row(
    ("text", "own"),
    [
        ("In this paper, we propose a new way to fold maps.", True),
        ("We then present two ways to fold a map without tearing it.", True),
        ("Our method folds each map in less than a second.", True),
        ("The present study asks whether bees can count.", True),
        ("Section 3 describes how the maps were folded.", True),
        ("Figure 2 shows the folded maps of each kind.", True),
        ("Figure shows the folded maps of each kind.", True),
        ("Larger maps were folded more slowly (Fig. 4B).", True),
        ("The proof is given in Appendix B of the supplement.", True),
        ("The rest of this paper is organized as follows.", True),
        ("Here, bees were kept in boxes of wood.", True),
        ("I demonstrate that small maps fold well.", True),
        ("Honey bees tell each other where flowers grow.", False),
        ("Recent studies have shown that wasps remember faces.", False),
        ("We use an optimiser that adapts its step to each weight.", False),
        ("Folding of paper has been studied for centuries in Japan.", False),
        ("Transformers are widely used in the translation of texts.", False),
        ("It is well known that glaciers have shrunk since 1850.", False),
        ("The present-day climate differs from that of the Eocene.", False),
    ],
)
def test_own_contribution_and_pointers_are_not_flagged(text: str, own: bool) -> None:
    assert is_own(text) is own
    assert may_be_flagged(Sentence(text)) is not own
