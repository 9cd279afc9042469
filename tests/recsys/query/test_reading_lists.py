"""The whole way of a draft that is a list of liked papers, of disliked ones, or both."""

from dataclasses import replace

import numpy as np
import pytest

from recsys.errors import DraftError
from recsys.recommend import Recommender
from recsys.records import Answer, Draft
from tests.pipelines.small_index import open_small_index, write_small_index
from tests.rows import each_row

LIKES = ("rivers-05", "rivers-07")


@pytest.fixture(scope="module")
def recommender(tmp_path_factory: pytest.TempPathFactory) -> Recommender:
    return open_small_index(write_small_index(tmp_path_factory.mktemp("lists") / "x.index"))


def ids(answer: Answer) -> list[str]:
    return [item.paper.id for item in answer.recommendations]


def topics(answer: Answer) -> set[str]:
    return {paper.partition("-")[0] for paper in ids(answer)}


def place(ranked: list[str], topic: str) -> float:
    """Where the papers of a topic stand on average."""
    return float(np.mean([at for at, each in enumerate(ranked) if each.startswith(topic)]))


def test_list_without_a_word_is_answered_with_its_like(recommender: Recommender) -> None:
    answer = recommender.recommend(Draft(references=LIKES), k=5)
    assert topics(answer) <= {"rivers", "undated"}
    assert not set(LIKES) & set(ids(answer))
    assert all("your references" in item.reasons[0].text for item in answer.recommendations[:2])
    assert "seed" in answer.recommendations[0].sources


@each_row(
    "draft",
    [
        Draft(references=("nowhere",)),
        Draft(disliked=LIKES),
        Draft(references=("rivers-07",), as_of=2005),
    ],
)
def test_list_of_which_the_corpus_knows_nothing_is_refused(
    recommender: Recommender, draft: Draft
) -> None:
    with pytest.raises(DraftError, match="none of its references is in the corpus") as caught:
        recommender.recommend(draft)
    assert "Give a title" in caught.value.hint


def test_words_may_come_with_a_list(recommender: Recommender) -> None:
    words = Draft("Deserts measured again")
    alone = [paper for paper in ids(recommender.recommend(words, k=50)) if paper not in LIKES]
    both = ids(recommender.recommend(replace(words, references=LIKES), k=50))
    assert both[0].startswith("deserts")
    assert place(both, "rivers") < place(alone, "rivers")


def test_disliked_papers_are_gone_and_their_like_sinks(recommender: Recommender) -> None:
    draft = Draft("Rivers and deserts", "We measure rivers and deserts again.")
    plain = ids(recommender.recommend(draft, k=50))
    disliked = ("deserts-09", "deserts-10", "deserts-11")
    answer = recommender.recommend(replace(draft, disliked=disliked), k=50)
    assert not set(disliked) & set(ids(answer))
    left = [paper for paper in plain if paper not in disliked]
    assert sorted(left) == sorted(ids(answer))
    assert place(ids(answer), "deserts") > place(left, "deserts") + 5
    assert place(ids(answer), "rivers") < place(left, "rivers")


def test_probabilities_fall_with_the_scores_that_sank(recommender: Recommender) -> None:
    draft = Draft("Rivers and deserts", references=("rivers-03",), disliked=("deserts-09",))
    items = recommender.recommend(draft, k=50).recommendations
    assert [item.score for item in items] == sorted((item.score for item in items), reverse=True)
    chances = [item.probability for item in items]
    assert chances == sorted(chances, reverse=True)
    expected = recommender.ranker.probability(np.array([item.score for item in items], np.float32))
    assert chances == pytest.approx(expected.tolist())
