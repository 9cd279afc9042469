"""An index that stores its vectors in two parts is built, updated and read as any other."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.app.cache import cache_folder
from recsys.app.inspection import inspect_artifact
from recsys.app.wiring import open_index
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.index.update import UpdateOptions, update
from recsys.records import Draft
from recsys.store.arrays import Floats
from recsys.store.artifacts import CORPUS, VECTOR_FILE, VECTORS, sha256
from recsys.store.corpus import Corpus
from recsys.store.generations import in_force, pin
from recsys.store.vectors import RESTS_FILE, load_vectors
from tests.built_index import DRAFT

if TYPE_CHECKING:
    from tests.built_index import Built

NEW = {"id": "new", "title": "Rivers and glaciers, once more", "year": 2012}


@pytest.fixture(scope="module", params=["int8", "ivf"])
def once(
    request: pytest.FixtureRequest, built: "Built", tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """An index whose vectors are in two parts, for all tests."""
    out = tmp_path_factory.mktemp("split") / "split.index"
    build([built.papers], out, BuildOptions(vectors=request.param), cache=cache_folder())
    return out


@pytest.fixture
def index(once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(once, tmp_path / "split.index"))


def read(index: Path) -> Floats:
    return load_vectors(in_force(index) / VECTORS)[:]


def by_id(index: Path) -> dict[str, bytes]:
    """Read the vector of each paper, to the last bit."""
    corpus, vectors = Corpus.load(in_force(index) / CORPUS), read(index)
    return {corpus.ids[row]: vectors[row].tobytes() for row in range(len(corpus))}


def answered(index: Path) -> list[str]:
    answer = open_index(index).recommend(Draft(DRAFT["title"], DRAFT["abstract"]), 20)
    return [each.paper.id for each in answer.recommendations]


def hashes(index: Path) -> dict[str, str]:
    return {path.name: sha256(path) for path in (in_force(index) / VECTORS).iterdir()}


def test_each_vector_is_stored_once(built: "Built", once: Path) -> None:
    names = hashes(once)
    assert RESTS_FILE in names and VECTOR_FILE not in names
    np.testing.assert_allclose(read(once), read(built.index), atol=1e-7)
    inspect_artifact(once, hashes=True)


def test_they_are_taken_over_to_the_last_bit(built: "Built", index: Path, tmp_path: Path) -> None:
    before, papers = by_id(index), tmp_path / "more.jsonl"
    papers.write_text(json.dumps(NEW) + "\n", encoding="utf-8")
    update(index, [papers], UpdateOptions())
    after = by_id(index)
    assert after.keys() == {*before, "new"}
    assert all(after[paper] == before[paper] for paper in before)
    update(index, [], UpdateOptions(compact=True))
    assert by_id(index) == after and VECTOR_FILE not in hashes(index)


@pytest.mark.parametrize("damaged", [False, True])
def test_a_build_by_force_takes_them_over_if_they_are_sound(
    built: "Built", index: Path, damaged: bool
) -> None:
    before, encoded = by_id(index), dict[str, int]()
    if damaged:
        path = in_force(index) / VECTORS / RESTS_FILE
        content = bytearray(path.read_bytes())
        content[-3] ^= 1
        path.write_bytes(content)

    def watch(stage: str, done: int, total: int) -> None:
        encoded[stage] = total

    named = pin(index).manifest().config["ann"]["backend"]
    options = BuildOptions(vectors=named, force=True)
    build([built.papers], index, options, cache=cache_folder(), progress=watch)
    assert encoded["encoding papers"] == (50 if damaged else 0)
    assert by_id(index) == before
