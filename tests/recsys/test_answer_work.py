"""What an answer does once, however long the list of references is."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from weakref import ref

import pytest

from recsys import recommend
from recsys.protocols import VectorIndex
from recsys.recommend import Recommender
from recsys.records import Draft
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.generations import pin
from recsys.store.vectors import multiplied
from tests.pipelines.small_index import open_small_index, write_small_index

TEXT = "Rivers measured again"


@dataclass
class Counting:
    """A vector index that counts how often it is asked, and for how many queries."""

    index: VectorIndex
    asked: list[int] = field(default_factory=list)

    def search(self, query: Floats, k: int, *, allowed: Mask | None = None) -> tuple[Rows, Floats]:
        self.asked.append(1)
        return self.index.search(query, k, allowed=allowed)

    def search_many(
        self, queries: Floats, k: int, *, allowed: Mask | None = None
    ) -> list[tuple[Rows, Floats]]:
        self.asked.append(len(queries))
        return self.index.search_many(queries, k, allowed=allowed)


@pytest.fixture(scope="module")
def recommender(tmp_path_factory: pytest.TempPathFactory) -> Recommender:
    return open_small_index(write_small_index(tmp_path_factory.mktemp("work") / "x.index"))


def citing(recommender: Recommender, number: int) -> Draft:
    ids = recommender.collection.corpus.ids
    return Draft(TEXT, references=tuple(ids[row] for row in range(number)))


def test_all_references_are_searched_around_at_once(recommender: Recommender) -> None:
    counting = Counting(recommender.collection.vector_index)
    known = replace(recommender, collection=replace(recommender.collection, vector_index=counting))
    known.recommend(citing(recommender, 40))
    assert counting.asked == [1, recommender.stage_one.close_seeds]
    counting.asked.clear()
    known.recommend(Draft(TEXT))
    assert counting.asked == [1]


def test_an_index_is_let_go_with_its_reader(recommender: Recommender) -> None:
    collection = recommender.collection
    ids = collection.corpus.ids
    pinned = pin(collection.folder)
    lease = ref(pinned.lease)
    reader = replace(recommender, collection=replace(collection, generation=pinned))
    del pinned
    gc.disable()  # What only it frees keeps an old generation on the disk for long.
    try:
        reader.recommend(replace(citing(reader, 5), disliked=(ids[7],)))
        del reader
        assert lease() is None
    finally:
        gc.enable()


def test_no_product_of_all_vectors_is_made_twice(
    recommender: Recommender, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Floats] = []
    usual = multiplied

    def counted(vectors: Floats, queries: Floats) -> Floats:
        made.append(queries)
        return usual(vectors, queries)

    for module in ("recsys.store.vectors", "recsys.indexes.exact"):
        monkeypatch.setattr(f"{module}.multiplied", counted)
    recommender.recommend(Draft(TEXT))
    assert len(made) == 1
    made.clear()
    recommender.recommend(citing(recommender, 40))
    assert [len(each) for each in made if each.ndim == 2] == [recommender.stage_one.close_seeds]
    assert len({each.tobytes() for each in made}) == len(made)


def test_an_answer_is_computed_on_one_thread(
    recommender: Recommender, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside: list[bool] = []

    @contextmanager
    def noted() -> Iterator[None]:
        inside.append(True)
        yield
        inside.append(False)

    monkeypatch.setattr(recommend, "one_thread", noted)
    recommender.recommend(Draft(TEXT))
    assert inside == [True, False]
