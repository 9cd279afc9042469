"""Measures: by hand, by property, and against two other implementations."""

import math
import random

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from recsys.eval.measures import (
    CUTOFFS,
    MEASURES,
    POOLED,
    Judged,
    average_precision,
    f1,
    flag,
    hit,
    ndcg,
    per_query,
    precision,
    recall,
    reciprocal_rank,
    skip_rule,
    stack,
    summarise,
)
from recsys.eval.trec import ordered
from recsys.store.arrays import Mask
from tests.rows import each_row

FLAGS = st.lists(st.booleans(), max_size=120).map(lambda values: np.array(values, bool))


def flags(text: str) -> Mask:
    """Read "x" as gold and "." as not: best rank first."""
    return np.array([each == "x" for each in text], bool)


def test_precision_divides_by_k_even_when_fewer_are_ranked() -> None:
    assert precision(flags("x.x"), 2) == 0.5
    assert precision(flags("x.x"), 5) == 0.4
    assert precision(flags(""), 5) == 0


def test_recall_divides_by_all_gold_papers() -> None:
    assert recall(flags("x.xx"), gold=8, k=3) == 0.25
    assert recall(flags("x.xx"), gold=3, k=10) == 1


def test_f1_is_the_harmonic_mean() -> None:
    assert f1(0.5, 0.25) == pytest.approx(1 / 3)
    assert f1(0.0, 0.0) == 0


def test_the_reciprocal_rank_is_that_of_the_first_gold_paper() -> None:
    assert reciprocal_rank(flags("..x.x")) == pytest.approx(1 / 3)
    assert reciprocal_rank(flags("..x.x"), k=2) == 0
    assert reciprocal_rank(flags("." * 100 + "x")) == 0


def test_a_hit_is_any_gold_paper_among_the_first_k() -> None:
    assert hit(flags("..x.x"), 2) == 0
    assert hit(flags("..x.x"), 3) == 1
    assert hit(flags(""), 3) == 0


def test_average_precision_by_hand() -> None:
    # Gold at ranks 1 and 3, a third gold paper is not found: (1/1 + 2/3 + 0) / 3.
    assert average_precision(flags("x.x."), gold=3) == pytest.approx(5 / 9)


def test_ndcg_by_hand() -> None:
    # Gain 1/log2(2) + 1/log2(4) = 1.5; with two gold papers at best 1 + 1/log2(3).
    best = 1 + 1 / math.log2(3)
    assert ndcg(flags("x.x."), gold=2, k=4) == pytest.approx(1.5 / best)
    assert ndcg(flags("x.x."), gold=2, k=1) == 1


@given(FLAGS, st.integers(0, 50), st.integers(1, 130))
def test_every_measure_is_a_share_and_perfect_for_a_perfect_ranking(
    found: Mask, missed: int, k: int
) -> None:
    gold = max(int(found.sum()) + missed, 1)
    for value in (
        precision(found, k),
        recall(found, gold, k),
        reciprocal_rank(found, k),
        average_precision(found, gold, k),
        ndcg(found, gold, k),
    ):
        assert 0 <= value <= 1 + 1e-12
    perfect = np.ones(gold, bool)
    assert average_precision(perfect, gold, gold) == pytest.approx(1)
    assert ndcg(perfect, gold, k) == pytest.approx(1)


@given(FLAGS.filter(lambda values: len(values) > 1), st.data())
def test_moving_a_gold_paper_up_never_hurts(found: Mask, data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(found) - 1))
    better = found.copy()
    better[[at - 1, at]] = sorted(found[[at - 1, at]], reverse=True)
    gold = max(int(found.sum()), 1)
    for name, (after, before) in per_query([Judged(better, gold), Judged(found, gold)]).items():
        assert after >= before - 1e-12, name


def random_run(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Draw rankings with many ties, empty ones, short ones, and gold papers that are missed."""
    rng = random.Random(seed)
    run, qrels = {}, {}
    for i in range(30):
        papers = [f"d{j}" for j in range(rng.choice([0, 1, 5, 40, 150]))]
        run[f"q{i}"] = {paper: float(rng.randrange(9)) for paper in papers}
        pool = [f"d{j}" for j in range(200)]
        qrels[f"q{i}"] = dict.fromkeys(rng.sample(pool, rng.choice([1, 3, 12, 130])), 1)
    return run, qrels


def untied(run: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Replace scores by ones without ties, in our order: what `recsys.eval.trec` writes."""
    return {
        query: {paper: -float(rank) for rank, paper in enumerate(ordered(scores))}
        for query, scores in run.items()
    }


def judge(run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]]) -> list[Judged]:
    return [Judged(flag(ordered(run[q]), qrels[q]), len(qrels[q])) for q in sorted(qrels)]


FAMILIES = {"P@": "P_", "R@": "recall_", "nDCG@": "ndcg_cut_", "Hit@": "success_"}
TREC_NAMES = {
    "MAP@100": "map_cut_100",
    **{f"{ours}{k}": f"{theirs}{k}" for ours, theirs in FAMILIES.items() for k in CUTOFFS},
}


@each_row("seed", range(5))
def test_every_measure_agrees_with_trec_eval(seed: int) -> None:
    run, qrels = random_run(seed)
    cutoffs = ",".join(map(str, CUTOFFS))
    families = {f"{name}.{cutoffs}" for name in ("P", "recall", "map_cut", "ndcg_cut", "success")}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, families).evaluate(untied(run))
    ours = per_query(judge(run, qrels))
    for name, other in TREC_NAMES.items():
        expected = [theirs[query][other] if run[query] else 0.0 for query in sorted(qrels)]
        assert ours[name] == pytest.approx(expected, abs=1e-9), name


