"""How papers were cited is read from older sentences alone, and hidden where it is to be."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from recsys.indexes.bm25 import Bm25Index
from recsys.local.local_features import (
    CONTEXT,
    LOCAL_FEATURES,
    LocalFacts,
    compute_local,
    profile_cosines,
)
from recsys.local.local_recommender import QUOTED, LocalPool, explain_local, gather
from recsys.local.named_works import NamedWorks
from recsys.local.passage import (
    BEST_FEW,
    MATCHES,
    NEAREST,
    OUTSIDE,
    ContextUse,
    DraftView,
    Passage,
    PassageQuery,
    pose_passage,
)
from recsys.local.passage import COLUMNS as OF_DRAFT
from recsys.pipelines.index.contexts import COLUMNS, in_order, write_contexts
from recsys.query.query import make_query
from recsys.ranking.feature_context import FeatureContext
from recsys.records import Draft, Paper
from recsys.retrieval.propose import propose
from recsys.store.arrays import Floats
from recsys.store.collection import Collection, ContextSpace
from recsys.store.contexts import WORDS, Contexts
from recsys.store.terms import TermStore
from recsys.store.vectors import quantised
from tests.rows import each_row
from tests.tiny import SMALL, World, collect, random_world, unit

# A tiny corpus whose papers are cited in known sentences, to try local recommendation on.

Told = tuple[str, str, str]
"""Ids of the citing and of the cited paper, and the sentence."""
POOL = LocalPool(sentence=SMALL)


def with_told(
    collection: Collection, told: Sequence[Told], vectors: Floats | None, folder: Path
) -> Collection:
    """Give a collection citing sentences; vectors: (m, d), one a sentence, unit rows."""
    row = {collection.corpus.ids[at]: at for at in range(len(collection.corpus))}
    said = [
        {"cited": row[cited], "citing": row[citing], "text": text, "section": ""}
        for citing, cited, text in told
    ]
    table = pa.Table.from_pylist(said, COLUMNS)
    order = in_order(table, collection.corpus.years).order
    codes = None if vectors is None else quantised(vectors[order])
    write_contexts(folder, table.take(pa.array(order)), collection.corpus.years, codes, {})
    terms = TermStore.load(folder / WORDS)
    contexts = Contexts.load(folder, len(collection.corpus))
    space = ContextSpace(contexts, terms, Bm25Index.load(folder / WORDS, terms))
    return replace(collection, contexts=space)


def asked(collection: Collection, draft: Draft, passage: Passage, vector: Floats) -> PassageQuery:
    """Pose a passage of a draft that the two stages rank all papers alike for."""
    query = make_query(collection, draft, vector, metadata=False)
    found = propose(collection, query, SMALL)
    columns = np.zeros((len(found.rows), len(OF_DRAFT)), np.float32)
    view = DraftView(FeatureContext(collection, query, found), columns)
    works = NamedWorks(collection)
    return pose_passage(collection, works, view, passage, vector)


def facts_of(collection: Collection, query: PassageQuery) -> LocalFacts:
    """Gather what is known of a passage's candidates."""
    candidates = gather(collection, query, POOL)
    return LocalFacts(query, FeatureContext(collection, query.query, candidates))


SIGNS = tuple(name for name in LOCAL_FEATURES if name.startswith("context_"))
PAPERS = (
    Paper(id="a", title="Ferns", year=2000),
    Paper(id="b", title="Clouds", year=2000),
    Paper(id="c", title="Honey", year=2003, references=("a",)),
    Paper(id="d", title="Gravel", year=2004, references=("a",)),
    Paper(id="e", title="Engines", year=2005, references=("a", "b")),
    Paper(id="f", title="Beetles", year=2005, references=("b",)),
    Paper(id="g", title="Vectors", year=None, references=("b",)),
)
TOLD: tuple[Told, ...] = (
    ("c", "a", "Shadow plants grow slowly."),
    ("d", "a", "Spores travel far."),
    ("e", "a", "The own words of the draft."),
    ("e", "b", "More own words of the draft."),
    ("f", "b", "Words of the same year."),
    ("g", "b", "Words of an unknown year."),
)
SAID = unit(np.eye(6, 8) + 0.2)
VECTOR: Floats = SAID[0]
DRAFT = Draft(title="Engines", as_of=2005, paper_id="e")
PASSAGE = Passage("Shadow plants")


def plain() -> Collection:
    return collect(PAPERS, unit(np.random.default_rng(0).standard_normal((len(PAPERS), 8))))


@pytest.fixture
def told(tmp_path: Path) -> Collection:
    return with_told(plain(), TOLD, SAID, tmp_path)


