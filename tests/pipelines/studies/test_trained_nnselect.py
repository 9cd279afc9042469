"""NNSelect's vectors: of its own index, of another, and not of queries that it has seen."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import ArtifactMissing, InputError, LeakageError
from recsys.models.encoder import SeenQueries
from recsys.models.nnselect import KIND, SCHEMA, NNSelectModel
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.studies.baselines import Material, fit_baseline, material_of
from recsys.store.artifacts import NNSELECT, seal
from recsys.store.generations import in_force
from tests.pipelines.small_index import (
    open_small_collection,
    write_small_index,
    write_small_split,
)


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return write_small_index(tmp_path / "index")


def test_papers_get_the_vectors_that_the_index_has(index: Path) -> None:
    material = material_of(open_small_collection(index), None)
    model = NNSelectModel.load(in_force(index) / NNSELECT, len(material.texts))
    found = fit_baseline("nnselect", material)
    assert np.array_equal(found.vectors, model.vectors)
    assert found.encoder.fingerprint == "invented"
    assert found.size == model.table.nbytes + 2 * 4


def test_papers_without_links_are_encoded_by_another_index(index: Path) -> None:
    texts = [("Rivers in survey", None), ("Unicorns", None)]
    found = fit_baseline("nnselect", Material(texts, np.ones(2, bool), index=index)).vectors
    assert np.linalg.norm(found, axis=1).tolist() == pytest.approx([1, 0])


def test_queries_that_it_has_seen_are_refused(index: Path, tmp_path: Path) -> None:
    collection = open_small_collection(index)
    split = read_split(write_small_split(tmp_path / "split.json"), collection)
    material = material_of(collection, split)
    rows = {name: collection.corpus.rows(split.part(name)) for name in ("train", "dev", "test")}

    def has_seen(train: str, dev: str) -> None:
        SeenQueries.of(collection, train=rows[train], dev=rows[dev]).save(
            in_force(index) / NNSELECT
        )
        seal(in_force(index) / NNSELECT, KIND, SCHEMA, {"fingerprint": "invented"})

    has_seen("train", "dev")
    fit_baseline("nnselect", material)
    for train, dev, message in (
        ("test", "dev", "has seen 12 of the test queries"),
        ("train", "test", "has seen 12 of the test queries"),
        ("dev", "train", "has seen 8 of the dev queries"),
    ):
        has_seen(train, dev)
        with pytest.raises(LeakageError, match=message):
            fit_baseline("nnselect", material)


def test_there_must_be_a_model(index: Path, tmp_path: Path) -> None:
    material = material_of(open_small_collection(index), None)
    with pytest.raises(InputError, match="Give --nnselect INDEX"):
        fit_baseline("nnselect", replace(material, index=None))
    with pytest.raises(ArtifactMissing, match="not a finished index"):
        fit_baseline("nnselect", replace(material, index=tmp_path))
    shutil.rmtree(in_force(index) / NNSELECT)
    with pytest.raises(ArtifactMissing, match="has no NNSelect model"):
        fit_baseline("nnselect", material)
