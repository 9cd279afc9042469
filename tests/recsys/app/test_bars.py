import io
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.app.terminal import describe, duration, say, shown_progress, wrapped
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


def test_a_slow_stage_says_soon_how_long_it_takes_and_again_before_its_next_tenth(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: clock)
    with shown_progress() as progress:
        for done in range(40):  # Two seconds a text.
            progress("encoding papers", done, 10_000)
            clock += 2.0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "encoding papers: 0 % (3 of 10,000), 5 h 33 min left"
    assert len(lines) == 3


def test_a_terminal_gets_one_bar_that_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_COLOR", "COLORTERM", "CI", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    seen = io.StringIO()
    monkeypatch.setattr(seen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", seen)
    with shown_progress():
        pass
    assert seen.getvalue() == ""
    with shown_progress() as progress:
        for stage in ("reading files", "encoding papers"):
            for done in range(3):
                progress(stage, done, 2_000)
    drawn = seen.getvalue()
    assert "Encoding papers" in drawn and "2/2,000" in drawn
    assert drawn.count("\n") <= 1  # The last bar is wiped out where the cursor stands.


@pytest.mark.parametrize("columns", [30, 80, 120])
def test_messages_wrap_between_words(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "error: There is no file my-two-part-name.tex. See `recsys recommend --help`."
    seen = io.StringIO()
    monkeypatch.setattr(seen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", seen)
    monkeypatch.setenv("COLUMNS", str(columns))
    say(text)
    assert seen.getvalue().split() == text.split()
    assert max(map(len, seen.getvalue().splitlines())) <= columns
    assert wrapped(text, None) == text  # Of a pipe, each message stays a line.


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=30))
def test_odd_counts_never_fail(steps: list[tuple[int, int]]) -> None:
    with shown_progress() as progress:
        for done, total in steps:
            progress("stage", done, total)
