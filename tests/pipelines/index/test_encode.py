"""Bulk encoding: every row, in order, resumed where it stopped."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from recsys.pipelines.index.encode import KnownVectors, encode_corpus
from recsys.pipelines.index.paper_rows import read_texts
from recsys.store.arrays import Floats
from recsys.store.artifacts import VECTOR_FILE
from recsys.store.corpus import Corpus
from tests.hashing_encoder import HashingEncoder
from tests.stored import store_rows

PAPERS = 23


def write_corpus(folder: Path, papers: int = PAPERS, word: str = "paper") -> Corpus:
    rows = [
        {
            "id": f"p{number:03}",
            "title": f"{word} number {number}",
            "abstract": None if number % 3 else f"an abstract about topic {number // 5}",
        }
        for number in range(papers)
    ]
    return store_rows(folder, rows)


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


def kill(corpus: Corpus, out: Path, known: KnownVectors | None = None) -> None:
    """Encode two shards of five papers, and be killed in the third."""
    with pytest.raises(KeyboardInterrupt):
        encode_corpus(DyingEncoder(12), corpus, out, shard=5, known=known)
    assert not (out / VECTOR_FILE).exists()


def test_a_killed_run_continues_where_it_stopped_and_is_not_repeated(
    corpus: Corpus, tmp_path: Path
) -> None:
    kill(corpus, tmp_path / "out")
    for encoded in (PAPERS - 10, 0):
        encoder = HashingEncoder()
        vectors = encode_corpus(encoder, corpus, tmp_path / "out", shard=5)
        assert encoder.encoded == encoded
        np.testing.assert_array_equal(vectors, expected(corpus))


def test_another_encoder_or_other_papers_start_over(corpus: Corpus, tmp_path: Path) -> None:
    out, encoder, wide = tmp_path / "out", HashingEncoder(), HashingEncoder(dim=8)
    kill(corpus, out)
    other = write_corpus(tmp_path / "other", word="article")
    vectors = encode_corpus(encoder, other, out, shard=5)
    np.testing.assert_array_equal(vectors, expected(other))
    assert encode_corpus(wide, other, out, shard=5).shape == (PAPERS, 8)
    assert encoder.encoded == wide.encoded == PAPERS


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


def known_of(corpus: Corpus, rows: list[int]) -> KnownVectors:
    """Vectors of 9, each the number of its row, known of the papers in a list of rows."""
    vectors = np.repeat(np.arange(9, dtype=np.float32)[:, None], 16, axis=1)
    known = KnownVectors.none(len(corpus)).rows.copy()
    known[: len(rows)] = rows
    return KnownVectors(vectors, known)


@pytest.mark.parametrize("shard", [1, 4, 100])
def test_known_vectors_are_taken_over_and_the_others_encoded(
    corpus: Corpus, tmp_path: Path, shard: int
) -> None:
    known, encoder = known_of(corpus, [5, -1, 0, 8, -1, 8]), HashingEncoder()
    vectors = encode_corpus(encoder, corpus, tmp_path / "out", shard=shard, known=known)
    assert encoder.encoded == PAPERS - 4
    there = [0, 2, 3, 5]
    assert vectors[there, 0].tolist() == [5, 0, 8, 8]
    others = np.setdiff1d(np.arange(PAPERS), there)
    np.testing.assert_array_equal(vectors[others], expected(corpus)[others])


def test_a_killed_run_over_known_vectors_continues_and_over_others_starts_over(
    corpus: Corpus, tmp_path: Path
) -> None:
    known, out = known_of(corpus, [5, -1, 0, 8]), tmp_path / "out"
    kill(corpus, out, known)
    encoder, again = HashingEncoder(), HashingEncoder()
    vectors = encode_corpus(encoder, corpus, out, shard=5, known=known)
    assert encoder.encoded == PAPERS - 3 - 10
    assert vectors[:4, 0].tolist() == [5, expected(corpus)[1, 0], 0, 8]
    np.testing.assert_array_equal(vectors[4:], expected(corpus)[4:])
    encode_corpus(again, corpus, out, shard=5, known=known_of(corpus, [3]))
    assert again.encoded == PAPERS - 1
