"""What strangers wrote reaches a terminal only as something to read."""

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.app import terminal
from recsys.app.cli.recommending import AnswerWriter
from recsys.app.coloured_table import coloured_table
from recsys.app.terminal import cleaned, draw, say, show
from recsys.errors import InputError
from recsys.records import Answer, Paper, Reason, Recommendation
from tests.built_index import Built
from tests.conftest import RunCli

ATTACK = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe\u2066\r\x08\x7f"
"""Title of the window, clear the screen, colours, text turned round, and over the line's start."""
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
TEXTS = st.text(st.characters())  # Half pairs, too.


@given(TEXTS)
def test_nothing_that_steers_is_left_and_nothing_else_is_touched(text: str) -> None:
    shown = cleaned(text)
    assert not STEERS.search(shown.replace("\r\n", "\n"))
    shown.encode()
    kept = "".join(c for c in text if c.isprintable() or c in "\t\n")
    assert cleaned(kept) == kept
    assert cleaned(shown) == shown


@given(st.recursive(TEXTS, lambda inside: st.lists(inside) | st.dictionaries(TEXTS, inside)))
def test_json_means_the_same_when_it_is_cleaned(value: object) -> None:
    for text in (json.dumps(value, ensure_ascii=False, indent=1), json.dumps(value)):
        assert json.loads(cleaned(text)) == value


@given(TEXTS)
def test_every_way_to_people_is_cleaned(text: str) -> None:
    heard, seen = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", heard)
        patch.setattr(sys, "stdout", seen)
        say(text)
        terminal.note(text)
        with terminal.shown_progress() as progress:
            progress(text, 1, 1)
        terminal.emit(text)
        show(text)
    assert not STEERS.search((heard.getvalue() + seen.getvalue()).replace("\r\n", "\n"))


def test_a_coloured_table_has_only_its_own_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    paper = Paper(id=ATTACK, title=ATTACK, authors=(ATTACK,), venue=ATTACK, url=ATTACK)
    item = Recommendation(1, paper, 1.0, 0.5, ("ann",), (Reason("votes", ATTACK),), (ATTACK,))
    drawn = coloured_table(Answer((item,), understood=ATTACK, stages={}))
    assert "owned" in drawn
    assert not STEERS.search(drawn)


@pytest.mark.parametrize("tty", [False, True])
def test_the_heading_of_each_draft_is_cleaned(
    tty: bool, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = io.StringIO()
    monkeypatch.setattr(seen, "isatty", lambda: tty)
    monkeypatch.setattr(sys, "stdout", seen)
    monkeypatch.setenv("NO_COLOR", "1")
    AnswerWriter("table", several=True).write(replace(answer, draft=f"{ATTACK}.tex"))
    assert r"== \u001b]0;owned\u0007" in seen.getvalue()
    assert not STEERS.search(seen.getvalue())


@pytest.mark.parametrize(
    "arguments",
    [
        ["recommend", f"{ATTACK}.tex"],
        ["recommend", ATTACK, "--index", "INDEX"],
        ["recommend", "--index", ATTACK],
        ["recommend", "--format", ATTACK],
        ["recommend", f"--{ATTACK}"],
        ["inspect", ATTACK],
        ["build", ATTACK],
        [ATTACK],
    ],
)
def test_arguments_come_back_cleaned(arguments: list[str], built: Built, run_cli: RunCli) -> None:
    found = run_cli(*(built.index if word == "INDEX" else word for word in arguments))
    assert found.code in (1, 2)
    assert found.err.count("\n") == 1
    assert found.err.startswith("error: ")
    assert not STEERS.search(found.err)


def test_keys_titles_and_file_names_come_back_cleaned(
    built: Built, tmp_path: Path, run_cli: RunCli
) -> None:
    draft = tmp_path / "\x1b[31m\u202e.tex"
    draft.write_text(
        rf"\title{{Rivers {ATTACK}}}\begin{{document}}\cite{{a{ATTACK},b}}\bibliography{{refs}}",
        encoding="utf-8",
        newline="",
    )
    entry = f"@article{{a{ATTACK}, title = {{On {ATTACK}}}, author = {{{ATTACK}}}}}\n"
    (tmp_path / "refs.bib").write_text(entry * 2 + "@article{b", encoding="utf-8", newline="")
    out = tmp_path / "\x1b[31m.json"
    found = run_cli("recommend", draft, draft, "--index", built.index, "-v", "--out-dir", out)
    assert found.code == 0
    assert r"\u001b[31m" in found.err
    assert not STEERS.search(found.err)


class Full(io.StringIO):
    def flush(self) -> None:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("stream", [None, Full()])
def test_a_note_that_nobody_can_hear_is_lost_and_nothing_else_is(
    stream: io.StringIO | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    say("heard by nobody")
    terminal.note("heard by nobody")
    with terminal.shown_progress() as progress:
        progress("encode", 1, 1)


def test_data_that_nobody_can_read_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(OSError, match="No space left on device: 'standard output'"):
        draw("data")
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OSError, match="standard output"):
        show("data")
    with pytest.raises(InputError, match="Standard output is closed"):
        terminal.check_target(None)
