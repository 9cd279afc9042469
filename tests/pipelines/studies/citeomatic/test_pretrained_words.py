"""Foreign word vectors: what is read, what is refused, and that a network starts from them."""

import gzip
from pathlib import Path

import numpy as np
import pytest
import torch

from recsys.errors import InputError
from recsys.pipelines.studies.citeomatic.nnselect import NNSelect, read_word_vectors
from recsys.store.arrays import SortedStrings

WORDS = SortedStrings.build(["ash", "birch", "elm"])
LINES = "2 3\nelm 3 0 4\noak 1 1 1\n\nash 0 0.5 0\nelm 9 9 9\n"


@pytest.mark.parametrize("packed", [False, True])
def test_known_words_are_read_the_first_of_each(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("vectors.txt.gz" if packed else "vectors.txt")
    path.write_bytes(gzip.compress(LINES.encode()) if packed else LINES.encode())
    codes, vectors = read_word_vectors(path, WORDS)
    assert (codes.tolist(), vectors.tolist()) == ([0, 2], [[0, 0.5, 0], [3, 0, 4]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ash 1 2\nelm 1 2 3\n", "line 2: not a vector of 2 finite numbers"),
        ("ash 1 nan\n", "line 1: not a vector"),
        ("ash 0 0\n", "line 1: not a vector"),
        ("ash 1 x\n", "line 1: could not convert"),
        ("oak 1 2\n", "no vector of any of 3 words"),
        ("", "no vector of any of 3 words"),
    ],
)
def test_what_is_no_vector_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_word_vectors(path, WORDS)


def test_a_missing_or_damaged_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file of word vectors"):
        read_word_vectors(tmp_path / "none.txt", WORDS)
    (tmp_path / "bad.gz").write_bytes(gzip.compress(LINES.encode())[:-9])
    with pytest.raises(InputError, match="cannot be read"):
        read_word_vectors(tmp_path / "bad.gz", WORDS)
    (tmp_path / "bad.txt").write_bytes(b"ash\xff 1 2")
    with pytest.raises(InputError, match="cannot be read"):
        read_word_vectors(tmp_path / "bad.txt", WORDS)


def test_a_network_starts_from_them() -> None:
    network = NNSelect(3, 2, torch.Generator().manual_seed(0))
    before = network.words.table()
    network.start_from(torch.tensor([0, 2]), torch.tensor([[3.0, 4.0], [0.0, 15.0]]))
    table = network.words.table().numpy()
    np.testing.assert_allclose(table[[0, 2]], [[0.3, 0.4], [0.0, 1.5]], atol=1e-7)
    np.testing.assert_array_equal(table[1], before.numpy()[1])
