"""Strings become numbers as Citeomatic's featuriser makes them."""

from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recsys.models.nnselect import (
    FIELDS,
    STOP_WORDS,
    Entries,
    Vocabulary,
    to_bags,
    words_of,
)
from recsys.records import Draft, Paper
from tests.rows import each_row

WORDS = st.sampled_from("ash birch cedar elm fig".split())
TEXTS = st.lists(WORDS, max_size=6)
PAPERS = st.lists(st.builds(Entries, title=TEXTS, abstract=TEXTS), min_size=1, max_size=12)


@each_row(
    ("text", "expected"),
    [
        ("Deep-Learning in 3D, 2nd ed.", ["deep", "learning", "nd", "ed"]),
        ("The naïve Übung", ["naive", "ubung"]),
        ("graph graph", ["graph", "graph"]),
        ("about an abstract which is ours", ["ours"]),
        ("x 42 文献", []),
        ("", []),
        (None, []),
    ],
)
def test_words_are_letters_of_two_or_more(text: str | None, expected: list[str]) -> None:
    assert words_of(text) == expected


def test_the_stop_words_are_those_of_the_original() -> None:
    assert len(STOP_WORDS) == 32
    assert {"abstract", "which", "our"} < STOP_WORDS


def test_a_paper_is_split_into_its_fields() -> None:
    paper = Paper(
        "1", "On Elms", "Elms, again.", authors=("Ash, Ann", "A. Ash"), venue="Acta 2001",
        keyphrases=("Elm  Bark", "elm bark"),
    )  # fmt: skip
    assert Entries.of(paper) == Entries(
        ["elms"], ["elms", "again"], ["ash a"], ["acta"], ["elm bark"]
    )
    assert Entries.of(Draft(title="Elms", venue="2001")) == Entries(["elms"], [], [], [], [])


@given(PAPERS)
def test_the_vocabulary_holds_every_word_that_is_not_nearly_everywhere(
    papers: list[Entries],
) -> None:
    counts = Counter(word for paper in papers for word in {*paper.title, *paper.abstract})
    words = Vocabulary.build(papers).words
    expected = sorted(word for word, times in counts.items() if times <= 0.9 * len(papers))
    assert [words[code] for code in range(len(words))] == expected


def test_a_keyphrase_needs_five_papers() -> None:
    often, rare = Entries([], [], keyphrases=["elm"]), Entries([], [], keyphrases=["fig"])
    phrases = Vocabulary.build([often] * 5 + [rare] * 4).keyphrases
    assert [phrases[code] for code in range(len(phrases))] == ["elm"]


@given(st.lists(st.lists(st.text(max_size=3), max_size=6), max_size=6), st.integers(0, 4))
def test_bags_keep_order_and_repetition_of_the_known(lists: list[list[str]], longest: int) -> None:
    strings = Vocabulary.build([Entries([], [], authors=["a", "b", "ab"])]).authors
    bags = to_bags(lists, strings, longest=longest)
    for place, words in enumerate(lists):
        known = [word for word in words if word in ("a", "b", "ab")]
        assert [strings[code] for code in bags[place].tolist()] == known[:longest]


def test_a_vocabulary_is_what_was_saved(tmp_path: Path) -> None:
    papers = [Entries(["elm"], ["fig"], ["ann"], ["acta"], ["bark"])] + [Entries([], [])] * 4
    built = Vocabulary.build(papers * 5)
    built.save(tmp_path)
    loaded = Vocabulary.load(tmp_path)
    for field in FIELDS:
        assert (
            loaded.bags(papers, field).values.tolist() == built.bags(papers, field).values.tolist()
        )
    assert loaded.bags(papers, "title")[0].tolist() == [0]
    assert loaded.bags(papers, "keyphrases")[0].tolist() == [0]
