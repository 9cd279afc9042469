"""Every reader gives an answer within a budget of time and memory, whatever it is given."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.inputs import long, nested
from tests.inputs.reading import READERS, Cost, of_each_kind, outcome, readers_of

ROOT = Path(__file__).parents[3]
SECONDS, SECONDS_PER_MB, SECONDS_PER_PART = 6.0, 4.0, 0.0003
"""What reading may take: MB of input beyond the first cost more, and so does each part, for the
shortest row of a table becomes a paper. Twice what the slowest case takes on an idle machine: what
grows as the square takes minutes at the sizes of here."""
MEMORY, MEMORY_PER_MB = 200, 100
"""MB above those of reading nothing."""


def costs(table: str, *levels: int) -> list[Cost]:
    """Measure a table of `tests/inputs` in processes of their own."""
    command = [sys.executable, "-m", "tests.inputs.reading", table, *map(str, levels)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [Cost(**json.loads(line)) for line in done.stdout.splitlines()]


def check(found: Sequence[Cost]) -> None:
    """Hold every cost against the budget; name those beyond it."""
    assert {cost.reader for cost in found} <= set(READERS)
    assert not [cost for cost in found if cost.outcome.startswith(("foreign", "signal"))]
    assert not [cost for cost in found if cost.outcome != "read" and " " not in cost.said]
    assert not [cost for cost in found if "\n" in cost.said]
    size = {id(cost): max(cost.size / 2**20 - 1, 0) for cost in found}
    slow = [
        cost
        for cost in found
        if cost.seconds > SECONDS + SECONDS_PER_MB * size[id(cost)] + SECONDS_PER_PART * cost.levels
    ]
    large = [cost for cost in found if cost.memory > MEMORY + MEMORY_PER_MB * size[id(cost)]]
    assert (slow, large) == ([], [])


def test_the_tables_name_each_case_once_and_hold_what_they_say(tmp_path: Path) -> None:
    for cases in (nested.cases, long.cases):
        names = [(name, suffix) for name, suffix, _ in cases(3)]
        assert len(set(names)) == len(names)
    held = {name: raw for name, _, raw in nested.cases(3)}
    assert rb"\title{\'{\'{\'{e}}}}" in held["tex title: accents"]
    assert held["json: bare arrays"] == b"[[[]]]"
    assert held["pdf: page tree"].count(b"/Kids") == 4
    # Each construct must be read at all as long as it is shallow.
    tried, read = 0, set()
    for name, suffix, raw in nested.cases(2):
        path = tmp_path / f"file{suffix}"
        path.write_bytes(raw)
        for reader in readers_of(suffix):
            ended, said = outcome(READERS[reader], path)
            assert ended == "read" or (not ended.startswith("foreign") and " " in said), name
            read |= {name} if ended == "read" else set()
        tried += 1
    assert {"tex title: accents", "pdf: page tree", "pdf: drawings in drawings"} <= read
    assert {"bib: braces", "md: yaml lines", "corpus: arrays", "clicks: arrays"} & read
    assert len(read) > 0.7 * tried


def test_every_reader_reads_or_refuses_within_the_budget() -> None:
    check(found := costs("each", 2_000))
    assert {cost.reader for cost in found} == set(READERS)
    assert len(found) == sum(len(readers_of(suffix)) for _, suffix, _ in of_each_kind(1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "levels"), [("nested", 100), ("nested", 1_000), ("rows", 2_500), ("rows", 10_000)]
)
def test_what_is_nested_or_long_is_read_or_refused_within_the_budget(
    table: str, levels: int
) -> None:
    check(costs(table, levels))


@pytest.mark.slow
@pytest.mark.parametrize("table", ["nested", "long"])
def test_what_is_huge_is_read_or_refused_within_the_budget(table: str) -> None:
    check(costs(table, 100_000))


@pytest.mark.slow
@pytest.mark.parametrize(("table", "levels"), [("nested", 2_500), ("long", 10_000)])
def test_four_times_the_input_takes_about_four_times_the_time(table: str, levels: int) -> None:
    once, four_times = (
        {(cost.name, cost.reader): cost.seconds for cost in costs(table, number)}
        for number in (levels, 4 * levels)
    )
    grown = {
        case: (seconds, four_times[case])
        for case, seconds in once.items()
        if four_times[case] > 0.5 and four_times[case] > 8 * seconds
    }
    assert not grown
