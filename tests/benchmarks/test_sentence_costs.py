"""What sentences cost is measured without their encoding, and written for people."""

from itertools import islice
from pathlib import Path

import pytest

from benchmarks.result_tables import render
from benchmarks.sentence_costs import ClockedEncoder, sentences, time_passages
from recsys.local.local_recommender import LocalRecommender
from recsys.local.rank_passages import PassageRanker, PassageReader
from tests.hashing_encoder import HashingEncoder
from tests.pipelines.small_index import SumRanker, open_small_index, write_small_index


@pytest.fixture
def local(tmp_path: Path) -> LocalRecommender:
    recommender = open_small_index(write_small_index(tmp_path / "small"))
    ranker = SumRanker(("sentence.cosine", "sentence.bm25_share"))
    return LocalRecommender(PassageRanker(PassageReader(recommender), ranker))


def test_sentences_come_from_abstracts(local: LocalRecommender) -> None:
    found = [*islice(sentences(local.collection), 5)]
    assert len(found) == 5
    assert all(text.startswith("We measure ") for text in found)


def test_every_kind_of_asking_takes_time(local: LocalRecommender) -> None:
    found = time_passages(local, [*islice(sentences(local.collection), 8)])
    assert set(found) == {"many", "one", "scan"}
    assert found["many"] > found["one"] > 0
    assert found["scan"] >= 0


def test_the_encoder_is_clocked() -> None:
    inner = HashingEncoder()
    clock = ClockedEncoder(inner)
    texts = [("Sand in rivers.", None)] * 2000
    vectors = clock.encode(texts)
    assert (vectors == inner.encode(texts)).all()
    assert clock.seconds > 0
    assert (clock.dim, clock.fingerprint) == (inner.dim, inner.fingerprint)


def test_the_costs_are_written_for_people() -> None:
    found = {"corpus": "vis", "papers": 6951, "sentences": 200}
    text = render({"local": {**found, "many": 1.5, "one": 0.012, "scan": 0.00019}})
    assert "| a draft of 200 sentences | 1,500 ms |" in text
    assert "| one passage | 12.0 ms |" in text and "0.19 ms" in text
