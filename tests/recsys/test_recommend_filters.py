"""What filters leave of an answer, over small collections."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import NothingFound
from recsys.query.question_schema import Filters
from recsys.recommend import Recommender
from recsys.records import Draft, Paper, Recommendation
from recsys.retrieval.propose import StageOne
from recsys.store.arrays import Floats
from recsys.store.names import agree, name_keys
from tests.small_recommender import DRAFT, CosineRanker, apart_from_rank, ids, stored
from tests.tiny import SMALL, random_world


def test_each_filter_counts_what_those_before_it_left(recommender: Recommender) -> None:
    filters = Filters(min_year=2008, exclude_authors=("Rivers",), library=("deserts-09", "x"))
    answer = recommender.recommend(DRAFT, k=50, filters=filters)
    assert {item.paper.id.partition("-")[0] for item in answer.recommendations} == {
        "glaciers",
        "volcanoes",
        "deserts",
    }
    assert list(answer.stages.items())[3:] == [
        ("proposed by the first stage", 50),
        ("removed by --min-year 2008", 4 * 8 + 2),  # One older than all, one undated.
        ("removed by --exclude-author Rivers", 4),
        ("removed by --exclude-library", 1),
        ("kept as candidates", 4 * 4 - 4 - 1),
        ("recommended", 11),
    ]


def test_what_is_filtered_out_remains_evidence(recommender: Recommender) -> None:
    filters = Filters(max_year=2003)
    old = recommender.recommend(DRAFT, filters=filters).recommendations
    assert all(item.paper.year is not None and item.paper.year <= 2003 for item in old)
    cited = next(item for item in old if item.paper.id == "rivers-03")
    assert any(reason.kind == "votes" for reason in cited.reasons)  # By papers of 2004 and 2005.


def test_own_papers_are_filtered_without_metadata_too(recommender: Recommender) -> None:
    draft = replace(DRAFT, authors=("A. Rivers", "Nobody Known"))
    for each in (recommender, replace(recommender, metadata=False)):
        answer = each.recommend(draft, k=50, filters=Filters(exclude_own=True))
        assert not any(paper.startswith("rivers") for paper in ids(answer))
        assert answer.stages["removed by --exclude-own"] == 12


def test_a_rare_venue_fills_an_answer(tmp_path: Path) -> None:
    """Thirty papers of a venue on another topic, far from the draft, in a corpus of thousands."""
    papers = [
        Paper(f"p{i:04}", f"Beetles {i % 40} on {i}", year=2000, venue=f"Beetle Days {i % 20}")
        if i % 100
        else Paper(f"p{i:04}", f"Engine number {i}", year=2000, venue="Engine Letters, 2nd")
        for i in range(3000)
    ]
    many = replace(stored(papers, tmp_path / "many"), stage_one=StageOne())
    draft = Draft("Beetles on beetles")
    usual = many.recommend(draft, k=500).recommendations
    assert not any(item.paper.venue == "Engine Letters, 2nd" for item in usual)
    answer = many.recommend(draft, filters=Filters(venues=("engine letters*",)))
    assert [item.paper.venue for item in answer.recommendations] == ["Engine Letters, 2nd"] * 20
    assert {item.sources for item in answer.recommendations} == {("ann",)}
    assert answer.stages["kept as candidates"] == 30


class DistanceRanker(CosineRanker):
    """Prefers what is far from the draft, and so what only a filter lets in."""

    def score(self, features: Floats) -> Floats:
        return -features[:, 0]


def test_who_fits_best_is_told_among_the_usual_candidates(tmp_path: Path) -> None:
    """Reasons ask the best candidates, so that filters change no paper's reasons."""
    papers = [Paper(f"p{i:03}", f"Beetles {i % 40} on {i}", year=2000) for i in range(200)]
    few = replace(stored(papers, tmp_path / "few"), ranker=DistanceRanker())
    query = few.query_to(Draft("Beetles on beetles"))
    usual, kept = few.rank(query), few.rank(query, keep=np.arange(200) % 5 == 0)
    assert usual.best.tolist() == usual.rows.tolist()
    assert set(kept.rows) - set(usual.rows)
    assert kept.best.tolist() == usual.best.tolist()


