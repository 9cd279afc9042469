"""Find the sentence at a place of a draft, and read a passage whose place is marked in it."""

import re
from collections.abc import Sequence
from dataclasses import replace

from recsys.errors import InputError, near_miss
from recsys.formats.bodies.running_text import Lines, RunningText
from recsys.passages import Body, Mark, Sentence, Span

_PLACE = re.compile(r"(?<!\|)\|(?!\|)")
LONGEST_PASSAGE = 100_000
"""Characters of a passage; a longer text is a draft."""


def sentence_at(body: Body, line: int, column: int | None = None, file: str = "") -> Sentence:
    """Return the sentence that stands at a place of a draft.

    Args:
        body: the draft's.
        line: what `Body.unit` says, counted from 1.
        column: a character of the line, from 1; without it, the first sentence that begins on the
            line, else the one that goes over it.
        file: which file of a project; may be left out where there is only one.

    Raises:
        InputError: no such file, a line beyond the text, or no sentence there.
    """
    spans = [(each, each.span) for each in _of_file(body, file) if each.span is not None]
    last = max((span.end_line for _, span in spans), default=0)
    if line < 1 or (column is not None and column < 1):
        wrong = f"{body.unit} {line}" if line < 1 else f"column {column}"
        raise InputError(f"There is no {wrong}.", "Lines and columns count from 1.")
    over = [(each, span) for each, span in spans if span.line <= line <= span.end_line]
    if column is None:
        begun = [each for each, span in over if span.line == line]
        found = begun or [each for each, _ in over]
    else:
        found = [each for each, span in over if _holds(span, line, column)]
    if found:
        return found[0]
    where = f"{body.unit} {line}" + (f", column {column}" if column is not None else "")
    where += f" of {file}" if file else ""
    if line > last:
        raise InputError(
            f"There is no sentence at {where}: the running text ends on {body.unit} {last}.",
            f"Give a {body.unit} from 1 to {last}.",
        )
    nearest = min(spans, key=lambda pair: _distance(pair[1], line))[1]
    raise InputError(
        f"There is no sentence at {where}.",
        f"The nearest one begins on {body.unit} {nearest.line}, column {nearest.column}.",
    )


def passage_of(text: str, offset: int | None = None) -> Sentence:
    """Return the sentence of a passage in which a citation is looked for, its place as a gap.

    The place is where "|" stands, or the character at `offset`, or where a gap is marked as in a
    draft, else the end of the last sentence. The text of the sentence is that of its passage's
    sentence; the spans of its marks are those of the passage.

    Raises:
        InputError: the passage is empty or too long, or the place outside it or given twice.
    """
    if not text.strip() or not any(map(str.isalnum, text)):
        raise InputError("The passage is empty.", "Give the sentence that needs a citation.")
    if len(text) > LONGEST_PASSAGE:
        raise InputError(
            f"The passage has {len(text):,} characters.",
            "Give a draft as a file, not as a passage.",
        )
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    bars = [match.start() for match in _PLACE.finditer(text)]
    if len(bars) > 1:
        raise InputError(
            f'The passage has {len(bars)} places marked by "|".', "Mark one place at a time."
        )
    if bars and offset is not None:
        raise InputError(
            f'The place is given twice: by "|" and by offset {offset}.', "Give one of them."
        )
    if offset is not None and not 0 <= offset <= len(text):
        raise InputError(
            f"Offset {offset} is outside the passage.",
            f"The passage has {len(text)} characters: give an offset from 0 to {len(text)}.",
        )
    return _at_place(text, bars[0] if bars else offset, bar=bool(bars))


def _at_place(text: str, place: int | None, *, bar: bool) -> Sentence:
    running = RunningText(numbers=True)
    first = text if place is None else text[:place]
    running.words(first, 0)
    if place is not None:
        running.mark(place, place + bar, gap=True)
        running.words(text[place + bar :], place + bar)
    found = running.sentences(Lines(text))
    if not found:
        raise InputError("The passage has no words.", "Give the sentence that needs a citation.")
    if place is not None:
        return next(each for each in found if _gap_at(each, text, place))
    return next((each for each in found if any(mark.gap for mark in each.marks)), _ended(found[-1]))


def _gap_at(sentence: Sentence, text: str, place: int) -> bool:
    _, line, column = Lines(text).place(place)
    spans = [mark.span for mark in sentence.marks if mark.gap and mark.span is not None]
    return any((span.line, span.column) == (line, column) for span in spans)


def _ended(sentence: Sentence) -> Sentence:
    """Mark the end of a sentence, before its full stop, as the place."""
    at = len(sentence.text.rstrip(" .!?:;"))
    marks = sorted((*sentence.marks, Mark(at=at, gap=True)), key=lambda mark: mark.at)
    return replace(sentence, marks=tuple(marks))


def _of_file(body: Body, file: str) -> Sequence[Sentence]:
    files = list(dict.fromkeys(each.file for each in body.sentences))
    if file and file not in files:
        raise InputError(
            f"The draft has no running text in a file {file}.",
            near_miss(file, files).strip() or f"Its files are {', '.join(files[:5])}.",
        )
    if not file and len(files) > 1:
        file = files[0]
    return [each for each in body.sentences if not file or each.file == file]


def _holds(span: Span, line: int, column: int) -> bool:
    return (span.line, span.column) <= (line, column) < (span.end_line, span.end_column)


def _distance(span: Span, line: int) -> int:
    return min(abs(span.line - line), abs(span.end_line - line))
