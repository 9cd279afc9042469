"""`recsys plan` from the outside."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from recsys.app.cli.planning_sizes import papers_in, queries_in
from recsys.errors import UsageError
from recsys.pipelines.planning import measure_here
from recsys.pipelines.planning.measured_rates import Rate
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.conftest import RunCli


@each_row(
    ("text", "papers"),
    [
        ("200e6", 200_000_000),
        ("200M", 200_000_000),
        ("200m", 200_000_000),
        ("200,000,000", 200_000_000),
        ("200_000_000", 200_000_000),
        ("0.5M", 500_000),
        ("1.5 k", 1_500),
        ("2B", 2_000_000_000),
        ("2.5e5", 250_000),
        ("7", 7),
    ],
)
def test_numbers_of_papers_are_read(text: str, papers: int) -> None:
    assert papers_in(text) == papers


@each_row(
    "text",
    [
        *("", "many", "-5", "0", "1.5", "1e99", "1e13", "2,00", "20,0000", "M", "1M5", "1/2"),
        *("nan", "inf", "0x10", "1e-3", "٣"),
    ],
)
def test_what_is_no_number_of_papers_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="200,000,000"):
        papers_in(text)


@each_row(
    ("text", "queries"),
    [(None, 0), ("50/s", 50), ("50", 50), ("3000/min", 50), ("7,200/h", 2), ("864e3/day", 10)],
)
def test_numbers_of_answers_are_read(text: str | None, queries: float) -> None:
    assert queries_in(text) == pytest.approx(queries)


@each_row("text", ["", "fast", "0/s", "50/week", "-1/s", "5/"])
def test_what_is_no_number_of_answers_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="50/s"):
        queries_in(text)


def test_a_plan_says_how_far_it_is_from_what_was_measured(run_cli: "RunCli") -> None:
    done = run_cli("plan", "--papers", "200e6", "--queries", "50/s")
    assert (done.code, done.err) == (0, "")
    first, second, *_ = done.out.splitlines()
    assert first == "A plan for 200,000,000 papers, 384 numbers a vector, 50 answers a second."
    assert second == "That is 200 times the largest that was measured: 1,000,000 papers."
    assert "unknown: never measured: tell it by --gpu-rate TEXTS" in done.out
    assert "What breaks first" in done.out


def test_a_plan_for_programs(run_cli: "RunCli") -> None:
    done = run_cli("plan", "--papers", "1M", "--dim", "768", "--gpu-rate", "500", "--json")
    value = json.loads(done.out)
    assert value["schema"] == "recsys.plan/1"
    assert value["workload"] == {
        "papers": 1_000_000,
        "dim": 768,
        "queries": 0.0,
        "gpu": 500.0,
        "network": 1.0,
    }


def test_nonsense_is_answered_in_a_sentence(run_cli: "RunCli") -> None:
    done = run_cli("plan", "--papers", "plenty")
    assert (done.code, done.out) == (2, "")
    assert "'plenty' is no number of papers" in done.err
    assert run_cli("plan").code == 2


def test_this_machine_is_measured_when_that_is_asked_for(
    run_cli: "RunCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice(known: Mapping[str, Rate], *_: object, **__: object) -> Mapping[str, Rate]:
        slow = Rate("words", 100.0, 1_000_000, times=2.0)
        return {**known, "words": slow}

    monkeypatch.setattr(measure_here, "measured_here", twice)
    done = run_cli("plan", "--papers", "1M", "--measure", "--quiet")
    assert done.code == 0
    assert "3.33 min  measured here, now: rate `words`" in done.out
    assert "measured here, now: 2 times that" in done.out
    further = run_cli("plan", "--papers", "2M", "--measure", "--quiet")
    assert "carried further: rate `words`, at the pace of this machine" in further.out
