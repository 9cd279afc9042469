"""The ranker that ships: it is there, it is small, and it serves what has no own ranker."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchmarks.shipped_ranker as program
from benchmarks import corpus_lessons
from benchmarks.bench import Bench, Program
from benchmarks.corpus_lessons import CORPORA, Form, Lessons, sample, teach_together
from benchmarks.shipped_local_ranker import main as train_local
from benchmarks.shipped_ranker import SHIPPED, main, train_together
from recsys.app.wiring import data_folder, open_index, serving_ranker
from recsys.local.local_recommender import LOCAL_RANKER, learned_beside, name_of
from recsys.models.encoder import SeenQueries
from recsys.pipelines.ranking.cross_fitting import FOLDS, LEARNING_RATE
from recsys.pipelines.ranking.fit_network import FEWER_UNITS
from recsys.ranking.features import feature_names
from recsys.ranking.ranker import KIND, SCHEMA, TreeRanker
from recsys.records import Draft
from recsys.store.artifacts import load_manifest, ranker_folder, verify
from recsys.store.generations import in_force
from tests.benches import built_already
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built

LARGEST = 3_000_000
"""Bytes of both rankers: the package stays small."""


@each_row("metadata", [True, False])
def test_a_ranker_ships_with_the_package(metadata: bool) -> None:
    folder = ranker_folder(data_folder(), metadata=metadata)
    assert folder.is_dir(), f"{folder} is missing: train it with `make ranker`"
    assert folder.parent.samefile(SHIPPED)
    manifest = load_manifest(folder, KIND, SCHEMA)
    verify(folder, manifest)
    assert manifest.config["corpora"] == list(CORPORA)
    ranker = TreeRanker.load(folder)
    assert ranker.first is not None
    assert ranker.first.feature_names == feature_names(metadata=metadata, any_corpus=True)
    for each in (ranker, ranker.first):
        assert each.network is not None and each.network.first.shape[::2] == (FOLDS, FEWER_UNITS[0])
    assert ranker.origin == "the ranker shipped with recsys"


def test_the_local_ranker_has_learned_beside_the_ranker_of_drafts_that_ships() -> None:
    """It reads that one's scores: beside another it finds less, and its chances are wrong."""
    beside = name_of(TreeRanker.load(ranker_folder(data_folder(), metadata=True)))
    assert beside is not None
    again = "train it again: `make ranker` does"
    assert learned_beside(data_folder() / LOCAL_RANKER) == beside, again


def test_both_together_are_small() -> None:
    files = [
        path
        for metadata in (True, False)
        for path in ranker_folder(data_folder(), metadata=metadata).rglob("*")
    ]
    assert 0 < sum(path.stat().st_size for path in files) < LARGEST


@pytest.mark.parametrize("metadata", [True, False])
def test_an_index_without_own_ranker_is_served_by_it(
    built: "Built", tmp_path: Path, metadata: bool
) -> None:
    index = built.without_models(tmp_path)
    shipped = ranker_folder(data_folder(), metadata=metadata)
    assert serving_ranker(in_force(index), metadata=metadata) == shipped
    answer = open_index(index, metadata=metadata).recommend(Draft("On rivers"), 5)
    assert [item.rank for item in answer.recommendations] == [1, 2, 3, 4, 5]


