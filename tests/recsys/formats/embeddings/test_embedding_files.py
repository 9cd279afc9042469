"""Files of vectors: what is written is read again, in every format; nothing foreign breaks it."""

import io
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsys.errors import InputError
from recsys.formats.embeddings import Embeddings, read_embeddings, write_embeddings
from recsys.formats.embeddings.embedding_files import FORMATS
from recsys.formats.files import STDIN
from tests.rows import each_row

IDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=8)
NUMBERS = st.floats(width=32, allow_nan=False, allow_infinity=False)


def small(*, empty: tuple[str, ...] = ()) -> Embeddings:
    vectors = np.array([[0.1, -2.5e-30], [1 / 3, 3e38]], np.float32)
    return Embeddings(("b", "a"), vectors, empty)


@st.composite
def embeddings(draw: st.DrawFn) -> Embeddings:
    ids = draw(st.lists(IDS, min_size=1, max_size=6, unique=True))
    n = draw(st.integers(1, len(ids)))
    vectors = draw(arrays(np.float32, (n, draw(st.integers(1, 4))), elements=NUMBERS))
    return Embeddings(tuple(ids[:n]), vectors, tuple(ids[n:]))


def same(one: Embeddings, other: Embeddings) -> bool:
    equal = np.array_equal(one.vectors, other.vectors)
    return equal and (one.ids, one.empty) == (other.ids, other.empty)


@pytest.mark.parametrize("ending", FORMATS)
@given(found=embeddings())
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, ending: str, found: Embeddings
) -> None:
    path = tmp_path_factory.mktemp("round") / f"vectors{ending}"
    if ending == ".npy":
        found = Embeddings(found.ids, found.vectors)
    write_embeddings(path, found)
    assert same(read_embeddings(path), found)


@each_row("ending", FORMATS)
def test_many_vectors_are_read_and_written_by_parts(tmp_path: Path, ending: str) -> None:
    told: list[tuple[str, int, int]] = []
    ids = tuple(f"p{i}" for i in range(5000))
    vectors = np.random.default_rng(0).normal(size=(5000, 3)).astype(np.float32)
    path = tmp_path / f"vectors{ending}"
    write_embeddings(path, Embeddings(ids, vectors), progress=lambda *step: told.append(step))
    found = read_embeddings(path, progress=lambda *step: told.append(step))
    assert same(found, Embeddings(ids, vectors))
    assert [stage for stage, done, total in told if done == total] == [
        "writing vectors",
        "reading files" if ending.startswith(".jsonl") else "reading vectors",
    ]


def test_nothing_is_left_behind_but_the_file(tmp_path: Path) -> None:
    write_embeddings(tmp_path / "v.npy", small())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["v.ids.txt", "v.npy"]
    with pytest.raises(InputError, match="no vector"):
        write_embeddings(tmp_path / "w.npy", small(empty=("c",)))
    assert not list(tmp_path.glob("*w*"))


def test_standard_input_is_json_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b'{"paper_id": "a", "embedding": [1, 2]}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert read_embeddings(STDIN).vectors[:].tolist() == [[1, 2]]


def test_papers_are_looked_up() -> None:
    found = small(empty=("c",))
    assert (len(found), found.dim) == (2, 2)
    assert found.rows(["a", "x", "b", "c"]).tolist() == [1, -1, 0, -1]
    assert found.of(["x", "a"]).tolist() == [[0, 0], found.vectors[1].tolist()]
    assert found.of([]).shape == (0, 2)


def test_vectors_that_do_not_fit_are_not_written(tmp_path: Path) -> None:
    ones = np.ones((2, 2), np.float32)
    broken = np.array([[1, 1], [np.nan, 1]], np.float32)
    for ids, vectors, empty, message in (
        (("a",), ones, (), "1 ids for vectors of the shape"),
        ((), ones[:0], (), "0 ids"),
        (("a", "a"), ones, (), "row 2: the paper 'a' was there before, in row 1"),
        (("a", "b"), ones, ("b",), "row 3: the paper 'b' was there before, in row 2"),
        (("a", ""), ones, (), "row 2: the paper_id '' is no text"),
        (("a", "b"), broken, (), "row 2: number 1 of the embedding is nan"),
    ):
        with pytest.raises(InputError, match=message):
            write_embeddings(tmp_path / "v.jsonl", Embeddings(ids, vectors, empty))
    assert not list(tmp_path.iterdir())


def test_paths_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ends in one of \.jsonl, \.jsonl\.gz, \.parquet, \.npy"):
        read_embeddings(tmp_path / "vectors.csv")
    with pytest.raises(InputError, match="There is no folder"):
        write_embeddings(tmp_path / "no" / "v.jsonl", small())
    write_embeddings(tmp_path / "vectors.npy", small())
    with pytest.raises(InputError, match=r"There is no file .*Did you mean 'vectors.npy'"):
        read_embeddings(tmp_path / "vektors.npy")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(InputError, match="is a directory"):
        read_embeddings(tmp_path / "folder.jsonl")


@pytest.mark.parametrize("ending", FORMATS)
@given(noise=st.binary(max_size=60), at=st.integers(0, 400), cut=st.booleans())
def test_damaged_files_are_refused_or_read_but_never_break(
    tmp_path_factory: pytest.TempPathFactory, ending: str, noise: bytes, at: int, cut: bool
) -> None:
    path = tmp_path_factory.mktemp("damaged") / f"vectors{ending}"
    write_embeddings(path, small())
    whole = path.read_bytes()
    path.write_bytes(whole[:at] + noise + (b"" if cut else whole[at + len(noise) :]))
    try:
        found = read_embeddings(path)
    except InputError as error:
        assert error.hint
    else:
        assert len(found.ids) == len(found.vectors) and np.isfinite(found.vectors).all()