def columns(facts: LocalFacts, id_: str) -> dict[str, float]:
    """Return the signs of one candidate."""
    row = facts.sentence.collection.corpus.row(id_)
    values = compute_local(facts, SIGNS)[facts.rows.tolist().index(row)]
    return dict(zip(SIGNS, values.tolist(), strict=True))


def test_neither_the_own_paper_nor_the_same_year_tells_anything(told: Collection) -> None:
    query = asked(told, DRAFT, PASSAGE, VECTOR)
    assert query.contexts is not None
    seen = query.contexts.contexts.texts(np.flatnonzero(query.contexts.seen))
    assert seen == ["Shadow plants grow slowly.", "Spores travel far."]
    facts = facts_of(told, query)
    assert set(columns(facts, "b").values()) == {-1}
    assert columns(facts, "a")["context_best"] == pytest.approx(1, abs=0.02)


def test_a_draft_of_the_next_year_sees_all_but_unknown_years(told: Collection) -> None:
    later = Draft(title="Engines", as_of=2006)
    query = asked(told, later, PASSAGE, VECTOR)
    assert query.contexts is not None and query.contexts.seen.sum() == 5
    own = asked(told, replace(later, paper_id="f"), PASSAGE, VECTOR)
    assert own.contexts is not None and own.contexts.seen.sum() == 2


def random_told(seed: int, folder: Path) -> tuple[World, Collection]:
    """Draw a world and sentences of its citations."""
    world = random_world(seed)
    rng = np.random.default_rng(seed)
    years = {paper.id: paper.year for paper in world.papers}
    pairs = [
        (paper.id, other)
        for paper in world.papers
        for other in dict.fromkeys(paper.references)
        if other in years and other != paper.id
    ]
    told = [
        (citing, cited, f"{rng.choice(['cloud', 'fern', 'honey'])} {number}")
        for number, (citing, cited) in enumerate(pairs * 2)
    ]
    vectors = unit(rng.standard_normal((len(told), 8)))
    return world, with_told(world.collection, told, vectors, made(folder / str(seed)))


@each_row("seed", range(20, 32), usually=4)
def test_signs_are_those_of_a_plain_count(seed: int, tmp_path: Path) -> None:
    world, collection = random_told(seed, tmp_path)
    query = asked(collection, world.draft, Passage("cloud fern fern"), world.vector)
    facts = facts_of(collection, query)
    view = query.contexts
    assert view is not None
    told = view.contexts
    cosines = told.vectors(slice(None)) @ world.vector
    seen = np.flatnonzero(view.seen).tolist()
    for at in seen:  # Of older papers that may be seen.
        assert 0 < collection.corpus.years[told.citing[at]] < query.query.before
        assert query.query.allowed[[told.citing[at], told.cited[at]]].all()
    near = [at for at in sorted(seen, key=lambda at: -cosines[at])[:NEAREST] if cosines[at] > 0]
    hits, scores = view.space.text_index.search(view.text, MATCHES, allowed=view.seen)
    words = dict(zip(hits.tolist(), (scores / scores.max(initial=1e-9)).tolist(), strict=True))
    table = compute_local(facts, SIGNS)
    for row, found in zip(facts.rows.tolist(), table.tolist(), strict=True):
        own = [at for at in seen if told.cited[at] == row]
        value = dict(zip(SIGNS, found, strict=True))
        if not own:
            assert set(found) == {-1}
            continue
        best = sorted((float(cosines[at]) for at in own), reverse=True)
        votes = sum(float(cosines[at]) for at in near if at in own)
        total = sum(float(cosines[at]) for at in near)
        assert value["context_best"] == pytest.approx(best[0], abs=1e-5)
        assert value["context_mean"] == pytest.approx(np.mean(best[:BEST_FEW]), abs=1e-5)
        assert value["context_votes"] == pytest.approx(votes / max(total, 1e-9), abs=1e-5)
        assert value["context_bm25"] == pytest.approx(max(words.get(at, 0) for at in own), abs=1e-5)
        assert value["context_rank"] >= 1


@each_row("seed", range(12), usually=4)
def test_hidden_sentences_leave_no_trace(seed: int, tmp_path: Path) -> None:
    world, collection = random_told(seed, tmp_path)
    hidden = Passage("cloud fern", contexts=ContextUse.HIDDEN)
    with_them = facts_of(collection, asked(collection, world.draft, hidden, world.vector))
    bare = asked(world.collection, world.draft, Passage("cloud fern"), world.vector)
    without = facts_of(world.collection, bare)
    assert with_them.rows.tobytes() == without.rows.tobytes()
    tables = [compute_local(facts, LOCAL_FEATURES) for facts in (with_them, without)]
    assert tables[0].tobytes() == tables[1].tobytes()
    assert np.all(compute_local(without, SIGNS) == OUTSIDE)


