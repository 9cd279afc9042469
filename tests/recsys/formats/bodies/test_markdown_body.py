"""Markdown drafts as sentences with their places."""

from collections.abc import Sequence
from pathlib import Path

from recsys.formats.drafts.markdown_files import parse
from recsys.records import Sentence
from tests.rows import each_row

PAPER = Path(__file__).with_name("files").joinpath("paper.md").read_bytes().decode()


def sentences(text: str) -> Sequence[Sentence]:
    return parse(text.encode(), Path("a.md")).body(()).sentences


def test_a_draft_is_read_sentence_by_sentence() -> None:
    found = sentences(PAPER)
    assert [(each.section, each.text, each.cited) for each in found] == [
        ("Introduction", "We follow here.", ("quill2019",)),
        ("Introduction", "As shown in, it holds.", ("a", "b", "c", "d")),
        ("Introduction", "This is unknown.", ()),
        ("Introduction", "And too.", ("known",)),
        ("Introduction", "maps dust with code[?] now.", ("lee",)),
        ("Introduction", "We use a link and x^2.", ()),
        ("Introduction", "See and.", ()),
        ("Introduction", "And.", ()),
        ("Introduction", "It is so.", ()),
        ("Introduction", "An inline note.", ("n",)),
        ("Introduction", "A quoted sentence.", ("q",)),
        ("Introduction", "Two lines here.", ()),
        ("Introduction", "The footnote cites.", ("f",)),
        ("Introduction", "First item.", ("i1",)),
        ("Introduction", "Second item goes on.", ("i2",)),
        ("Sub Heading", "As Fig. and show, see. my@mail.org is here.", ("lx",)),
    ]
    gaps = [mark.printed for each in found for mark in each.marks if mark.gap]
    assert gaps == ["[@?]", "[@TODO; @known]", "[CITE]", "[REF]", "{{citation needed}}"]


@each_row("line_end", ["\n", "\r\n"])
def test_the_file_reads_at_a_span_as_the_mark_does(line_end: str) -> None:
    found = sentences(PAPER.replace("\n", line_end))
    lines = PAPER.split("\n")
    marks = [mark for each in found for mark in each.marks]
    assert len(marks) == 17
    for mark in marks:
        span = mark.span
        assert span is not None and span.line == span.end_line
        assert lines[span.line - 1][span.column - 1 : span.end_column - 1] == mark.printed


@each_row("part", ["[", "[@", "`", "^[", "<a ", "![", "$", "**", "> ", "- ", "|", "\\", "~~~\n"])
def test_what_never_closes_takes_no_time(part: str) -> None:
    sentences("Start. " + part * 3000)
