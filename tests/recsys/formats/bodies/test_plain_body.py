"""Plain texts as sentences, their printed citations as marks."""

from pathlib import Path

from recsys.formats.drafts.plain import parse

PAPER = """A title of dust

Abstract. Not this one.

1 Introduction
We see (Quill et al., 2019; Reed, 2020) that it
works [12, 14-16]. Quill and Reed (2019) show it. A [?] too.

Related Work

Now this. See also:
- one item (Reed, 2020)
- two items

Acknowledgements

We thank them (Lee, 2020).

References

[1] Not this.
"""


def test_a_text_is_read_sentence_by_sentence() -> None:
    found = parse(PAPER.replace("\n", "\r\n").encode(), Path("a.txt")).body(()).sentences
    assert [(each.section, each.text, [m.printed for m in each.marks]) for each in found] == [
        (
            "Introduction",
            "We see that it works.",
            ["(Quill et al., 2019; Reed, 2020)", "[12, 14-16]"],
        ),
        ("Introduction", "Quill and Reed (2019) show it.", []),
        ("Introduction", "A too.", ["[?]"]),
        ("Related Work", "Now this.", []),
        ("Related Work", "See also:", []),
        ("Related Work", "one item", ["(Reed, 2020)"]),
        ("Related Work", "two items", []),
    ]
    assert not any(mark.keys for each in found for mark in each.marks)
    assert [mark.gap for each in found for mark in each.marks] == [False, False, True, False]
