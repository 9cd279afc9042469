"""Markdown drafts as sentences with their places."""

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.drafts.markdown_draft import parse
from recsys.passages import Sentence
from tests.rows import each_row

PAPER = """---
title: A draft
bibliography: x.bib
---

# Introduction

We follow @quill2019 here. As shown in [@a; @b, p. 3], it
holds [see @c; also -@d, p. 2]. This is unknown [@?]. And [@TODO; @known] too.
@lee [p. 3] maps *dust* with `code[?]` now. We use [a link](http://x.y/[z]) and $x^2$. [CITE]
See [REF] and [12, 14-16]. And (Quill et al., 2019).[^1] It is ^[An inline note [@n].] so.

> A quoted sentence [@q].
> Two lines here.

[^1]: The footnote cites [@f].

- First item [@i1].
- Second item
  goes on [@i2].

```r
x[?] <- 1
```

| a | b |
|---|---|
| c [@no] | d |

Table: A caption [@no].

<!-- comment [CITE] -->

Sub Heading
-----------

As Fig. @fig-x and \\@ref(fig:y) show, see \\citep{lx}. my@mail.org is here. {{citation needed}}

# References

- Nope.
"""


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


@given(
    st.integers(0, len(PAPER)),
    st.integers(0, 40),
    st.sampled_from(["", "[", "`", "$", "\n", "<!--"]),
)
def test_broken_drafts_are_read_too(at: int, length: int, instead: str) -> None:
    text = PAPER[:at] + instead + PAPER[at + length :]
    for sentence in sentences(text):
        assert all(0 <= mark.at <= len(sentence.text) for mark in sentence.marks)


@each_row("part", ["[", "[@", "`", "^[", "<a ", "![", "$", "**", "> ", "- ", "|", "\\", "~~~\n"])
def test_what_never_closes_takes_no_time(part: str) -> None:
    sentences("Start. " + part * 3000)


def test_a_very_long_line_is_read() -> None:
    assert len(sentences("It is so [@a]. " * 2000)) == 2000