@each_row("seed", range(12), usually=4)
def test_presence_never_varies_among_papers_with_sentences_only(seed: int, tmp_path: Path) -> None:
    world, collection = random_told(seed, tmp_path)
    only = Passage("cloud fern", contexts=ContextUse.ONLY)
    query = asked(collection, world.draft, only, world.vector)
    facts = facts_of(collection, query)
    assert facts.signs is not None and facts.signs.present.all()
    told = facts.signs.view
    spoken_of = set(told.contexts.cited[told.seen].tolist())
    assert set(np.flatnonzero(query.query.wanted).tolist()) <= spoken_of
    if world.draft.references == ():
        own = world.draft.paper_id and world.collection.corpus.row(world.draft.paper_id)
        assert set(np.flatnonzero(query.query.wanted)) == spoken_of - {own}
    compute_local(facts, LOCAL_FEATURES)


def test_where_nobody_was_cited_only_those_are_nobody() -> None:
    collection = plain()
    only = replace(PASSAGE, contexts=ContextUse.ONLY)
    facts = facts_of(collection, asked(collection, DRAFT, only, VECTOR))
    assert len(facts.rows) == 0
    assert compute_local(facts, LOCAL_FEATURES).shape == (0, len(LOCAL_FEATURES))


@pytest.mark.parametrize("encoded", [True, False])
def test_papers_cited_in_sentences_like_it_are_proposed(encoded: bool, tmp_path: Path) -> None:
    told = with_told(plain(), TOLD, SAID if encoded else None, tmp_path)
    query = asked(told, DRAFT, PASSAGE, VECTOR)
    assert query.contexts is not None
    assert query.contexts.proposed(50).tolist() == [0]
    facts = facts_of(told, query)
    found = columns(facts, "a")
    assert found["context_bm25"] == 1
    assert (found["context_best"] == -1) is not encoded
    assert (found["context_votes"] == -1) is not encoded


def test_a_profile_is_pulled_towards_what_is_said(told: Collection) -> None:
    facts = facts_of(told, asked(told, DRAFT, PASSAGE, VECTOR))
    assert facts.signs is not None
    at = facts.rows.tolist().index(0)
    said = facts.signs.view.contexts.vectors(np.array([0, 1])).mean(axis=0)
    profile = told.vectors[0] + told.vectors[[2, 3]].mean(axis=0) + CONTEXT * said
    expected = profile @ VECTOR / np.linalg.norm(profile)
    assert facts.profile[at] == pytest.approx(expected, abs=1e-5)
    without = profile_cosines(facts.sentence)
    assert without[at] < facts.profile[at]
    others = np.flatnonzero(~facts.signs.present)
    np.testing.assert_array_equal(facts.profile[others], without[others])


def reason_of(collection: Collection, as_of: int = 2005) -> str | None:
    """Return what is said of paper a."""
    query = asked(collection, Draft(title="x", as_of=as_of), PASSAGE, VECTOR)
    facts = facts_of(collection, query)
    at = facts.rows.tolist().index(0)
    reasons = explain_local(facts, [at], collection.corpus.papers([0]))[0]
    return next((each.text for each in reasons if each.kind == "context"), None)


def test_the_reason_quotes_the_nearest_sentence(told: Collection) -> None:
    assert reason_of(told) == "a paper cites it in a similar sentence: 'Shadow plants grow slowly.'"
    assert reason_of(told, 2003) is None  # Nobody had said it before.


def test_the_reason_counts_papers_and_not_sentences(tmp_path: Path) -> None:
    said = [("c", "a", "Shadow\n plants."), ("c", "a", "Shadows."), ("d", "a", "Plants.")]
    near = unit(VECTOR + 0.01 * np.eye(3, 8) * [[1], [2], [3]])
    told = with_told(plain(), said, near, tmp_path)
    assert reason_of(told) == "2 papers cite it in a similar sentence: 'Shadow plants.'"


def test_a_long_sentence_is_cut_at_a_word(tmp_path: Path) -> None:
    for number, text in enumerate(("plants " * 100, "p" * 1000, "plants, " * 28)):
        told = with_told(plain(), [("c", "a", text)], VECTOR[None], made(tmp_path / str(number)))
        quoted = (reason_of(told) or "").partition("'")[2]
        assert 150 < len(quoted) <= QUOTED + 1 and quoted.endswith("…'")
        assert " …" not in quoted and ",…" not in quoted


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder
