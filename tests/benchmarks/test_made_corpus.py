"""Made corpora: of any size, the same by seed, in the order of years, citing as real papers do."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.bench import PAPERS, read_papers
from benchmarks.made_corpus import (
    DRAFTS,
    IDS,
    LAST_YEAR,
    LATER_IDS,
    LATER_PAPERS,
    LATER_VECTORS,
    LONGEST,
    VECTORS,
    LinkMaker,
    Plan,
    RealPapers,
    invented_word,
    make_corpus,
    read_real,
)
from recsys.errors import InputError
from recsys.store.arrays import Rows
from tests.benchmarks.small_real import write_real
from tests.hashing_encoder import HashingEncoder

SIZE = 1200


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> RealPapers:
    folder = tmp_path_factory.mktemp("real")
    return read_real(write_real(folder / "data"), folder / "cache", HashingEncoder())


@pytest.fixture(scope="module")
def made(real: RealPapers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    make_corpus(real, SIZE, folder)
    return folder


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_seed_makes_one_corpus(real: RealPapers, made: Path, tmp_path: Path) -> None:
    make_corpus(real, SIZE, tmp_path / "again")
    make_corpus(real, SIZE, tmp_path / "other", seed=1)
    assert _bytes(tmp_path / "again") == _bytes(made)
    other = _bytes(tmp_path / "other")
    assert all(other[name] != _bytes(made)[name] for name in (PAPERS, VECTORS, DRAFTS))


def test_papers_have_what_a_corpus_tells(made: Path) -> None:
    papers = read_papers(made / PAPERS)
    ids = [paper["id"] for paper in papers]
    assert len(papers) == len(set(ids)) == SIZE
    years = [paper["year"] for paper in papers]
    assert years == sorted(years)
    assert (years[0], years[-1]) == (1990, LAST_YEAR)
    assert Counter(years)[2020] > Counter(years)[1995]
    assert 0.8 < sum(paper["abstract"] is not None for paper in papers) / SIZE < 0.95
    assert all(paper["title"] and paper["authors"] and paper["venue"] for paper in papers)
    assert len({paper["doi"] for paper in papers}) == SIZE
    writers = Counter(name for paper in papers for name in paper["authors"])
    assert 0.5 < sum(count == 1 for count in writers.values()) / len(writers) < 0.95


def test_papers_cite_older_ones_and_works_outside(made: Path) -> None:
    papers = read_papers(made / PAPERS)
    row_of = {paper["id"]: row for row, paper in enumerate(papers)}
    inside = outside = 0
    for row, paper in enumerate(papers):
        cited = paper["references"]
        assert len(cited) == len(set(cited))
        known = [row_of[each] for each in cited if each in row_of]
        assert all(each < row for each in known)
        inside, outside = inside + len(known), outside + len(cited) - len(known)
    assert inside > 5 * SIZE
    assert 0.15 < outside / (inside + outside) < 0.4


def test_later_papers_follow_those_of_the_corpus(real: RealPapers, tmp_path: Path) -> None:
    make_corpus(real, SIZE, tmp_path / "whole")
    make_corpus(real, SIZE - 700, tmp_path / "parted", later=700)
    for first, later in ((PAPERS, LATER_PAPERS), (IDS, LATER_IDS), (VECTORS, LATER_VECTORS)):
        assert len((tmp_path / "whole" / later).read_bytes()) < 200
        paths = tmp_path / "whole" / first, tmp_path / "parted" / first, tmp_path / "parted" / later
        if first == VECTORS:
            whole, *parts = map(np.load, paths)
            assert np.array_equal(whole, np.concatenate(parts))
        else:
            read = read_papers if first == PAPERS else (lambda path: path.read_text().split())
            whole, *parts = map(read, paths)
            assert whole == [*parts[0], *parts[1]] and len(parts[1]) == 700


def test_drafts_are_the_newest_papers_that_can_be_asked(made: Path) -> None:
    papers = {paper["id"]: paper for paper in read_papers(made / PAPERS)}
    lines = (made / DRAFTS).read_text(encoding="utf-8").splitlines()
    drafts = [json.loads(line) for line in lines]
    assert 0 < len(drafts) <= 256
    assert min(draft["year"] for draft in drafts) > 2010
    for draft in drafts:
        assert draft.items() <= papers[draft["id"]].items()
        assert draft["abstract"] is not None


@given(st.sets(st.integers(0, 80**5), max_size=50))
def test_no_two_numbers_share_a_word(numbers: set[int]) -> None:
    words = {invented_word(number) for number in numbers}
    assert len(words) == len(numbers)
    assert all(word.isalpha() and word.islower() for word in words)


def test_vectors_of_real_papers_are_made_once(tmp_path: Path) -> None:
    data, encoder = write_real(tmp_path / "data"), HashingEncoder()
    first = read_real(data, tmp_path / "cache", encoder)
    again = read_real(data, tmp_path / "cache", encoder)
    assert encoder.encoded == len(first) == 80
    assert np.array_equal(first.vectors, again.vectors)
    assert np.array_equal(first.near, again.near)
    assert set(first.common_venues) == set(first.venues)
    few = write_real(tmp_path / "few", papers=6)
    with pytest.raises(InputError, match="holds 20 papers with an abstract"):
        read_real(few, tmp_path / "cache", encoder)


def test_citations_gather_on_few_papers_of_near_topics(real: RealPapers) -> None:
    plan = Plan.of(real, 4000, 0)
    maker, cited = LinkMaker(plan.real, plan.pairs[:, 0], plan.years), list[Rows]()
    for begin in range(0, 4000, 250):
        cited += maker.make(begin, plan.pairs[begin : begin + 250], np.random.default_rng(begin))
    assert max(len(rows) for rows in cited) <= LONGEST
    counts = np.sort(np.bincount(np.concatenate(cited), minlength=4000))[::-1]
    uniform = np.random.default_rng(0).integers(0, 4000, counts.sum())
    assert counts[:40].sum() > 3 * np.sort(np.bincount(uniform))[::-1][:40].sum()
    owners = np.repeat(np.arange(4000), [len(rows) for rows in cited])
    vectors, first = real.vectors, plan.pairs[:, 0]
    near = np.einsum(
        "nd,nd->n", vectors[first[owners]], vectors[first[np.concatenate(cited)]]
    ).mean()
    far = (vectors[first] @ vectors[first].T).mean()
    assert near > far + 0.1
