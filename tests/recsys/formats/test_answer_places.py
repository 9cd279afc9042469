"""Where papers fit, in every format that says so."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.app.coloured_table import coloured_table
from recsys.formats.answers import FORMATS, path_in, render, where_of
from recsys.records import Answer, Paper, Place, Recommendation

PLACE = Place("Papers are [vectors].", 0.51234567, 120, 3, section="Method")


@pytest.fixture
def placed(answer: Answer) -> Answer:
    return replace(answer, draft="a/paper.tex", where={"specter": PLACE})


def test_the_terminal_gets_it_in_colours(placed: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "300")
    assert coloured_table(placed).split() == render(placed, "table").split()


@pytest.mark.parametrize("form", ["bibtex", "ris", "csl-json", "csv"])
def test_formats_of_papers_alone_say_nothing_of_places(
    form: str, placed: Answer, answer: Answer
) -> None:
    assert render(placed, form) == render(answer, form)


@pytest.mark.parametrize(
    ("draft", "place", "shown"),
    [
        ("paper.tex", PLACE, "paper.tex:120"),
        ("a/b.docx", replace(PLACE, unit="paragraph", line=4), "a/b.docx, paragraph 4"),
        ("b.pdf", replace(PLACE, unit="page", line=2), "b.pdf, page 2"),
        ("b.md", replace(PLACE, line=None), "b.md"),
        ("a/main.tex", replace(PLACE, file="parts/one.tex"), "a/parts/one.tex:120"),
        ("a/main.tex", replace(PLACE, file="main.tex"), "a/main.tex:120"),
        ("a/b.zip", replace(PLACE, file="one.tex"), "a/b.zip/one.tex:120"),
        ("-", PLACE, "draft:120"),
        (None, PLACE, "draft:120"),
        ("-", replace(PLACE, file="one.tex"), "one.tex:120"),
    ],
)
def test_places_are_named_as_compilers_do(
    answer: Answer, draft: str | None, place: Place, shown: str
) -> None:
    found = where_of(replace(answer, draft=draft, where={"specter": place}), "specter")
    assert found == (shown, '"Papers are [vectors]."')


def test_an_archive_holds_its_files_and_the_disk_is_not_asked(tmp_path: Path) -> None:
    assert path_in("a/draft.zip", "one.tex") == str(Path("a/draft.zip/one.tex"))
    assert path_in(str(tmp_path), "one.tex") == str(tmp_path.parent / "one.tex")
    assert path_in(None, "", unnamed="passage") == "passage"


@given(st.text(st.characters(), max_size=20), st.sampled_from(sorted(FORMATS)))
def test_any_words_can_be_written(text: str, form: str) -> None:
    paper = Paper(id="x1", title="On nothing in particular")
    items = (Recommendation(1, paper, 1.0, 0.5, ("bm25",), ()),)
    place = Place(f"\x1b[2J{text}\x9b", 0.5, 1, 2, file=text, section=text)
    told = render(Answer(items, "", {}, draft=text, where={"x1": place}), form)
    assert not set(told) & {"\x1b", "\x9b"}
