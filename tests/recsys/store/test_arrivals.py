"""When papers came into an index."""

import json
from pathlib import Path

import pytest

from recsys.errors import ArtifactCorrupt
from recsys.pipelines.index.update import UpdateOptions, update
from recsys.store.arrivals import Arrivals
from recsys.store.corpus import Corpus
from recsys.store.generations import content_key, in_force
from tests.built_index import Built
from tests.pipelines.small_index import invented_papers


def arrivals(index: Path) -> tuple[Arrivals, Corpus]:
    generation = in_force(index)
    corpus = Corpus.load(generation / "corpus")
    return Arrivals.load(generation, len(corpus)), corpus


def came_since(index: Path, update_number: int) -> list[str]:
    found, corpus = arrivals(index)
    return [corpus.ids[row] for row in found.since(update_number).nonzero()[0].tolist()]


def updated(index: Path, *papers: dict[str, object], remove: tuple[str, ...] = ()) -> None:
    path, gone = index.parent / "more.jsonl", index.parent / "gone.txt"
    path.write_text("".join(json.dumps(paper) + "\n" for paper in papers), encoding="utf-8")
    gone.write_text("\n".join(remove))
    sources = [path] if papers else []
    update(index, sources, UpdateOptions(remove=gone if remove else None))


def test_each_update_numbers_the_papers_that_it_brings(built: Built, tmp_path: Path) -> None:
    index = built.copy(tmp_path)
    before, _ = arrivals(index)
    assert (before.updates, came_since(index, -1) == [], before.built) == (
        0,
        False,
        content_key(index),
    )
    changed = invented_papers()[0] | {"title": "Something else"}
    updated(index, {"id": "b", "title": "On rivers, b"}, changed)
    updated(index, remove=("glaciers-03",))
    updated(index, {"id": "a", "title": "On rivers, a"}, {"id": "c", "title": "On rivers, c"})
    found, _ = arrivals(index)
    assert (found.built, found.updates) == (before.built, 2)
    assert [came_since(index, number) for number in (0, 1, 2)] == [["a", "b", "c"], ["a", "c"], []]


def test_a_paper_that_left_and_came_back_is_new(built: Built, tmp_path: Path) -> None:
    index = built.copy(tmp_path)
    updated(index, remove=("glaciers-03",))
    updated(index, invented_papers()[13])
    assert came_since(index, 0) == ["glaciers-03"]


def test_damage_is_found(built: Built, tmp_path: Path) -> None:
    index = built.copy(tmp_path)
    updated(index, {"id": "a", "title": "On rivers, a"})
    generation = in_force(index)
    with pytest.raises(ArtifactCorrupt, match="is not of 7 papers"):
        Arrivals.load(generation, 7)
