"""The recovery study: figures by hand, and what must come out."""

import numpy as np
import pytest

from recsys.eval.studies.clicks.propensities import METHODS, Propensities
from recsys.eval.studies.clicks.simulation import (
    CLICK_MODELS,
    Policy,
    TrustBias,
    decay,
    true_propensities,
)
from recsys.eval.studies.clicks.studies import Recovered, Study, recover
from tests.eval.studies.clicks.invented_world import invented_world


def test_errors_by_hand() -> None:
    truth = np.array([1, 0.5, 0.2])
    estimate = Propensities(
        "m", np.array([1, 0.45, 0.24]), np.array([1, 0.4, 0.21]), np.array([1, 0.5, 0.3])
    )
    found = Recovered("position", "swap", truth, estimate)
    assert found.errors.tolist() == pytest.approx([0.1, 0.2])
    assert (found.mean_error, found.max_error) == pytest.approx((0.15, 0.2))
    assert found.covered == 0.5  # .5 is a bound, .2 is below .21.


def test_every_method_meets_every_model() -> None:
    world = invented_world(50, 6, np.random.default_rng(0))
    models = {name: build(4, 1.0) for name, build in CLICK_MODELS.items()}
    study = Study(impressions=20_000, samples=10, policy=Policy(depth=4))
    rows = recover(world, models, METHODS, rng=np.random.default_rng(1), study=study)
    assert [(row.model, row.method) for row in rows] == [
        (model, method) for model in CLICK_MODELS for method in METHODS
    ]
    for row in rows:
        truth = true_propensities(world, models[row.model], study.policy)
        assert row.truth.tolist() == truth.tolist()
        assert row.estimate.impressions == 20_000
        if row.model == "position":
            assert row.max_error < 0.15


def test_trust_leads_methods_astray() -> None:
    """Chance moves papers of all kinds; those that rankers disagree about are not the average."""
    world = invented_world(50, 6, np.random.default_rng(0))
    trust = TrustBias(decay(1, 4), np.ones(4), 0.5 * decay(1, 4))
    study = Study(impressions=40_000, samples=10, policy=Policy(depth=4))
    rows = recover(world, {"trust": trust}, METHODS, rng=np.random.default_rng(0), study=study)
    found = {row.method: row.mean_error for row in rows}
    assert found["swap"] < 0.06 < min(found["harvest"], found["em"])


def test_logs_of_clicked_lists_only_mislead() -> None:
    world = invented_world(50, 6, np.random.default_rng(0))
    models = {"position": CLICK_MODELS["position"](4, 1.0)}
    errors = []
    for clicked_only in (False, True):
        study = Study(60_000, 10, Policy(depth=4), clicked_only)
        rows = recover(world, models, METHODS, rng=np.random.default_rng(2), study=study)
        errors.append([row.mean_error for row in rows])
    assert all(np.array(errors[1]) > 2 * np.array(errors[0]))
