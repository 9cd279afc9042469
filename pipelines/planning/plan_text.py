"""Write a plan for people, for programs, and beside others for a page."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from math import isinf

from recsys.pipelines.planning.plan_values import Reached, SizePlan
from recsys.pipelines.planning.shown_figures import count, said, shown

SCHEMA = "recsys.plan/1"
_BASES = {
    "measured": "measured",
    "measured here": "measured here, now",
    "carried": "carried further",
    "layout": "by the layout of the files",
    "assumed": "assumed",
    "told": "told",
    "unknown": "unknown",
}


NEXT = 3
"""Limits that are told beside those that are reached."""


def plan_lines(plan: SizePlan) -> list[str]:
    """Write a plan as lines for the terminal."""
    parts = (_figure_lines, _choice_lines, _limit_lines, _rate_lines)
    return [*_head(plan), *(line for part in parts for line in part(plan))]


def plan_json(plan: SizePlan) -> str:
    """Write a plan for programs; a limit that is never reached has null papers."""
    value = asdict(plan) | {"limits": [_limit_json(each) for each in plan.limits]}
    return json.dumps({"schema": SCHEMA, **value}, indent=1, allow_nan=False) + "\n"


def nearest_limits(plan: SizePlan) -> list[Reached]:
    """List the limits that are reached, and the next ones."""
    reached = sum(each.reached for each in plan.limits)
    return list(plan.limits[: reached + NEXT])


def _head(plan: SizePlan) -> list[str]:
    asked = plan.workload
    queries = f", {asked.queries:,.3g} answers a second" if asked.queries else ""
    times = asked.papers / plan.largest_measured
    far = f"{shown(times)} times the largest" if times > 1 else "no more than the largest"
    return [
        f"A plan for {asked.papers:,} papers, {asked.dim} numbers a vector{queries}.",
        f"That is {far} that was measured: {plan.largest_measured:,} papers.",
    ]


def _figure_lines(plan: SizePlan) -> Iterator[str]:
    for part, figures in plan.parts.items():
        yield from ("", part.capitalize())
        width = max(len(each.name) for each in figures)
        for each in figures:
            yield f"  {each.name:<{width}}  {said(each):>12}  {_BASES[each.basis]}: {each.source}"


def _choice_lines(plan: SizePlan) -> Iterator[str]:
    yield from ("", "What to take")
    width = max(len(each.name) for each in plan.choices)
    for each in plan.choices:
        yield f"  {each.name:<{width}}  {each.value}: {each.why}"


def _limit_lines(plan: SizePlan) -> Iterator[str]:
    yield from ("", "What breaks first")
    for each in nearest_limits(plan):
        mark = "reached at" if each.reached else "not before"
        yield f"  {mark} {count(each.papers)} papers: {each.name} ({each.where})"
        yield f"      {each.effect}; {each.remedy}"


def _rate_lines(plan: SizePlan) -> Iterator[str]:
    yield from ("", "Rates")
    width = max(map(len, plan.rates))
    for name, told in plan.rates.items():
        yield f"  {name:<{width}}  {told}"


def _limit_json(each: Reached) -> dict[str, object]:
    return asdict(each) | {"papers": None if isinf(each.papers) else each.papers}
