"""Lists around centroids: what is scanned of them, and what is found."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import ArtifactCorrupt
from recsys.indexes.backends import Former, build_index, carry_index, open_built, summary
from recsys.indexes.exact import ExactIndex
from recsys.indexes.ivf_index import (
    CENTROIDS_FILE,
    MOST_NEW,
    ROWS_FILE,
    STARTS_FILE,
    Effort,
    IvfIndex,
    Lists,
    assign,
    choose_effort,
    sample_alone,
    sample_together,
    train,
    write_lists,
)
from recsys.store.arrays import Floats, Longs, Mask, Rows
from recsys.store.kernels import dispatch
from recsys.store.vectors import row_dots
from tests.indexes.small_indexes import random_vectors
from tests.indexes.test_carried_index import changed

N, TOPICS = 3000, 30


def topics(n: int = N, *, seed: int = 0) -> Floats:
    """Make papers of some topics: row i is of topic i % TOPICS."""
    rng = np.random.default_rng(seed)
    centres = random_vectors(TOPICS, dim=32, seed=99)
    vectors = centres[np.arange(n) % TOPICS] + 0.15 * rng.standard_normal((n, 32))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


@pytest.fixture(scope="module")
def vectors() -> Floats:
    return topics()


@pytest.fixture(scope="module")
def index(vectors: Floats, tmp_path_factory: pytest.TempPathFactory) -> IvfIndex:
    """A list for each topic, three of which are scanned."""
    lists = Lists.of((np.arange(N) % TOPICS).astype(np.int32), topics(TOPICS, seed=1))
    index = write_lists(vectors, tmp_path_factory.mktemp("lists"), lists)
    return replace(index, alone=Effort(20, 300, 0.0), together=Effort(5, 300, 0.0))


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note how many rows are scanned for each call."""
    noted, closest = list[int](), dispatch.closest

    def noting(
        codes: object, scales: object, ranges: tuple[Longs, Longs], *others: object, **more: object
    ) -> object:
        noted.append(int((ranges[1] - ranges[0]).sum()))
        return closest(codes, scales, ranges, *others, **more)  # type: ignore[arg-type]  # As it was called.

    monkeypatch.setattr(dispatch, "closest", noting)
    return noted


def recall(index: IvfIndex, k: int, allowed: Mask | None = None) -> float:
    exact = ExactIndex(index.vectors)
    shares = []
    for query in index.vectors[::100]:
        best = exact.search(query, k, allowed=allowed)[0]
        rows = index.search(query, k, allowed=allowed)[0]
        shares.append(len(np.intersect1d(rows, best)) / len(best))
    return float(np.mean(shares))


def test_the_nearest_lists_are_scanned_and_no_others(index: IvfIndex, scanned: list[int]) -> None:
    assert recall(index, 20) > 0.95
    assert set(scanned) == {300}


def test_a_filter_on_another_topic_gives_a_full_answer(index: IvfIndex) -> None:
    allowed = np.arange(N) % TOPICS >= 15  # Far from the query: no list near it has any of them.
    for query in (index.vectors[0], index.vectors[3]):
        rows, cosines = index.search(query, 20, allowed=allowed)
        assert len(set(rows.tolist())) == 20 and allowed[rows].all()
        best = ExactIndex(index.vectors).search(query, 20, allowed=allowed)[1]
        assert np.mean(cosines >= best[-1] - 1e-6) > 0.5


def test_lists_of_several_queries_are_scanned_once(index: IvfIndex, scanned: list[int]) -> None:
    near = index.vectors[np.arange(20) * TOPICS]  # All of topic 0.
    index.search_many(near, 5)
    assert len(scanned) == 1 and scanned[0] < 20 * 300 / 4
    index.search_many(index.vectors[:50], 5)
    assert len(scanned) == 4


