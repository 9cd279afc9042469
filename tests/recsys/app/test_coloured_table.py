"""The answer as it is drawn on a terminal."""

from dataclasses import replace

import pytest

from recsys.app.coloured_table import coloured_table
from recsys.formats.answers import render
from recsys.records import Answer, Paper

BOLD = "\x1b["


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "300")


def test_it_is_coloured_on_a_terminal(answer: Answer) -> None:
    assert BOLD in coloured_table(answer)


def test_it_says_what_the_plain_table_says(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert coloured_table(answer).split() == render(answer, "table").split()


def test_it_names_other_versions(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    item = replace(answer.recommendations[0], versions=(Paper("x1", "Preprint", year=2019),))
    told = replace(answer, recommendations=(item,))
    assert "- another version: 2019 | x1" in coloured_table(told)
    assert coloured_table(told).split() == render(told, "table").split()


def test_no_color_is_neither_bold_nor_dim(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "yes")
    assert "\x1b" not in coloured_table(answer)
    monkeypatch.setenv("NO_COLOR", "")  # Empty counts as not set.
    assert BOLD in coloured_table(answer)


def test_no_title_steers_the_terminal(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    first = answer.recommendations[0]
    paper = replace(first.paper, title="evil \x1b[2J title", venue="\x9b1A", id="a\x07b\nc")
    hostile = replace(answer, recommendations=(replace(first, paper=paper),))
    assert "\x1b[2J" not in coloured_table(hostile)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not set(coloured_table(hostile)) & {"\x1b", "\x9b", "\x07"}
