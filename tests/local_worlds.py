"""Passages posed to small collections: random ones, whose titles and sentences bear names."""

from dataclasses import dataclass, replace

import numpy as np

from recsys.local.local_features import LocalFacts
from recsys.local.local_recommender import LocalPool, LocalRecommender, PassageRanker, PassageReader
from recsys.local.passage import Passage
from recsys.recommend import Recommender
from recsys.records import Draft
from recsys.store.collection import Collection
from tests.hashing_encoder import HashingEncoder
from tests.pipelines.small_index import SumRanker
from tests.tiny import PEOPLE, SMALL, WORDS, World, collect, random_world

COLUMNS = ("sentence.cosine", "sentence.bm25_share", "draft.probability", "named", "profile")
"""What the rankers of these tests add up."""
SMALL_POOL = LocalPool(sentence=replace(SMALL, candidates=6), of_draft=5, named=3)
SYSTEMS = ("FIRNET", "MossBank", "OAK-3")


@dataclass(frozen=True, slots=True)
class LocalWorld:
    """A world whose draft lacks a citation at a passage."""

    world: World
    passage: Passage

    @property
    def collection(self) -> Collection:
        return self.world.collection

    @property
    def draft(self) -> Draft:
        return self.world.draft


def reader_of(collection: Collection, pool: LocalPool = SMALL_POOL) -> PassageReader:
    recommender = Recommender(collection, HashingEncoder(8), SumRanker(), SMALL)
    return PassageReader(recommender, pool)


def facts_of(
    world: LocalWorld, *, collection: Collection | None = None, passage: Passage | None = None
) -> LocalFacts:
    """Gather what is known of a passage's candidates."""
    return reader_of(collection or world.collection).facts(world.draft, passage or world.passage)


def recommender_of(
    collection: Collection, columns: tuple[str, ...] = COLUMNS, pool: LocalPool = SMALL_POOL
) -> LocalRecommender:
    return LocalRecommender(PassageRanker(reader_of(collection, pool), SumRanker(columns)))


def random_local_world(seed: int) -> LocalWorld:
    """Draw a world of `tests.tiny` in which titles name systems, and a passage.

    A third of the drafts say nothing, and a third of the passages cite something already.
    """
    world = random_world(seed)
    rng = np.random.default_rng([seed, 1])
    papers = tuple(
        replace(paper, title=f"{_one(rng, SYSTEMS)}: {paper.title}")
        if rng.random() < 0.3
        else paper
        for paper in world.papers
    )
    draft = world.draft
    if rng.random() < 1 / 3:
        draft = Draft(title="", as_of=draft.as_of, paper_id=draft.paper_id)
    listed = [paper.id for paper in papers]
    beside = (_one(rng, listed), _one(rng, listed), "nowhere") if rng.random() < 1 / 3 else ()
    collection = collect(papers, world.collection.vectors[:])
    posed = replace(world, papers=papers, collection=collection, draft=draft)
    return LocalWorld(posed, Passage(_sentence(rng), tuple(beside)))


def _sentence(rng: np.random.Generator) -> str:
    """Write some words, and name works and systems beside them."""
    words = " ".join(_one(rng, WORDS) for _ in range(int(rng.integers(1, 6))))
    first, other = (name.split()[-1] for name in (_one(rng, PEOPLE), _one(rng, PEOPLE)))
    year = int(rng.integers(2000, 2010))
    named = ("", f"({first}, {year})", f"as {first} and {other} ({year}) say", f"{first} et al.")
    system = _one(rng, (*SYSTEMS, "", ""))
    return f"We use {words} {_one(rng, named)} with {system}"


def _one(rng: np.random.Generator, of: "tuple[str, ...] | list[str]") -> str:
    return of[int(rng.integers(len(of)))]
