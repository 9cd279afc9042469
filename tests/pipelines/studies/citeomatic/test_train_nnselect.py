"""NNSelect trained into an index: what is stored, what it was made from, and resuming."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.errors import SplitError
from recsys.indexes.opening import open_collection
from recsys.models.encoder import SeenQueries
from recsys.models.nnselect import KIND, SCHEMA, NNSelectModel
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.studies.citeomatic.network_training import LoopOptions
from recsys.pipelines.studies.citeomatic.nnselect import (
    NNSelectOptions,
    NNSelectReport,
    SelectOptions,
    known_by,
    read_bags,
    train_nnselect,
)
from recsys.protocols import Progress, silent
from recsys.store.artifacts import NNSELECT, load_manifest, verify
from recsys.store.generations import in_force
from tests.pipelines.small_index import open_small_collection, write_small_index
from tests.pipelines.studies.citeomatic.many_words import papers_of_many_words

if TYPE_CHECKING:
    from tests.built_index import Built

OPTIONS = NNSelectOptions(SelectOptions(dim=6), LoopOptions(epochs=3, batch=32))


@pytest.fixture
def index(built: "Built", tmp_path: Path) -> Path:
    return built.copy(tmp_path)


def trained(built: "Built", index: Path, progress: Progress = silent) -> NNSelectReport:
    return train_nnselect(index, built.split, OPTIONS, progress=progress)


def test_the_model_answers_as_it_was_trained_and_says_how(built: "Built", index: Path) -> None:
    report = trained(built, index)
    collection = open_collection(index)
    model = NNSelectModel.load(in_force(index) / NNSELECT, len(collection.corpus))
    texts = [(each["title"], each["abstract"]) for each in collection.corpus.texts().to_pylist()]
    np.testing.assert_allclose(model.encode(texts), model.vectors, atol=1e-6)
    assert model.vectors.shape == (len(texts), model.dim) == (len(texts), 6)
    assert report.words == len(model.words) > 0
    manifest = load_manifest(in_force(index) / NNSELECT, KIND, SCHEMA)
    verify(in_force(index) / NNSELECT, manifest)
    config = manifest.config
    assert config["options"]["dim"] == 6
    assert config["options"]["sampling"]["kinds"] == ["random", "neighbour", "cited_by_cited"]
    assert config["history"]["R@20"] == report.history.measures
    assert config["dev"] == report.dev
    lines = report.lines()
    assert lines[0].startswith(f"Trained on 20 queries, {report.history.triplets:,} triplets in ")
    assert f"R@20 {report.dev['R@20']:.4f} after epoch {report.history.best}" in lines[1]
    assert lines[2] == f"Saved in {index}."
    split = read_split(built.split, collection)
    train, dev = (collection.corpus.rows(ids) for ids in (split.train, split.dev))
    assert SeenQueries.load(in_force(index) / NNSELECT) == SeenQueries.of(
        collection, train=train, dev=dev
    )


@pytest.mark.parametrize("part", ["train", "dev"])
def test_a_split_without_queries_is_refused(
    built: "Built", index: Path, tmp_path: Path, part: str
) -> None:
    ids = {"train": ["rivers-03"], "dev": ["rivers-08"]} | {part: []}
    lacking = tmp_path / "lacking.json"
    lacking.write_text(str(ids).replace("'", '"'))
    with pytest.raises(SplitError, match=f"no {part} queries"):
        train_nnselect(index, lacking, OPTIONS)
    assert not (in_force(index) / NNSELECT).exists()


def test_the_vocabulary_is_of_the_papers_up_to_the_newest_train_query(tmp_path: Path) -> None:
    papers = papers_of_many_words()
    papers.append({"id": "x", "title": "unheard", "year": 2007})
    papers.append({"id": "y", "title": "undated"})
    papers.append({"id": "z", "title": "heard", "year": 2006})
    collection = open_small_collection(write_small_index(tmp_path / "index", papers))
    known = known_by(collection, collection.corpus.rows(["rivers-03", "deserts-06"]))
    vocabulary, bags = read_bags(collection, known)
    assert [vocabulary.words.find(word) for word in ("unheard", "undated")] == [None, None]
    code = vocabulary.words.find("heard")
    assert bags.title[collection.corpus.row("z") or 0].tolist() == [code]
    assert bags.title[collection.corpus.row("x") or 0].tolist() == []
    assert bags.sizes["title"] == bags.sizes["abstract"] == len(vocabulary.words)
    assert len(bags) == len(papers) and bags.of("title") is bags.title
