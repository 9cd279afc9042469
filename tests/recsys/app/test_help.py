"""What `--help` shows: every description whole, under its heading, at any width."""

import re
from typing import TYPE_CHECKING

import pytest

from recsys.app.cli.help_panels import COMMAND_PANELS, OPTION_PANELS
from recsys.app.cli.program import COMMANDS
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.conftest import RunCli

FEW = 10
"""Options that people need first."""


def panels(text: str) -> dict[str, list[str]]:
    """Return the lines below each heading."""
    parts = re.split(r"^([A-Z][\w ]+):\n", text, flags=re.MULTILINE)
    return {name: body.splitlines() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def names_in(lines: list[str]) -> list[str]:
    """Return the first word of each item of a list."""
    return [line.split()[0] for line in lines if re.match(r"  \S", line)]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_each_command_stands_under_one_heading_on_one_whole_line(
    narrow: None, run_cli: "RunCli"
) -> None:
    shown = panels(run_cli("--help").out)
    assert {name: names_in(shown[name]) for name in COMMAND_PANELS} == {
        name: words.split() for name, words in COMMAND_PANELS.items()
    }
    assert {name.split()[0] for name in COMMANDS} == set(" ".join(COMMAND_PANELS.values()).split())
    for group in ([], ["train"], ["study"]):
        text = run_cli(*group, "--help").out
        lists = [lines for name, lines in panels(text).items() if name != "Options"]
        lines = [line for each in lists for line in each if line]
        assert all(re.fullmatch(r"  [a-z-]+ +[A-Z].*\.", line) for line in lines), lines
        assert "..." not in "".join(lines) and max(map(len, lines)) <= 80


def test_an_answers_options_are_ten_first_and_then_by_what_they_are_for(
    narrow: None, run_cli: "RunCli"
) -> None:
    shown = panels(run_cli("recommend", "--help").out)
    assert len(names_in(shown["Options"])) == FEW
    others = ("Filters", "Input", "Ranking", "Output")
    assert list(shown) == ["Arguments", "Options", *others]
    assert names_in(shown["Filters"])[:2] == ["--library", "--exclude-library"]


@each_row("name", COMMANDS)
def test_no_heading_is_above_a_single_option(name: str, run_cli: "RunCli") -> None:
    shown = panels(run_cli(*name.split(), "--help").out)
    assert set(shown) <= {"Arguments", "Options", *OPTION_PANELS}
    alone = [panel for panel in shown if len(names_in(shown[panel])) == 1]
    assert set(alone) <= {"Arguments"}


@pytest.mark.parametrize("columns", [80, 120])
def test_no_word_of_help_is_parted(
    columns: int, run_cli: "RunCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    whole = set(run_cli("evaluate", "--help").out.split())
    monkeypatch.setenv("COLUMNS", str(columns))
    text = run_cli("evaluate", "--help").out
    assert set(text.split()) <= whole
    assert "bm25,embedding,stage-one,two-stage]" in text.split()
    assert max(map(len, text.splitlines())) <= columns


def test_a_file_in_a_commands_place_is_answered_with_what_is_meant(run_cli: "RunCli") -> None:
    done = run_cli("train", "my.index")
    assert done.code == 2 and "`recsys train ranker my.index`" in done.err
    done = run_cli("paper.tex")
    assert done.code == 2 and "`recsys recommend paper.tex`" in done.err
    assert "Did you mean 'ranker'" in run_cli("train", "rankr").err
    assert "No such option: --indx. Did you mean --index?" in run_cli("recommend", "--indx").err
