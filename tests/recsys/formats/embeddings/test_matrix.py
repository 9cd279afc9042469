"""Vectors in a matrix with ids beside it: mapped, not loaded; and every way to be wrong."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from recsys.errors import InputError
from recsys.formats.embeddings import Embeddings, read_embeddings, write_embeddings
from tests.rows import each_row


def read(folder: Path, matrix: NDArray[np.generic], ids: str) -> Embeddings:
    np.save(folder / "v.npy", matrix)
    (folder / "v.ids.txt").write_text(ids, encoding="utf-8")
    return read_embeddings(folder / "v.npy")


@each_row("kind", ["<f4", ">f4", "f8", "f2", "i8", "u1"])
def test_any_matrix_of_numbers_is_read(tmp_path: Path, kind: str) -> None:
    found = read(tmp_path, np.array([[1, 2], [3, 4]], kind), "a\nb b\n")
    assert found.ids == ("a", "b b") and found.vectors.dtype == np.float32
    assert found.vectors[:].tolist() == [[1, 2], [3, 4]]


def test_a_matrix_of_float32_is_mapped(tmp_path: Path) -> None:
    found = read(tmp_path, np.ones((2, 2), np.float32), "a\nb")
    assert isinstance(found.vectors, np.ndarray)
    assert not found.vectors.flags.owndata and not found.vectors.flags.writeable


@each_row(
    ("matrix", "ids", "message"),
    [
        (np.ones((2, 2)), "a\n", r"1 ids for vectors of the shape \(2, 2\)"),
        (np.ones((2, 2)), "a\n\n", "row 2: the paper_id '' is no text"),
        (np.ones((2, 2)), "a\na\n", "row 2: the paper 'a' was there before, in row 1"),
        (np.ones(2), "a\nb\n", r"float64 with the shape \(2,\)"),
        (np.array([["x"], ["y"]]), "a\nb\n", "holds an array of <U1"),
        (np.array([[True], [False]]), "a\nb\n", "holds an array of bool"),
        (np.array([[1.0], [np.inf]]), "a\nb\n", "row 2: number 1 of the embedding is inf"),
        (np.array([[1e39], [1]]), "a\nb\n", "row 1: number 1 of the embedding is inf"),
        (np.array([[None]]), "a\n", "cannot be read as an .npy file"),
        (np.ones((0, 2)), "", r"1 ids for vectors of the shape \(0, 2\)"),
    ],
)
def test_wrong_files_are_named(
    tmp_path: Path, matrix: NDArray[np.generic], ids: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, matrix, ids)


def test_a_matrix_needs_ids(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.ones((1, 1)))
    with pytest.raises(InputError, match=r"There is no file .*v\.ids\.txt"):
        read_embeddings(tmp_path / "v.npy")
    (tmp_path / "v.ids.txt").write_bytes(b"\xff\n")
    with pytest.raises(InputError, match=r"cannot be read.*UTF-8"):
        read_embeddings(tmp_path / "v.npy")


@each_row("paper_id", ["two\nlines", "one\r", "a\u2028b"])
def test_ids_of_several_lines_are_refused(tmp_path: Path, paper_id: str) -> None:
    vectors = np.ones((1, 1), np.float32)
    with pytest.raises(InputError, match="not a single line"):
        write_embeddings(tmp_path / "v.npy", Embeddings((paper_id,), vectors))
    write_embeddings(tmp_path / "v.jsonl", Embeddings((paper_id,), vectors))
    assert read_embeddings(tmp_path / "v.jsonl").ids == (paper_id,)
