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
from recsys.app.inspection import inspect_artifact
from recsys.app.wiring import open_index
from recsys.errors import ArtifactCorrupt
from recsys.indexes.bm25 import MEAN
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.index.update import UpdateOptions, update
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
    (folder / "more.jsonl").write_text(json.dumps(papers[0] | {"id": "later"}), encoding="utf-8")
    update(folder / "index", [folder / "more.jsonl"], UpdateOptions(compact=True))
    return in_force(folder / "index")


def arrays(source: Path, *endings: str) -> list[str]:
    found = (path.relative_to(source).as_posix() for path in sorted(source.rglob("*.npy")))
    # No answer reads up to which mean length levels are bounds, nor when papers came.
    unread = MEAN, "arrived.npy"
    return [
        name for name in found if name.endswith(endings or ".npy") and not name.endswith(unread)
    ]


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
                words = "The words of this index are damaged"  # Said by a search that was asked.
                assert str(index) in error.what or error.what.startswith(words)
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


def test_numbers_of_papers_and_words_are_within_range(source: Path, tmp_path: Path) -> None:
    numbers = (-2, 1000, np.iinfo(np.int32).max)
    changes = [partial(np.full_like, fill_value=number) for number in numbers]
    assert accepted(tmp_path, source, arrays(source, *ROWS), changes) == []


@pytest.fixture
def sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let opening look at the ends of arrays alone, as at some pieces of those of large indexes."""
    for name, number in (("_MOST", 1), ("_PIECES", 2), ("_PIECE", 1)):
        monkeypatch.setattr(f"recsys.store.collection.{name}", number)


def test_what_a_sample_meets_is_refused(sampled: None, source: Path, tmp_path: Path) -> None:
    changes = [partial(np.full_like, fill_value=number) for number in (-2, 1000)]
    assert accepted(tmp_path, source, arrays(source, *ROWS), changes) == []


def inside(array: Array) -> Array:
    """Change all but the first and the last number."""
    array[1:-1] = 1000
    return array


def test_what_no_sample_meets_is_never_read_beyond_an_array_and_found_when_verified(
    sampled: None, source: Path, tmp_path: Path
) -> None:
    names = [name for name in arrays(source, *ROWS) if len(np.load(source / name)) > 2]
    answered = accepted(tmp_path, source, names, [inside])  # Or told by what was to be read.
    assert 0 < len(answered) < len(names)
    for name in names:
        index = Path(shutil.copytree(source, tmp_path / name.replace("/", "-")))
        np.save(index / name, inside(np.load(source / name)))
        config = json.loads((index / MANIFEST).read_text())["config"]
        (index / MANIFEST).unlink()
        seal(index, INDEX_KIND, INDEX_SCHEMA, config)
        with pytest.raises(ArtifactCorrupt, match=Path(name).stem.replace(".", r"\.")):
            inspect_artifact(index, hashes=True)
