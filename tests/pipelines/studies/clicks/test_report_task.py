"""The report on SciDocs' recommendation task, of invented figures."""

import json

import numpy as np
import pytest

from recsys.eval.report.page import FORMATS, Page
from recsys.eval.studies.clicks.estimators import MEASURES
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.pipelines.studies.clicks.evaluate_task import (
    Difference,
    Figure,
    Figures,
    System,
    TaskResult,
    task_page,
)
from tests.eval.page_tags import tags_of

COUNTS = {"train": 3000, "validation": 20, "test": 1234}


def figures(value: float, deviation: float = 0.0) -> Figures:
    found = dict.fromkeys(MEASURES, Figure(value, value - 0.01, value + 0.01, deviation))
    unknown = dict.fromkeys(MEASURES)
    known = ("naive", "SNIPS", "clipped SNIPS", "doubly robust")
    return {**dict.fromkeys(known, found), "IPS": unknown, "clipped IPS": unknown}


@pytest.fixture(scope="module")
def page() -> Page:
    result = TaskResult(
        {"papers": 50, "described": 40, "embedded": 30},
        COUNTS, COUNTS, Propensities("swap", np.array([1, 0.5])), (0, 1),
        {"naive": 1234.0, "SNIPS": 617.0},
        (
            System("display order", None, figures(0.5)),
            System("LightGBM", "per-position", figures(0.6, 0.002)),
            System("LightGBM", "constant", figures(0.55, 0.001)),
        ),
        (Difference("LightGBM", "per-position", "constant", figures(0.05)),),
    )  # fmt: skip
    return task_page(result, {"command": "recsys study clicks-task <DIR>"})


def test_adjusted_figures_come_first_and_the_best_is_marked(page: Page) -> None:
    text = FORMATS["markdown"](page)
    first = text.index("estimated by SNIPS, which SciDocs calls adjusted")
    assert first < text.index("estimated by naive.") < text.index("estimated by doubly robust.")
    assert "| display order |  | 0.500 (0.490-0.510) |" in text
    assert "| LightGBM | per-position | **0.600 ± 0.002** (0.590-0.610) |" in text
    assert "617 effective clicks" in text and "2 seeds" in text


def test_what_the_log_does_not_tell_is_left_out(page: Page) -> None:
    names = [table.name for table in page.tables()]
    assert "snips" in names and not {"ips", "clipped-ips"} & set(names)
    value = json.loads(FORMATS["json"](page))
    assert value["systems"][0]["figures"]["IPS"]["nDCG"] is None
    assert value["propensities"] == [1, 0.5]


def test_the_page_has_its_pictures(page: Page) -> None:
    text = FORMATS["html"](page)
    assert tags_of(text).stack == [] and text.count("<figure>") == 2
    assert "LightGBM, constant" in text and "clicks-task &lt;DIR&gt;" in text
