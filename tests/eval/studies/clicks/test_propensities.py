"""Tables of propensities: looked up, read and written."""

import json
from collections import defaultdict
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.propensities import (
    METHODS,
    Method,
    Pairs,
    Propensities,
    estimate,
    likeliest,
    read_propensities,
    regression_em,
    write_propensities,
)
from recsys.eval.studies.clicks.simulation import Policy, PositionBased, decay, simulate
from tests.eval.studies.clicks.invented_world import invented_world
from tests.rows import each_row

POSITIVE = st.floats(min_value=0, exclude_min=True, allow_infinity=False)


def table(*values: float) -> Propensities:
    return Propensities("given", np.array(values, np.float64))


@each_row(
    ("values", "bounds", "what"),
    [
        *(
            ((1.0, each, 0.5), None, f"position 2 is {each}")
            for each in (0.0, -0.5, np.nan, np.inf)
        ),
        *(
            ((1.0, 0.5), each, "2 propensities cannot have the bounds")
            for each in ([1.0], [1.0, np.nan], [1.0, np.inf], [1.0, 1.0, 1.0])
        ),
    ],
)
def test_propensities_and_bounds_are_finite_and_clicks_divided_by_what_is_above_0(
    values: tuple[float, ...], bounds: list[float] | None, what: str
) -> None:
    with pytest.raises(InputError, match=what):
        replace(
            table(1.0), values=np.array(values), low=None if bounds is None else np.array(bounds)
        )


def test_scidocs_own_form_is_read(tmp_path: Path) -> None:
    path = tmp_path / "propensity_scores.json"
    path.write_text('{"scores": [1, 0.5], "source": "unknown keys are passed over"}')
    read = read_propensities(path)
    assert (read.method, read.values.tolist()) == ("read from propensity_scores.json", [1.0, 0.5])
    assert (read.low, read.high, read.impressions) == (None, None, None)


