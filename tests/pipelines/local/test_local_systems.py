"""Each system ranks as its name says, and sees nothing it must not."""

from pathlib import Path

import numpy as np
import pytest

from recsys.local.local_recommender import PassageRanker
from recsys.pipelines.evaluation.systems import Ranked
from recsys.pipelines.local.evaluate_local import FUSION, LOCAL_SYSTEMS, AskedPassage
from recsys.pipelines.local.local_queries import KNOWN, LocalQuery, pose_query
from recsys.records import Draft
from tests.pipelines.local.local_evaluations import open_small_local
from tests.pipelines.small_index import TOPICS, YEARS, invented_papers, write_small_index
from tests.rows import each_row


def passage(
    ranker: PassageRanker,
    text: str = "We measured deserts.",
    known: str = KNOWN[2],
    *,
    masked: bool = True,
) -> AskedPassage:
    """Ask what deserts-06 cites: deserts-05."""
    reader, corpus = ranker.reader, ranker.reader.collection.corpus
    query = LocalQuery(int(corpus.rows(["deserts-06"])[0]), text, corpus.rows(["deserts-05"]))
    return AskedPassage(
        ranker, pose_query(reader.collection, reader.works, query, known, masked=masked)
    )


def names(ranker: PassageRanker, ranked: Ranked) -> list[str]:
    return [ranker.reader.collection.corpus.ids[row] for row in ranked.rows.tolist()]


@each_row("known", KNOWN)
@each_row("system", LOCAL_SYSTEMS)
def test_no_system_sees_the_draft_or_anything_newer(
    system: str, known: str, ranker: PassageRanker
) -> None:
    asked = passage(ranker, known=known)
    ranked = LOCAL_SYSTEMS[system](asked, 100)
    found = names(ranker, ranked)
    years = ranker.reader.collection.corpus.years[ranked.rows]
    assert len(found) == len(set(found)) > 3
    assert years.min() >= 0 and years.max() <= 2006
    # What else the draft cites is known, and it is not lacking here.
    assert not {"deserts-06", *asked.posed.draft.references} & set(found)
    assert (np.diff(ranked.scores) <= 0).all()
    few = LOCAL_SYSTEMS[system](asked, 3)
    assert names(ranker, few) == found[:3]


@each_row("system", sorted(set(LOCAL_SYSTEMS) - {"two-stage"}))
def test_what_the_sentence_cites_is_recommended_by_none(system: str, ranker: PassageRanker) -> None:
    asked = passage(ranker, "As Deserts (2004) and Deserts (2005) measured.")
    assert asked.posed.passage.beside == ("deserts-04",)
    assert "deserts-04" not in names(ranker, LOCAL_SYSTEMS[system](asked, 100))


def test_hybrid_adds_up_reciprocal_ranks(ranker: PassageRanker) -> None:
    asked = passage(ranker)
    fused = LOCAL_SYSTEMS["hybrid"](asked, 100)
    lists = [names(ranker, LOCAL_SYSTEMS[name](asked, 200)) for name in ("bm25", "embedding")]
    scores = dict.fromkeys([paper for each in lists for paper in each], 0.0)
    for each in lists:
        for rank, paper in enumerate(each, start=1):
            scores[paper] += 1 / (FUSION + rank)
    expected = sorted(scores, key=lambda paper: (-np.float32(scores[paper]), paper))
    assert sorted(names(ranker, fused)) == sorted(expected)
    assert [scores[paper] for paper in names(ranker, fused)] == pytest.approx(fused.scores.tolist())
    assert set(names(ranker, fused)[:3]) <= set(expected[:6])


def test_two_stage_takes_the_sentence_for_the_abstract(ranker: PassageRanker) -> None:
    recommender = ranker.reader.recommender
    said = "We measured deserts."
    for known, title, abstract in (
        (KNOWN[0], said, None),
        (KNOWN[1], "On deserts in survey 6", said),
    ):
        draft = Draft(title, abstract, as_of=2006, paper_id="deserts-06")
        expected = recommender.rank(recommender.query_to(draft))
        found = LOCAL_SYSTEMS["two-stage"](passage(ranker, known=known), 50)
        assert found.rows.tolist() == expected.rows[:50].tolist()


def test_names_count_for_local_and_not_for_unnamed(ranker: PassageRanker) -> None:
    raw = passage(ranker, "As Deserts (2005) says.", masked=False)
    assert names(ranker, LOCAL_SYSTEMS["local"](raw, 5))[0] == "deserts-05"
    nobody = passage(ranker, "We measured them.")
    by_both = [LOCAL_SYSTEMS[name](nobody, 50) for name in ("local", "local-unnamed")]
    assert by_both[0].rows.tolist() == by_both[1].rows.tolist()
    with_names, without = (LOCAL_SYSTEMS[name](raw, 50) for name in ("local", "local-unnamed"))
    scores = [
        dict(zip(names(ranker, each), each.scores.tolist(), strict=True))["deserts-05"]
        for each in (with_names, without)
    ]
    assert scores[0] - scores[1] == pytest.approx(1, abs=1e-5)


def test_a_corpus_of_the_future_ranks_as_one_that_has_none(tmp_path: Path) -> None:
    # Of each topic, papers 7 to 11 are later than the draft.
    late = {f"{topic}-{age:02}" for topic in TOPICS for age in range(7, YEARS)}
    later = [
        paper | ({"references": ["deserts-00", "rivers-00"]} if paper["id"] in late else {})
        for paper in invented_papers()
    ]
    texts = ("We measured deserts.", "As Deserts (2005) says.")
    found = []
    for number, papers in enumerate((invented_papers(), later)):
        ranker = open_small_local(write_small_index(tmp_path / f"{number}.index", papers))
        asked = [passage(ranker, text, masked=False) for text in texts]
        each = [LOCAL_SYSTEMS[name](one, 50) for name in LOCAL_SYSTEMS for one in asked]
        found.append([(one.rows.tolist(), one.scores.tobytes()) for one in each])
    assert found[0] == found[1]
    # In the draft's own time, the same citations change the answers.
    own = [
        paper | {"references": ["deserts-00"]} if paper.get("year") == 2005 else paper
        for paper in invented_papers()
    ]
    ranker = open_small_local(write_small_index(tmp_path / "own.index", own))
    changed = LOCAL_SYSTEMS["local"](passage(ranker, texts[0]), 50)
    usual = LOCAL_SYSTEMS["local"](passage(open_small_local(tmp_path / "0.index"), texts[0]), 50)
    assert changed.scores.tobytes() != usual.scores.tobytes()