IR_NAMES = {
    "MRR": "RR@100",
    "MAP@100": "AP@100",
    **{f"{name}{k}": f"{name}{k}" for name in ("P@", "R@", "nDCG@") for k in CUTOFFS},
    **{f"Hit@{k}": f"Success@{k}" for k in CUTOFFS},
}


@each_row("seed", range(5))
def test_averages_agree_with_ir_measures(seed: int) -> None:
    run, qrels = random_run(seed)
    names = {name: ir_measures.parse_measure(theirs) for name, theirs in IR_NAMES.items()}
    theirs = ir_measures.calc_aggregate(names.values(), qrels, untied(run))
    ours = summarise(judge(run, qrels), rng=np.random.default_rng(0), samples=10)
    for name, measure in names.items():
        assert ours[name].value == pytest.approx(theirs[measure], abs=1e-9), name


def test_no_measure_is_without_its_oracle() -> None:
    own = {name for name in MEASURES if name.startswith("query F1@")}  # Tested by hand.
    assert {*IR_NAMES} == {*MEASURES} - own
    assert {*TREC_NAMES, "MRR"} == {*MEASURES} - own


def test_ties_are_broken_by_ascending_id_where_trec_eval_breaks_them_by_descending() -> None:
    run, qrels = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"})
    assert evaluator.evaluate(run)["q"]["recip_rank"] == 0.5
    assert evaluator.evaluate(untied(run))["q"]["recip_rank"] == 1
    assert per_query(judge(run, qrels))["MRR"].tolist() == [1]


def test_pooled_f1_is_taken_of_the_averages_and_query_f1_is_averaged() -> None:
    one = Judged(np.ones(20, bool), gold=20)  # P 1, R 1
    other = Judged(np.zeros(20, bool), gold=5)  # P 0, R 0
    third = Judged(flags("x" * 10 + "." * 10), gold=10)  # P .5, R 1
    found = summarise([one, other, third], rng=np.random.default_rng(0))
    p, r = 1.5 / 3, 2 / 3
    assert found["F1@20"].value == pytest.approx(2 * p * r / (p + r))
    assert found["query F1@20"].value == pytest.approx((1 + 0 + 2 / 3) / 3)


def test_candidate_recall_is_known_only_when_every_query_tells() -> None:
    known = Judged(flags("x"), gold=4, candidates=300, found=3)
    found = summarise([known, known], rng=np.random.default_rng(0))
    assert found["candidate recall"].value == 0.75
    assert found["candidates"].value == 300
    unknown = Judged(flags("x"), gold=4)
    assert "candidate recall" not in summarise([known, unknown], rng=np.random.default_rng(0))


@given(st.lists(FLAGS, min_size=1, max_size=8), st.integers(0, 2**32))
def test_intervals_hold_for_any_queries(found: list[Mask], seed: int) -> None:
    judged = [Judged(each, max(int(each.sum()), 1)) for each in found]
    one, two = (summarise(judged, rng=np.random.default_rng(seed), samples=50) for _ in range(2))
    assert one == two
    table = per_query(judged)
    assert set(one) == {*MEASURES, *POOLED}
    for name, interval in one.items():
        assert -1e-12 <= interval.low <= interval.high <= 1 + 1e-12
        if name in table:
            assert interval.value == pytest.approx(table[name].mean())
            assert table[name].min() - 1e-12 <= interval.low
            assert interval.high <= table[name].max() + 1e-12


def test_an_interval_covers_its_true_mean_as_often_as_it_says() -> None:
    rng, covered = np.random.default_rng(7), 0
    for _ in range(200):
        judged = [Judged(flags("x" if hit else "."), 1) for hit in rng.random(100) < 0.4]
        interval = summarise(judged, rng=rng, samples=300)["MRR"]
        covered += interval.low <= 0.4 <= interval.high
    # Binomial with 200 draws at 0.95: fewer than 180 happens less than once in 300 times.
    assert covered >= 180


def test_queries_without_candidates_count_as_0_unless_the_papers_rule_skips_them() -> None:
    one, nothing = Judged(flags("x"), gold=1), Judged(flags(""), gold=1)
    assert summarise([one, nothing], rng=np.random.default_rng(0))["MRR"].value == 0.5
    assert skip_rule([one, nothing]) == [one]
    filtered = Judged(flags(""), gold=1, candidates=3, found=0)
    assert skip_rule([filtered, Judged(flags(""), gold=1, candidates=0, found=0)]) == [filtered]


@given(st.lists(FLAGS, min_size=1, max_size=6), st.integers(1, 120))
def test_all_queries_at_once_are_measured_as_each_alone(found: list[Mask], k: int) -> None:
    judged = [Judged(each, int(each.sum()) + 1) for each in found]
    together, gold = stack(judged)
    assert ndcg(together, gold, k).tolist() == [
        pytest.approx(float(ndcg(q.flags, q.gold, k))) for q in judged
    ]
    assert reciprocal_rank(together, k).tolist() == [
        pytest.approx(float(reciprocal_rank(q.flags, k))) for q in judged
    ]
    assert average_precision(together, gold, k).tolist() == [
        pytest.approx(float(average_precision(q.flags, q.gold, k))) for q in judged
    ]
