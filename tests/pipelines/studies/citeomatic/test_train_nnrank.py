"""NNRank trained into an index: what is stored, what it reads, and resuming."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import ArtifactMismatch
from recsys.models.encoder import SeenQueries
from recsys.models.nnrank import KIND, SCHEMA, NNRank, NNRankCorpus
from recsys.models.nnselect import select
from recsys.pipelines.studies.citeomatic.network_training import LoopOptions
from recsys.pipelines.studies.citeomatic.nnrank import (
    NNRankOptions,
    NNRankReport,
    RankMaterial,
    RankTask,
    Shortlists,
    score_all,
    train_nnrank,
)
from recsys.pipelines.studies.citeomatic.nnselect import Dev, train_nnselect
from recsys.protocols import Progress, silent
from recsys.store.artifacts import NNSELECT, load_manifest, nnrank_folder, verify
from recsys.store.generations import in_force
from tests.pipelines.studies.citeomatic.conftest import SELECT, Wordy

OPTIONS = NNRankOptions(loop=LoopOptions(epochs=3, batch=64, rate=0.01, device="cpu"))


@pytest.fixture
def index(wordy: Wordy, tmp_path: Path) -> Path:
    return wordy.copy(tmp_path)


@pytest.fixture(scope="module")
def material(wordy: Wordy, tmp_path_factory: pytest.TempPathFactory) -> RankMaterial:
    return RankMaterial.read(wordy.copy(tmp_path_factory.mktemp("material")), wordy.split)


def trained(
    wordy: Wordy, index: Path, options: NNRankOptions = OPTIONS, progress: Progress = silent
) -> NNRankReport:
    return train_nnrank(index, wordy.split, options, progress=progress)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_stored_model_orders_dev_as_training_measured(wordy: Wordy, index: Path) -> None:
    report = trained(wordy, index)
    material = RankMaterial.read(index, wordy.split)
    stored = NNRankCorpus.load(report.folder, len(material.collection.corpus))
    dev = Dev.of(material.collection, material.queries[1])
    lists = Shortlists.of(material.collection, material.data, dev, report.neighbours)
    expected = score_all(stored.model, material.data.bags, lists.pairs)
    found = []
    for row, query in zip(dev.rows.tolist(), dev.queries, strict=True):
        vectors, graph = material.data.vectors, material.collection.graph
        rows, cosines = select(graph, vectors, query, vectors[row], report.neighbours)
        order = np.argsort(rows)
        found.append(stored.score(graph, row, rows[order], cosines[order]))
    np.testing.assert_allclose(np.concatenate(found), expected, atol=1e-6)
    assert report.history.measures[report.history.best] == pytest.approx(report.dev["F1@20"])
    # No paper has keyphrases: there is nothing to read.
    assert stored.model.shape.fields == ("title", "abstract", "authors", "venue")
    seen = SeenQueries.load(report.folder)
    assert seen == SeenQueries.load(in_force(index) / NNSELECT) != SeenQueries()


def test_the_manifest_and_the_report_say_how_it_was_trained(wordy: Wordy, index: Path) -> None:
    report = trained(wordy, index, replace(OPTIONS, metadata=False))
    assert report.folder == nnrank_folder(in_force(index), metadata=False)
    manifest = load_manifest(report.folder, KIND, SCHEMA)
    verify(report.folder, manifest)
    assert manifest.config["history"]["dev"] == report.history.measures
    assert manifest.config["options"]["neighbours"] == 10
    assert NNRank.load(report.folder).shape.fields == ("title", "abstract")
    lines = report.lines()
    assert lines[0].startswith(f"Trained on 20 queries, {report.history.triplets:,} triplets in ")
    assert lines[1] == (
        "Inputs: cos(title), cos(abstract), shared words (title), shared words (abstract), "
        "log citations, NNSelect cosine."
    )
    assert f"F1@20 {report.dev['F1@20']:.4f} after epoch {report.history.best}" in lines[2]
    assert lines[3] == f"Saved in {index}."


def test_a_killed_training_is_continued_to_the_very_same_files(wordy: Wordy, index: Path) -> None:
    folder = trained(wordy, index).folder
    expected = contents(folder)
    shutil.rmtree(folder)

    def kill(stage: str, done: int, total: int) -> None:
        if stage == "training" and done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(wordy, index, progress=kill)
    assert not folder.exists()
    report = trained(wordy, index)
    assert report.history.continued == 1
    assert report.lines()[3] == "Continued: 1 epochs were done already."
    assert contents(report.folder) == expected
    assert not list(index.rglob("*.safetensors"))


def test_another_nnselect_makes_it_useless(wordy: Wordy, index: Path) -> None:
    folder = trained(wordy, index).folder
    papers = len(RankMaterial.read(index, wordy.split).collection.corpus)
    assert NNRankCorpus.load(folder, papers).model.folder == folder
    train_nnselect(index, wordy.split, replace(SELECT, loop=replace(SELECT.loop, seed=5)))
    with pytest.raises(ArtifactMismatch, match="trained beside another NNSelect"):
        NNRankCorpus.load(in_force(index) / folder.name, papers)


def build(material: RankMaterial, options: NNRankOptions) -> RankTask:
    data, queries = material.lesson(options), material.queries
    return RankTask.build(material.collection, data, queries, options.model, seed=0)


def test_neighbours_are_mined_by_the_fold_that_has_not_seen_the_query(
    material: RankMaterial,
) -> None:
    task = build(material, OPTIONS)
    data, sampler = material.data, task.sampler
    assert task.neighbours is not None
    for place, row in enumerate(sampler.queries.tolist()):
        cosines = (
            data.folds.vectors[data.folds.folds[row]]
            @ data.folds.vectors[data.folds.folds[row], row]
        )
        years = material.collection.graph.years
        cited = set(material.collection.graph.cites[row].tolist()) | {row}
        older = [each for each in np.flatnonzero(years <= years[row]).tolist() if each not in cited]
        near = task.neighbours[place].tolist()
        assert set(near) <= set(older)
        if len(older) > len(near) > 0:
            rest = [cosines[each] for each in older if each not in near]
            assert min(cosines[near]) >= max(rest) - 1e-6
