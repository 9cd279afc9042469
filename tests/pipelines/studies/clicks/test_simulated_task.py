"""The simulated task: a folder like SciDocs', whose truth is known."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.studies.clicks.click_log import NOTHING, ClickLog, Impression, read_clicks
from recsys.eval.studies.clicks.propensities import read_propensities
from recsys.eval.studies.clicks.recommendation_task import read_task
from recsys.formats.embeddings import read_embeddings
from recsys.pipelines.studies.clicks.corpus_world import (
    CLICKS,
    EMBEDDINGS,
    PRODUCTION,
    RANKERS,
    TRUTH,
    SimulationOptions,
    WorldOptions,
    simulate_task,
)
from recsys.store.collection import Collection
from tests.pipelines.studies.clicks.related_papers import CUT, related_collection, related_papers

SMALL = SimulationOptions(
    impressions=1000, trials=1500, world=WorldOptions(pool=5, reach=8, cut=CUT)
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return related_collection(tmp_path_factory.mktemp("collection"))


@pytest.fixture(scope="module")
def folder(collection: Collection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simulated") / "task"
    simulate_task(collection, folder, SMALL, rng=rng())
    return folder


@pytest.fixture(scope="module")
def log(folder: Path) -> ClickLog:
    return read_clicks(folder / CLICKS)


def clicks(lists: Iterable[Impression]) -> list[tuple[str, tuple[str, ...], str]]:
    return [(each.query, each.shown, paper) for each in lists for paper in each.clicked]


def test_the_folder_reads_as_scidocs_task(folder: Path) -> None:
    task = read_task(folder)
    queries = [query for part in task.logs.values() for query in part.queries]
    assert len(set(queries)) == len(queries)
    assert task.names() <= task.papers.keys() == {*read_embeddings(folder / EMBEDDINGS).ids}
    assert task.propensities.method == "swap experiment"
    assert task.propensities.impressions == 1500


def test_the_log_holds_every_list_that_was_shown(folder: Path, log: ClickLog) -> None:
    assert log.shown.shape == (4000, 5)
    assert (log.shown != NOTHING).all()
    lists = list(log.impressions())
    served, swaps, rankers = lists[:1000], lists[1000:2500], lists[2500:]
    assert {each.ranker for each in (*served, *swaps)} == {PRODUCTION}
    assert {each.ranker for each in rankers} == {*RANKERS}
    assert {each.swapped for each in (*served, *rankers)} == {None}
    assert {each.swapped for each in swaps} == {1, 2, 3, 4, 5}
    task = read_task(folder)
    written = [click for part in task.logs.values() for click in clicks(part.impressions())]
    assert clicks(served) == written
    held_out = {*task.validation.queries, *task.test.queries}
    assert held_out.isdisjoint(each.query for each in (*swaps, *rankers))


def test_clicks_come_about_as_the_truth_says(folder: Path, log: ClickLog) -> None:
    truth = json.loads((folder / TRUTH).read_text())
    assert read_propensities(folder / TRUTH).values.tolist() == pytest.approx(
        [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]
    )
    assert (truth["readers"], truth["eta"], truth["cut"]) == ("position", 1.0, CUT)
    chances = np.array(
        [
            [truth["relevance"][each.query][paper] / (k + 1) for k, paper in enumerate(each.shown)]
            for each in log.impressions()
        ]
    )
    spread = np.sqrt((chances * (1 - chances)).sum(0))
    assert (np.abs((log.clicked - chances).sum(0)) < 4 * spread).all()
    likely = chances > np.median(chances)
    for some in (likely, ~likely):
        off = (log.clicked - chances)[some].sum()
        assert abs(off) < 4 * np.sqrt((chances * (1 - chances))[some].sum())


def test_what_is_not_a_simulated_task_is_left_alone(collection: Collection, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    for target, message in (
        (tmp_path, "holds no simulated task"),
        (tmp_path / "thesis.tex", "file"),
    ):
        with pytest.raises(InputError, match=message):
            simulate_task(collection, target, SMALL, rng=rng())
    assert contents(tmp_path) == {"thesis.tex": b"years of work"}


def test_unknown_readers_are_refused(collection: Collection, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"no kind of readers 'positoin'\. Did you mean 'position'"
    ):
        simulate_task(collection, tmp_path / "task", replace(SMALL, readers="positoin"), rng=rng())
    assert not any(tmp_path.iterdir())


def test_a_failure_leaves_the_earlier_task_as_it_was(
    collection: Collection, tmp_path: Path
) -> None:
    simulate_task(collection, tmp_path / "task", SMALL, rng=rng())
    before = contents(tmp_path / "task")
    # The format separates ids by commas.
    papers = json.loads(json.dumps(related_papers()).replace("-", ","))
    commas = related_collection(tmp_path, papers)
    with pytest.raises(InputError, match="has a comma"):
        simulate_task(commas, tmp_path / "task", SMALL, rng=rng())
    assert contents(tmp_path / "task") == before
    assert {path.name for path in tmp_path.iterdir()} == {"task", "related.index"}
