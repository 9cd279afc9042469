"""One paper of each work stands in a ranking: over papers written out, and drawn at random."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.ranking.duplicates import Versions, find_versions
from recsys.records import Paper
from recsys.store.arrays import Rows
from recsys.store.collection import Collection
from tests.hashing_encoder import HashingEncoder
from tests.stored import store
from tests.tiny import collect

DRIFT = "Measuring the slow drift of gravel in braided rivers"
FERNS = "A census of the ferns on northern glacier forelands"
PEOPLE = ("Ada Ash", "Bob Birch")
ABSTRACT = (
    "We follow painted pebbles through nine floods, weigh them, map bars, banks, pools, " * 2
    + ("compare three sensors, discuss noise, calibrate gauges and publish every table.")
)


def paper(number: int, title: str, year: int = 2010, **more: object) -> Paper:
    return replace(Paper(f"p{number:02}", title, year=year, authors=PEOPLE), **more)  # type: ignore[arg-type]  # Fields by name.


PAPERS = (
    paper(0, DRIFT, venue="Preprints"),
    paper(1, FERNS),
    paper(2, f"{DRIFT}.", 2011, venue="River Letters"),
    paper(3, f"{DRIFT}, Part II"),
    paper(4, DRIFT.replace("Measuring", "Measurng")),
    paper(5, FERNS.upper(), 2011),
    paper(6, "Painted pebbles", abstract=ABSTRACT),
    paper(7, "Painted pebbles in floods", 2012, abstract=ABSTRACT),
    paper(8, DRIFT, authors=("Zoe Zorn", "Yan Young")),
)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return of(PAPERS, tmp_path_factory.mktemp("versions") / "corpus")


def of(papers: tuple[Paper, ...], folder: Path) -> Collection:
    vectors = HashingEncoder(8).encode([(each.title, each.abstract) for each in papers])
    return replace(collect(papers, vectors), corpus=store(papers, folder))


def rows(*numbers: int) -> Rows:
    return np.array(numbers, np.int32)


def found(collection: Collection, ranked: Rows, known: Rows) -> tuple[list[int], dict[int, object]]:
    versions: Versions = find_versions(collection, ranked, known)
    return ranked[versions.standing].tolist(), dict(versions.others)


def test_the_better_ranked_version_stands_and_names_the_others(collection: Collection) -> None:
    ranked = rows(2, 1, 8, 0, 7, 3, 4, 5, 6)
    standing, others = found(collection, ranked, rows())
    assert standing == [2, 1, 8, 7, 3]
    assert others == {2: (0, 4), 1: (5,), 7: (6,)}


def test_no_version_of_a_known_paper_stands(collection: Collection) -> None:
    standing, others = found(collection, rows(2, 1, 3, 8, 7, 4), rows(0, 6))
    assert standing == [1, 3, 8]
    assert others == {}


def test_a_reprint_is_found_and_a_report_of_another_year_is_not(tmp_path: Path) -> None:
    papers = (
        paper(0, FERNS, 1990, abstract=ABSTRACT),
        paper(1, FERNS, 2006, abstract=ABSTRACT, venue="Classics"),
        paper(2, FERNS, 2016, abstract=f"{ABSTRACT} There were 1218 ferns in 2016."),
        paper(
            3, FERNS, 2026, abstract="We count the ferns once more, and say why there are fewer."
        ),
        paper(4, FERNS, 2012),
    )
    ranked = rows(1, 2, 0, 3, 4)
    assert found(of(papers, tmp_path / "corpus"), ranked, rows()) == ([1, 2, 3, 4], {1: (0,)})


@given(st.permutations(range(len(PAPERS))), st.integers(0, len(PAPERS)), st.integers(0, 3))
def test_of_two_versions_one_stands_and_nothing_is_lost(
    collection: Collection, order: list[int], cut: int, unknown: int
) -> None:
    ranked, known = rows(*order[:cut]), rows(*order[cut : len(order) - unknown])
    standing, others = found(collection, ranked, known)
    assert standing == [row for row in ranked.tolist() if row in standing]
    for one, other in combinations(standing, 2):
        assert found(collection, rows(one, other), rows())[0] == [one, other]
    for row in standing:
        assert found(collection, rows(row), known)[0] == [row]
        for version in others.get(row, ()):  # type: ignore[attr-defined]  # A tuple of rows.
            assert found(collection, rows(row, version), rows())[0] == [row]
    told = [row for under in others.values() for row in under]  # type: ignore[attr-defined]  # As above.
    assert len(told) == len(set(told)) and set(told).isdisjoint(standing)
    for row in set(ranked.tolist()) - set(standing) - set(told):  # It is a version of a known one.
        assert found(collection, rows(row), known)[0] == []


def test_other_people_with_the_same_initials_wrote_another_paper(tmp_path: Path) -> None:
    papers = (*PAPERS[:1], paper(1, DRIFT, authors=("Anton Ash", "Bert Birch")),
              paper(2, DRIFT, authors=("A. Ash", "Bob Birch")))  # fmt: skip
    standing, others = found(of(papers, tmp_path / "corpus"), rows(0, 1, 2), rows())
    assert standing == [0, 1]
    assert others == {0: (2,)}