def test_filters_are_not_blamed_for_an_early_draft(small: Recommender) -> None:
    with pytest.raises(NothingFound) as caught:
        small.recommend(Draft("One", as_of=1900), filters=Filters(max_year=2001))
    assert "--as-of" in caught.value.hint


def passes(paper: Paper, own: set[str], filters: Filters) -> bool:
    """Read the filters out, for one paper of the random worlds; own: those of its authors."""
    if (filters.min_year, filters.max_year) != (None, None):
        if paper.year is None:
            return False
        if not (filters.min_year or 0) <= paper.year <= (filters.max_year or 9999):
            return False
    excluded = [
        name
        for name in name_keys(paper.authors)
        if any(agree(name, other) is not False for other in name_keys(filters.exclude_authors))
    ]
    return (
        (not filters.venues or paper.venue == "Acta Arborum")
        and (not filters.types or paper.labels.get("type") == "Review")
        and not excluded
        and not (filters.exclude_own and paper.id in own)
        and paper.id not in filters.library
    )


FILTERS = st.builds(
    Filters,
    min_year=st.none() | st.integers(2000, 2004),
    max_year=st.none() | st.integers(2004, 2009),
    venues=st.just(()) | st.just(("acta *",)),
    types=st.just(()) | st.just(("Review",)),
    exclude_authors=st.just(()) | st.just(("Birch", "Ann Ash")),
    exclude_own=st.booleans(),
    library=st.lists(st.integers(0, 39).map("p{:02}".format), max_size=3).map(tuple),
)


def items(recommender: Recommender, draft: Draft, filters: Filters) -> list[Recommendation]:
    """Recommend whatever there is."""
    try:
        return apart_from_rank(recommender.recommend(draft, 50, filters=filters))
    except NothingFound:
        return []


def labelled(papers: Sequence[Paper]) -> list[Paper]:
    types = ("Review", "Article", None)
    return [
        replace(paper, labels={"type": types[row % 3]} if types[row % 3] else {})
        for row, paper in enumerate(papers)
    ]


@given(st.integers(0, 2**32 - 1), FILTERS)
def test_filters_leave_what_passes_as_it_was(seed: int, filters: Filters) -> None:
    """All papers are candidates here, so nothing else may differ from the plain answer."""
    world = random_world(seed)
    papers = labelled(world.papers)
    with tempfile.TemporaryDirectory() as place:
        every = replace(stored(papers, Path(place, "x")), stage_one=StageOne())
        plain, filtered = (items(every, world.draft, each) for each in (Filters(), filters))
        corpus, query = every.collection.corpus, every.query_to(world.draft)
        rows = corpus.written_by(world.draft.authors, query.allowed).papers
        own = {paper.id for paper in corpus.papers(rows)}
    passing = {paper.id for paper in papers if passes(paper, own, filters)}
    assert filtered == [item for item in plain if item.paper.id in passing]


@given(st.integers(0, 2**32 - 1), FILTERS)
def test_filters_add_up_and_change_no_score(seed: int, filters: Filters) -> None:
    """Few papers are candidates here, so filters let others in."""
    world = random_world(seed)
    with tempfile.TemporaryDirectory() as place:
        few = stored(labelled(world.papers), Path(place, "x"))
        plain = {item.paper.id: item.score for item in items(few, world.draft, Filters())}
        try:
            answer = few.recommend(world.draft, 50, filters=filters)
        except NothingFound:
            return
    shared = [item for item in answer.recommendations if item.paper.id in plain]
    assert [item.score for item in shared] == [plain[item.paper.id] for item in shared]
    stages = answer.stages
    removed = sum(count for stage, count in stages.items() if stage.startswith("removed by"))
    assert stages["kept as candidates"] == min(
        SMALL.candidates, stages["proposed by the first stage"] - removed
    )
