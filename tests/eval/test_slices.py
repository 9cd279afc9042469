"""Slices: which queries and gold papers belong together, and what is measured of them."""

import numpy as np
import pytest

from recsys.eval.judge_runs import by_popularity, by_query, groups
from recsys.eval.measures import MEASURES, Doubles, Judged, draw, per_query
from recsys.eval.recorded_runs import GoldFacts, QueryFacts
from recsys.eval.run_figures import Slice


def draws(n: int) -> Doubles:
    return draw(n, rng=np.random.default_rng(0), samples=20)


def facts(
    year: int | None = 2020, venue: str | None = "VIS", abstract: bool = True, **cited: int
) -> QueryFacts:
    gold = {paper: GoldFacts(number) for paper, number in cited.items()}
    return QueryFacts(year, venue, abstract, gold)


def test_queries_are_grouped_by_year_abstract_and_venue() -> None:
    given = [facts(2021, None), facts(2020), facts(None, "ACL", abstract=False), facts(2020)]
    assert list(groups(given)) == [
        ("year", "2020", [1, 3]),
        ("year", "2021", [0]),
        ("year", "unknown", [2]),
        ("abstract", "with", [0, 1, 3]),
        ("abstract", "without", [2]),
        ("venue", "VIS", [1, 3]),
        ("venue", "ACL", [2]),
        ("venue", "unknown", [0]),
    ]


def test_every_kind_of_slice_holds_every_query_once() -> None:
    given = [facts(2000 + i % 7, f"V{i % 13}" if i % 5 else None, i % 2 == 0) for i in range(60)]
    for kind in ("year", "abstract", "venue"):
        places = [place for name, _, found in groups(given) if name == kind for place in found]
        assert sorted(places) == list(range(60))


def test_a_slice_is_measured_on_its_own_queries() -> None:
    hit, miss = Judged(np.array([True]), 2), Judged(np.array([False]), 1)
    values = per_query([hit, miss])
    given = [facts(2020, a=1, b=2), facts(2021, c=3)]
    found = {each.value: each for each in by_query("s", values, given, draws)}
    assert (found["2020"].queries, found["2020"].gold) == (1, 2)
    assert found["2020"].measures["R@20"].value == 0.5
    assert found["2021"].measures["MRR"].value == 0
    assert found["VIS"].measures["MRR"].value == 0.5
    assert found["VIS"].measures["F1@20"].value == pytest.approx(2 * 0.025 * 0.25 / 0.275)
    assert set(found["VIS"].measures) - {"F1@20"} <= set(MEASURES)


def popular(ranked: dict[str, list[str]], given: dict[str, QueryFacts]) -> dict[str, Slice]:
    return {each.value: each for each in by_popularity("s", ranked, given, draws)}


def test_gold_papers_are_grouped_by_how_often_they_were_cited() -> None:
    given = {
        "q1": facts(a=0, b=1, c=4, d=5),
        "q2": facts(e=19, f=20, g=0, h=500),
        "q3": facts(i=0),
    }
    ranked = {"q1": ["a", "b", "x", "d"], "q2": [*(f"x{i}" for i in range(20)), "e", "f"]}
    found = popular(ranked, given)
    assert {name: (each.queries, each.gold) for name, each in found.items()} == {
        "0": (3, 3),
        "1-4": (1, 2),
        "5-19": (2, 2),
        "20+": (1, 2),
    }
    recall = {
        name: (e.measures["R@20"].value, e.measures["R@100"].value) for name, e in found.items()
    }
    assert recall == {
        "0": (1 / 3, 1 / 3),
        "1-4": (0.5, 0.5),
        "5-19": (0.5, 1),
        "20+": (0, 0.5),
    }


def test_the_popularity_of_a_paper_is_that_of_its_query_s_year() -> None:
    given = {"old": facts(2000, a=0), "new": facts(2020, a=25)}
    found = popular({"new": ["a"]}, given)
    assert found["0"].measures["R@20"].value == 0
    assert found["20+"].measures["R@20"].value == 1
    assert set(found) == {"0", "20+"}


def sentence(year: int, *, names: bool, **cited: int) -> QueryFacts:
    gold = {paper: GoldFacts(number) for paper, number in cited.items()}
    return QueryFacts(year, None, False, gold, names=names)


def test_sentences_are_grouped_by_whether_they_name_a_work_and_by_year() -> None:
    given = [sentence(2012, names=True), sentence(2011, names=False), sentence(2011, names=True)]
    assert list(groups(given)) == [
        ("names", "a work", [0, 2]),
        ("names", "nobody", [1]),
        ("year", "2011", [1, 2]),
        ("year", "2012", [0]),
    ]


def test_a_slice_of_sentences_is_measured_within_the_first_ten() -> None:
    late = np.zeros(12, bool)
    late[11] = True
    values = per_query([Judged(np.array([True]), 1), Judged(late, 1)])
    given = [sentence(2011, names=True, a=1), sentence(2011, names=False, b=2)]
    found = {each.value: each for each in by_query("s", values, given, draws)}
    shown = [(name, found[name].measures["R@10"].value) for name in ("a work", "nobody", "2011")]
    assert shown == [("a work", 1), ("nobody", 0), ("2011", 0.5)]
    assert found["nobody"].measures["R@20"].value == 1
    assert found["nobody"].measures["nDCG@10"].value == 0
    drafts = next(by_query("s", values, [facts(a=1), facts(b=2)], draws))
    assert "R@10" not in drafts.measures
