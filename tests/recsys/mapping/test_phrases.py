"""Labels: phrases that tell a group from the others, as people write them."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.mapping.phrases import LONGEST_LABEL, UNNAMED, label_groups
from recsys.store.words import tokens

RIVERS = (
    "A study of braided rivers in 2019",
    "Braided rivers: new measurements",
    "Measuring braided rivers with GPUs",
    "On the flow of braided rivers",
)
GLACIERS = (
    "Glacier retreat and t-SNE maps",
    "Towards glacier retreat models",
    "Glacier retreat, measured again",
    "Novel approaches to glacier retreat",
)


def labels(*groups: tuple[str, ...]) -> tuple[str, ...]:
    titles = [title for group in groups for title in group]
    words = [frozenset(tokens(title)) for title in titles]
    rarity = {word: 1.0 for known in words for word in known}
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    return label_groups(titles, words, rarity, owner)


def test_groups_are_called_by_their_own_phrases() -> None:
    first, second = labels(RIVERS, GLACIERS)
    assert first.startswith("braided rivers") and second.startswith("glacier retreat")


def test_years_and_empty_words_are_no_label() -> None:
    for label in labels(RIVERS, GLACIERS):
        assert not re.search(r"\d{4}|\b(?:study|new|novel|towards|approach\w*|the|of)\b", label)


def test_no_two_groups_share_a_phrase() -> None:
    found = labels(RIVERS, RIVERS, GLACIERS)
    phrases = [phrase for label in found[:2] for phrase in label.split(" · ")]
    assert len(phrases) == len(set(phrases))


def test_capitals_within_a_word_stay() -> None:
    shown = (*(f"GPU rivers {name}" for name in ("Alpha", "Beta", "Gamma")),)
    assert "GPU rivers" in labels(shown, GLACIERS)[0]


def test_a_group_without_a_telling_phrase_is_called_after_its_first_paper() -> None:
    assert labels(("The new study",))[0] == "The new study"
    assert labels(("",))[0] == UNNAMED
    long = "The new study " * 20
    assert labels((long,))[0].endswith("...") and len(labels((long,))[0]) <= LONGEST_LABEL


@given(st.lists(st.text(max_size=40), min_size=1, max_size=12), st.integers(1, 4))
def test_any_titles_give_labels_on_one_line(titles: list[str], count: int) -> None:
    words = [frozenset(tokens(title)) for title in titles]
    rarity = {word: 1.0 for known in words for word in known}
    groups = np.minimum(np.arange(len(titles)), count - 1)
    found = label_groups(titles, words, rarity, groups)
    assert len(found) == int(groups.max()) + 1
    assert all(label and len(label) <= LONGEST_LABEL for label in found)
    assert found == label_groups(titles, words, rarity, groups)
