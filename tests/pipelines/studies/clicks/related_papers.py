"""A corpus of invented papers with citations enough to make a world of them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from recsys.store.collection import Collection
from tests.pipelines.small_index import open_small_collection, write_small_index

Invented = list[dict[str, object]]
CUT = 2006
TOPICS = ("rivers", "glaciers", "volcanoes")
WORDS = "slow fast old new deep wide cold warm dark bright".split()


def related_papers(seed: int = 0) -> Invented:
    """Invent 3 topics of 40 papers, from 2000 to 2009; each cites a few older ones of its topic."""
    rng = np.random.default_rng(seed)
    papers: Invented = []
    for topic in TOPICS:
        for number in range(40):
            cited = rng.integers(number, size=min(number, 7)).tolist() if number else []
            words = " ".join(rng.choice(WORDS, 4).tolist())
            papers.append(
                {
                    "id": f"{topic}-{number:02}",
                    "title": f"On {words} {topic}",
                    "year": 2000 + number // 4,
                    "authors": [f"Ada {WORDS[int(rng.integers(10))].title()}"],
                    "references": [f"{topic}-{each:02}" for each in sorted(set(cited))],
                }
            )
    return papers


def with_another_future(papers: Sequence[dict[str, object]]) -> Invented:
    """Let the papers of the cut and later cite others than they do."""
    changed = related_papers(seed=1)
    return [
        paper if int(str(paper["year"])) < CUT else paper | {"references": other["references"]}
        for paper, other in zip(papers, changed, strict=True)
    ]


def related_collection(folder: Path, papers: Invented | None = None) -> Collection:
    """Index the papers below a folder."""
    invented = related_papers() if papers is None else papers
    return open_small_collection(write_small_index(folder / "related.index", invented))
