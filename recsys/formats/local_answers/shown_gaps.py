"""What every format says about a gap: its kind, where it is, the sentence with its place marked."""

from recsys.formats.answers import percent
from recsys.formats.references.shown_facts import one_line
from recsys.formats.shown_places import named_place, path_in
from recsys.passages import Gap, LocalAnswer, Span

MISSING, NEEDED = "missing-citation", "needs-citation"
"""The kinds of gaps: its author marked it, or its sentence needs a citation and has none."""
PASSAGE = "passage"
"""What stands for the file of a text that is none."""
HERE = "[?]"
"""The mark of a place in plain text."""

_OPENING, _CLOSING = "([{", ".,;:)]}!?"
_LONGEST_LIST = 6


def kind_of_gap(gap: Gap) -> str:
    """Return MISSING or NEEDED."""
    return NEEDED if gap.mark is None else MISSING


def headline(gap: Gap) -> str:
    """Say what a gap is, and the chance that its sentence needs a citation, where that is known."""
    if gap.need is None:
        return "citation needed" if gap.mark is None else "citation missing"
    words = "may need a citation" if gap.mark is None else "citation missing"
    return f"{words}, {percent(gap.need)}"


def span_of(gap: Gap) -> Span | None:
    """Return where the mark of a gap stands, else where its sentence does."""
    return (gap.mark and gap.mark.span) or gap.sentence.span


def file_of(answer: LocalAnswer, gap: Gap) -> str:
    """Return the file that a gap is in, as seen from where the draft was named."""
    return path_in(answer.draft, gap.sentence.file, unnamed=PASSAGE)


def place_of(answer: LocalAnswer, gap: Gap) -> str:
    """Name a place as compilers do, `paper.tex:12:34`, or by what the lines of its file stand for.

    >>> place_of(LocalAnswer((), draft="a.docx", unit="paragraph"), Gap(Sentence("A."), 1))
    'a.docx'
    """
    span, file = span_of(gap), one_line(file_of(answer, gap))
    line, column = (None, None) if span is None else (span.line, span.column)
    return named_place(file, answer.unit, line, column)


def around(gap: Gap) -> tuple[str, str]:
    """Return a sentence's words before the place and after it, so that a mark fits in between."""
    text, at = gap.sentence.text, gap.at
    before, after = one_line(text[:at]), one_line(text[at:])
    if before and before[-1] not in _OPENING:
        before += " "
    if after and after[0] not in _CLOSING:
        after = f" {after}"
    return before, after


def marked_sentence(gap: Gap) -> str:
    """Return a sentence with HERE at the place that lacks a citation."""
    before, after = around(gap)
    return f"{before}{HERE}{after}"


def nothing_found(answer: LocalAnswer) -> str:
    """Say of an answer without gaps what was looked at."""
    looked = looked_at(answer)
    seen = f" Looked at: {looked}." if looked else ""
    return f"No place that lacks a citation was found in {_name(answer)}.{seen}"


def looked_at(answer: LocalAnswer) -> str:
    """Say what was counted: `120 sentences, 80 cited, 3 gaps`."""
    counted = list(answer.counts.items())[:_LONGEST_LIST]
    return ", ".join(f"{count:,} {one_line(name)}" for name, count in counted)


def _name(answer: LocalAnswer) -> str:
    return "the passage" if answer.draft is None else one_line(answer.draft)
