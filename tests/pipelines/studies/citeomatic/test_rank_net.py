"""NNRank in torch: it computes what the stored model computes, and its gradients are right."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recsys.models.nnrank import RankShape
from recsys.models.nnselect import FIELDS
from recsys.pipelines.studies.citeomatic.negatives import triplet_loss
from recsys.pipelines.studies.citeomatic.nnrank import (
    RankBatch,
    RankData,
    RankNet,
    RankSize,
    SharedWords,
    cut_batch,
    rarity,
)
from recsys.pipelines.studies.citeomatic.nnselect import Penalty, TokenBags
from recsys.store.arrays import Ragged, Rows
from tests.pipelines.studies.citeomatic.gradients import gradients_are_right
from tests.pipelines.studies.citeomatic.small_bags import PAPERS, random_data
from tests.rows import each_row

SHAPES = [
    RankShape(),
    RankShape(separate=True),
    RankShape(fields=FIELDS, separate=True),
    RankShape(fields=FIELDS, intersections=False),
    RankShape(fields=("title", "venue"), numbers=False),
]
SIZE = RankSize(words=3, metadata=2, hidden=4)


def random_net(shape: RankShape, seed: int, size: RankSize = SIZE) -> RankNet:
    """Every weight drawn, those that start at 0 or 1, too."""
    generator = torch.Generator().manual_seed(seed)
    net = RankNet(shape, size, rarity(random_data(seed).bags), generator)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return net


def some_pairs(seed: int) -> tuple[Rows, Rows]:
    queries, candidates = np.random.default_rng(seed).integers(0, PAPERS, (2, 12)).astype(np.int32)
    return queries, candidates


def cut(data: RankData, shape: RankShape, seed: int, dropout: float = 0.0) -> RankBatch:
    rng = np.random.default_rng(seed)
    return cut_batch(data, shape, *some_pairs(seed), rng, dropout=dropout)


@given(shape=st.sampled_from(SHAPES), seed=st.integers(0, 1000))
def test_training_and_answering_agree(shape: RankShape, seed: int) -> None:
    # tests/recsys/models/test_nnrank.py compares the stored model with the formula.
    data, net = random_data(seed), random_net(shape, seed)
    scores, penalty = net(cut(data, shape, seed))
    model, bags = net.export(), {field: data.bags.of(field) for field in shape.fields}
    queries, candidates = (model.embed(bags, candidate=side) for side in (False, True))
    expected = model.score(queries, candidates, data.training_pairs(*some_pairs(seed)))
    np.testing.assert_allclose(scores.detach().numpy(), expected, atol=1e-6)
    assert penalty.item() == 0


@each_row("shape", SHAPES, usually=3)
def test_gradients_are_those_of_finite_differences(shape: RankShape) -> None:
    batch = cut(random_data(3), shape, 3)
    batch = replace(batch, numbers=batch.numbers.double())

    def loss(net: RankNet) -> torch.Tensor:
        scores, penalty = net(batch)
        better, worse = scores.chunk(2)
        margins = torch.full((len(worse),), 0.3)
        scalar: torch.Tensor = triplet_loss(better, worse, margins) + penalty
        return scalar

    net = random_net(shape, 3, RankSize(2, 2, 3, Penalty(0.01, 0.02)))
    assert gradients_are_right(net.double(), loss)


def test_words_start_as_important_as_they_are_rare() -> None:
    # Papers 0 and 1 hold word 0, paper 0 alone word 1; nobody holds word 2.
    starts = np.array([0, 3, 4, 4, 4], np.int64)
    title = Ragged(starts, np.array([0, 0, 1, 0], np.int32))
    none = Ragged(np.zeros(5, np.int64), np.empty(0, np.int32))
    sizes = {"title": 3, "abstract": 3, "authors": 0, "venue": 0, "keyphrases": 0}
    rare = rarity(TokenBags(title, none, none, none, none, sizes))
    mean = (math.log(2) + 2 * math.log(4)) / 3
    assert rare["words"].tolist() == pytest.approx([math.log(2) / mean] + 2 * [math.log(4) / mean])
    assert rare["authors"].tolist() == []
    net = RankNet(RankShape(), RankSize(shared=0.5), rare, torch.Generator().manual_seed(0))
    model = net.export()
    np.testing.assert_allclose(model.weights["title"], 0.5 * rare["words"], rtol=1e-6)
    lengths = np.linalg.norm(model.tables["words"], axis=1)
    np.testing.assert_allclose(lengths / lengths[0], rare["words"] / rare["words"][0], rtol=1e-5)
    alike = RankNet(RankShape(), RankSize(by_rarity=False), rare, torch.Generator()).export()
    assert alike.weights["abstract"].tolist() == pytest.approx([0.1] * 3)


def test_shared_words_are_penalised_by_what_is_read() -> None:
    words = SharedWords(torch.tensor([[1.0], [-2], [4]]))
    bags = torch.tensor([0, 1, 1]), torch.tensor([0, 2, 2, 3])
    sums, penalty = words(bags, 0.5)
    assert sums.tolist() == [-1, 0, -2]
    assert penalty.item() == pytest.approx(0.5 * (1 + 2 + 2) / 3)


@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_each_paper_is_embedded_once_a_batch(seed: int) -> None:
    data = random_data(seed)
    queries, candidates = some_pairs(seed)
    alike = cut(data, RankShape(), seed)
    assert alike.queries is alike.candidates
    assert len(alike.queries["title"][1]) - 1 == len(np.union1d(queries, candidates))
    apart = cut(data, RankShape(separate=True), seed)
    assert len(apart.queries["title"][1]) - 1 == len(np.unique(queries))
    assert len(apart.candidates["title"][1]) - 1 == len(np.unique(candidates))
