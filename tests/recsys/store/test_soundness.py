"""Arrays that do not fit each other are refused, though every checksum matches."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from recsys.app.wiring import open_index
from recsys.errors import ArtifactCorrupt
from recsys.records import Draft
from recsys.store.artifacts import MANIFEST, load_manifest, seal
from recsys.store.layout import INDEX_KIND

GOLDEN = Path(__file__).parents[2] / "golden" / "index-schema-1" / "index"
UNREAD = "corpus/cited_by.key.npy"
"""Only older versions read it."""
ARRAYS = sorted({p.relative_to(GOLDEN).as_posix() for p in GOLDEN.rglob("*.npy")} - {UNREAD})
STARTS = [name for name in ARRAYS if name.endswith(".starts.npy")]
NUMBERS = [name for name in ARRAYS if name.endswith((".values.npy", ".rows.npy", "venues.npy"))]
Array = NDArray[Any]


def answered(index: Path) -> None:
    open_index(index).recommend(Draft("On rivers", "We measure rivers."), 3)


def refused(folder: Path, name: str, change: Callable[[Array], Array]) -> bool:
    """Change an array of a copy, seal it again, and ask it something."""
    index = Path(shutil.copytree(GOLDEN, folder / "index"))
    np.save(index / name, change(np.load(index / name)))
    config = load_manifest(GOLDEN, INDEX_KIND, 1).config
    (index / MANIFEST).unlink()
    seal(index, INDEX_KIND, 1, config)
    try:
        answered(index)
    except ArtifactCorrupt as error:
        assert str(index) in error.what
        return True
    finally:
        shutil.rmtree(index)
    return False


def test_what_fits_answers() -> None:
    answered(GOLDEN)


@pytest.mark.parametrize("name", ARRAYS)
def test_another_type_or_shape_is_refused(name: str, tmp_path: Path) -> None:
    assert refused(tmp_path, name, lambda array: array.astype(np.complex64))
    assert refused(tmp_path, name, lambda array: array.reshape(1, 1, -1))
    assert refused(tmp_path, name, lambda array: array[:-1])
    assert refused(tmp_path, name, lambda array: np.array(1, array.dtype))


@pytest.mark.parametrize("name", STARTS)
def test_offsets_ascend_from_0_to_the_end(name: str, tmp_path: Path) -> None:
    def put(place: int, value: int) -> Callable[[Array], Array]:
        def change(array: Array) -> Array:
            array[place] = value
            return array

        return change

    assert refused(tmp_path, name, put(0, -1))
    assert refused(tmp_path, name, put(-1, 1 << 40))
    assert refused(tmp_path, name, put(1, 1 << 40))
    assert refused(tmp_path, name, put(1, -5))


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_papers_and_words_are_within_range(name: str, tmp_path: Path) -> None:
    for number in (-2, 1000, np.iinfo(np.int32).max):
        assert refused(tmp_path, name, partial(np.full_like, fill_value=number))


@pytest.mark.parametrize("name", STARTS)
def test_no_offsets_at_all_are_refused(name: str, tmp_path: Path) -> None:
    assert refused(tmp_path, name, lambda array: array[:0])
