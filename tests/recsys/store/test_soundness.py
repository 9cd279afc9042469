"""Arrays that do not fit each other are refused, though every checksum matches."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from recsys.app.wiring import open_index
from recsys.errors import ArtifactCorrupt
from recsys.indexes.bm25 import Bm25Index
from recsys.records import Draft
from recsys.store.artifacts import MANIFEST, load_manifest, seal
from recsys.store.layout import INDEX_KIND, INDEX_SCHEMA
from tests.rows import each_row

GOLDEN = Path(__file__).parents[2] / "golden" / "index-schema-1" / "index"
POSTINGS = ("text/postings.starts.npy", "text/postings.rows.npy", "text/postings.levels.npy")
"""Made anew of an older version's words; what that stored is not read."""
UNREAD = "corpus/cited_by.key.npy"
"""Only older versions read it."""
ARRAYS = sorted(
    name
    for path in GOLDEN.rglob("*.npy")
    if not (name := path.relative_to(GOLDEN).as_posix()).startswith(("text/postings.", UNREAD))
)
WORDS = [
    *(name for name in ARRAYS if name.startswith("text/") and name != "text/impacts.npy"),
    *("text/frequencies.npy", "text/norms.npy", *POSTINGS),
]
"""As this version stores them."""
EVERY = [*(("old", name) for name in ARRAYS), *(("new", name) for name in WORDS)]
STARTS = [(version, name) for version, name in EVERY if name.endswith(".starts.npy")]
ROWS = (".values.npy", ".rows.npy", "venues.npy")
NUMBERS = [(version, name) for version, name in EVERY if name.endswith(ROWS)]
Array = NDArray[Any]


def answered(index: Path) -> None:
    open_index(index).recommend(Draft("On rivers", "We measure rivers."), 3)


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same index with its words as this version stores them."""
    index = Path(shutil.copytree(GOLDEN, tmp_path_factory.mktemp("today") / "index"))
    words = open_index(index).collection
    shutil.rmtree(index / "text")
    (index / "text").mkdir()
    words.terms.save(index / "text")
    assert isinstance(words.text_index, Bm25Index)
    words.text_index.save(index / "text")
    return sealed(index)


def sealed(index: Path) -> Path:
    config = load_manifest(GOLDEN, INDEX_KIND, 1).config
    (index / MANIFEST).unlink()
    seal(index, INDEX_KIND, INDEX_SCHEMA, config)
    return index


Change: TypeAlias = Callable[[Array], Array]
Refused: TypeAlias = Callable[[str, str, Change], bool]


@pytest.fixture(scope="module")
def refused(today: Path, tmp_path_factory: pytest.TempPathFactory) -> Refused:
    """Change an array of a copy, seal it again, and ask it something; the array comes back."""
    folder = tmp_path_factory.mktemp("changed")
    sources = {"old": GOLDEN, "new": today}
    copies = {name: Path(shutil.copytree(at, folder / name)) for name, at in sources.items()}

    def ask(version: str, name: str, change: Change) -> bool:
        index = copies[version]
        path = index / name
        whole = path.read_bytes()
        changed = change(np.load(path))
        path.unlink()  # What was opened before goes on reading the former file.
        np.save(path, changed)
        try:
            answered(sealed(index))
        except ArtifactCorrupt as error:
            assert str(index) in error.what
            return True
        finally:
            path.unlink()
            path.write_bytes(whole)
        return False

    return ask


def test_what_fits_answers(today: Path) -> None:
    answered(GOLDEN)
    answered(today)


@each_row(("version", "name"), EVERY)
def test_another_type_or_shape_is_refused(refused: Refused, version: str, name: str) -> None:
    assert refused(version, name, lambda array: array.astype(np.complex64))
    assert refused(version, name, lambda array: array.reshape(1, 1, -1))
    assert refused(version, name, lambda array: array[:-1])
    assert refused(version, name, lambda array: np.array(1, array.dtype))


@each_row(("version", "name"), STARTS)
def test_offsets_ascend_from_0_to_the_end(refused: Refused, version: str, name: str) -> None:
    def put(place: int, value: int) -> Change:
        def change(array: Array) -> Array:
            array[place] = value
            return array

        return change

    assert refused(version, name, put(0, -1))
    assert refused(version, name, put(-1, 1 << 40))
    assert refused(version, name, put(1, 1 << 40))
    assert refused(version, name, put(1, -5))


@each_row(("version", "name"), NUMBERS)
def test_numbers_of_papers_and_words_are_within_range(
    refused: Refused, version: str, name: str
) -> None:
    for number in (-2, 1000, np.iinfo(np.int32).max):
        assert refused(version, name, partial(np.full_like, fill_value=number))


@each_row(("version", "name"), STARTS)
def test_no_offsets_at_all_are_refused(refused: Refused, version: str, name: str) -> None:
    assert refused(version, name, lambda array: array[:0])
