"""The sentence at a place, and a passage with its place."""

import pytest

from recsys.errors import InputError
from recsys.formats.bodies.running_text import passage_of, sentence_at
from recsys.formats.drafts.plain import PlainDraft
from tests.rows import each_row

TEXT = "A title\n\nFirst sentence here. Second one\ngoes on [3].\n\n\nThird one."


@each_row(
    ("line", "says"),
    [(99, "ends on line 7"), (5, "nearest one begins on line 3"), (0, "count from 1")],
)
def test_a_line_without_sentence(line: int, says: str) -> None:
    with pytest.raises(InputError, match=says):
        sentence_at(PlainDraft(TEXT).body(()), line)


@each_row(
    ("text", "offset", "sentence", "at"),
    [
        ("We use a model | of text. Next.", None, "We use a model of text.", 14),
        ("It was shown by Lee (2010). It is true.", None, "It is true.", 10),
        ("Then [CITE] is it. And so.", None, "Then is it.", 4),
        ("One two. Three four.", 20, "Three four.", 11),
        ("One two. Three four.", 3, "One two.", 3),
        ("One two. | three", None, "three", 0),
        ("x || y.", None, "x || y.", 6),
        ("We.  |", None, "We.", 3),
    ],
)
def test_the_place_of_a_passage(text: str, offset: int | None, sentence: str, at: int) -> None:
    found = passage_of(text, offset)
    assert found.text == sentence
    assert [mark.at for mark in found.marks if mark.gap] == [at]


@each_row(
    ("text", "offset"),
    [
        ("", None),
        (" |\n", None),
        ("a|b|c", None),
        ("abc", 9),
        ("abc", -1),
        ("a | b", 1),
        ("a" * 10**6, 1),
    ],
)
def test_no_passage_or_no_place(text: str, offset: int | None) -> None:
    with pytest.raises(InputError) as error:
        passage_of(text, offset)
    assert error.value.hint
