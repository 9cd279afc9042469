from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.store.arrays import Floats
from recsys.store.terms import TermStore

TEXTS = (
    ("Graph graphs", "a graph of papers"),
    ("Papers", None),
    ("The of", None),
)
WORDS = st.lists(st.sampled_from(["ant", "bee", "cat", "dog"]), max_size=5).map(" ".join)


@pytest.fixture(scope="module")
def store() -> TermStore:
    return TermStore.build(TEXTS)


def words(store: TermStore, codes: np.ndarray[tuple[int], np.dtype[np.int32]]) -> list[str]:
    return [store.vocabulary[int(code)] for code in codes]


def impacts_of(store: TermStore) -> Floats:
    """Weigh every term of every paper, in the order in which they are stored."""
    owners = np.repeat(np.arange(len(store.terms)), np.diff(store.terms.starts)).astype(np.int32)
    return store.impacts(np.arange(len(owners)), owners)


def test_idf_follows_its_formula(store: TermStore) -> None:
    # graph is in 1 of 3 papers, paper in 2.
    assert store.idf == pytest.approx([np.log(1 + 2.5 / 1.5), np.log(1 + 1.5 / 2.5)])


def test_impact_counts_a_title_word_twice_and_divides_by_length(store: TermStore) -> None:
    # Paper 0: graph 2 * 2 + 1 = 5, paper 1: length 6; paper 1: paper 2; lengths 6, 2, 0.
    long, short = 0.25 + 0.75 * 6 / (8 / 3), 0.25 + 0.75 * 2 / (8 / 3)
    graph, paper = store.idf
    assert impacts_of(store) == pytest.approx(
        [
            graph * 5 * 2.2 / (5 + 1.2 * long),
            paper * 1 * 2.2 / (1 + 1.2 * long),
            paper * 2 * 2.2 / (2 + 1.2 * short),
        ]
    )


@given(st.lists(st.tuples(WORDS, st.none() | WORDS), min_size=1, max_size=8), st.randoms())
def test_impacts_equal_the_formula_step_by_step(
    texts: list[tuple[str, str | None]], random: Random
) -> None:
    store = TermStore.build(texts)
    lengths = [int(store.frequencies[slice(*ends)].sum()) for ends in pairwise(store.terms.starts)]
    mean = max(sum(lengths) / len(texts), 1.0)
    expected, at, owners = [], list(range(len(store.frequencies))), []
    for row, length in enumerate(lengths):
        norm = np.float64(1.2) * (1 - 0.75 + 0.75 * np.float64(length) / mean)
        for place in range(store.terms.starts[row], store.terms.starts[row + 1]):
            tf = np.float32(store.frequencies[place])
            weight = store.idf[store.terms.values[place]] * tf * np.float32(1.2 + 1)
            expected.append(np.float32(np.float64(weight) / (np.float64(tf) + norm)))
            owners.append(row)
    random.shuffle(at)
    found = store.impacts(np.array(at, np.int64), np.array(owners, np.int32)[at])
    assert found.tolist() == [expected[place] for place in at]


def test_query_keeps_known_terms_with_counts_and_place(store: TermStore) -> None:
    query = store.query("Paper unheard", "graphs of graphs and a paper")
    assert query.words == ("graph", "paper")
    assert query.counts.tolist() == [2, 2]
    assert query.in_title.tolist() == [False, True]
    assert (query.title, query.abstract) == ("Paper unheard", "graphs of graphs and a paper")


@given(st.lists(st.tuples(WORDS, st.none() | WORDS), min_size=1, max_size=6))
def test_stores_survive_saving_and_loading(
    tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str | None]]
) -> None:
    folder: Path = tmp_path_factory.mktemp("terms")
    built = TermStore.build(texts)
    built.save(folder)
    loaded = TermStore.load(folder)
    assert len(loaded.vocabulary) == len(built.vocabulary)
    for row in range(len(texts)):
        assert words(loaded, loaded.terms[row]) == words(built, built.terms[row])
    np.testing.assert_array_equal(impacts_of(loaded), impacts_of(built))
    np.testing.assert_array_equal(loaded.idf, built.idf)
    for title, abstract in texts:
        found = loaded.query(title, abstract)
        assert set(found.words) == set(f"{title} {abstract or ''}".split())
