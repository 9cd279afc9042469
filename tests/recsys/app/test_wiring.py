"""Opening an index: which classes serve it, and from where."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.app.cache import cache_folder
from recsys.app.wiring import data_folder, open_index, serving_ranker, starter_index
from recsys.errors import ArtifactMismatch
from recsys.indexes.bm25 import Bm25Index
from recsys.indexes.exact import ExactIndex
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.jobs.index_writer import members_of, writing
from recsys.ranking.ranker import TreeRanker
from recsys.records import Draft
from recsys.store.artifacts import ranker_folder
from recsys.store.generations import in_force, pin

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli

DRAFT = Draft("On rivers and glaciers", "Measured again, with an instrument.")


def test_an_index_is_served_by_a_scan_bm25_and_onnx(built: "Built") -> None:
    recommender = open_index(built.index)
    assert isinstance(recommender.collection.vector_index, ExactIndex)
    assert isinstance(recommender.collection.text_index, Bm25Index)
    assert isinstance(recommender.encoder, OnnxEncoder) and recommender.encoder.threads == 1
    assert isinstance(recommender.ranker, TreeRanker)
    assert recommender.metadata
    assert not open_index(built.index, metadata=False).metadata
    assert len(recommender.collection.vectors) == len(recommender.collection.corpus) == 50


@pytest.mark.parametrize("metadata", [True, False])
def test_its_own_ranker_goes_before_the_shipped_one(
    built: "Built", tmp_path: Path, metadata: bool
) -> None:
    folder = in_force(built.index)
    assert serving_ranker(folder, metadata=metadata) == ranker_folder(folder, metadata=metadata)
    without = in_force(built.without_models(tmp_path))
    shipped = ranker_folder(data_folder(), metadata=metadata)
    assert serving_ranker(without, metadata=metadata) == shipped


def test_an_index_can_be_moved(built: "Built", tmp_path: Path) -> None:
    moved = built.copy(tmp_path).rename(tmp_path / "Zürich 2.index")
    before = open_index(built.index).recommend(DRAFT, 5)
    after = open_index(moved).recommend(DRAFT, 5)
    assert after.corpus == "Zürich 2, 50 papers"
    assert replace(after, corpus=before.corpus) == before


def test_vectors_of_another_encoder_are_refused(built: "Built", tmp_path: Path) -> None:
    index = built.copy(tmp_path)
    with writing(index) as writer:
        folder = in_force(index)
        config = {**pin(folder).manifest().config, "encoder": "another"}
        writer.commit(members_of(folder), config)
    with pytest.raises(ArtifactMismatch, match="made by another encoder"):
        open_index(index)


def test_without_annoy_its_index_is_scanned_and_says_so(
    built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_cli: "RunCli"
) -> None:
    index = tmp_path / "annoy.index"
    assert run_cli("build", built.papers, "--out", index, "--vectors", "annoy").code == 0
    asked = ("recommend", "--title", DRAFT.title, "--index", index, "--format", "json")
    before = run_cli(*asked)
    assert "scanned instead" not in before.err
    monkeypatch.setitem(sys.modules, "annoy", None)
    monkeypatch.delitem(sys.modules, "recsys.indexes.annoy_index")
    after = run_cli(*asked)
    assert after.out == before.out
    assert "needs annoy, which is not installed. All vectors are scanned instead." in after.err
    assert "pip install 'citerec[annoy]'" in after.err


def test_the_starter_corpus_is_built_once_into_the_cache() -> None:
    index, stages = starter_index(), list[str]()
    assert index.parent.parent == cache_folder()
    assert starter_index(lambda stage, done, total: stages.append(stage)) == index
    assert stages == []
    answer = open_index(None).recommend(Draft("Citation recommendation"), 3)
    assert len(answer.recommendations) == 3
    assert answer.stages["papers in the corpus"] >= 300
