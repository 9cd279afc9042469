"""Rankings that learn nothing."""

import numpy as np

from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.pipelines.studies.clicks.click_features import FEATURES as COLUMNS
from recsys.pipelines.studies.clicks.rankers import BASELINES
from tests.rows import each_row

NAMES = tuple(feature.name for feature in COLUMNS)
LOG = ClickLog.of([Impression("q", ("a", "b", "c")), Impression("r", ("c", "a"))])
FEATURES = np.random.default_rng(0).normal(size=(2, 3, 10)).astype(np.float32)
BY_NAME = {each.name: each for each in BASELINES}


@each_row("name", BY_NAME)
def test_every_paper_has_a_score(name: str) -> None:
    scores = BY_NAME[name].score(LOG, FEATURES, np.random.default_rng(1))
    assert scores.shape == (2, 3)
    assert scores.dtype == np.float64
    again = BY_NAME[name].score(LOG, FEATURES, np.random.default_rng(1))
    assert (scores == again).all()


def test_display_order_falls_from_left_to_right() -> None:
    scores = BY_NAME["display order"].score(LOG, FEATURES, np.random.default_rng(0))
    assert (np.diff(scores, axis=1) < 0).all()


@each_row(("column", "name"), list(enumerate(NAMES)))
def test_a_feature_alone_is_its_column(column: int, name: str) -> None:
    scores = BY_NAME[name].score(LOG, FEATURES, np.random.default_rng(0))
    assert (scores == FEATURES[:, :, column]).all()
