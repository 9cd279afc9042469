"""A suite's figures, averaged."""

import numpy as np
import pytest

from recsys.eval.studies.encoders.report_encoders import AVERAGE, RANKING
from recsys.eval.studies.scidocs.scidocs_figures import (
    SAMPLES,
    Figure,
    Ranked,
    Row,
    ranking_figures,
)
from recsys.eval.studies.scidocs.scidocs_layout import Task
from recsys.pipelines.studies.encoder_comparison import suite_figures


def ranked(precisions: list[float], gains: list[float]) -> Ranked:
    queries = tuple(f"q{i}" for i in range(len(precisions)))
    return Ranked(queries, np.array(precisions), np.array(gains), 0)


def test_tasks_count_alike_however_many_queries_they_have() -> None:
    queries = {
        Task.CITE: ranked([0.2, 0.4, 0.6, 0.8], [0.4, 0.6, 0.8, 1.0]),
        Task.CO_CITE: ranked([0.1, 0.3], [0.3, 0.5]),
    }
    figures = {(Task.MAG, "F1"): Figure.of(np.full(1 + SAMPLES, 75.0))}
    for task, each in queries.items():
        figures |= ranking_figures(task, each, rng=np.random.default_rng(0))
    found = suite_figures(Row("one", figures, (), queries))
    # 75, and means of MAP and nDCG of 50, 70, 20 and 40.
    average = found[AVERAGE]
    assert average.value == pytest.approx(0.51) and average.low is not None
    assert 0.3 < average.low < 0.51
    ranking = found[RANKING]
    # Means of .6 and .3.
    assert ranking.value == pytest.approx(0.45)
    assert len(ranking.values) == 6 and np.mean(ranking.values) == pytest.approx(0.45)
    assert ranking.low is not None and 0.2 < ranking.low < 0.45
