"""Answers as they are drawn on a terminal, papers alone or sentence by sentence."""

from dataclasses import replace

import pytest
from rich.cells import cell_len

from recsys.app.coloured_table import coloured_gaps, coloured_table
from recsys.formats.answers import render, render_local, table
from recsys.formats.local_answers.shown_gaps import INDENT, keys_of
from recsys.formats.references.shown_facts import paper_link
from recsys.query.resolve_draft import IN_LIBRARY
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


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_titles_wrap_between_words_under_each_other(
    columns: int, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(columns))
    item = answer.recommendations[0]
    wide = replace(item.paper, title="深層学習による引用推薦" * 6)
    items = (item, replace(item, rank=12, paper=wide))
    shown = coloured_table(replace(answer, recommendations=items))
    assert max(map(cell_len, shown.splitlines())) <= columns
    beside = [line[len(INDENT) :] for line in shown.splitlines()]
    assert all(text == text.strip() for text in beside)
    words = " ".join(beside[: beside.index("")])
    assert words.startswith(f"{item.paper.title} Arman Cohan, Sergey Feldman et al., 2020, ACL")
    assert wide.title in "".join(beside)


def test_a_title_leads_to_the_paper_only_where_the_terminal_can(
    answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = "\x1b]8;id="
    assert f";{paper_link(answer.recommendations[0].paper)}\x1b\\" in coloured_table(answer)
    assert coloured_table(answer).count(link) == 1  # Of the other nothing is known.
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in coloured_table(answer)


def test_nothing_in_an_address_steers_the_terminal(answer: Answer) -> None:
    first = answer.recommendations[0]
    paper = replace(first.paper, doi=None, url="https://a.org/\x1b]0;owned\x07")
    shown = coloured_table(replace(answer, recommendations=(replace(first, paper=paper),)))
    assert "\x1b]0" not in shown and "\x07" not in shown


def test_ids_and_other_reasons_are_shown_when_asked_for(
    answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    for shown in (coloured_table(answer, verbose=True), table(answer, verbose=True)):
        assert "id: specter, https://doi.org/10.18653" in shown
        assert "citation graph, triplet loss" in shown and "found by similar text" in shown
    assert "triplet loss" not in table(answer) and "found by" not in table(answer)
    assert len(table(answer).split("\n\n")[0].splitlines()) == 3


def test_a_paper_of_the_library_is_marked_beside_its_reason(answer: Answer) -> None:
    first = answer.recommendations[0]
    marked = replace(first, reasons=(*first.reasons, IN_LIBRARY))
    shown = table(replace(answer, recommendations=(marked,)))
    assert "4 of the 12 most similar papers cite it; in your library\n" in shown


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
