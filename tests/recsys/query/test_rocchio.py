"""What stands in for the text of a draft that is nothing but a list of papers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import DraftError
from recsys.query.query import MOST_WORDS, make_query, rocchio_text, rocchio_vector, text_vector
from recsys.records import Draft, Paper
from recsys.retrieval.propose import propose
from recsys.store.arrays import Floats
from recsys.store.terms import TermStore
from tests.hashing_encoder import HashingEncoder
from tests.rows import each_row
from tests.tiny import SMALL, collect, random_world, unit

ROWS = np.array([0, 1, 2], np.int32)


def store(*titles: str) -> TermStore:
    return TermStore.build((title, "an abstract of other words") for title in titles)


def test_text_is_pulled_towards_the_mean_direction_of_its_seeds() -> None:
    text = np.array([1, 0], np.float32)
    one = np.array([1, 0.5 / 3])  # A single seed weighs a third of the pull, two weigh half of it.
    assert rocchio_vector(text, np.array([[0, 1]], np.float32)) == pytest.approx(
        one / np.linalg.norm(one)
    )
    two = np.array([1, 0.5 / 2])
    assert rocchio_vector(text, np.array([[0, 1], [0, 1]], np.float32)) == pytest.approx(
        two / np.linalg.norm(two)
    )


def test_list_points_where_its_papers_point_on_average() -> None:
    seeds = np.array([[1, 0], [0.6, 0.8]], np.float32)
    expected = np.array([1.6, 0.8]) / np.hypot(1.6, 0.8)
    assert rocchio_vector(None, seeds) == pytest.approx(expected)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_vector_of_a_list_has_length_one_and_does_not_depend_on_its_order(
    seed: int, number: int
) -> None:
    seeds = unit(np.random.default_rng(seed).standard_normal((number, 5)))
    vector = rocchio_vector(None, seeds)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert rocchio_vector(None, seeds[::-1]) == pytest.approx(vector, abs=1e-5)


def test_seeds_that_cancel_out_give_no_direction_but_an_answer() -> None:
    seeds: Floats = np.array([[1, 0], [-1, 0]], np.float32)
    assert rocchio_vector(None, seeds).tolist() == [0, 0]


@each_row("draft", [Draft(), Draft(" ", "\n"), Draft(references=("a",))])
def test_draft_without_words_has_no_vector_of_its_own(draft: Draft) -> None:
    assert text_vector(HashingEncoder(8), draft) is None


def test_list_speaks_in_the_words_of_its_titles() -> None:
    found = rocchio_text(store("Fern honey", "Ferns", "Gravel", "Clouds"), Draft(), ROWS)
    assert dict(zip(found.words, found.counts.tolist(), strict=True)) == {
        "fern": 2, "gravel": 1, "honey": 1
    }  # fmt: skip
    assert found.codes.tolist() == sorted(found.codes.tolist())
    assert found.in_title.all()


def test_most_telling_words_are_kept() -> None:
    rare = " ".join(f"rare{i:02}" for i in range(MOST_WORDS + 5))
    common = ["common"] * 10
    terms = store(f"{rare} common", *common)
    found = rocchio_text(terms, Draft(), np.array([0], np.int32))
    assert len(found.words) == MOST_WORDS
    assert "common" not in found.words


def test_list_of_later_papers_tells_a_draft_of_the_past_nothing() -> None:
    papers = [Paper("a", "Ferns", year=2000), Paper("b", "Honey", year=2010)]
    collection = collect(papers, np.eye(2, dtype=np.float32))
    later = Draft(references=("a", "b"), as_of=2005)
    assert make_query(collection, later, None).vector.tolist() == [1, 0]
    assert make_query(collection, later, None).text.words == ("fern",)
    with pytest.raises(DraftError):
        make_query(collection, replace(later, references=("b",)), None)


@given(st.integers(0, 2**32 - 1))
def test_list_of_any_papers_gets_candidates_other_than_itself(seed: int) -> None:
    world = random_world(seed)
    ids = tuple(paper.id for paper in world.papers[::3])
    query = make_query(world.collection, Draft(references=ids), None)
    found = propose(world.collection, query, SMALL)
    assert not set(query.seeds.tolist()) & set(found.rows.tolist())
    assert len(found.rows) > 0 or len(ids) == len(world.papers)
