"""The study of clicks: each part can be left out, and changes no other."""

import json
from dataclasses import replace

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.report.page import FORMATS
from recsys.eval.studies.clicks.estimators import Options
from recsys.eval.studies.clicks.propensities import METHODS
from recsys.eval.studies.clicks.simulation import CLICK_MODELS
from recsys.pipelines.studies.clicks.click_study import (
    COVERAGE,
    RECOVERY,
    STUDIES,
    ClickStudy,
    LearningOptions,
    StudyOptions,
    study_clicks,
    study_page,
)
from recsys.store.collection import Collection
from tests.eval.page_tags import tags_of
from tests.pipelines.studies.clicks.related_papers import related_collection

SMALL = StudyOptions(
    impressions=3000,
    samples=5,
    logs=2,
    lists=300,
    estimates=Options(samples=5),
    learning=LearningOptions(seeds=1, impressions=200, trials=3000, etas=(1.0,)),
)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return related_collection(tmp_path_factory.mktemp("collection"))


def studied(collection: Collection, *only: str) -> ClickStudy:
    rng = np.random.default_rng(0)
    return study_clicks(collection, replace(SMALL, only=only), rng=rng)


@pytest.fixture(scope="module")
def found(collection: Collection) -> ClickStudy:
    return studied(collection, *STUDIES)


def test_every_part_is_studied(found: ClickStudy) -> None:
    pairs = [(each.model, each.method) for each in found.recovered]
    assert pairs == [(model, method) for model in CLICK_MODELS for method in METHODS]
    assert {row.function for row in found.coverage} >= {"relevance", "reversed"}
    assert found.learning is not None and found.learning.cut == found.cut
    assert found.queries == found.learning.queries


def test_what_is_left_out_changes_nothing_else(collection: Collection, found: ClickStudy) -> None:
    tried = studied(collection, COVERAGE)
    assert tried.coverage == found.coverage
    assert tried.recovered == () and tried.learning is None
    recovered = studied(collection, RECOVERY).recovered
    for one, other in zip(recovered, found.recovered, strict=True):
        assert np.array_equal(one.estimate.values, other.estimate.values)


def test_the_page_has_a_section_and_pictures_for_each_part(found: ClickStudy) -> None:
    page = study_page(found, {"command": "recsys study clicks-study"})
    assert [section.name for section in page.sections] == list(STUDIES)
    text = FORMATS["html"](page)
    assert tags_of(text).stack == []
    assert text.count("<figure>") == len(CLICK_MODELS) + 2 + 1
    value = json.loads(FORMATS["json"](page))
    assert value["schema"] == "recsys.click-study/1" and value["cut"] == found.cut
    assert len(value["recovery"]) == 9 and value["learning"]["gains"]
    for write in FORMATS.values():
        assert "LightGBM" in write(page)


def test_an_unknown_study_is_named() -> None:
    with pytest.raises(InputError, match=r"no study 'coverag'\. Did you mean 'coverage'"):
        StudyOptions(only=("coverag",))