@pytest.fixture
def data(built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two corpora of the same papers, in the place of the five."""
    for name in ("small", "twin"):
        (tmp_path / name).mkdir()
        shutil.copy(built.split, tmp_path / name / "split.json")
        shutil.copytree(built.index, tmp_path / f"{name}.index")
    shutil.copytree(built.index, tmp_path / "twin-titles.index")
    monkeypatch.setattr(program, "CORPORA", ("small", "twin"))
    monkeypatch.setattr(corpus_lessons, "TITLES_TOO", ("twin",))
    monkeypatch.setattr(corpus_lessons, "SNOWBALLED", ())
    monkeypatch.setattr(Bench, "built", built_already)
    return tmp_path


def test_both_rankers_learn_from_all_corpora(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = data / "out"
    out.mkdir()
    assert main(["--data", str(data), "--work", str(data), "--out", str(out)]) == 0
    assert capsys.readouterr().err.count("Trained ") == 2
    for metadata in (True, False):
        ranker = TreeRanker.load(ranker_folder(out, metadata=metadata))
        assert ranker.first is not None
        assert ranker.first.feature_names == feature_names(metadata=metadata, any_corpus=True)
        config = load_manifest(ranker_folder(out, metadata=metadata), KIND, SCHEMA).config
        assert config["corpora"] == ["small", "twin"]
        assert config["options"]["folds"] == FOLDS
        assert config["parameters"]["learning_rate"] == LEARNING_RATE


def test_an_index_answers_by_the_rankers_that_are_put_into_it(data: Path, built: "Built") -> None:
    (data / "asked").mkdir()
    index = built.without_models(data / "asked")
    before = serving_ranker(in_force(index), metadata=True)
    assert before == ranker_folder(data_folder(), metadata=True)
    arguments = ["--data", str(data), "--work", str(data), "--leave-out", "small"]
    assert main([*arguments, "--out", str(index)]) == 0
    for metadata in (True, False):
        own = ranker_folder(in_force(index), metadata=metadata)
        assert serving_ranker(in_force(index), metadata=metadata) == own
        assert load_manifest(own, KIND, SCHEMA).config["corpora"] == ["twin"]


@pytest.mark.parametrize("train", [main, train_local])
def test_a_place_where_no_ranker_can_lie_is_refused_before_any_work(
    train: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "notes.txt"
    out.write_text("mine")
    assert train(["--data", str(tmp_path), "--work", str(tmp_path), "--out", str(out)]) == 1
    assert capsys.readouterr().err.startswith(f"error: {out} is a file")
    assert out.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [out]


def test_corpora_with_abstracts_teach_again_by_their_titles(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught = list[list[tuple[str, int]]]()

    def watched(lessons: list[Lessons], *, seed: int) -> Any:  # noqa: ANN401
        taught.append([(each.corpus, len(each.queries[0])) for each in lessons])
        return teach_together(lessons, seed=seed)

    monkeypatch.setattr(program, "teach_together", watched)
    for left_out, expected in (("small", ["twin", "twin"]), ("twin", ["small"])):
        out = data / left_out / "out"
        out.mkdir()
        given_to = ["--data", str(data), "--work", str(data), "--out", str(out)]
        assert main([*given_to, "--leave-out", left_out]) == 0
        for lessons in taught[-2:]:
            assert [corpus for corpus, _ in lessons] == expected
            assert all(queries for _, queries in lessons)


@given(st.integers(0, 200), st.integers(1, 100), st.integers(0, 5))
def test_a_sample_is_distinct_ascending_and_no_larger_than_asked(
    n: int, most: int, seed: int
) -> None:
    rows = np.arange(0, 3 * n, 3, dtype=np.int32)
    drawn = sample(rows, most, np.random.default_rng(seed))
    assert len(drawn) == min(n, most)
    assert np.all(np.diff(drawn) > 0)
    assert set(drawn.tolist()) <= set(rows.tolist())


def test_the_shipped_ranker_tells_which_queries_it_has_seen(built: "Built", tmp_path: Path) -> None:
    form = Form("small", built.index, built.split)
    train_together([form], tmp_path, metadata=False, seed=0)
    folder = ranker_folder(tmp_path, metadata=False)
    own = SeenQueries.load(in_force(built.index) / "ranker-no-metadata")
    assert own is not None and (len(own.train), len(own.dev)) == (20, 8)
    seen = SeenQueries.load(folder)  # It learns from dev, too.
    assert seen is not None and (seen.train, seen.dev) == (own.train | own.dev, frozenset())
    manifest = load_manifest(folder, KIND, SCHEMA)
    assert {"train_queries.npy", "dev_queries.npy"} <= set(manifest.files)
