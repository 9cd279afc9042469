"""The whole way of a draft, over small collections."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import DraftError, InputError, NothingFound
from recsys.formats.work_stream import read_papers
from recsys.ranking.features import feature_names
from recsys.recommend import Recommender
from recsys.records import Answer, Draft
from tests.rows import each_row
from tests.small_recommender import DRAFT, ids, stored
from tests.tiny import SMALL, random_world


def test_an_answer_is_ranked_explained_and_counted(recommender: Recommender) -> None:
    answer = recommender.recommend(DRAFT, k=5)
    items = answer.recommendations
    assert [item.rank for item in items] == [1, 2, 3, 4, 5]
    assert [item.score for item in items] == sorted((item.score for item in items), reverse=True)
    assert all(0 <= item.probability <= 1 for item in items)
    assert all(item.sources and item.reasons for item in items)
    assert {item.paper.id.partition("-")[0] for item in items} <= {"rivers", "undated"}
    assert items[0].paper.title.startswith("On rivers")
    assert answer.understood == "Understood: title, abstract (6 words)."
    assert list(answer.stages.items()) == [
        ("papers in the corpus", 50),
        ("known in 2012", 50),
        ("cited already", 0),
        ("proposed by the first stage", 50),
        ("kept as candidates", 50),
        ("recommended", 5),
    ]


def test_papers_cited_already_are_left_out_and_lead_to_others(recommender: Recommender) -> None:
    draft = replace(DRAFT, references=("rivers-08", "glaciers-03", "nowhere", "rivers-08"))
    answer = recommender.recommend(draft, k=50)
    assert {"rivers-08", "glaciers-03"}.isdisjoint(ids(answer))
    assert len(answer.recommendations) == 48
    assert answer.stages["cited already"] == 2
    assert answer.understood.endswith("3 references: 2 matched, 1 not in the corpus.")
    # rivers-08 cites rivers-07, and glaciers-04 cites glaciers-03.
    led = {item.paper.id for item in answer.recommendations if "seed" in item.sources}
    assert {"rivers-07", "glaciers-04"} <= led
    assert not any("seed" in item.sources for item in recommender.recommend(DRAFT).recommendations)
    cited = next(item for item in answer.recommendations if item.paper.id == "rivers-07")
    assert cited.reasons[0].kind == "seeds"


TITLES = (
    ("Early <i>Homo sapiens</i> of caves", "Early Homo sapiens of caves"),
    ("Caves where &lt;b&gt;Homo&lt;/b&gt; &amp; kin slept", "Caves where Homo & kin slept"),
    ("CO<sub>2</sub> of subglacial caves", "CO2 of subglacial caves"),
    ("Drops of H<jats:sub>2</jats:sub>O", "Drops of H2O"),
    (r"The $\beta$-dating of \emph{cave} art", "The β-dating of cave art"),
    (
        "<mml:math><mml:msup><mml:mi>t</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math> of caves",
        "t2 of caves",
    ),
)
"""What files write, and what it says."""
ABSTRACT = "Early Homo sapiens breathed CO2. Caves are dated."
MARKED = (
    "<jats:title>Abstract</jats:title><jats:p>Early <jats:italic>Homo</jats:italic>&#160;sapiens "
    "breathed CO<jats:sub>2</jats:sub>.</jats:p><jats:p>Caves are dated.</jats:p>"
)


def test_mark_up_changes_no_paper_no_rank_and_no_reason(tmp_path: Path) -> None:
    def answer(name: str, titles: Sequence[str], abstract: str) -> Answer:
        papers = [
            {"id": f"p{at}", "title": title, "abstract": abstract, "year": 2000}
            for at, title in enumerate(titles)
        ]
        (tmp_path / name).write_text("\n".join(map(json.dumps, papers)))
        recommender = stored(list(read_papers(tmp_path / name)), tmp_path / f"{name} stored")
        draft = Draft(f"Art of {titles[0]}", abstract, references=("p1",))
        return recommender.recommend(draft)

    marked, plain = zip(*TITLES, strict=True)
    found = answer("marked", marked, MARKED)
    assert found == answer("plain", plain, ABSTRACT)
    told = [reason.text for item in found.recommendations for reason in item.reasons]
    assert "similar to “Caves where Homo & kin slept” in your references" in told
    assert any("homo sapiens" in text for text in told)


@each_row("draft", [Draft(""), Draft(" ", "\n"), Draft("\t", authors=("A B",))])
def test_a_draft_without_text_is_refused(recommender: Recommender, draft: Draft) -> None:
    with pytest.raises(DraftError, match="neither a title nor an abstract"):
        recommender.recommend(draft)


def test_a_title_or_an_abstract_is_enough(recommender: Recommender) -> None:
    by_title = recommender.recommend(Draft("Volcanoes"), k=3)
    assert by_title.understood == "Understood: title, no abstract."
    assert all(paper.startswith("volcanoes") for paper in ids(by_title))
    by_abstract = recommender.recommend(Draft("", "Volcanoes"), k=3)
    assert by_abstract.understood == "Understood: no title, abstract (1 word)."
    assert all(paper.startswith("volcanoes") for paper in ids(by_abstract))


def test_everything_that_the_draft_says_is_told(recommender: Recommender) -> None:
    draft = replace(
        DRAFT, authors=("Ada Rivers",), venue="Nature", references=("rivers-01",), as_of=2005
    )
    assert recommender.recommend(draft).understood == (
        "Understood: title, abstract (6 words), 1 author (1 in the corpus), "
        "venue (not in the corpus), 1 reference: 1 matched, as of 2005."
    )


def test_nothing_newer_than_the_draft_is_recommended_or_counted(recommender: Recommender) -> None:
    answer = recommender.recommend(replace(DRAFT, as_of=2004), k=50)
    years = [item.paper.year for item in answer.recommendations]
    assert max(year for year in years if year is not None) == 2004
    assert answer.stages["known in 2004"] == 4 * 5 + 2  # One older than all, one undated.
    latest = next(item for item in answer.recommendations if item.paper.id == "rivers-03")
    # rivers-04 and rivers-05 cite it, but neither is older than the draft.
    assert not any(reason.kind == "citations" for reason in latest.reasons)


@each_row("seed", [3, 11, 12])
def test_an_answer_as_of_a_year_is_the_one_of_that_year(seed: int, tmp_path: Path) -> None:
    """Take the later papers away: nothing changes for a ranker that does not read words."""
    papers = tuple(paper for paper in random_world(seed).papers if paper.year is not None)
    draft = Draft("Graph vector", as_of=2005)
    known = tuple(paper for paper in papers if paper.year is not None and paper.year <= 2005)
    assert 0 < len(known) < len(papers)
    then, now = (stored(each, tmp_path / str(len(each))) for each in (known, papers))
    assert ids(now.recommend(draft, 40)) == ids(then.recommend(draft, 40))


def test_nothing_found_names_the_stage(small: Recommender) -> None:
    with pytest.raises(NothingFound, match="2 papers in the corpus, 0 known in 1900") as caught:
        small.recommend(Draft("One", as_of=1900))
    assert caught.value.exit_code == 3
    assert "--as-of" in caught.value.hint


def test_a_corpus_that_is_cited_already_has_nothing_left(small: Recommender) -> None:
    with pytest.raises(NothingFound, match="2 cited already, 0 proposed by the first stage"):
        small.recommend(Draft("One", references=("a", "b")))
    assert ids(small.recommend(Draft("One", references=("a",)))) == ["b"]


def test_authors_and_venue_are_not_read_without_metadata(recommender: Recommender) -> None:
    names = feature_names(metadata=False)
    blind = replace(recommender, metadata=False)
    assert not {"same_venue", "shared_authors"} & set(names)
    plain = blind.recommend(DRAFT, k=50)
    signed = blind.recommend(replace(DRAFT, authors=("Ada Deserts",), venue="Nature"), k=50)
    assert signed.recommendations == plain.recommendations
    seen = recommender.recommend(replace(DRAFT, authors=("Ada Deserts",)), k=50)
    assert any("author" in item.sources for item in seen.recommendations)


def test_a_paper_of_the_corpus_is_never_recommended_to_itself(recommender: Recommender) -> None:
    row = recommender.collection.corpus.row("rivers-09")
    assert row is not None
    ranking = recommender.rank(recommender.query_of(row))
    assert row not in ranking.rows
    assert np.all(np.diff(ranking.scores) <= 0)


@given(st.integers(0, 2**32 - 1), st.integers(1, 50))
def test_whatever_the_collection_an_answer_keeps_the_rules(seed: int, k: int) -> None:
    world = random_world(seed)
    with tempfile.TemporaryDirectory() as place:
        try:
            answer = stored(world.papers, Path(place, "x")).recommend(world.draft, k)
        except NothingFound as error:
            assert ", 0 kept as candidates, 0 recommended." in error.what
            return
    found = ids(answer)
    assert 0 < len(found) == len(set(found)) <= min(k, SMALL.candidates)
    assert world.draft.paper_id not in found
    assert set(found).isdisjoint(world.draft.references)
    for item in answer.recommendations:
        assert world.draft.as_of is not None
        assert item.paper.year is None or item.paper.year <= world.draft.as_of
        assert world.draft.paper_id is None or item.paper.year is not None
    order = [(-item.score, item.paper.id) for item in answer.recommendations]
    assert order == sorted(order)


@each_row("k", [0, -1])
def test_k_below_one_is_refused(recommender: Recommender, k: int) -> None:
    with pytest.raises(InputError, match=f"k is {k}"):
        recommender.recommend(DRAFT, k)
