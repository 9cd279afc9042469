"""Training without a split: one is made, the ranker is tried on it; too few queries are said."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.app.cache import cache_folder
from recsys.errors import InputError, LeakageError, NothingFound
from recsys.eval.measures import Interval
from recsys.indexes.opening import open_collection
from recsys.models.encoder import SeenQueries, digests
from recsys.models.nnselect import NNSelectModel
from recsys.pipelines.evaluation.leakage import check_ranker
from recsys.pipelines.evaluation.splits import SPLIT_FILE, make_split, read_split
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.ranking import train_ranker as training
from recsys.pipelines.ranking.train_ranker import (
    SCRATCH,
    SHIPPED,
    TrainOptions,
    TrainReport,
    Trial,
    shipped_ranker,
    started,
    train_ranker,
)
from recsys.pipelines.ranking.training_table import PLAIN
from recsys.ranking.ranker import KIND, SCHEMA, TreeRanker
from recsys.store.artifacts import NNSELECT, load_manifest, verify
from recsys.store.generations import in_force
from tests.pipelines.evaluation.test_year_split import well_linked
from tests.pipelines.small_index import write_small_nnselect
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli

pytestmark = pytest.mark.usefixtures("one_process")


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index without a ranker."""
    folder = tmp_path_factory.mktemp("linked")
    papers = folder / "papers.jsonl"
    papers.write_text("\n".join(map(json.dumps, well_linked())), encoding="utf-8")
    build([papers], folder / "linked.index", BuildOptions(), cache=cache_folder())
    return folder / "linked.index"


