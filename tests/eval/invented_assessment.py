"""An assessment of invented systems, written by hand: for tests of what is shown of it."""

from typing import Any

from recsys.eval.measures import Band, Interval
from recsys.eval.run_figures import (
    Assessment,
    Comparison,
    Curves,
    QueryDifference,
    Reliability,
    Slice,
    SystemResult,
)
from recsys.eval.significance import Bin

NASTY = r"<b>R&D_100%</b> $x^2$ {a} \cost | #1 ~ `c`"
QUERIES: dict[str, dict[str, Any]] = {
    "q1": {"title": NASTY, "year": 2020, "gold": {"p1": {}, "p2": {}}},
    "q2": {"title": "On rivers", "year": None, "gold": {"p1": {}}},
}
FACTS: dict[str, Any] = {
    "command": "recsys evaluate 'my index' --split <split>.json",
    "part": "test",
    "k": 100,
    "seed": 0,
    "created_by": "recsys 0.1.0",
    "versions": {"python": "3.11", "numpy": "2.3"},
    "corpus": {"name": "r&d", "sha256": "c0ffee", "papers": 1234, "links": 5678},
    "split_sha256": "beef",
    "timing": {"good_one": 8.25, "bad": 0.1},
    "k_study": [{"k": 10, "citations": True, "R@100": 0.25, "ms": 3.0}],
    "self_citation": None,
}


def interval(value: float) -> Interval:
    return Interval(value, value - 0.01, value + 0.01)


def band(*values: float) -> Band:
    return Band(values, values, values)


def system(name: str, value: float, beats: tuple[str, ...]) -> SystemResult:
    measures = ("F1@20", "query F1@20", "MRR", "P@20", "R@20", "R@100", "nDCG@20", "MAP@100")
    return SystemResult(
        name=name,
        answered=2,
        ignored=0,
        measures={key: interval(value) for key in measures},
        skip_rule={},
        beats={"MRR": beats},
        per_query={"query F1@20": (value, 0.0 if beats else 0.5)},
        curves=Curves(
            precision_macro=band(value, value / 2),
            recall_macro=band(value / 2, value),
            eleven_point=band(*(value,) * 11),
            depths=(1, 2),
            recall_at=band(value / 2, value),
        ),
        best=("q1",),
        worst=("q2",),
    )


def invented() -> Assessment:
    """Two systems over two queries; one beats the other by MRR."""
    return Assessment(
        seed=0,
        samples=1000,
        queries=("q1", "q2"),
        unjudged=0,
        gold=3,
        systems=(system("bad", 0.25, ()), system("good_one", 0.75, ("bad",))),
        comparisons=(
            Comparison(
                "MRR", "good_one", "bad", interval(0.5), None, 0.0004, 0.0012, 1.5, 0.5, 0.0
            ),
        ),
        slices=(Slice("venue", "A & B_C", "bad", 2, 3, {"R@20": interval(0.25)}),),
        reliability={"good_one": Reliability((Bin(10, 0.0, 0.5, 0.25, 0.3),), 0.05)},
        differences=(QueryDifference("q1", 0.25, 0.75),),
        facts=FACTS,
    )
