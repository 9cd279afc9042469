"""What baselines may learn from: nothing of the queries' references, nothing newer than train."""

from pathlib import Path

import numpy as np
import pytest

from recsys.pipelines.evaluation.splits import Split, read_split
from recsys.pipelines.studies.baselines import material_of, material_of_corpus
from recsys.store.collection import Collection
from tests.pipelines.small_index import (
    open_small_collection,
    write_small_index,
    write_small_split,
)


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return open_small_collection(write_small_index(tmp_path / "index"))


@pytest.fixture
def split(collection: Collection, tmp_path: Path) -> Split:
    return read_split(write_small_split(tmp_path / "split.json"), collection)


def test_papers_newer_than_the_train_queries_are_not_learned_from(
    collection: Collection, split: Split
) -> None:
    material = material_of(collection, split)  # Train queries are of 2002 to 2006.
    ids = [collection.corpus.ids[row] for row in np.flatnonzero(material.known).tolist()]
    expected = [f"{topic}-{age:02}" for topic in ("deserts", "glaciers") for age in range(7)]
    assert ids[: len(expected)] == expected
    assert len(ids) == 4 * 7 + 1 and "prophet" in ids and "undated" not in ids
    assert len(material.learned) == len(ids)
    assert material.learned[0] == material.texts[int(np.flatnonzero(material.known)[0])]


def test_what_queries_cite_is_hidden(collection: Collection, split: Split) -> None:
    material = material_of(collection, split)
    assert material.cites is not None
    citing = np.flatnonzero(np.diff(material.cites.starts)).tolist()
    # Papers of 2001 are no queries; those of 2000 cite nothing.
    ids = [collection.corpus.ids[row] for row in citing]
    assert ids == ["deserts-01", "glaciers-01", "rivers-01", "volcanoes-01"]
    everything = material_of(collection, None)
    assert everything.cites is not None and everything.known.all()
    assert len(everything.cites.values) == len(collection.graph.cites.values) - 2


def test_citations_of_what_a_paper_could_not_know_are_left_out(tmp_path: Path) -> None:
    papers: list[dict[str, object]] = [
        {"id": "a", "title": "A", "year": 2000, "references": ["b", "c", "d"]},
        {"id": "b", "title": "B", "year": 2000},
        {"id": "c", "title": "C", "year": 2001, "references": ["a"]},
        {"id": "d", "title": "D", "references": ["a"]},
    ]
    folder = write_small_index(tmp_path / "index", papers)
    material = material_of(open_small_collection(folder), None)
    assert material.cites is not None
    assert [material.cites[row].tolist() for row in range(4)] == [[1], [], [0], []]
    assert material.index == folder


def test_the_fingerprint_tells_texts_citations_and_what_is_known(
    collection: Collection, split: Split
) -> None:
    material = material_of(collection, None)
    found = {
        each.fingerprint()
        for each in (
            material,
            material_of(collection, split),
            material_of_corpus(collection.corpus),
        )
    }
    assert len(found) == 3
    assert material.fingerprint() == material_of(collection, None).fingerprint()
