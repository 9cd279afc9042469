"""The network over our features: it learns what tells, and is compared fairly."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from eval.measures import summarise
from pipelines.ranking.train_ranker import judge
from pipelines.ranking.training_table import TrainingTable
from pipelines.studies.citeomatic.feature_net import (
    FeatureNet,
    FeatureNetOptions,
    compare_models,
    fit_feature_net,
    ranks,
)

if TYPE_CHECKING:
    from tests.built_index import Built

OPTIONS = FeatureNetOptions(epochs=8, batch=64)


def invented(seed: int, queries: int = 30, candidates: int = 40) -> TrainingTable:
    """Four gold papers a query: those where the second feature is high and the third low."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((queries * candidates, 4)).astype(np.float32)
    features[:, 3] = 7  # Tells nothing.
    value = (features[:, 1] - features[:, 2]).reshape(queries, candidates)
    relevant = np.zeros((queries, candidates), np.int8)
    np.put_along_axis(relevant, np.argsort(-value, axis=1)[:, :4], 1, axis=1)
    groups = np.full(queries, candidates, np.int32)
    return TrainingTable(features, relevant.ravel(), groups, np.full(queries, 4, np.int32))


def mrr(net: FeatureNet, table: TrainingTable) -> float:
    judged = judge(net.scores(table.features), table)
    return summarise(judged, rng=np.random.default_rng(0), samples=1)["MRR"].value


def test_it_learns_what_tells() -> None:
    train, dev, test = (invented(seed) for seed in range(3))
    net = fit_feature_net(train, dev, OPTIONS)
    untrained = FeatureNet(train.features, 20, torch.Generator().manual_seed(0))
    assert mrr(net, test) > max(0.95, mrr(untrained, test))


def test_one_seed_gives_one_network() -> None:
    train, dev = invented(0), invented(1)
    nets = [fit_feature_net(train, dev, replace(OPTIONS, seed=seed)) for seed in (1, 1, 2)]
    one, same, other = (net.scores(dev.features) for net in nets)
    assert one.tolist() == same.tolist() != other.tolist()


def test_features_are_standardised_and_outliers_cut() -> None:
    table = invented(0)
    net = FeatureNet(table.features * 1000 + 5, 20, torch.Generator().manual_seed(3))
    plain = FeatureNet(table.features, 20, torch.Generator().manual_seed(3))
    np.testing.assert_allclose(
        net.scores(table.features * 1000 + 5), plain.scores(table.features), atol=1e-4
    )
    far = np.array([[1e9, 0, 0, 7], [1e6, 0, 0, 7]], np.float32)
    assert np.ptp(plain.scores(far)) == 0
    changed = table.features.copy()
    changed[:, 3] = -3
    assert plain.scores(changed).tolist() == plain.scores(table.features).tolist()


def test_ranks_count_within_each_query() -> None:
    table = TrainingTable(
        np.zeros((5, 1), np.float32),
        np.zeros(5, np.int8),
        np.array([3, 2], np.int32),
        np.array([1, 1], np.int32),
    )
    assert ranks(np.array([0.1, 0.9, 0.1, 3, 4], np.float32), table).tolist() == [1, 0, 2, 1, 0]


def test_both_models_are_measured_on_both_sets_of_features(built: "Built") -> None:
    report = compare_models(built.index, built.split, replace(OPTIONS, epochs=2))
    cells = [(cell.part, cell.features, cell.model) for cell in report.cells]
    assert cells == [
        (part, features, model)
        for features in ("our", "the paper's")
        for part in ("dev", "test")
        for model in ("network", "LightGBM")
    ]
    assert all(0 < cell.f1 < 1 and 0 < cell.mrr <= 1 for cell in report.cells)
    assert len(report.p) == 4 and all(0 < p <= 1 for p in report.p.values())
    lines, first = report.lines(), report.cells[0]
    assert len(lines) == 12
    assert lines[0] == (f"dev, our features, network: F1@20 {first.f1:.4f}, MRR {first.mrr:.4f}")
    p = report.p["test", "the paper's"]
    assert lines[-1] == f"test, the paper's features: p of the difference in query F1@20 {p:.4f}"
