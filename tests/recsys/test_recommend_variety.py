"""Of what an answer consists: diversity, front matter, versions of one work."""

from pathlib import Path

import pytest

from recsys.errors import NothingFound
from recsys.query.question_schema import Filters, read_references
from recsys.recommend import Recommender
from recsys.records import Draft, Paper, ReadingLists
from tests.rows import each_row
from tests.small_recommender import DRAFT, apart_from_rank, ids, stored


@each_row("diversity", [0.2, 0.5, 1.0])
def test_diversity_reorders_and_changes_nothing_else(
    recommender: Recommender, diversity: float
) -> None:
    plain = recommender.recommend(DRAFT, k=50)
    spread = recommender.recommend(DRAFT, k=20, diversity=diversity)
    assert [item.rank for item in spread.recommendations] == list(range(1, 21))
    assert ids(spread) != ids(plain)[:20]
    assert ids(spread)[0] == ids(plain)[0]
    every = apart_from_rank(plain)
    assert all(item in every for item in apart_from_rank(spread))
    assert spread.stages == recommender.recommend(DRAFT, k=20).stages


def test_the_more_diversity_the_less_alike_are_the_papers(recommender: Recommender) -> None:
    def likeness(diversity: float) -> float:
        found = recommender.recommend(DRAFT, k=8, diversity=diversity).recommendations
        corpus = recommender.collection.corpus
        vectors = recommender.collection.vectors[corpus.rows(item.paper.id for item in found)]
        return float((vectors @ vectors.T).mean())

    assert likeness(0) > likeness(0.5) > likeness(1)


@pytest.fixture
def with_front_matter(tmp_path: Path) -> Recommender:
    papers = [
        Paper("a", "Rivers", year=2000),
        Paper("b", "Preface", "On rivers.", year=2000),
        Paper("c", "Rivers again", year=2001, references=("b",)),
        Paper("d", "Erratum to: Rivers", year=2001),
    ]
    return stored(papers, tmp_path / "abcd")


def test_front_matter_is_left_out_and_that_is_told(with_front_matter: Recommender) -> None:
    answer = with_front_matter.recommend(Draft("Rivers"))
    assert sorted(ids(answer)) == ["a", "c"]
    assert answer.stages["removed by the rule on front matter (--keep-front-matter lifts it)"] == 2
    kept = with_front_matter.recommend(Draft("Rivers"), filters=Filters(keep_front_matter=True))
    assert sorted(ids(kept)) == ["a", "b", "c", "d"]
    assert not [name for name in kept.stages if "front matter" in name]


def test_evaluations_recommend_no_front_matter(with_front_matter: Recommender) -> None:
    query = with_front_matter.query_of(2)
    assert query.wanted.tolist() == [True, False, False, False]
    assert query.withheld.tolist() == [1, 3]
    assert with_front_matter.rank(query).rows.tolist() == [0]


def test_front_matter_can_be_a_seed(with_front_matter: Recommender) -> None:
    query = with_front_matter.query_to(Draft("Rivers", references=("b",), disliked=("d",)))
    assert (query.seeds.tolist(), query.disliked.tolist()) == ([1], [3])
    assert query.withheld.tolist() == []


def test_where_only_front_matter_is_left_the_way_out_is_named(tmp_path: Path) -> None:
    only = stored([Paper("a", "Preface", year=2000)], tmp_path / "a")
    with pytest.raises(NothingFound) as caught:
        only.recommend(Draft("One"))
    assert "--keep-front-matter" in caught.value.hint


TITLE = "Measuring the slow drift of gravel in braided rivers"
TWICE = (
    Paper("a", TITLE, year=2009, authors=("Ada Ash",), venue="Preprints"),
    Paper("b", TITLE.upper(), year=2010, authors=("A. Ash",), venue="River Letters"),
    Paper("c", f"{TITLE}, Part II", year=2010, authors=("Ada Ash",)),
    Paper("d", "Gravel", year=2008),
)


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Recommender:
    return stored(TWICE, tmp_path_factory.mktemp("twice") / "corpus")


@each_row("diversity", [0.0, 0.5])
def test_a_work_stands_once_and_the_next_paper_moves_up(
    twice: Recommender, diversity: float
) -> None:
    answer = twice.recommend(Draft(TITLE), k=3, diversity=diversity)
    assert sorted(ids(answer)) == ["a", "c", "d"]
    assert {item.paper.id: [each.id for each in item.versions] for item in answer.recommendations}[
        "a"
    ] == ["b"]
    stages = answer.stages
    assert stages["other versions of papers above them, or cited"] == 1
    assert stages["kept as candidates"] == 3


def test_no_other_version_of_a_cited_or_disliked_paper_is_recommended(twice: Recommender) -> None:
    for draft in (Draft(TITLE, references=("b",)), Draft(TITLE, disliked=("b",))):
        assert sorted(ids(twice.recommend(draft))) == ["c", "d"]


def test_a_version_that_a_filter_takes_away_hides_no_other(twice: Recommender) -> None:
    answer = twice.recommend(Draft(TITLE), filters=Filters(min_year=2010))
    assert sorted(ids(answer)) == ["b", "c"]
    assert not any(item.versions for item in answer.recommendations)


def test_a_version_newer_than_the_draft_is_not_told(twice: Recommender) -> None:
    answer = twice.recommend(Draft(TITLE, as_of=2009))
    assert sorted(ids(answer)) == ["a", "d"]
    assert not any(item.versions for item in answer.recommendations)


def test_an_own_paper_is_known_by_another_version(twice: Recommender) -> None:
    library = read_references("b")
    answer = twice.recommend(Draft(TITLE), lists=ReadingLists(library=library))
    kinds = {item.paper.id: [each.kind for each in item.reasons] for item in answer.recommendations}
    assert "library" in kinds["a"] and "library" not in kinds["c"]
