"""The SciDocs task from its folder to the figures, on invented papers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.estimators import Options
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.recommendation_task import (
    RecommendationTask,
    RelatedPaper,
    write_task,
)
from recsys.formats.embeddings import Embeddings, write_embeddings
from recsys.pipelines.studies.clicks.evaluate_task import (
    Figure,
    System,
    TaskOptions,
    TaskResult,
    evaluate_task,
)
from recsys.pipelines.studies.clicks.rankers import BASELINES
from tests.rows import each_row

PAPERS, SHOWN = 120, 6
FEW = Options(samples=30)
PLAIN, ADJUSTED = "naive", "SNIPS"


def invented_papers(rng: np.random.Generator) -> tuple[dict[str, RelatedPaper], Embeddings]:
    """Describe all papers but the last two, and embed all but the first one."""
    names = [f"p{i:03}" for i in range(PAPERS)]
    records = {
        name: RelatedPaper(
            " ".join(rng.choice(["graphs", "of", "deep", "nets"], 3)),
            int(rng.integers(1995, 2020)),
            *(frozenset(rng.choice(names, rng.integers(1, 9)).tolist()) for _ in range(3)),
        )
        for name in names[:-2]
    }
    return records, Embeddings(tuple(names[1:]), rng.normal(size=(119, 5)).astype(np.float32))


def invented_clicks(
    lists: int, papers: dict[str, RelatedPaper], vectors: Embeddings, rng: np.random.Generator
) -> ClickLog:
    """Show the most cited papers first to readers who want those with a like embedding."""
    unit = {name: vector / np.linalg.norm(vector) for name, vector in _by_name(vectors).items()}
    impressions: list[Impression] = []
    while len(impressions) < lists:
        query, *others = (f"p{i:03}" for i in rng.choice(PAPERS, SHOWN + 1, replace=False))
        shown = sorted(
            others, key=lambda name: -len(papers[name].cited_by) if name in papers else 0
        )
        cosine = [unit[name] @ unit[query] if {name, query} <= set(unit) else 0 for name in shown]
        chance = 1 / (1 + np.exp(1 - 4 * np.array(cosine))) / np.arange(1, SHOWN + 1)
        clicked = tuple(np.array(shown)[rng.random(SHOWN) < chance].tolist())
        if clicked:
            impressions.append(Impression(query, tuple(shown), clicked))
    return ClickLog.of(impressions)


def _by_name(vectors: Embeddings) -> dict[str, np.typing.NDArray[np.float32]]:
    return dict(zip(vectors.ids, vectors.vectors, strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a folder in SciDocs' layout, with embeddings.jsonl in it."""
    folder, rng = tmp_path_factory.mktemp("scidocs"), np.random.default_rng(0)
    papers, vectors = invented_papers(rng)
    train, validation, test = (
        invented_clicks(lists, papers, vectors, rng) for lists in (400, 120, 150)
    )
    propensities = Propensities("known", 1 / np.arange(1, SHOWN + 1))
    write_task(folder, RecommendationTask(train, validation, test, papers, propensities))
    write_embeddings(folder / "embeddings.jsonl", vectors)
    return folder


def evaluated(folder: Path, seeds: tuple[int, ...]) -> TaskResult:
    options = TaskOptions(seeds=seeds, estimates=FEW)
    rng = np.random.default_rng(7)
    return evaluate_task(folder, folder / "embeddings.jsonl", options, rng=rng)


@pytest.fixture(scope="module")
def result(folder: Path) -> TaskResult:
    return evaluated(folder, (0, 1))


@pytest.fixture(scope="module")
def singles(folder: Path) -> list[TaskResult]:
    return [evaluated(folder, (seed,)) for seed in (0, 1)]


def figure(system: System, estimator: str, measure: str) -> Figure:
    found = system.figures[estimator][measure]
    assert found is not None
    return found


def by_key(result: TaskResult) -> dict[tuple[str, str | None], System]:
    return {(each.name, each.weighting): each for each in result.systems}


def test_all_baselines_and_rankers_are_judged(result: TaskResult) -> None:
    learnt = [(n, w) for w in ("per-position", "constant") for n in ("feed-forward", "LightGBM")]
    assert [(each.name, each.weighting) for each in result.systems] == [
        *((name, None) for name in BASELINES),
        *learnt,
    ]
    for system in result.systems:
        for estimator in (PLAIN, ADJUSTED):
            for measure in ("nDCG", "MRR", "P@1", "accuracy"):
                found = figure(system, estimator, measure)
                assert 0 <= found.low <= found.value <= found.high <= 1
    assert {each.deviation for each in map(ndcg, result.systems[:12])} == {0}


def ndcg(system: System) -> Figure:
    return figure(system, ADJUSTED, "nDCG")


def test_differences_are_those_of_the_means(result: TaskResult) -> None:
    systems = by_key(result)
    assert [each.name for each in result.differences] == ["feed-forward", "LightGBM"]
    for each in result.differences:
        assert (each.weighting, each.over) == ("per-position", "constant")
        found = each.figures[ADJUSTED]["MRR"]
        assert found is not None
        one, other = (
            figure(systems[each.name, w], ADJUSTED, "MRR").value
            for w in (each.weighting, each.over)
        )
        assert found.value == pytest.approx(one - other, abs=1e-12)
        assert found.low < found.value < found.high


def test_figures_are_averaged_over_seeds(result: TaskResult, singles: list[TaskResult]) -> None:
    for key, system in by_key(result).items():
        one, other = (ndcg(by_key(each)[key]) for each in singles)
        found = ndcg(system)
        assert found.value == pytest.approx((one.value + other.value) / 2)
        assert found.low == pytest.approx((one.low + other.low) / 2)
        assert found.deviation == pytest.approx(abs(one.value - other.value) / np.sqrt(2))


def test_embeddings_of_other_papers_are_refused(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "others.jsonl"
    path.write_text(json.dumps({"paper_id": "W123", "embedding": [1.0]}) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"none of the task's 120 papers.*'W123'.*'p000'"):
        evaluate_task(folder, path, rng=np.random.default_rng(0))


@each_row(
    ("options", "match"),
    [
        ({"seeds": ()}, r"seeds of training are \[\]"),
        ({"seeds": (1, 1)}, r"seeds of training are \[1, 1\]"),
        ({"weightings": ()}, r"weightings of training are \[\]"),
        ({"weightings": ("constant", "constant")}, "weightings of training"),
        ({"weightings": ("per-positon",)}, "Did you mean 'per-position'"),
        ({"negatives": "first"}, "no choice of negatives 'first'"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(options: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        TaskOptions(**options)
