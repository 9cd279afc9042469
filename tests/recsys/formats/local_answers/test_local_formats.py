"""The formats of an answer sentence by sentence."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.formats.answers import LOCAL_FORMATS, render_local
from recsys.formats.local_answers.gap_json import GAP_SCHEMA, LOCAL_ANSWER_SCHEMA
from recsys.formats.local_answers.shown_gaps import (
    around,
    file_of,
    gap_table,
    keys_of,
    place_of,
)
from recsys.records import (
    LEAST_MATCH,
    Gap,
    LocalAnswer,
    Mark,
    Reason,
    Recommendation,
    Sentence,
    Span,
)
from recsys.store.artifacts import VERSION
from tests.recsys.formats.local_answers.made_answers import (
    ITEMS,
    SPECTER,
    empty_answer,
    recommended,
    small_answer,
)
from tests.recsys.formats.references.test_web_page import outline
from tests.rows import each_row

ROOT = Path(__file__).parents[4]
EVIL = '\x1b[2J</pre><script>x</script>\n"\u202e`]|&{0}](http://a.b)'


SUFFIXES = {"table": "txt", "markdown": "md"}


@each_row("form", LOCAL_FORMATS)
def test_an_answer_is_written_as_the_golden_file_has_it(form: str) -> None:
    file = Path(__file__).parent / "files" / f"answer.{SUFFIXES.get(form, form)}"
    written = render_local(small_answer(), form)
    assert written.replace(VERSION, "VERSION") == file.read_text(encoding="utf-8")


@each_row(("probability", "confident"), [(LEAST_MATCH, True), (LEAST_MATCH - 0.001, False)])
def test_an_unlikely_paper_is_shown_to_programs_and_to_who_asks(
    probability: float, confident: bool
) -> None:
    item = recommended(SPECTER, 1, probability)
    answer = LocalAnswer((Gap(Sentence("Vectors help."), 12, None, None, (item,)),), draft="a.md")
    for form in ("table", "markdown", "html", "lines"):
        written = render_local(answer, form)
        assert (SPECTER.title in written) is confident, form
        assert ("No confident match in this corpus" in written) is not confident, form
    [gap] = json.loads(render_local(answer, "json"))["gaps"]
    assert gap["confident"] is confident and len(gap["recommendations"]) == 1
    assert SPECTER.title in gap_table(answer, keys_of(answer), verbose=True)


def test_the_reference_has_every_key() -> None:
    text = (ROOT / "docs/reference/answer.md").read_text(encoding="utf-8")
    answer = json.loads(render_local(small_answer(), "json"))
    keys = (*answer, *answer["gaps"][0], *answer["gaps"][0]["recommendations"][0])
    assert [key for key in keys if f"`{key}`" not in text] == []
    assert f"\n## {LOCAL_ANSWER_SCHEMA}\n" in text and f"\n## {GAP_SCHEMA}\n" in text


def test_the_page_is_whole_and_needs_nothing_else() -> None:
    found = outline(render_local(small_answer(), "html"))
    tags = [tag for tag, _ in found.seen]
    assert {"script", "link", "img", "iframe"}.isdisjoint(tags)
    assert tags.count("mark") == tags.count("section") == 2


def test_lines_are_what_compilers_write() -> None:
    lines = render_local(small_answer(), "lines").splitlines()
    # vim's %f:%l:%c:%m, and what Emacs takes of GNU's form.
    found = [re.fullmatch(r"([^:]+):(\d+):(\d+): note: (.+)", line) for line in lines]
    assert [each and each.groups()[:3] for each in found] == [
        ("draft/intro.tex", "12", "20"),
        ("draft/paper.tex", "40", "3"),
    ]


@each_row("form", ["table", "markdown", "html"])
def test_an_empty_answer_says_what_was_looked_at(form: str) -> None:
    text = render_local(empty_answer(), form)
    assert "No missing citation was found in draft/paper.tex." in text
    assert "120 sentences, 80 cited, 2 gaps" in text


@each_row("form", LOCAL_FORMATS)
def test_no_text_steers_what_shows_it(form: str) -> None:
    paper = replace(SPECTER, title=EVIL, authors=(EVIL,), venue=EVIL, url=f"https://a.b/{EVIL}")
    item = Recommendation(1, paper, 1.0, 0.5, (), (Reason("named", EVIL),), (EVIL,))
    gap = Gap(
        Sentence(EVIL * 3, section=EVIL, file=EVIL, span=Span(1, 1, 1, 9)), 9, None, 0.3, (item,)
    )
    answer = LocalAnswer((gap,), EVIL, {EVIL: 1}, (EVIL,), (EVIL,), f"a/{EVIL}")
    text = render_local(answer, form)
    assert not set(text) & {"\x1b", "\u202e"}
    assert "<script" not in text or form not in ("html",)
    if form in ("json", "jsonl", "sarif"):
        assert [json.loads(line) for line in (text.splitlines() if form == "jsonl" else [text])]
    if form == "lines":
        assert len(text.splitlines()) == 1


@each_row("form", LOCAL_FORMATS)
def test_places_without_lines_and_files_are_shown(form: str) -> None:
    bare = Gap(Sentence("Trees grow."), 99, None, None, ITEMS[:1])
    placed = replace(bare, sentence=replace(bare.sentence, span=Span(7, 1, 7, 5)))
    assert render_local(LocalAnswer((bare, placed)), form)
    assert "page 7" in render_local(LocalAnswer((placed,), draft="a.pdf", unit="page"), form) or (
        form in ("json", "jsonl")
    )


def test_there_is_no_other_format() -> None:
    with pytest.raises(InputError, match=r"'marcdown'\. Did you mean 'markdown'"):
        render_local(small_answer(), "marcdown")


@each_row(
    ("text", "at", "parts"),
    [
        ("Trees grow.", 10, ("Trees grow ", ".")),
        ("Trees grow.", 5, ("Trees ", " grow.")),
        ("Trees (as) grow", 7, ("Trees (", " as) grow")),
        ("", 0, ("", "")),
        ("Trees", 99, ("Trees ", "")),
    ],
)
def test_the_mark_fits_between_the_words(text: str, at: int, parts: tuple[str, str]) -> None:
    assert around(Gap(Sentence(text), at)) == parts


@each_row(
    ("draft", "file", "shown"),
    [
        ("paper.tex", "", "paper.tex"),
        ("a/paper.tex", "paper.tex", "a/paper.tex"),
        ("a/paper.tex", "parts/one.tex", "a/parts/one.tex"),
        ("a/paper.zip", "one.tex", "a/paper.zip/one.tex"),
        (None, "", "passage"),
    ],
)
def test_files_are_named_from_where_the_draft_was(draft: str | None, file: str, shown: str) -> None:
    gap = Gap(Sentence("A.", file=file, span=Span(3, 4, 3, 6)), 1)
    answer = LocalAnswer((gap,), draft=draft)
    assert file_of(answer, gap) == shown
    assert place_of(answer, gap) == f"{shown}:3:4"
    assert place_of(replace(answer, unit="page"), gap) == f"{shown}, page 3"


def test_keys_of_two_papers_with_one_stem_differ() -> None:
    twin = replace(SPECTER, id="twin", title="SPECTER again", doi=None)
    items = (*ITEMS, recommended(twin, 4))
    gap = replace(small_answer().gaps[0], recommendations=items)
    keys = keys_of(replace(small_answer(), gaps=(gap,)))
    assert keys.names["twin"] == "Cohan2020Spectera"


ANY = st.text(st.characters(), max_size=20)


@given(ANY, ANY, st.integers(-3, 30), st.sampled_from(sorted(LOCAL_FORMATS)), st.booleans())
def test_any_words_can_be_written(text: str, file: str, at: int, form: str, marked: bool) -> None:
    span = Span(1, 1, 2, 3)
    paper = replace(SPECTER, title=text, authors=(text,), venue=text, doi=text, url=file)
    mark = Mark(at, (text,), True, text, span) if marked else None
    gap = Gap(
        Sentence(text, file=file, section=text, span=span), at, mark, 0.5, (recommended(paper),)
    )
    written = render_local(
        LocalAnswer((gap, gap), text, {text: 1}, (text,), draft=f"d/{file}"), form
    )
    assert written.encode("utf-8").endswith(b"\n")
    if form in ("jsonl", "lines"):
        assert written.count("\n") == len(written.splitlines()) == 2
