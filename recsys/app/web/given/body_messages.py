"""The running text of a draft as JSON holds it: short, for it travels with the form of a page, too.

Sentences and marks are lists of their fields in order, a span is four numbers.
"""

from collections.abc import Mapping
from typing import Any

from recsys.app.web.given.checked_values import (
    number_of,
    optional,
    plain,
    references_of,
    sequence_of,
    text_of,
    texts_of,
    truth_of,
)
from recsys.passages import Body, Mark, Sentence, Span


def plain_body(body: Body) -> dict[str, object]:
    """Turn a body into what JSON holds; works lose their abstracts, which nobody asks of them."""
    return {
        "unit": body.unit,
        "sentences": list(map(_plain_sentence, body.sentences)),
        "references": [_bare(plain(each)) for each in body.references],
        "notes": list(body.notes),
    }


def body_of(value: Mapping[str, Any]) -> Body:
    """Read a body.

    Raises:
        ValueError: it is none.
    """
    try:
        return Body(
            sentences=tuple(map(_sentence, sequence_of(value["sentences"]))),
            unit=text_of(value["unit"]),
            references=references_of([_whole(each) for each in sequence_of(value["references"])]),
            notes=texts_of(value["notes"]),
        )
    except (KeyError, TypeError) as wrong:
        raise ValueError("It is no running text.") from wrong


def _plain_sentence(each: Sentence) -> list[object]:
    marks = list(map(_plain_mark, each.marks))
    return [each.text, each.section, each.paragraph, each.file, _plain_span(each.span), marks]


def _plain_mark(mark: Mark) -> list[object]:
    return [mark.at, list(mark.keys), mark.gap, mark.printed, _plain_span(mark.span)]


def _plain_span(span: Span | None) -> list[int] | None:
    return None if span is None else [span.line, span.column, span.end_line, span.end_column]


def _sentence(value: object) -> Sentence:
    words, section, paragraph, file, span, marks = sequence_of(value)
    text = text_of(words)
    return Sentence(
        text=text,
        marks=tuple(_mark(each, len(text)) for each in sequence_of(marks)),
        section=text_of(section),
        paragraph=number_of(paragraph),
        file=text_of(file),
        span=optional(_span, span),
    )


def _mark(value: object, most: int) -> Mark:
    at, keys, gap, printed, span = sequence_of(value)
    place = number_of(at)
    if not 0 <= place <= most:
        raise ValueError("It is a place outside its sentence.")
    return Mark(place, texts_of(keys), truth_of(gap), text_of(printed), optional(_span, span))


def _span(value: object) -> Span:
    line, column, end_line, end_column = map(number_of, sequence_of(value))
    return Span(line, column, end_line, end_column)


def _bare(value: object) -> object:
    """Leave out what is unknown, and the abstract."""
    if not isinstance(value, dict):
        return value
    return {name: each for name, each in value.items() if each and name != "abstract"}


def _whole(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {"authors": [], "ids": [], "keyphrases": [], **value}
