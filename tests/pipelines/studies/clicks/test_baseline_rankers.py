"""Rankings that learn nothing."""

import numpy as np

from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.pipelines.studies.clicks.click_features import FEATURES
from recsys.pipelines.studies.clicks.rankers import BASELINES
from tests.rows import each_row

LOG = ClickLog.of([Impression("q", ("a", "b", "c")), Impression("r", ("c", "a"))])
TABLE = np.random.default_rng(0).normal(size=(2, 3, 10)).astype(np.float32)


@each_row("name", BASELINES)
def test_every_paper_has_a_score_and_a_feature_alone_is_its_column(name: str) -> None:
    scores, again = (BASELINES[name](LOG, TABLE, np.random.default_rng(1)) for _ in range(2))
    assert scores.shape == (2, 3) and scores.dtype == np.float64
    assert (scores == again).all()
    if name in FEATURES:
        assert (scores == TABLE[:, :, FEATURES.index(name)]).all()
    elif name == "display order":
        assert (np.diff(scores, axis=1) < 0).all()
