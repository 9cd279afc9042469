"""The table of ablations: its rows and figures by hand."""

import json

import numpy as np
import pytest

from recsys.eval.report.page import FORMATS
from recsys.eval.significance import holm, randomisation_test
from recsys.eval.studies.encoders.training_page import Course
from recsys.pipelines.studies.encoders.encoder_ablations import (
    Outcome,
    Row,
    ablation_page,
    ablation_table,
    variants,
)
from recsys.pipelines.studies.encoders.tower import RANDOM
from recsys.pipelines.studies.encoders.triplets import Draw


def course(name: str) -> Course:
    """Two steps, judged before and after them."""
    return Course(name, [0.5, 0.25], [0, 2], [0.25, 0.5], 2)


def test_each_row_changes_one_thing() -> None:
    rows = variants(Row(), "allenai/specter")
    full = rows["full"]
    assert rows["no-abstract"].reading.fields == ()
    assert rows["with-venue"].reading.fields == ("abstract", "venue")
    assert rows["with-authors"].reading.fields == ("abstract", "authors")
    assert rows["no-hard-negatives"].encoder.draw == Draw(5, 0, 0)
    assert rows["random-start"].encoder.start == RANDOM
    assert rows["other-start"].encoder.start == "allenai/specter"
    for name, row in rows.items():
        same = (row.encoder == full.encoder) + (row.reading == full.reading)
        assert same == (2 if name == "full" else 1), name
    assert "other-start" not in variants(Row())


def test_the_table_compares_with_the_full_encoder() -> None:
    rng = np.random.default_rng(0)
    full, better, same = rng.random(30), rng.random(30) + 0.3, rng.random(30)
    outcomes = (
        Outcome("full", 0.25, full, course("full")),
        Outcome("better", 0.25, better, course("better")),
        Outcome("same", 0.5, same, course("same")),
    )
    page = ablation_page(outcomes)
    rows = json.loads(FORMATS["json"](page))["rows"]
    p = [randomisation_test(full, each, rng=np.random.default_rng(0)) for each in (better, same)]
    assert [row["p"] for row in rows] == pytest.approx([None, *holm(np.array(p)).round(4)])
    assert rows[1]["R@20"] == pytest.approx(better.mean(), abs=1e-4)
    assert rows[1]["change"] == pytest.approx((better - full).mean(), abs=1e-4)
    assert rows[2]["before"] == 0.5
    assert all("better" in write(page) for write in FORMATS.values())
    shown = FORMATS["html"](page)
    assert shown.count("<figure>") == 2 and "Loss of the training" in shown
    alone = ablation_table((Outcome("full", 0.1, np.array([0.5, 1.0]), course("full")),))
    assert [cell.text for cell in alone.rows[0]] == ["full", "0.1000", "0.7500", "", ""]