@pytest.fixture(scope="module")
def trained(linked: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainReport]:
    index = Path(shutil.copytree(linked, tmp_path_factory.mktemp("trained") / "linked.index"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "FEWEST_TRAIN", 20)
        return index, train_ranker(index, None, TrainOptions())


def test_the_split_lies_beside_the_ranker(trained: tuple[Path, TrainReport]) -> None:
    index, _ = trained
    collection, folder = open_collection(index), in_force(index) / "ranker"
    split = read_split(folder / SPLIT_FILE, collection)
    assert split == make_split(collection).split
    manifest = load_manifest(folder, KIND, SCHEMA)
    assert SPLIT_FILE in manifest.files
    verify(folder, manifest)


def test_the_ranker_has_seen_no_test_query(trained: tuple[Path, TrainReport]) -> None:
    index, _ = trained
    collection, folder = open_collection(index), in_force(index) / "ranker"
    split = make_split(collection).split
    seen = SeenQueries.load(folder)
    assert seen is not None and (len(seen.train), len(seen.dev)) == (28, 4)
    assert check_ranker(folder, collection, "test", split.test) is None
    with pytest.raises(LeakageError, match="trained on 28 of these 28"):
        check_ranker(folder, collection, "train", split.train)


def test_it_is_said_how_good_it_is_on_test(trained: tuple[Path, TrainReport]) -> None:
    index, report = trained
    lines = report.lines()
    made, few, on, own, shipped, verdict = lines[2:8]
    assert made.startswith("No split was given, so one was made by year: 28 train, 4 dev, 4 test")
    assert few == "Only 4 test queries: the intervals are wide."
    assert on == "On its 4 unseen test queries, with 95 % intervals:"
    assert own.startswith("This ranker: F1@20 0.") and ", MRR " in own
    assert shipped.startswith("Shipped ranker: F1@20 0.")
    assert verdict.endswith(" of F1@20.")
    facts = load_manifest(in_force(index) / "ranker", KIND, SCHEMA).config["test"]
    assert facts["queries"] == 4 and set(facts["own"]) == {"F1@20", "MRR"}


def test_it_is_evaluated_on_the_split_that_it_has(
    trained: tuple[Path, TrainReport], tmp_path: Path, run_cli: "RunCli"
) -> None:
    index, report = trained
    done = run_cli(
        "evaluate", index, "--systems", "two-stage", "--jobs", 1, "--out", tmp_path / "x"
    )
    assert done.code == 0, done.err
    assert "that of the index's own ranker is used: papers with at least 5" in done.err
    [own] = [line for line in report.lines() if line.startswith("This ranker: ")]
    figures = re.findall(r"\S+ \(\S+-[\d.]+\)", own)
    assert len(figures) == 2 and all(figure in done.out for figure in figures)
    given = in_force(index) / "ranker" / SPLIT_FILE
    assert (tmp_path / "x" / SPLIT_FILE).read_bytes() == given.read_bytes()
    facts = json.loads((tmp_path / "x" / "facts.json").read_text())
    assert facts["warnings"][0].startswith("No split was given")


def test_an_index_without_a_ranker_is_evaluated_on_a_split_by_year(
    linked: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    done = run_cli("evaluate", linked, "--systems", "bm25", "--jobs", 1, "--out", tmp_path / "x")
    assert done.code == 0, done.err
    assert "4 test queries" in done.out
    assert "one was made by year: 28 train, 4 dev, 4 test queries" in done.err
    collection = open_collection(linked)
    assert read_split(tmp_path / "x" / SPLIT_FILE, collection) == make_split(collection).split


def test_from_few_queries_the_shipped_ranker_learns_on(
    linked: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    index = Path(shutil.copytree(linked, tmp_path / "linked.index"))
    done = run_cli("train", "ranker", index)
    assert done.code == 0, done.err
    shipped = shipped_ranker(metadata=True)
    trees = len(shipped.trees.trees.values)
    assert "Fine-tuned the shipped ranker on " in done.err
    assert f"its 4 networks; its {trees} trees are unchanged." in done.err
    folder, collection = in_force(index) / "ranker", open_collection(index)
    own = TreeRanker.load(folder)
    config = load_manifest(folder, KIND, SCHEMA).config
    assert config["options"] == {"metadata": True, "seed": 0, "start": SHIPPED, "folds": 4}
    assert "parameters" not in config  # They are of trees that were grown elsewhere.
    assert (own.origin, own.feature_names) == ("its own ranker", shipped.feature_names)
    assert own.trees.trees.values.tobytes() == shipped.trees.trees.values.tobytes()
    assert own.network is not None and shipped.network is not None
    assert (own.network.last != shipped.network.last).any()
    split, seen = make_split(collection).split, SeenQueries.load(folder)
    before = SeenQueries.load(shipped.folder) if shipped.folder else None
    assert seen is not None and before is not None
    learned = digests(collection, collection.corpus.rows((*split.train, *split.dev)))
    assert seen.train == before.train | set(learned) and not seen.train & before.dev
    assert run_cli("evaluate", index, "--jobs", 1, "--out", tmp_path / "x").code == 0
    assert run_cli("recommend", "--title", "On matter 1", "--index", index).code == 0
    assert "stay as they are" not in run_cli("train", "ranker", index, "--start", "scratch").err


@each_row(
    ("asked", "named"),
    [
        (TrainOptions(folds=2), "folds"),
        (TrainOptions(passes=2), "passes"),
        (TrainOptions(candidates=("bm25",)), "candidates"),
        (TrainOptions(nnselect_features=True), "NNSelect's features"),
    ],
)
def test_what_few_queries_cannot_teach_is_refused(
    linked: Path, asked: TrainOptions, named: str
) -> None:
    with pytest.raises(InputError, match=f"There are 28 queries .* takes no {named}"):
        train_ranker(linked, None, asked)
    with pytest.raises(InputError, match=f"shipped ranker takes no {named}"):
        replace(asked, start=SHIPPED)


def test_what_a_ranker_starts_from_is_chosen_by_its_queries(linked: Path) -> None:
    chosen = make_split(open_collection(linked))
    many = replace(chosen, split=replace(chosen.split, train=chosen.split.train * 20))
    starts = [
        started(TrainOptions(start=start), split, made=made).start
        for start in (None, SHIPPED, SCRATCH)
        for split in (chosen, many)
        for made in (True, False)
    ]
    assert starts == [SHIPPED, *[SCRATCH] * 3, *[SHIPPED] * 4, *[SCRATCH] * 4]
    with pytest.raises(InputError, match="no start 'nowhere'"):
        TrainOptions(start="nowhere")


def test_too_few_queries_leave_the_shipped_ranker(
    linked: Path,
    built: "Built",
    tmp_path: Path,
    run_cli: "RunCli",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(training, "FEWEST_TUNED", 29)
    before = sorted(path.name for path in in_force(linked).iterdir())
    done = run_cli("train", "ranker", linked, "--quiet")
    assert done.code == 3
    assert "too few queries to train on: 28 train, 4 dev, 4 test, by year" in done.err
    assert "the shipped ranker is not even fine-tuned" in done.err
    assert sorted(path.name for path in in_force(linked).iterdir()) == before
    with pytest.raises(NothingFound, match="papers cites 5 others"):
        train_ranker(built.copy(tmp_path), None, TrainOptions())


def test_nnselect_that_has_seen_test_queries_is_refused(linked: Path, tmp_path: Path) -> None:
    index = Path(shutil.copytree(linked, tmp_path / "linked.index"))
    collection = open_collection(index)
    split = make_split(collection).split
    rows = collection.corpus.rows(split.test)
    (collection.folder / NNSELECT).mkdir()
    SeenQueries.of(collection, train=rows, dev=rows[:0]).save(collection.folder / NNSELECT)
    write_small_nnselect(tmp_path / "model", [("On matter", None)] * len(rows))
    model = NNSelectModel.load(tmp_path / "model", len(rows))
    school = training._Lesson(collection, (rows, rows), (PLAIN, PLAIN), model)
    with pytest.raises(LeakageError, match="was trained on 4 of these 4 test queries"):
        school.check_test(split)
    training._Lesson(collection, (rows, rows), (PLAIN, PLAIN)).check_test(split)


@each_row(
    ("low", "high", "said"),
    [
        (0.01, 0.03, "Better than the shipped"),
        (-0.03, -0.01, "Worse than the shipped"),
        (-0.01, 0.01, "No clear difference from the shipped"),
    ],
)
def test_the_verdict_follows_the_interval(low: float, high: float, said: str) -> None:
    figures = {"F1@20": Interval(0.3, 0.2, 0.4), "MRR": Interval(0.5, 0.4, 0.6)}
    by = Interval(float(np.mean([low, high])), low, high)
    lines = Trial(90, figures, figures, by, known=7).lines()
    assert lines[-1].startswith(said)
    assert lines[2].endswith("It was trained on 7 of these queries.")
    assert Trial(90, figures, figures, by).lines()[2].endswith("0.500 (0.400-0.600).")
