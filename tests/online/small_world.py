"""A made world of works: a few topics, each with its own words, that mostly cite within."""

from collections.abc import Sequence

import numpy as np

from recsys.records import Paper, Reference

TOPICS = (
    "graph drawing layout edge crossing readability",
    "volume rendering transfer function ray casting",
    "citation recommendation ranking document retrieval",
)
FIRST_YEAR = 2000


def small_world(size: int = 240, seed: int = 0) -> list[Reference]:
    """Make works, the older first; every tenth has no DOI, every ninth no abstract."""
    rng = np.random.default_rng(seed)
    works: list[Reference] = []
    for number in range(size):
        topic = number % len(TOPICS)
        words = rng.permutation(TOPICS[topic].split())[:4].tolist()
        year = FIRST_YEAR + 20 * number // size
        works.append(
            Reference(
                id=f"W{1000 + number}",
                ids=(f"openalex:W{1000 + number}",),
                doi=f"10.1000/{number}" if number % 10 else None,
                title=f"{' '.join(words).capitalize()} number {_spelt(number)}",
                abstract=f"We study {' and '.join(words)}." if number % 9 else None,
                year=year,
                authors=(f"Ada Author{_spelt(number)}",),
                cited_ids=_cited(number, topic, rng),
            )
        )
    return works


def _cited(number: int, topic: int, rng: np.random.Generator) -> tuple[str, ...]:
    own = np.arange(topic, number, len(TOPICS))
    count = min(len(own), int(rng.integers(3, 8)))
    chosen = set(rng.choice(own, count, replace=False).tolist()) if count else set()
    if number > 3:
        chosen.add(int(rng.integers(0, number)))
    return tuple(f"W{1000 + each}" for each in sorted(chosen))


def _spelt(number: int) -> str:
    return "".join("abcdefghij"[int(digit)] for digit in str(number))


def known_of(works: Sequence[Reference]) -> tuple[Reference, ...]:
    """Tell works as a bibliography does."""
    return tuple(Reference(title=w.title, authors=w.authors, year=w.year, doi=w.doi) for w in works)


def papers_of(works: Sequence[Reference]) -> list[Paper]:
    """Make papers of works, for a server that serves papers."""
    return [
        Paper(
            id=work.id or "",
            title=work.title or "",
            abstract=work.abstract,
            year=work.year,
            authors=work.authors,
            doi=work.doi,
            references=work.cited_ids,
        )
        for work in works
    ]
