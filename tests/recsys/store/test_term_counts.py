"""Terms are counted as a Counter would, whatever the batches are."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.store import terms
from recsys.store.arrays import SortedStrings, offsets
from recsys.store.terms import (
    TITLE_WEIGHT,
    Numbering,
    TermCounts,
    Text,
    batches,
    joined,
    smallest,
)
from recsys.store.words import tokens
from tests.rows import each_row

PHRASES = st.lists(
    st.sampled_from(["ant", "Ants", "bee", "cat", "the", "\u00e9tude", "x", "of-dogs"]), max_size=8
).map(" ".join)
TEXTS = st.lists(st.tuples(PHRASES, st.none() | PHRASES), max_size=9)


def counted(texts: list[Text]) -> list[dict[str, int]]:
    """Count the terms of each paper: the definition."""
    found = []
    for title, abstract in texts:
        counts = Counter(tokens(abstract))
        for word in tokens(title):
            counts[word] += TITLE_WEIGHT
        found.append(dict(counts))
    return found


def every(words: SortedStrings) -> list[str]:
    return [words[code] for code in range(len(words))]


def told(counts: TermCounts) -> tuple[list[dict[str, int]], list[set[str]]]:
    """Write terms and their frequencies out, and the terms of titles."""
    words, papers = every(counts.vocabulary), range(len(counts.terms))
    found = []
    for row in papers:
        inside = slice(*counts.terms.starts[row : row + 2])
        codes, numbers = counts.terms.values[inside].tolist(), counts.frequencies[inside].tolist()
        found.append({words[code]: number for code, number in zip(codes, numbers, strict=True)})
    return found, [{words[code] for code in counts.title_terms[row]} for row in papers]


@given(TEXTS)
def test_terms_are_counted_by_their_definition(texts: list[Text]) -> None:
    papers, titles = told(TermCounts.of(texts))
    assert papers == counted(texts)
    assert titles == [set(tokens(title)) for title, _ in texts]


@given(TEXTS)
def test_terms_stand_in_the_order_of_their_bytes_and_none_without_a_paper(
    texts: list[Text],
) -> None:
    counts = TermCounts.of(texts)
    words = every(counts.vocabulary)
    assert words == sorted({word for each in counted(texts) for word in each}, key=str.encode)
    for each in (counts.terms, counts.title_terms):
        assert all(np.all(np.diff(each[row]) > 0) for row in range(len(texts)))


@given(TEXTS, st.integers(1, 4), st.integers(1, 3))
def test_neither_batches_nor_what_is_remembered_change_anything(
    texts: list[Text], size: int, remembered: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terms, "_REMEMBERED", remembered)
        numbering = Numbering()
        found = [numbering.count(some) for some in batches(texts, size)]
        vocabulary, code_of = numbering.vocabulary()
    found = [batch.renumbered(code_of) for batch in found]
    whole = TermCounts.of(texts)
    assert every(vocabulary) == every(whole.vocabulary) and len(numbering) == len(vocabulary)
    assert joined((each.codes for each in found), np.int32).tolist() == whole.terms.values.tolist()
    assert offsets(each.lengths for each in found).tolist() == whole.terms.starts.tolist()
    titles = offsets(each.title_lengths for each in found)
    assert titles.tolist() == whole.title_terms.starts.tolist()


@each_row(("number", "kind"), [(255, "uint8"), (256, "uint16"), (65536, "uint32")])
def test_frequencies_take_the_fewest_bytes(number: int, kind: str) -> None:
    assert str(smallest(np.array([1, number])).dtype) == kind
    assert str(smallest(np.empty(0, np.int64)).dtype) == "uint8"
    if number < 65536:
        counts = TermCounts.of([("", "ant " * number), ("bee", None)])
        assert str(counts.frequencies.dtype) == kind and counts.frequencies.tolist() == [number, 2]
