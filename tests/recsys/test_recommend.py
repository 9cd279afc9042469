"""The whole way of a draft, over small collections."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsys.asking.filters import Filters
from recsys.asking.named import read_references
from recsys.errors import DraftError, InputError, NothingFound
from recsys.recommend import Recommender
from recsys.records import Answer, Draft, Paper, ReadingLists, Recommendation
from recsys.stage_one.settings import StageOne
from recsys.stage_two.features import feature_names
from recsys.store.arrays import Floats
from tests.hashing_encoder import HashingEncoder
from tests.pipelines.small_index import open_small_index, write_small_index
from tests.stored import store
from tests.tiny import SMALL, collect, random_world

DRAFT = Draft("Rivers measured again", "We measure rivers, with an instrument.")


@dataclass(frozen=True, slots=True)
class CosineRanker:
    """Ranks by cosine, or finds all candidates alike."""

    alike: bool = False
    feature_names: tuple[str, ...] = ("cosine",)
    first: None = None

    def score(self, features: Floats) -> Floats:
        return np.zeros(len(features), np.float32) if self.alike else features[:, 0]

    def probability(self, scores: Floats) -> Floats:
        return np.clip(scores, 0, 1)


@pytest.fixture(scope="module")
def recommender(tmp_path_factory: pytest.TempPathFactory) -> Recommender:
    return open_small_index(write_small_index(tmp_path_factory.mktemp("recommend") / "x.index"))


def stored(papers: Sequence[Paper], folder: Path) -> Recommender:
    """Recommend out of papers with ascending ids by cosine; their columns go to a new folder."""
    encoder = HashingEncoder(8)
    vectors = encoder.encode([(paper.title, paper.abstract) for paper in papers])
    collection = replace(collect(papers, vectors), corpus=store(papers, folder))
    return Recommender(collection, encoder, CosineRanker(), SMALL)


@pytest.fixture
def small(tmp_path: Path) -> Recommender:
    return stored([Paper("a", "One", year=2000), Paper("b", "Two", year=2001)], tmp_path / "ab")


def ids(answer: Answer) -> list[str]:
    return [item.paper.id for item in answer.recommendations]


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
        ("proposed by stage one", 50),
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


@pytest.mark.parametrize("draft", [Draft(""), Draft(" ", "\n"), Draft("\t", authors=("A B",))])
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


def test_words_that_the_corpus_does_not_know_still_get_an_answer(recommender: Recommender) -> None:
    answer = recommender.recommend(Draft("Ωμέγα 中文 🦊"), k=3)
    assert len(answer.recommendations) == 3


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


@pytest.mark.parametrize("seed", [3, 11, 12])
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
    with pytest.raises(NothingFound, match="2 cited already, 0 proposed by stage one"):
        small.recommend(Draft("One", references=("a", "b")))
    assert ids(small.recommend(Draft("One", references=("a",)))) == ["b"]


def test_ties_go_by_ascending_id(recommender: Recommender) -> None:
    alike = replace(recommender, ranker=CosineRanker(alike=True))
    found = ids(alike.recommend(DRAFT, k=7))
    assert found == sorted(ids(alike.recommend(DRAFT, k=50)))[:7]


def test_k_may_be_larger_than_the_corpus(recommender: Recommender) -> None:
    answer = recommender.recommend(DRAFT, k=10**9)
    assert len(answer.recommendations) == 50 == answer.stages["recommended"]
    assert ids(recommender.recommend(DRAFT, k=4)) == ids(answer)[:4]


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one_is_refused(recommender: Recommender, k: int) -> None:
    with pytest.raises(InputError, match=f"k is {k}"):
        recommender.recommend(DRAFT, k)


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


@settings(max_examples=30)
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


def test_a_loaded_index_answers_from_python(tmp_path: Path, recommender: Recommender) -> None:
    again = open_small_index(write_small_index(tmp_path / "again.index"))
    assert again.recommend(DRAFT, 9) == recommender.recommend(DRAFT, 9)


# Filters -------------------------------------------------------------------------------------


def apart_from_rank(answer: Answer) -> list[Recommendation]:
    return [replace(item, rank=0) for item in answer.recommendations]


def test_each_filter_counts_what_those_before_it_left(recommender: Recommender) -> None:
    filters = Filters(min_year=2008, exclude_authors=("Rivers",), library=("deserts-09", "x"))
    answer = recommender.recommend(DRAFT, k=50, filters=filters)
    assert {item.paper.id.partition("-")[0] for item in answer.recommendations} == {
        "glaciers",
        "volcanoes",
        "deserts",
    }
    assert list(answer.stages.items())[3:] == [
        ("proposed by stage one", 50),
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


def test_no_filter_and_no_diversity_change_nothing(recommender: Recommender) -> None:
    plain = recommender.recommend(DRAFT, k=30)
    assert recommender.recommend(DRAFT, k=30, filters=Filters(), diversity=0) == plain


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


@pytest.mark.parametrize(
    ("filters", "text", "hint"),
    [
        (
            Filters(min_year=2050),
            "2 removed by --min-year 2050, 0 kept",
            "No paper of the corpus passes --min-year 2050. Its years are 2000 to 2001.",
        ),
        (
            Filters(min_year=2001, library=("b",)),
            "1 removed by --min-year 2001, 1 removed by --exclude-library, 0 kept",
            "Loosen --min-year 2001: without it there would be 1 paper.",
        ),
        (
            Filters(max_year=2000, min_year=2000, library=("a",), exclude_own=True),
            "1 removed by --max-year 2000, 0 removed by --exclude-own, 1 removed by --exc",
            "Loosen --max-year 2000: without it there would be 1 paper.",
        ),
        (
            Filters(venues=("*TVCG*",)),
            r"2 removed by --venue \*TVCG\*, 0 kept",
            "No paper of the corpus passes --venue *TVCG*. It has no venues.",
        ),
    ],
)
def test_nothing_found_names_the_filter_to_loosen(
    small: Recommender, filters: Filters, text: str, hint: str
) -> None:
    with pytest.raises(NothingFound, match=text) as caught:
        small.recommend(Draft("One"), filters=filters)
    assert caught.value.hint.startswith(hint)


def test_filters_are_not_blamed_for_an_early_draft(small: Recommender) -> None:
    with pytest.raises(NothingFound) as caught:
        small.recommend(Draft("One", as_of=1900), filters=Filters(max_year=2001))
    assert "--as-of" in caught.value.hint


def test_filters_that_make_no_sense_are_refused(small: Recommender) -> None:
    with pytest.raises(InputError, match="--min-year"):
        small.recommend(Draft("One"), filters=Filters(min_year=2, max_year=1))


def passes(paper: Paper, draft: Draft, filters: Filters) -> bool:
    """Read the filters out, for one paper of the random worlds."""
    if (filters.min_year, filters.max_year) != (None, None):
        if paper.year is None:
            return False
        if not (filters.min_year or 0) <= paper.year <= (filters.max_year or 9999):
            return False
    names = [*filters.exclude_authors, *(draft.authors if filters.exclude_own else ())]
    surnames = {name.split()[-1] for name in names}
    return (
        (not filters.venues or paper.venue == "Acta Arborum")
        and (not filters.types or paper.labels.get("type") == "Review")
        and surnames.isdisjoint(name.split()[-1] for name in paper.authors)
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


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), FILTERS)
def test_filters_leave_what_passes_as_it_was(seed: int, filters: Filters) -> None:
    """All papers are candidates here, so nothing else may differ from the plain answer."""
    world = random_world(seed)
    papers = labelled(world.papers)
    with tempfile.TemporaryDirectory() as place:
        every = replace(stored(papers, Path(place, "x")), stage_one=StageOne())
        plain, filtered = (items(every, world.draft, each) for each in (Filters(), filters))
    passing = {paper.id for paper in papers if passes(paper, world.draft, filters)}
    assert filtered == [item for item in plain if item.paper.id in passing]


@settings(max_examples=25)
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
        SMALL.candidates, stages["proposed by stage one"] - removed
    )


# Diversity -----------------------------------------------------------------------------------


@pytest.mark.parametrize("diversity", [0.2, 0.5, 1.0])
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


def test_diversity_of_a_filtered_answer_keeps_to_the_filter(recommender: Recommender) -> None:
    answer = recommender.recommend(DRAFT, 50, filters=Filters(min_year=2009), diversity=0.7)
    assert len(answer.recommendations) == 12
    assert all(
        item.paper.year is not None and item.paper.year >= 2009 for item in answer.recommendations
    )


def test_a_diversity_that_is_no_share_is_refused(small: Recommender) -> None:
    with pytest.raises(InputError, match="--mmr"):
        small.recommend(Draft("One"), diversity=2)


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


@pytest.mark.parametrize("diversity", [0.0, 0.5])
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


def test_all_candidates_of_a_draft_are_in_order_whatever_work_they_are(twice: Recommender) -> None:
    query = twice.query_to(Draft(TITLE))
    whole, merged = twice.order(query), twice.rank(query)
    assert len(whole.rows) == 4 and whole.merged == 0
    assert merged.rows.tolist() == [row for row in whole.rows.tolist() if row != 1]
    assert merged.scores.tolist() == whole.scores[whole.rows != 1].tolist()
