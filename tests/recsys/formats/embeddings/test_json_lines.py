"""Vectors in JSON lines: SPECTER's output, and every way in which a line can be wrong."""

import json
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.formats.embeddings import Embeddings, read_embeddings, write_embeddings
from tests.rows import each_row

GOOD = '{"paper_id": "a", "title": "T", "embedding": [0.25, 1]}'


def read(folder: Path, *lines: str) -> Embeddings:
    path = folder / "vectors.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return read_embeddings(path)


def test_lines_of_specter_are_read(tmp_path: Path) -> None:
    found = read(
        tmp_path, GOOD, "", '{"paper_id": "b", "embedding": []}',
        '{"paper_id": "é", "embedding": [1e-3, -2]}',
    )  # fmt: skip
    assert (found.ids, found.empty) == (("a", "é"), ("b",))
    assert found.vectors.dtype == np.float32
    assert found.vectors[:].tolist() == [[0.25, 1], [np.float32(0.001), -2]]


def test_what_is_written_is_plain_json(tmp_path: Path) -> None:
    path = tmp_path / "vectors.jsonl"
    vectors = np.array([[0.1, -1e-5], [3, 0]], np.float32)
    write_embeddings(path, Embeddings(('q"é', "b"), vectors, ("c",)))
    records = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    assert [record["paper_id"] for record in records] == ['q"é', "b", "c"]
    assert [record["embedding"] for record in records] == [
        [0.100000001, -9.99999975e-06],
        [3, 0],
        [],
    ]


@each_row(
    ("line", "message"),
    [
        ('{"paper_id": "b", "embedding": [1]}', "line 2: the embedding has 1 numbers, .* file 2"),
        ('{"paper_id": "b", "embedding": [1, NaN]}', "line 2: number 2 of the embedding is nan"),
        ('{"paper_id": "b", "embedding": [-1e39, 0]}', "line 2: number 1 of the embedding is -inf"),
        (f'{{"paper_id": "b", "embedding": [{"9" * 400}, 0]}}', "line 2: "),
        ('{"paper_id": "a", "embedding": [1, 2]}', "line 2: the paper 'a' .* in line 1"),
        ('{"paper_id": "a", "embedding": []}', "line 2: the paper 'a' .* in line 1"),
        ('{"paper_id": 7, "embedding": [1, 2]}', "line 2: the paper_id 7 is no text"),
        ('{"paper_id": "", "embedding": [1, 2]}', "line 2: the paper_id '' is no text"),
        ('{"paper_id": "\\ud800", "embedding": [1, 2]}', "line 2: .* half a character"),
        ('{"paper_id": "b", "embedding": ["1", 2]}', "line 2: .* has '1'"),
        ('{"paper_id": "b", "embedding": [true, 2]}', "line 2: .* has 'True'"),
        ('{"paper_id": "b", "embedding": [[1, 2]]}', r"line 2: .* has '\[1, 2\]'"),
        ('{"paper_id": "b", "embedding": null}', "line 2: .* has 'None'"),
        ('{"paper_id": "b", "embeding": [1, 2]}', "no 'embedding'; .* Did you mean 'embeding'"),
        ('{"embedding": [1, 2]}', "line 2: there is no 'paper_id'; the keys are embedding"),
        ("{}", "line 2: there is no 'paper_id'; the keys are none"),
        ("[1, 2]", r"line 2: '\[1, 2\]' is not a JSON object"),
        ('{"paper_id": "b", "embedding": [1, 2', "line 2: .* is not JSON"),
        ("[" * 100_000, "line 2: .* is not JSON"),
    ],
)
def test_wrong_lines_are_named(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, GOOD, line)


def test_a_line_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "vectors.jsonl"
    path.write_bytes(GOOD.encode() + b'\n{"paper_id": "\xff", "embedding": [1, 2]}')
    with pytest.raises(InputError, match="line 2: the line is not UTF-8"):
        read_embeddings(path)


def test_a_file_without_vectors_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no vector\. A line reads"):
        read(tmp_path, "")
    with pytest.raises(InputError, match=r"holds no vector\. Papers listed without one: 1\."):
        read(tmp_path, '{"paper_id": "b", "embedding": []}')
