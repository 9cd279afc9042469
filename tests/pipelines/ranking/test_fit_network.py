"""Fitting a network: slopes are those of autograd, and nothing is learned from what is held out."""

from typing import Any

import numpy as np
import pytest
import torch
from scipy.stats import norm

import recsys.pipelines.ranking.fit_network as fitting
from recsys.pipelines.ranking.fit_network import (
    NETWORKS,
    WEIGHT,
    Lists,
    MLPTrainer,
    fit_networks,
    held_out_scores,
    multiplied,
    scale_of,
    weight_beside,
)
from recsys.pipelines.ranking.training_table import TrainingTable
from recsys.store.arrays import Floats
from tests.rows import each_row

LISTS, LONG, WIDTH = 60, 30, 4


def made_table(seed: int = 0, lists: int = LISTS) -> TrainingTable:
    """Lists whose two best papers by the second feature are cited: by place, not by value."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((lists, LONG, WIDTH)).astype(np.float32)
    features[:, :, 1] *= rng.uniform(0.1, 5, (lists, 1)).astype(np.float32)
    features[:, :, 1] += rng.uniform(-20, 20, (lists, 1)).astype(np.float32)
    relevant = np.zeros((lists, LONG), np.int8)
    best = np.argsort(-features[:, :, 1], axis=1)[:, :2]
    np.put_along_axis(relevant, best, 1, axis=1)
    groups = np.full(lists, LONG, np.int32)
    gold, queries = np.full(lists, 2, np.int32), np.arange(lists, dtype=np.int32)
    return TrainingTable(features.reshape(-1, WIDTH), relevant.reshape(-1), groups, gold, queries)


def every(table: TrainingTable) -> np.ndarray:
    return np.ones(len(table.groups), np.bool_)


def found_first(scores: Floats, table: TrainingTable) -> float:
    """Share of the lists whose best paper by the scores is cited."""
    best = scores.reshape(-1, LONG).argmax(axis=1)
    return float(table.relevant.reshape(-1, LONG)[np.arange(len(best)), best].mean())


def test_slopes_are_those_of_autograd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "DROPPED", 0.0)
    monkeypatch.setattr(fitting, "SHOWN", 1.1)
    rng = np.random.default_rng(0)
    beside = rng.standard_normal(3 * LONG).astype(np.float32)
    lists = Lists.of(made_table(lists=3), beside=beside)
    trainer = MLPTrainer.drawn((2 * WIDTH, *fitting.UNITS, 1), rng)
    for bias in trainer.weights[1::2]:
        bias += rng.standard_normal(bias.shape).astype(np.float32)
    (batch,) = lists.batches(np.arange(3), 1, rng)
    weights = [
        torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in trainer.weights
    ]
    hidden = torch.tensor(batch.inputs, dtype=torch.float64)
    for at in (0, 2):
        hidden = torch.relu(hidden @ weights[at] + weights[at + 1])
    assert sorted(batch.beside) == sorted(beside) and batch.beside.tolist() != beside.tolist()
    scores = (hidden @ weights[4] + weights[5])[:, 0] + torch.tensor(batch.beside)
    cited = torch.tensor(batch.cited, dtype=torch.float64)
    loss = torch.zeros((), dtype=torch.float64)
    for begin, size in zip(batch.starts, batch.sizes, strict=True):
        own = slice(begin, begin + size)
        told = torch.log_softmax(scores[own], dim=0) * cited[own]
        loss = loss - told.sum() / cited[own].sum() ** 0.5 / len(batch.starts)
    torch.autograd.backward(loss)
    for slope, weight in zip(trainer.gradients(batch), weights, strict=True):
        assert weight.grad is not None
        np.testing.assert_allclose(slope, weight.grad.numpy(), rtol=1e-3, atol=1e-6)


def test_steps_are_those_of_adam_with_decoupled_decay() -> None:
    rng = np.random.default_rng(0)
    trainer = MLPTrainer.drawn((2 * WIDTH, *fitting.UNITS, 1), rng)
    theirs = [torch.nn.Parameter(torch.tensor(each.copy())) for each in trainer.weights]
    adam = torch.optim.AdamW(theirs, lr=0.01, weight_decay=fitting.DECAY)
    for _ in range(3):
        slopes = [rng.standard_normal(each.shape).astype(np.float32) for each in trainer.weights]
        trainer.update(slopes, 0.01)
        for parameter, slope in zip(theirs, slopes, strict=True):
            parameter.grad = torch.tensor(slope)
        adam.step()
    for own, other in zip(trainer.weights, theirs, strict=True):
        np.testing.assert_allclose(own, other.detach().numpy(), atol=2e-6)


def test_it_learns_where_papers_stand_among_the_others() -> None:
    table, others = made_table(), made_table(seed=1)
    network = fit_networks(Lists.of(table), [every(table)] * 2, seed=0)
    assert network is not None and network.width == WIDTH and len(network.first) == 2
    assert found_first(others.scored(network.score), others) > 0.8
    by_value = others.features[:, 1]
    assert found_first(by_value, others) == 1  # In each list; across lists, values say nothing.


@each_row("learned", [False, True])
def test_nobody_learns_from_what_is_held_out(learned: bool) -> None:
    """Neither networks that begin, nor those that go on from what they learned elsewhere."""
    table, folds = made_table(), [np.arange(LISTS) % 3 == fold for fold in range(3)]
    start = fit_networks(Lists.of(table), [every(table)] * 2, seed=9) if learned else None
    changed = made_table()
    rows = np.repeat(folds[1], LONG)
    changed.relevant[rows] = changed.relevant.reshape(LISTS, LONG)[:, ::-1].reshape(-1)[rows]
    scores = []
    for each in (table, changed):
        lists = Lists.of(each, None if start is None else start.scale)
        network = fit_networks(lists, [~fold for fold in folds], seed=0, start=start)
        assert network is not None and len(network.first) == 3
        scores.append(held_out_scores(network, each, folds))
    np.testing.assert_array_equal(scores[0][rows], scores[1][rows])
    assert (scores[0][~rows] != scores[1][~rows]).any()  # The other two have learned from it.


def test_the_same_seed_is_the_same_network_and_progress_is_told() -> None:
    table, told = made_table(lists=20), list[tuple[Any, ...]]()
    lists, parts = Lists.of(table), [every(table)] * 2
    made = [
        fit_networks(lists, parts, seed=seed, progress=lambda *given: told.append(given))
        for seed in (3, 3, 4)
    ]
    one, again, other = (each.score(table.features[:LONG]) for each in made if each is not None)
    assert one.tolist() == again.tolist() != other.tolist()
    assert told[0][0] == NETWORKS and told[-1][1] == told[-1][2] == 2 * fitting.ROUNDS


def test_lists_that_say_nothing_are_left_out_and_alone_teach_nothing() -> None:
    table = made_table(lists=4)
    table.relevant[:LONG], table.relevant[LONG : 2 * LONG] = 0, 1
    lists = Lists.of(table)
    assert lists.teaching().tolist() == [False, False, True, True]
    assert fit_networks(lists, [np.array([True, True, False, False])], seed=0) is None
    assert fit_networks(lists, [every(table)], seed=0) is not None


def test_the_scale_is_that_of_the_normal_distribution() -> None:
    values = np.random.default_rng(0).standard_normal((20_000, 1)).astype(np.float32)
    scale = scale_of(np.exp(values))
    asked = np.linspace(-2, 2, 41, dtype=np.float32)[:, None]
    np.testing.assert_allclose(scale.read(np.exp(asked)), asked, atol=0.08)
    few = scale_of(np.repeat(np.array([[0], [1], [3]], np.float32), [60, 30, 10], axis=0))
    middles = norm.ppf([0.3, 0.75, 0.95])
    np.testing.assert_allclose(
        few.read(np.array([[0], [1], [3]], np.float32))[:, 0], middles, atol=1e-5
    )
    alone = scale_of(np.zeros((5, 1), np.float32))
    assert alone.read(np.array([[-1], [0], [1]], np.float32)).tolist() == [[0], [0], [0]]


def test_a_network_counts_so_many_times_what_trees_do() -> None:
    table = made_table(lists=20)
    network = fit_networks(Lists.of(table), [every(table)], seed=0)
    assert network is not None
    trees = np.random.default_rng(0).standard_normal(len(table.features)).astype(np.float32) * 7
    told = table.scored(network.score)
    beside = table.scored(multiplied(network, weight_beside(trees, told)).score)
    assert beside.std() == pytest.approx(WEIGHT * trees.std(), rel=1e-3)
    assert np.corrcoef(beside, told)[0, 1] == pytest.approx(1)
    assert np.isfinite(weight_beside(trees, np.zeros_like(told)))
    # Where trees tell nothing apart, the network answers alone.
    assert weight_beside(np.zeros_like(told), told) == 1
