import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.app.terminal import describe, duration, shown_progress
from tests.rows import each_row


def test_a_stage_says_how_long_the_rest_takes() -> None:
    said = describe("encode", 30, 100, steps=30, seconds=15.0)
    assert said == "encode: 30 % (30 of 100), 35 s left"


def test_a_resumed_stage_counts_only_its_own_work() -> None:
    said = describe("encode", 60, 100, steps=10, seconds=5.0)
    assert said == "encode: 60 % (60 of 100), 20 s left"


@each_row(("seconds", "said"), [(3, "3 s"), (119, "119 s"), (130, "2 min"), (8100, "2 h 15 min")])
def test_durations_are_for_people(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_a_pipe_gets_a_line_every_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress() as progress:
        for done in range(1001):
            progress("encode", done, 1000)
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert len(lines) == 10
    assert lines[0].startswith("encode: 10 % (100 of 1,000)")
    assert lines[-1].startswith("encode: done (1,000 in ")


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=30))
def test_odd_counts_never_fail(steps: list[tuple[int, int]]) -> None:
    with shown_progress() as progress:
        for done, total in steps:
            progress("stage", done, total)
