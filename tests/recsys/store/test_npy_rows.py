from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.store.arrays import GrowingArray, write_rows

NUMBERS = st.lists(st.integers(0, 255), max_size=40)


@given(st.lists(NUMBERS, max_size=5), st.sampled_from([np.uint8, np.int32, np.int64, np.float32]))
def test_an_array_that_grew_is_the_file_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[list[int]], dtype: type[np.generic]
) -> None:
    folder = tmp_path_factory.mktemp("grown")
    with GrowingArray(folder / "grown.npy", dtype) as file:
        for piece in pieces:
            file.append(np.array(piece, np.int64))
    np.save(folder / "whole.npy", np.array([each for some in pieces for each in some], dtype))
    assert file.length == sum(map(len, pieces))
    assert (folder / "grown.npy").read_bytes() == (folder / "whole.npy").read_bytes()


def test_rows_in_pieces_are_the_file_of_the_whole(tmp_path: Path) -> None:
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    write_rows(tmp_path / "pieces.npy", rows.shape, [rows[:1], rows[1:]])
    np.save(tmp_path / "whole.npy", rows)
    assert (tmp_path / "pieces.npy").read_bytes() == (tmp_path / "whole.npy").read_bytes()
