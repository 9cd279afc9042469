"""Answers as they are drawn on a terminal, papers alone or sentence by sentence."""

from dataclasses import replace

import pytest

from recsys.app.coloured_table import coloured_gaps, coloured_table
from recsys.formats.answers import render, render_local
from recsys.formats.local_answers.shown_gaps import keys_of
from recsys.records import Answer, LocalAnswer
from tests.recsys.formats.local_answers.made_answers import small_answer

BOLD = "\x1b["


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "300")


def test_no_color_is_neither_bold_nor_dim(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "yes")
    assert "\x1b" not in coloured_table(answer)
    assert coloured_table(answer).split() == render(answer, "table").split()
    monkeypatch.setenv("NO_COLOR", "")  # Empty counts as not set.
    assert BOLD in coloured_table(answer)


# Sentence by sentence.


def drawn(answer: LocalAnswer) -> str:
    return coloured_gaps(answer, keys_of(answer))


def test_gaps_say_what_the_plain_table_says(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" in drawn(small_answer())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in drawn(small_answer())
    assert drawn(small_answer()).split() == render_local(small_answer(), "table").split()


def test_no_sentence_steers_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    gap = small_answer().gaps[0]
    sentence = replace(gap.sentence, text="a\x1b[2J [bold]b[/bold]\x07" * 3, file="x\x9b1A")
    text = drawn(replace(small_answer(), gaps=(replace(gap, sentence=sentence),)))
    assert not set(text) & {"\x1b", "\x9b", "\x07"} and "[bold]b[/bold]" in text