def test_a_search_reads_little_of_what_it_does_not_scan(
    index: IvfIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = list[int]()

    def noting(vectors: Floats, rows: Rows, queries: Floats) -> Floats:
        compared.append(len(rows))
        return row_dots(vectors, rows, queries)

    monkeypatch.setattr("recsys.indexes.exact.row_dots", noting)
    index.search(index.vectors[0], 20)
    assert compared and compared[0] <= 2 * (30 + 16)


def test_effort_is_chosen_by_recall(index: IvfIndex) -> None:
    rng = np.random.default_rng(0)
    one = sample_alone(index.vectors, 20, rng)
    several = sample_together(index.vectors, 5, one, rng)
    assert len(one.groups) == 100 and {len(group) for group in several.groups} == {20}
    alone = choose_effort(index.lists, one, lambda effort: replace(index, alone=effort))
    together = choose_effort(index.lists, several, lambda effort: replace(index, together=effort))
    assert (alone.k, together.k) == (20, 5) and alone.recall >= 0.993 and together.recall >= 0.99
    assert together.scanned <= alone.scanned < N / 3
    assert recall(replace(index, alone=alone), 20) > 0.98


def test_effort_counts_what_rounding_loses(index: IvfIndex) -> None:
    codes = index.rounded.codes // 64  # Coarse: the order within a topic is lost.
    poor = replace(index, rounded=replace(index.rounded, codes=codes))
    one = sample_alone(index.vectors, 20, np.random.default_rng(0))
    effort = choose_effort(index.lists, one, lambda effort: replace(index, alone=effort))
    more = choose_effort(index.lists, one, lambda effort: replace(poor, alone=effort))
    assert more.scanned > 2 * effort.scanned and more.recall >= 0.993


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_tiny_index_is_searched_exactly(n: int, tmp_path: Path) -> None:
    vectors = random_vectors(n)
    facts = json.loads(json.dumps(build_index("ivf", vectors, tmp_path)))
    found = open_built(vectors, tmp_path, facts)
    assert sorted(found.search(vectors[0], 5)[0].tolist()) == list(range(n))
    assert summary(facts, n).endswith("exact.")


def test_the_same_vectors_give_the_same_bytes(tmp_path: Path) -> None:
    vectors = random_vectors(200)
    facts = []
    for name in "ab":
        (tmp_path / name).mkdir()
        facts.append(build_index("ivf", vectors, tmp_path / name))
    assert facts[0] == facts[1]
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_copies_are_put_into_lists_without_end(tmp_path: Path) -> None:
    vectors = np.tile(random_vectors(2), (50, 1))
    centroids = train(vectors, 10, np.random.default_rng(0))
    assert np.isfinite(centroids).all()
    lists = Lists.of(assign(vectors, centroids), centroids)
    assert sorted(lists.rows.tolist()) == list(range(100)) and lists.starts[-1] == 100


def test_lists_say_where_rows_are(index: IvfIndex) -> None:
    lists = index.lists
    assert lists.of_rows.tolist() == (np.arange(N) % TOPICS).tolist()
    assert lists.inside(np.array([7, 2], np.int32)).tolist() == [
        *range(7, N, TOPICS),
        *range(2, N, TOPICS),
    ]
    queries = index.vectors[:2]
    before = lists.before(queries)
    for count in (1, 250, 2900, 5000):
        wanted = np.flatnonzero((before < count).any(axis=0))
        assert lists.nearest(queries, count).tolist() == wanted.tolist()


def test_new_rows_are_put_into_known_lists(tmp_path: Path) -> None:
    old = topics(600)
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    facts = build_index("ivf", old, tmp_path / "old")
    today, rows = changed(old, gone=30, new=20)
    now = carry_index("ivf", today, tmp_path / "new", Former(tmp_path / "old", facts, rows))
    before, after = (
        Lists.load(tmp_path / name, (n, 32)) for name, n in (("old", 600), ("new", 590))
    )
    there = rows >= 0
    assert after.of_rows[rows[there]].tolist() == before.of_rows[there].tolist()
    assert after.centroids.tolist() == before.centroids.tolist() and now["new"] == 20
    fresh = np.setdiff1d(np.arange(590), rows)
    assert after.of_rows[fresh].tolist() == assign(today[fresh], after.centroids).tolist()


def test_few_changes_need_no_measuring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, measured = topics(600), list[int]()
    for name in ("0", "1", "2"):
        (tmp_path / name).mkdir()
    facts = build_index("ivf", old, tmp_path / "0")

    def measure(index: IvfIndex) -> dict[str, int]:
        measured.append(len(index.vectors))
        return {"unmeasured": 0}

    monkeypatch.setattr("recsys.indexes.ivf_index._measured", measure)
    today, rows = changed(old, gone=3, new=6)
    now = carry_index("ivf", today, tmp_path / "1", Former(tmp_path / "0", facts, rows))
    assert not measured and now["unmeasured"] == 9
    assert now["alone"] == facts["alone"] | {"scanned": -(-facts["alone"]["scanned"] * 603 // 600)}
    later, rows = changed(today, gone=3, new=3)
    now = carry_index("ivf", later, tmp_path / "2", Former(tmp_path / "1", now, rows))
    assert measured == [603] and now["unmeasured"] == 0


def test_many_new_rows_train_the_centroids_anew(tmp_path: Path) -> None:
    old = topics(300)
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    facts = build_index("ivf", old, tmp_path / "old")
    today, rows = changed(old, gone=0, new=int(300 * MOST_NEW / (1 - MOST_NEW)) + 1)
    now = carry_index("ivf", today, tmp_path / "new", Former(tmp_path / "old", facts, rows))
    assert now["new"] == 0 and now["lists"] > facts["lists"]


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        (ROWS_FILE, np.full(50, 50, np.int32)),
        (ROWS_FILE, np.full(50, -1, np.int32)),
        (ROWS_FILE, np.arange(49, dtype=np.int32)),
        (ROWS_FILE, np.arange(50, dtype=np.int64)),
        (STARTS_FILE, np.array([0, 51], np.int64)),
        (STARTS_FILE, np.array([0, 40, 30, *[50] * 26], np.int64)),  # It runs backwards.
        (STARTS_FILE, np.array([], np.int64)),
        (CENTROIDS_FILE, np.zeros((28, 15), np.float32)),
        (CENTROIDS_FILE, np.zeros((28, 16), np.float64)),
    ],
)
def test_lists_that_do_not_fit_are_refused(
    name: str, bad: np.ndarray[tuple[int, ...], np.dtype[np.generic]], tmp_path: Path
) -> None:
    vectors = random_vectors(50)
    facts = build_index("ivf", vectors, tmp_path)
    assert facts["lists"] == 28
    np.save(tmp_path / name, bad)
    with pytest.raises(ArtifactCorrupt, match="do not fit vectors"):
        open_built(vectors, tmp_path, facts)
