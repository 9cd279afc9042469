"""What is related to a paper: citations by hand, and what simulated readers go on to."""

import numpy as np
import pytest

from recsys.eval.studies.scidocs.scidocs_layout import Task
from recsys.pipelines.studies.scidocs_generator import (
    RELATIONS,
    VIEWS,
    Library,
    co_cited,
)
from recsys.store.arrays import Mask
from recsys.store.collection import Collection
from tests.pipelines.studies.clicks.related_papers import Invented, related_collection
from tests.rows import each_row

#     year  venue  cites
PAPERS: dict[str, tuple[int | None, str | None, str]] = {
    "a": (2000, "V", ""),
    "b": (2000, "V", "a"),
    "c": (2001, "V", ""),
    "d": (2005, "V", "a b c"),
    "e": (2006, None, "a b"),
    "f": (2006, "W", "a f"),
    "g": (None, "V", ""),
}


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    papers: Invented = [
        {"id": name, "title": name, "year": year, "venue": venue, "references": cites.split()}
        for name, (year, venue, cites) in PAPERS.items()
    ]
    return related_collection(tmp_path_factory.mktemp("relations"), papers)


def library(collection: Collection, citing: str = "abcdefg") -> Library:
    mask: Mask = np.zeros(len(PAPERS), bool)
    mask[[[*PAPERS].index(name) for name in citing]] = True
    return Library.of(collection.corpus, collection.graph, mask)


def of(library: Library, task: Task, paper: str, seed: int = 0) -> dict[str, float]:
    found = RELATIONS[task](library, [*PAPERS].index(paper), np.random.default_rng(seed))
    rows = [[*PAPERS][row] for row in found.rows.tolist()]
    return dict(zip(rows, found.strength.tolist(), strict=True))


@each_row(
    ("citing", "task", "paper", "expected"),
    [
        ("abcdefg", Task.CITE, "d", {"a": 1, "b": 1, "c": 1}),
        ("abcdefg", Task.CITE, "a", {}),
        ("e", Task.CITE, "d", {}),
        ("abcdefg", Task.CO_CITE, "a", {"b": 2, "c": 1}),
        ("e", Task.CO_CITE, "a", {"b": 1}),
        ("abcdefg", Task.CO_CITE, "d", {}),
        # Where nobody cites a paper, its readers are unknown.
        ("abcdefg", Task.CO_VIEW, "d", {}),
        ("f", Task.CO_READ, "c", {}),
    ],
)
def test_what_is_cited_alone_or_together_is_related(
    collection: Collection, citing: str, task: Task, paper: str, expected: dict[str, float]
) -> None:
    assert of(library(collection, citing), task, paper) == expected


@each_row("seed", range(5))
def test_readers_stay_near(collection: Collection, seed: int) -> None:
    viewed = of(library(collection), Task.CO_VIEW, "a", seed)
    # Of its venue, b and c are of its time; d is later, g of unknown year.
    assert set(viewed) <= {"b", "c"} and sum(viewed.values()) == VIEWS
    assert viewed["b"] > viewed["c"]  # Cited together twice as often.
    read = of(library(collection), Task.CO_READ, "a", seed)
    assert set(read) <= {"b", "c"} and sum(read.values()) < VIEWS


def test_what_is_read_is_mostly_cited_together(collection: Collection) -> None:
    everyone, rng = library(collection), np.random.default_rng(0)
    together = set(co_cited(everyone, 0, rng).rows.tolist())
    totals = {task: [0.0, 0.0] for task in (Task.CO_VIEW, Task.CO_READ)}
    for task, sums in totals.items():
        for _ in range(200):
            found = RELATIONS[task](everyone, 1, rng)  # b, with a and c cited twice and once.
            for row, strength in zip(found.rows.tolist(), found.strength, strict=True):
                sums[row == 0] += strength
    assert together == {1, 2}
    # Views: a and c share 80 % as 2 to 1, and are drawn alike from the venue: 5 in 8 lead to a.
    share = {task: sums[1] / sum(sums) for task, sums in totals.items()}
    assert share[Task.CO_VIEW] == pytest.approx(0.8 * 2 / 3 + 0.2 / 2, abs=0.02)
    expected = (0.8 * 0.6 * 2 / 3 + 0.2 * 0.1 / 2) / (0.8 * 0.6 + 0.2 * 0.1)
    assert share[Task.CO_READ] == pytest.approx(expected, abs=0.02)
