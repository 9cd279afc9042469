"""NNSelect in torch: its formula in numpy, its gradients, its padded peer, its serving model."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from recsys.pipelines.studies.citeomatic.nnselect import (
    NNSelect,
    Penalty,
    TokenBags,
    drop_words,
    embed,
    rows_of,
    to_torch,
    word_bags,
)
from tests.pipelines.studies.citeomatic.gradients import gradients_are_right
from tests.pipelines.studies.citeomatic.small_bags import PAPERS, SIZES, random_bags

SEEDS = st.integers(0, 10_000)
EVERY = np.arange(PAPERS, dtype=np.int32)


def network(seed: int = 0) -> NNSelect:
    made = NNSelect(SIZES["title"], 4, torch.Generator().manual_seed(seed))
    with torch.no_grad():
        made.scales.copy_(torch.tensor([0.4, 1.7]))
    return made


def by_hand(made: NNSelect, bags: TokenBags) -> NDArray[np.float64]:
    """Paper by paper, field by field, word by word, in double."""
    directions = made.words.directions.detach().numpy().astype(np.float64)
    magnitudes = made.words.magnitudes.detach().numpy().astype(np.float64)
    vectors = np.zeros((len(bags), 4))
    for row in range(len(bags)):
        for scale, field in zip(made.scales.tolist(), (bags.title, bags.abstract), strict=True):
            total = np.zeros(4)
            for word in field[row].tolist():
                total += magnitudes[word, 0] * directions[word] / np.linalg.norm(directions[word])
            vectors[row] += scale * total / (np.linalg.norm(total) or 1)
        vectors[row] /= np.linalg.norm(vectors[row]) or 1
    return vectors


@given(SEEDS)
def test_papers_are_embedded_by_the_formula(seed: int) -> None:
    bags, made = random_bags(np.random.default_rng(seed)), network(seed)
    expected = by_hand(made, bags)
    np.testing.assert_allclose(embed(made, bags), expected, atol=1e-6)


@settings(max_examples=5)
@given(SEEDS)
def test_gradients_are_those_of_finite_differences(seed: int) -> None:
    bags = random_bags(np.random.default_rng(seed))
    inputs = to_torch(word_bags(bags, EVERY))

    def outputs(made: NNSelect) -> torch.Tensor:
        vectors, cost = made(*inputs, Penalty(l1=0.1, l2=0.2))
        scalar: torch.Tensor = vectors.cos().sum() + cost
        return scalar

    assert gradients_are_right(network(seed).double(), outputs)


@given(SEEDS, st.lists(st.integers(0, PAPERS - 1), max_size=5))
def test_gathered_rows_are_those_of_the_bags(seed: int, rows: list[int]) -> None:
    bags = random_bags(np.random.default_rng(seed))
    found = rows_of(bags.title, np.array(rows, np.int32))
    assert [found[place].tolist() for place in range(len(found))] == [
        bags.title[row].tolist() for row in rows
    ]
    both = word_bags(bags, np.array(rows, np.int32))
    assert [both[place].tolist() for place in range(len(both))] == [
        field[row].tolist() for field in (bags.title, bags.abstract) for row in rows
    ]


@given(SEEDS, st.floats(0, 1))
def test_dropout_leaves_words_out_and_keeps_their_order(seed: int, share: float) -> None:
    bags = random_bags(np.random.default_rng(seed)).abstract
    left = drop_words(bags, share, np.random.default_rng(seed))
    assert len(left) == len(bags)
    for row in range(len(bags)):
        words = iter(bags[row].tolist())
        assert all(word in words for word in left[row].tolist())
