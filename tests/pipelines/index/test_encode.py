"""Bulk encoding: every row, in order, resumed where it stopped."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from pipelines.index.columns import write_columns
from pipelines.index.encode import NOTES, VECTORS, encode_corpus, read_texts
from pipelines.index.paper_rows import SCHEMA
from recsys.store.arrays import Floats
from recsys.store.corpus import Corpus
from tests.hashing_encoder import HashingEncoder

PAPERS = 23


def write_corpus(folder: Path, papers: int = PAPERS, word: str = "paper") -> Corpus:
    folder.mkdir()
    rows = [
        {
            "id": f"p{number:03}",
            "title": f"{word} number {number}",
            "abstract": None if number % 3 else f"an abstract about topic {number // 5}",
        }
        for number in range(papers)
    ]
    write_columns(folder, pa.Table.from_pylist(rows, schema=SCHEMA))
    return Corpus.load(folder)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return write_corpus(tmp_path / "corpus")


class DyingEncoder(HashingEncoder):
    """Is killed after a number of texts."""

    def __init__(self, lifetime: int) -> None:
        super().__init__()
        self.lifetime = lifetime

    def encode(self, texts: Sequence[tuple[str, str | None]]) -> Floats:
        if self.encoded + len(texts) > self.lifetime:
            raise KeyboardInterrupt
        return super().encode(texts)


def expected(corpus: Corpus) -> Floats:
    return HashingEncoder().encode([text for shard in read_texts(corpus, 7) for text in shard])


@pytest.mark.parametrize("shard", [1, 5, PAPERS, 1000])
def test_every_paper_has_its_vector_in_its_row(corpus: Corpus, tmp_path: Path, shard: int) -> None:
    vectors = encode_corpus(HashingEncoder(), corpus, tmp_path / "out", shard=shard)
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, expected(corpus))


def test_a_killed_run_continues_where_it_stopped(corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        encode_corpus(DyingEncoder(12), corpus, out, shard=5)
    assert not (out / VECTORS).exists()
    second = HashingEncoder()
    vectors = encode_corpus(second, corpus, out, shard=5)
    assert second.encoded == PAPERS - 10
    np.testing.assert_array_equal(vectors, expected(corpus))


def test_a_finished_run_is_not_repeated(corpus: Corpus, tmp_path: Path) -> None:
    encode_corpus(HashingEncoder(), corpus, tmp_path / "out", shard=5)
    again = HashingEncoder()
    vectors = encode_corpus(again, corpus, tmp_path / "out", shard=5)
    assert again.encoded == 0
    np.testing.assert_array_equal(vectors, expected(corpus))


def test_another_encoder_starts_over(corpus: Corpus, tmp_path: Path) -> None:
    encode_corpus(HashingEncoder(), corpus, tmp_path / "out", shard=5)
    other = HashingEncoder(dim=8)
    vectors = encode_corpus(other, corpus, tmp_path / "out", shard=5)
    assert other.encoded == PAPERS
    assert vectors.shape == (PAPERS, 8)


def test_other_papers_start_over(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        encode_corpus(DyingEncoder(12), corpus, tmp_path / "out", shard=5)
    other = write_corpus(tmp_path / "other", word="article")
    encoder = HashingEncoder()
    vectors = encode_corpus(encoder, other, tmp_path / "out", shard=5)
    assert encoder.encoded == PAPERS
    np.testing.assert_array_equal(vectors, expected(other))


@pytest.mark.parametrize("notes", ["", "[]", '{"job": 1}', '{"finished": [0]}'])
def test_unreadable_notes_start_over(corpus: Corpus, tmp_path: Path, notes: str) -> None:
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        encode_corpus(DyingEncoder(12), corpus, out, shard=5)
    (out / NOTES).write_text(notes)
    encoder = HashingEncoder()
    np.testing.assert_array_equal(encode_corpus(encoder, corpus, out, shard=5), expected(corpus))
    assert encoder.encoded == PAPERS


def test_progress_counts_papers_up_to_the_last(corpus: Corpus, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    encode_corpus(
        HashingEncoder(),
        corpus,
        tmp_path / "out",
        shard=10,
        progress=lambda stage, done, total: seen.append((done, total)),
    )
    assert seen == [(0, PAPERS), (10, PAPERS), (20, PAPERS), (PAPERS, PAPERS)]


def test_shards_cross_row_groups(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "large", papers=4100)  # A row group holds 4096.
    sizes = [len(shard) for shard in read_texts(corpus, 1000)]
    assert sum(sizes) == 4100
    titles = [text[0] for shard in read_texts(corpus, 1000) for text in shard]
    assert titles[0] == "paper number 0" and titles[4096] == corpus.papers([4096])[0].title
