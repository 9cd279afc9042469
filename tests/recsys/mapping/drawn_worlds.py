"""Maps of small worlds: invented papers of four topics, and worlds drawn at random."""

from collections.abc import Sequence

import numpy as np

from recsys.mapping import Group, Kind, Map, Node, Tick
from recsys.mapping.drawing import draw_around
from recsys.mapping.placing import WIDE
from recsys.query.query import make_query
from recsys.recommend import Recommender
from recsys.records import Draft, Paper
from recsys.retrieval.propose import StageOne
from recsys.store.arrays import Floats
from tests.hashing_encoder import HashingEncoder
from tests.pipelines.small_index import SumRanker
from tests.tiny import SMALL, World, collect, unit


def draw_world(world: World) -> Map:
    """Draw the map of a world's draft."""
    return draw(world.papers, world.collection.vectors[:], world.draft, world.vector)


def draw(
    papers: Sequence[Paper],
    vectors: Floats,
    draft: Draft,
    vector: Floats | None,
    *,
    stage_one: StageOne = SMALL,
) -> Map:
    """Draw the map of a draft among some papers."""
    collection = collect(papers, vectors)
    recommender = Recommender(collection, HashingEncoder(), SumRanker(), stage_one)
    query = make_query(collection, draft, vector)
    return draw_around(recommender, query, title=draft.title)


def topical(count: int, *, topics: int = 3, seed: int = 0) -> World:
    """Invent papers on some topics; each cites the last two of its topic."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((topics, 8))
    papers = tuple(
        Paper(
            id=f"p{row:03}",
            title=f"{'graph ranking|cloud honey|vector engine'.split('|')[row % topics]} {row}",
            year=1990 + row % 30,
            references=tuple(f"p{row - back * topics:03}" for back in (1, 2) if row >= 2 * topics),
        )
        for row in range(count)
    )
    noise = rng.standard_normal((count, 8))
    vectors = unit(np.array([centres[row % topics] for row in range(count)]) + 0.3 * noise)
    draft = Draft(title="graph ranking", references=("p000", "p003"), as_of=2020)
    return World(papers, collect(papers, vectors), draft, unit(centres[0]))


def hand_made(titles: Sequence[str], *, label: str = "rivers", kind: Kind = "near") -> Map:
    """Make a map of one group; each paper cites the one before it."""
    nodes = tuple(
        Node(
            Paper(id=f"p{place}", title=title, year=2000 + place),
            kind,
            100.0 + 10 * place,
            80.0,
            0,
            (place - 1,) if place else (),
            rank=place + 1,
        )
        for place, title in enumerate(titles)
    )
    group = Group(label, near=len(titles), cited=0, top=30.0, bottom=150.0)
    ticks = (Tick("2000", 100.0),)
    return Map("A draft", WIDE, 190.0, nodes, (group,), (0,), ticks, 2010, 820.0, 80.0)
