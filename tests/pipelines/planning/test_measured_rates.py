import json
from pathlib import Path

import pytest

from recsys.pipelines.planning.__main__ import main, results, rows_of
from recsys.pipelines.planning.growth_laws import LAWS
from recsys.pipelines.planning.measured_rates import (
    LARGEST,
    NEAR,
    NUMBERS,
    RATES,
    Rate,
    committed,
    numbers_of,
)
from tests.rows import each_row

WITHIN_TWICE = 2.0


def test_the_numbers_are_those_of_the_committed_results() -> None:
    written = json.loads(NUMBERS.read_text(encoding="utf-8"))
    assert written == numbers_of(results()), (
        "Run `python -m recsys.pipelines.planning`, then `make docs`."
    )


def test_the_program_writes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recsys.pipelines.planning.__main__.NUMBERS", tmp_path / "rates.json")
    monkeypatch.setattr("recsys.pipelines.planning.__main__.CHECKOUT", tmp_path)
    monkeypatch.setattr("recsys.pipelines.planning.__main__.results", results_of_here)
    assert main() == 0
    assert (tmp_path / "rates.json").read_bytes() == NUMBERS.read_bytes()


def results_of_here(found: dict[str, object] = results()) -> dict[str, object]:  # noqa: B008 - read before the patch.
    return found


@each_row("name", committed())
def test_a_rate_says_what_it_is(name: str) -> None:
    rate = committed()[name]
    assert rate.value > 0
    assert RATES[name].law in LAWS
    assert RATES[name].file in rate.said()
    assert rate.row.unit in rate.said()


def test_a_rate_is_what_was_measured_where_it_was() -> None:
    told = results()["benchmarks/scale.json"]["sizes"]
    reading = committed()["reading"]
    for size in (1_000_000, 100_000):
        stages = told[str(size)]["build"]["after"]["stages"]
        assert reading.at(size) == pytest.approx(stages["corpus"]["cpu_seconds"])


def test_what_is_taken_off_is_taken_off() -> None:
    build = results()["benchmarks/scale.json"]["sizes"]["1000000"]["build"]["after"]
    stages = sum(stage["cpu_seconds"] for stage in build["stages"].values())
    assert committed()["sealing"].at(LARGEST) == pytest.approx(build["cpu_seconds"] - stages)


def test_the_laws_hold_at_a_size_that_they_do_not_go_through() -> None:
    checked = [
        each
        for each in committed().values()
        if each.near is not None and each.row.speed is None and each.second is not None
    ]
    assert {each.name for each in checked} >= {"reading", "words", "ranking", "opening"}
    for rate in checked:
        assert rate.near is not None
        assert 1 / WITHIN_TWICE < rate.at(NEAR) / rate.near < WITHIN_TWICE, rate.name


def test_another_machine_multiplies() -> None:
    assert Rate("words", 10.0, 1000, times=1.5).at(2000) == pytest.approx(30)
    assert "measured here, now: 1.5 times that" in Rate("words", 10.0, 1000, times=1.5).said()


def test_what_was_measured_and_what_is_carried_further() -> None:
    rates = committed()
    assert rates["words"].reaches(LARGEST)
    assert not rates["words"].reaches(LARGEST + 1)
    assert rates["encoding"].reaches(10**9)


def test_numbers_are_read_out_of_the_tables_of_a_page() -> None:
    page = """# Dumps

Words | and more.

| | at once | as dumps |
|---|---:|---:|
| CPU seconds | 1,234 | 567.5 |
| peak, MiB | .5 (of 7) | |

| other | a |
| --- | --- |
| peak, MiB | 9 |
"""
    found = rows_of(page)
    assert found["CPU seconds"] == {"at once": 1234.0, "as dumps": 567.5}
    assert found["peak, MiB"] == {"at once": 0.5}


def test_only_late_rates_may_be_unknown() -> None:
    assert {name for name in RATES if name not in committed()} <= {
        name for name, row in RATES.items() if row.late
    }


def test_a_late_rate_is_left_out_until_it_is_measured_and_no_other_one() -> None:
    told = results()
    assert "records as dumps" not in numbers_of({**told, "docs/results/dumps.md": {}})
    page = {"CPU seconds": {"as dumps": 30.0, "at once": 20.0}}
    assert numbers_of({**told, "docs/results/dumps.md": page})["records as dumps"] == {
        "value": 30.0
    }
    with pytest.raises(KeyError):
        numbers_of({})
