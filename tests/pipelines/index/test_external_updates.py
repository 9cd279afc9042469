"""Vectors from elsewhere when their index is updated: taken over, given, encoded, or placed."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.formats.embeddings import Embeddings, write_embeddings
from recsys.indexes.backends import OWN, build_words
from recsys.pipelines.index.encode import KnownVectors, same_texts
from recsys.pipelines.index.external_vectors import PreviousVectors, given_mask, take
from recsys.pipelines.index.text import write_text
from recsys.store.arrays import Floats
from recsys.store.corpus import Corpus
from tests.hashing_encoder import HashingEncoder
from tests.stored import store_rows

TITLES = {"a": "ants and bees", "b": "ants and cats", "c": "cats and dogs", "d": "dogs and bees"}
FACTS = {"source": "first.npy", "missing": 1, "agreement": 0.97}


@dataclass(frozen=True, slots=True)
class Built:
    """What is there before the vectors."""

    corpus: Corpus
    text: Path
    encoder: HashingEncoder | None = None
    former: PreviousVectors | None = None


def taken(source: Path | None, built: Built, folder: Path) -> tuple[Floats, dict[str, Any]]:
    vectors, facts = take(
        source,
        built.corpus,
        folder,
        encoder=built.encoder,
        text=built.text,
        words={},
        previous=built.former,
    )
    return vectors[:], facts


@dataclass(frozen=True, slots=True)
class Place:
    """Where corpora and files of vectors are written."""

    folder: Path

    def built(self, name: str, ids: str) -> Built:
        folder = self.folder / name
        rows = [{"id": each, "title": TITLES[each]} for each in ids]
        corpus = store_rows(folder / "corpus", rows)
        (folder / "text").mkdir()
        build_words(OWN, write_text(corpus, folder / "text"), folder / "text")
        return Built(corpus, folder / "text")

    def file(self, name: str, ids: str, vectors: Floats) -> Path:
        write_embeddings(self.folder / name, Embeddings(tuple(ids), vectors))
        return self.folder / name


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def vectors_of(ids: str) -> Floats:
    return HashingEncoder().encode([(TITLES[each], None) for each in ids])


def former(old: Built, now: Built, vectors: Floats, given: list[bool]) -> PreviousVectors:
    known = KnownVectors(vectors, same_texts(old.corpus, now.corpus))
    return PreviousVectors(known, np.array(given), "by-words-old", FACTS)


def test_given_vectors_stay_and_placed_ones_are_placed_anew(place: Place) -> None:
    old, now = place.built("old", "abc"), place.built("new", "abcd")
    vectors = vectors_of("abc")
    built = replace(now, former=former(old, now, vectors, [True, False, True]))
    found, facts = taken(None, built, place.folder / "out")
    # As if the vectors of a and c had been given from the beginning.
    source = place.file("ac.npy", "ac", vectors[[0, 2]])
    again, _ = taken(source, now, place.folder / "again")
    np.testing.assert_allclose(found, again, atol=1e-6)
    assert facts["encoder"] == "by-words-old"
    assert facts["external"] == {"source": "first.npy", "missing": 2, "agreement": 0.97}
    assert given_mask(place.folder / "out", 4).tolist() == [True, False, True, False]


def test_a_file_gives_the_vectors_of_new_papers(place: Place) -> None:
    old, now = place.built("old", "abc"), place.built("new", "bcd")
    built = replace(now, former=former(old, now, vectors_of("abc"), [True, True, True]))
    source = place.file("more.npy", "db", 2 * vectors_of("da"))
    found, facts = taken(source, built, place.folder / "out")
    np.testing.assert_allclose(found, vectors_of("acd"), atol=1e-6)
    assert facts["encoder"] == "by-words-old"
    assert facts["external"]["missing"] == 0 and facts["external"]["source"] == "more.npy"


def test_an_encoder_encodes_new_papers_alone(place: Place) -> None:
    old, now = place.built("old", "abc"), place.built("new", "abcd")
    encoder, vectors = HashingEncoder(), -vectors_of("abc")
    built = replace(now, encoder=encoder, former=former(old, now, vectors, [True, False, True]))
    found, facts = taken(None, built, place.folder / "out")
    np.testing.assert_array_equal(found[:3], vectors)
    np.testing.assert_array_equal(found[3:], vectors_of("d"))
    assert encoder.encoded == 1
    assert facts["external"] == {"source": "first.npy", "missing": 2, "agreement": 0.97}


def test_vectors_of_another_encoder_are_refused(place: Place) -> None:
    old, now = place.built("old", "abc"), place.built("new", "abcd")
    before = former(old, now, vectors_of("abc"), [True, True, True])
    built = replace(now, encoder=HashingEncoder(), former=before)
    with pytest.raises(InputError, match=r"did not make the vectors of .*more\.npy"):
        taken(place.file("more.npy", "d", -vectors_of("d")), built, place.folder / "out")
    longer = place.file("long.npy", "d", np.ones((1, 17), np.float32))
    with pytest.raises(InputError, match="have 17 numbers, those of the index 16"):
        taken(longer, built, place.folder / "out")