@given(
    values=arrays(np.float64, st.integers(1, 8), elements=POSITIVE),
    bounds=st.booleans(),
    impressions=st.none() | st.integers(0),
)
def test_what_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory,
    values: Doubles,
    bounds: bool,
    impressions: int | None,
) -> None:
    path = tmp_path_factory.getbasetemp() / "p.json"
    low, high = (values / 2, values * 0.99) if bounds else (None, None)
    write_propensities(path, Propensities("swap", values, low, high, impressions))
    read = read_propensities(path)
    assert (read.method, read.impressions) == ("swap", impressions)
    np.testing.assert_array_equal(read.values, values)
    if low is None or read.low is None or high is None or read.high is None:
        assert low is read.low is high is read.high is None
    else:
        np.testing.assert_array_equal([read.low, read.high], [low, high])
    assert json.loads(path.read_text())["scores"] == values.tolist()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"scores": [' + "9" * 5000 + "]}", "is not JSON"),
        ("[1, 0.5]", "holds no JSON object"),
        ('{"score": [1]}', "has no scores. Give {"),
        ('{"scores": 1}', "scores is no list of numbers"),
        ('{"scores": []}', "has no positions"),
        ('{"scores": [1, "x"]}', "Position 2 of 'scores' is 'x', no number"),
        ('{"scores": [1, true]}', "Position 2 of 'scores' is True, no number"),
        ('{"scores": [1' + "0" * 400 + "]}", "A number of 'scores' is too large"),
        ('{"scores": [1, 0]}', "The propensity of position 2 is 0.0"),
        ('{"scores": [1, -1]}', "The propensity of position 2 is -1.0"),
        ('{"scores": [1, NaN]}', "The propensity of position 2 is nan"),
        ('{"scores": [1, 0.5], "low": [1]}', "2 propensities cannot have the bounds [1.]"),
        ('{"scores": [1], "high": 1}', "high is no list of numbers"),
    ],
)
def test_a_broken_table_is_refused_with_its_path(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_propensities(path)
    assert str(caught.value).startswith(str(path))
    assert what in str(caught.value)


# The likeliest propensities: from exact counts, and by hand.

SHARES = st.floats(0.05, 0.95)


@given(st.lists(SHARES, min_size=2, max_size=6), st.lists(SHARES, min_size=1, max_size=5))
def test_exact_products_give_back_their_factors(p: list[float], r: list[float]) -> None:
    shown = np.random.default_rng(len(p)).integers(50, 500, (len(r), len(p))).astype(np.float64)
    found = likeliest(shown, shown * np.outer(r, p))
    assert found == pytest.approx(np.array(p) / p[0], rel=1e-4)


@each_row(
    ("shown", "clicked", "expected"),
    [
        # Chains of groups compare positions that no group shares: 30 / 60, and a quarter of that.
        ([[100, 100, 0], [0, 100, 100]], [[60, 30, 0], [0, 80, 20]], [1, 0.5, 0.125]),
        # The third position has no clicks, the fourth no comparison.
        (
            [[100, 100, 100, 0], [0, 0, 100, 100]],
            [[60, 30, 0, 0], [0, 0, 0, 20]],
            [1, 0.5, 0, None],
        ),
        # Nothing is known without clicks at the first position.
        ([[10, 10, 10]], [[0, 2, 0]], [0, None, 0]),
        # Papers that are always clicked do not break it.
        ([[10, 10], [10, 10], [5, 5]], [[10, 5], [10, 5], [0, 0]], [1, 0.5]),
    ],
)
def test_the_maximum_by_hand(
    shown: list[list[float]], clicked: list[list[float]], expected: list[float | None]
) -> None:
    found = likeliest(np.array(shown, np.float64), np.array(clicked, np.float64))
    wanted = [np.nan if each is None else each for each in expected]
    assert found.tolist() == pytest.approx(wanted, rel=1e-3, nan_ok=True)


# Propensities of a log: their intervals, and the logs that cannot tell them.

WORLD = invented_world(100, 8, np.random.default_rng(0))
EXAMINATION = decay(1, 5)


def simulated(impressions: int, seed: int = 0) -> ClickLog:
    """Draw a log that suits all methods."""
    policy = Policy(depth=5, swaps=True)
    rng = np.random.default_rng(seed)
    return simulate(WORLD, PositionBased(EXAMINATION), impressions, rng=rng, policy=policy)


def found_by(method: str, log: ClickLog) -> Doubles:
    return estimate(log, METHODS[method]).values


by_swap, by_harvest, by_em = (partial(found_by, name) for name in METHODS)


@each_row("name", METHODS)
@each_row("seed", range(2))
def test_100_000_impressions_recover_the_examination_within_a_tenth(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    world, policy = invented_world(400, 20, rng), Policy(swaps=name == "swap")
    log = simulate(world, PositionBased(decay(1, 10)), 100_000, rng=rng, policy=policy)
    assert np.abs(estimate(log, METHODS[name]).values / decay(1, 10) - 1).max() < 0.1


@each_row("name", METHODS)
def test_the_interval_surrounds_the_estimate(name: str) -> None:
    log = simulated(20_000)
    rng = np.random.default_rng(1)
    found = estimate(log, METHODS[name], rng=rng, samples=20)
    assert found.low is not None and found.high is not None
    assert (found.low <= found.values).all() and (found.values <= found.high).all()
    assert (found.high - found.low)[1:].min() > 0
    assert found.values[0] == found.low[0] == found.high[0] == 1
    assert (found.method, found.impressions) == (METHODS[name].title, 20_000)
    again = estimate(log, METHODS[name], rng=np.random.default_rng(1), samples=20)
    assert again.low is not None and again.low.tolist() == found.low.tolist()
    plain = estimate(log, METHODS[name])
    assert plain.low is None and plain.high is None
    assert plain.values.tolist() == found.values.tolist()


def test_people_who_click_alike_by_query_need_wider_intervals() -> None:
    """Some queries' readers look at position 2 as often as at 1, those of the others never do."""
    rng = np.random.default_rng(3)
    careful = rng.random(len(WORLD.queries)) < 0.5
    log = simulated(20_000)
    clicked = log.clicked & (careful[log.query, None] | (np.arange(5) != 1))
    widths = []
    for by_query in (False, True):
        one = replace(log, clicked=clicked)
        found = estimate(one, METHODS["swap"], rng=rng, samples=60, by_query=by_query)
        assert found.low is not None and found.high is not None
        widths.append(float((found.high - found.low)[1]))
    assert widths[1] > 1.5 * widths[0]


@each_row("name", METHODS)
def test_positions_without_clicks_are_named(name: str) -> None:
    log = simulated(500)
    third = replace(log, clicked=log.clicked & (np.arange(5) != 2))
    with pytest.raises(InputError, match=r"clicked at position 3 in 500 .* cut the lists"):
        estimate(third, METHODS[name])
    first = replace(log, clicked=log.clicked & (np.arange(5) != 0))
    with pytest.raises(InputError, match=r"clicked at position 1 .* relative to position 1"):
        estimate(first, METHODS[name])


def test_too_few_clicks_for_an_interval_are_refused() -> None:
    lists = [
        Impression("q", ("a", "b"), ("a",), swapped=1),
        Impression("q", ("b", "a"), ("a",), swapped=2),
        *[Impression("q", ("a", "b"), (), swapped=1)] * 20,
        *[Impression("q", ("b", "a"), (), swapped=2)] * 20,
    ]
    log = ClickLog.of(lists)
    assert estimate(log, METHODS["swap"]).values.tolist() == pytest.approx([1, 1])
    with pytest.raises(InputError, match=r"of 50 bootstrap samples lack clicks"):
        estimate(log, METHODS["swap"], rng=np.random.default_rng(0), samples=50)


# The swap experiment: by hand, against the truth, and where lists differ in length.


def shown(drawn: int, clicked: str, times: int) -> list[Impression]:
    """Show "a" and "b", or "b" and "a" when position 2 is drawn, so many times."""
    order = ("a", "b") if drawn == 1 else ("b", "a")
    return [Impression("q", order, tuple(clicked), swapped=drawn)] * times


# Intervention harvesting: by hand, against an independent computation, and against the truth.


def by_loops(log: ClickLog) -> Doubles:
    """Build the interventional sets from dictionaries, impression by impression."""
    seen: dict[tuple[str, str], dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for each in log.impressions():
        for place, paper in enumerate(each.shown):
            seen[each.query, paper][place].append(paper in each.clicked)
    sets: dict[tuple[int, int], Doubles] = defaultdict(lambda: np.zeros(3))
    for places in seen.values():
        for j, k in combinations(sorted(places), 2):
            m, n = len(places[j]), len(places[k])
            weight = m * n / (m + n)
            sets[j, k] += weight * np.array([1, np.mean(places[j]), np.mean(places[k])])
    depth = log.shown.shape[1]
    views, clicks = np.zeros((len(sets), depth)), np.zeros((len(sets), depth))
    for row, ((j, k), (weight, at_j, at_k)) in enumerate(sets.items()):
        views[row, [j, k]], clicks[row, [j, k]] = weight, [at_j, at_k]
    return likeliest(views, clicks)


@each_row("swaps", [False, True])
def test_sets_are_those_of_an_independent_computation(swaps: bool) -> None:
    rng = np.random.default_rng(3)
    world = invented_world(15, 7, rng)
    model = PositionBased(decay(0.7, 5))
    log = simulate(world, model, 1500, rng=rng, policy=Policy(depth=5, swaps=swaps))
    assert by_harvest(log) == pytest.approx(by_loops(log), rel=1e-9)


# Regression-EM: exact expectations, and the maximum that it climbs to.


def test_it_climbs_to_the_likeliest_propensities() -> None:
    """Where no relevance reaches 1, EM for a table maximises the likelihood of all pairs."""
    rng = np.random.default_rng(0)
    world = invented_world(12, 6, rng)
    world = replace(world, relevance=0.1 + 0.5 * world.relevance)
    log = simulate(world, PositionBased(EXAMINATION), 30_000, rng=rng, policy=Policy(depth=5))
    pairs = Pairs.of(log)
    shown, clicked = pairs.tally(np.ones(len(log)))
    tables = np.zeros((2, pairs.count, 5))
    tables[:, pairs.pair, pairs.column] = shown, clicked
    exact = estimate(log, Method("EM", partial(regression_em, tolerance=1e-8))).values
    assert exact == pytest.approx(likeliest(*tables), rel=1e-4)
    assert by_em(log) == pytest.approx(exact, rel=3e-3)


def test_pairs_are_counted_by_position() -> None:
    log = ClickLog.of(
        [
            Impression("r", ("a", "b"), ("b",), ranker="one"),
            Impression("q", ("b", "a"), ("b",), ranker="one"),
            Impression("r", ("b",), ("b",), ranker="two"),
            Impression("r", ("a", "b"), (), ranker="one"),
        ]
    )
    # Of the pairs (r, a) (r, b) (q, a) (q, b), (r, b) was shown at two positions.
    for clicked in (False, True):
        pairs = Pairs.of(log, clicked=clicked)
        assert (pairs.count, pairs.pair.tolist(), pairs.column.tolist()) == (1, [0, 0], [0, 1])
        shown, clicks = pairs.tally(np.array([1, 1, 2, 5.0]))
        assert (shown.tolist(), clicks.tolist()) == ([2, 6], [2, 1])
    quiet = Pairs.of(replace(log, clicked=log.clicked & False), clicked=True)
    assert (quiet.count, len(quiet.pair)) == (0, 0)


def seen_by(ranker: str | None, order: str) -> Impression:
    return Impression("q", tuple(order), tuple(order), ranker=ranker)


@each_row(
    ("method", "lists", "what"),
    [
        ("swap", [(None, "ab")], r"No impression .* 'harvest'"),
        ("harvest", [("one", "ab")] * 2, r"one ranker \('one'\)"),
        ("harvest", [(None, "ab")], "an unnamed one"),
        ("harvest", [("one", "ab"), ("two", "ab")], "No paper was shown at two positions"),
        ("em", [("one", "ab"), ("two", "ab")], "No ranker showed a paper at another position"),
        ("em", [("one", "abc"), ("two", "acb")], "nothing compares position 1 with 2, 3"),
    ],
)
def test_a_log_that_compares_nothing_is_refused(
    method: str, lists: list[tuple[str | None, str]], what: str
) -> None:
    with pytest.raises(InputError, match=what):
        found_by(method, ClickLog.of(seen_by(*each) for each in lists))
