"""Arrays that do not fit each other are refused, though every checksum matches."""

import json
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from recsys.app.cache import cache_folder
from recsys.app.wiring import open_index
from recsys.errors import ArtifactCorrupt
from recsys.pipelines.index.build import BuildOptions, build
from recsys.records import Draft
from recsys.store.artifacts import INDEX_KIND, INDEX_SCHEMA, MANIFEST, seal
from recsys.store.generations import in_force
from tests.pipelines.small_index import invented_papers

ROWS = (".values.npy", ".rows.npy", "venues.npy")
"""What holds numbers of papers, words or authors."""
Array = NDArray[Any]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generation by itself, none of whose arrays is empty."""
    folder = tmp_path_factory.mktemp("sound")
    papers = [paper | {"venue": f"Acta {at % 3}"} for at, paper in enumerate(invented_papers())]
    papers.append({"id": "front", "title": "Preface", "doi": "10.1/Front"})
    (folder / "papers.jsonl").write_text("\n".join(map(json.dumps, papers)), encoding="utf-8")
    options = BuildOptions(vectors="annoy")
    build([folder / "papers.jsonl"], folder / "index", options, cache=cache_folder())
    return in_force(folder / "index")


def arrays(source: Path, *endings: str) -> list[str]:
    found = (path.relative_to(source).as_posix() for path in sorted(source.rglob("*.npy")))
    return [name for name in found if name.endswith(endings or ".npy")]


def accepted(
    folder: Path, source: Path, names: Iterable[str], changes: Iterable[Callable[[Array], Array]]
) -> list[tuple[str, int]]:
    """Change one array after the other, seal the index again and ask it; list what was answered."""
    index = Path(shutil.copytree(source, folder / "index"))
    config, found = json.loads((index / MANIFEST).read_text())["config"], []
    changes = [*changes]
    for name in names:
        for number, change in enumerate(changes):
            np.save(index / name, change(np.load(source / name)))
            (index / MANIFEST).unlink()
            seal(index, INDEX_KIND, INDEX_SCHEMA, config)
            try:
                open_index(index).recommend(Draft("On rivers", "We measure rivers."), 3)
            except ArtifactCorrupt as error:
                assert str(index) in error.what or "damaged" in error.what
            else:
                found.append((name, number))
        shutil.copyfile(source / name, index / name)
    return found


def test_another_type_or_shape_is_refused(source: Path, tmp_path: Path) -> None:
    changes: list[Callable[[Array], Array]] = [
        lambda array: array.astype(np.complex64),
        lambda array: array.reshape(1, 1, -1),
        lambda array: array[:-1],
        lambda array: np.array(1, array.dtype),
    ]
    shorter = ("corpus/front_matter.npy", 2)  # Any number of papers may be front matter.
    assert accepted(tmp_path, source, arrays(source), changes) == [shorter]


def test_offsets_ascend_from_0_to_the_end(source: Path, tmp_path: Path) -> None:
    def put(place: int, value: int) -> Callable[[Array], Array]:
        def change(array: Array) -> Array:
            array[place] = value
            return array

        return change

    changes = [put(0, -1), put(-1, 1 << 40), put(1, 1 << 40), put(1, -5), lambda array: array[:0]]
    assert accepted(tmp_path, source, arrays(source, ".starts.npy"), changes) == []


@pytest.mark.parametrize("pieces", [64, 2])
def test_numbers_of_papers_and_words_are_within_range(
    pieces: int, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recsys.store.collection._PIECES", pieces)
    monkeypatch.setattr("recsys.store.collection._PIECE", 3)
    numbers = (-2, 1000, np.iinfo(np.int32).max)
    changes = [partial(np.full_like, fill_value=number) for number in numbers]
    assert accepted(tmp_path, source, arrays(source, *ROWS), changes) == []


def test_a_number_that_opening_did_not_look_at_ends_an_answer_in_an_error(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recsys.store.collection._PIECES", 2)
    monkeypatch.setattr("recsys.store.collection._PIECE", 1)

    def change(array: Array) -> Array:
        array[1:-1] = 1000  # The first and the last number are looked at.
        return array

    accepted(tmp_path, source, arrays(source, *ROWS), [change])
