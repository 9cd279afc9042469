"""Typst drafts as sentences with their places."""

from collections.abc import Sequence
from pathlib import Path

from recsys.formats.drafts.typst_draft import parse
from recsys.records import Sentence
from tests.rows import each_row

PAPER = """#show: template.with(title: [Dust], abstract: [Left out.])
#let note(x) = [#x]
= Abstract
We ring bells. // no
= Introduction <start>
Lichens @lichen2001[p. 7] and tides @tide2010 are *slow*, as _shown_ in $x^2$ by
#cite(<quill>, form: "prose").
Nothing is known [CITE]. See @fig:one and @start.
It is so @? and so @a-b.

#figure(image("a.png"), caption: [A caption.]) <fig:one>

- First item #cite(<todo>).
- Second #emph[item #strong[goes]] on.#footnote[A note @n.]

#set text(size: 10pt)
/* gone */ Last `code` here 😀 @z.
= References
Gone.
"""


def sentences(text: str) -> Sequence[Sentence]:
    return parse(text.encode(), Path("a.typ")).body(()).sentences


def test_a_draft_is_read_sentence_by_sentence() -> None:
    found = sentences(PAPER)
    assert {each.section for each in found} == {"Introduction"}
    assert [(each.text, each.cited) for each in found] == [
        ("Lichens and tides are slow, as shown in x^2 by.", ("lichen2001", "tide2010", "quill")),
        ("Nothing is known.", ()),
        ("See and.", ()),
        ("It is so and so.", ("a-b",)),
        ("First item.", ()),
        ("Second item goes on.", ()),
        ("A note.", ("n",)),
        ("Last code here 😀.", ("z",)),
    ]
    gaps = [mark.printed for each in found for mark in each.marks if mark.gap]
    assert gaps == ["[CITE]", "@?", "#cite(<todo>)"]


@each_row("line_end", ["\n", "\r\n"])
def test_the_file_reads_at_a_span_as_the_mark_does(line_end: str) -> None:
    lines = PAPER.split("\n")
    marks = [mark for each in sentences(PAPER.replace("\n", line_end)) for mark in each.marks]
    assert len(marks) == 9
    for mark in marks:
        span = mark.span
        assert span is not None and span.line == span.end_line
        assert lines[span.line - 1][span.column - 1 : span.end_column - 1] == mark.printed


def test_what_it_includes_is_read_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.typ").write_text("Inner words @b.\n")
    main = tmp_path / "paper.typ"
    main.write_text('Outer words.\n#include "parts/one.typ"\n#include "gone.typ"\nLast words.\n')
    body = parse(main.read_bytes(), main).body(())
    assert [(each.file, each.text) for each in body.sentences] == [
        ("paper.typ", "Outer words."),
        ("parts/one.typ", "Inner words."),
        ("paper.typ", "Last words."),
    ]
    assert body.sentences[1].marks[0].span is not None
    assert body.sentences[1].marks[0].span.line == 1
    assert "gone.typ" in body.notes[0]


@each_row(
    "part", ["[", "#a[", "#a(", "`", "#f(x)[", "$", "*", "/*", "- ", "\\", "@", "#cite(<", "="]
)
def test_what_never_closes_takes_no_time(part: str) -> None:
    sentences("Start. " + part * 3000)
