"""Sentences in which the invented papers cite each other, and what answers them."""

from dataclasses import replace
from pathlib import Path

from recsys.local.local_recommender import LocalPool, PassageRanker, PassageReader
from recsys.passages import Context
from tests.local_worlds import COLUMNS
from tests.pipelines.small_index import TOPICS, YEARS, SumRanker, open_small_index
from tests.tiny import SMALL

POOL = LocalPool(sentence=replace(SMALL, candidates=9), of_draft=6, named=4)


def open_small_local(index: Path) -> PassageRanker:
    """Open an index of `tests.pipelines.small_index` without models."""
    recommender = replace(open_small_index(index, metadata=False), stage_one=SMALL)
    return PassageRanker(PassageReader(recommender, POOL), SumRanker(COLUMNS))


def invented_contexts() -> list[Context]:
    """Of each paper with two references three sentences: naming one, both together, and nobody."""
    contexts = []
    for topic in TOPICS:
        name = topic.title()
        for age in range(2, YEARS):
            citing, one, two = (f"{topic}-{each:02}" for each in (age, age - 1, age - 2))
            named = f"{name} ({2000 + age - 1}) measured {topic} with care."
            both = f"Surveys of {topic} are many ({name}, {2000 + age - 1}; {name}, {1998 + age})."
            nobody = f"An instrument for {topic} was built {age} times."
            contexts += [Context(citing, one, named), Context(citing, two, nobody)]
            contexts += [Context(citing, each, both) for each in (one, two)]
    return contexts
