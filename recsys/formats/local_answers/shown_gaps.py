"""Say what a gap is, where it is and what fits: as text for a terminal, as lines for an editor."""

from collections.abc import Iterator

from recsys.errors import shortened
from recsys.formats.answers import named_place, path_in, percent, text_row
from recsys.formats.local_answers.gap_keys import GapKeys
from recsys.formats.references.shown_facts import one_line
from recsys.passages import Gap, LocalAnswer, Span

MISSING, NEEDED = "missing-citation", "needs-citation"
"""The kinds of gaps: its author marked it, or its sentence needs a citation and has none."""
PASSAGE = "passage"
"""What stands for the file of a text that is none."""
HERE = "[?]"
"""The mark of a place in plain text."""

NOTHING_FITS = "No paper of the index fits."
INDENT = " " * 12

_OPENING, _CLOSING = "([{", ".,;:)]}!?"
_LONGEST_LIST = 6
_LONGEST_SENTENCE, _LONGEST_TITLE = 300, 200
"""Characters of a sentence and of a title on a line for editors."""


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
    name = "the passage" if answer.draft is None else one_line(answer.draft)
    return f"No place that lacks a citation was found in {name}.{seen}"


def looked_at(answer: LocalAnswer) -> str:
    """Say what was counted: `120 sentences, 80 cited, 3 gaps`."""
    counted = list(answer.counts.items())[:_LONGEST_LIST]
    return ", ".join(f"{count:,} {one_line(name)}" for name, count in counted)


def key_line(keys: GapKeys, paper_id: str) -> str:
    """Say under which key a paper is cited, and whether that key is in use."""
    return f"key: {keys.names[paper_id]}" + (" (yours)" if paper_id in keys.had else "")


def gap_table(answer: LocalAnswer, keys: GapKeys) -> str:
    """Render as text for a terminal, one paragraph a gap."""
    if not answer.gaps:
        return f"{nothing_found(answer)}\n"
    return "\n".join("\n".join(_rows(answer, gap, keys)) + "\n" for gap in answer.gaps)


def _rows(answer: LocalAnswer, gap: Gap, keys: GapKeys) -> Iterator[str]:
    yield f"{place_of(answer, gap)}: {headline(gap)}"
    yield f"    {marked_sentence(gap)}"
    for item in gap.recommendations:
        yield text_row(item)
        yield f"{INDENT}{key_line(keys, item.paper.id)}"
    if not gap.recommendations:
        yield f"{INDENT}{NOTHING_FITS}"


def editor_lines(answer: LocalAnswer, keys: GapKeys) -> str:
    """Render as compilers write messages, `file:line:column: message`, one line a gap."""
    lines = []
    for gap in answer.gaps:
        span, file = span_of(gap), one_line(file_of(answer, gap))
        line, column = (span.line, span.column) if span else (1, 1)
        counted = "" if answer.unit == "line" else f"{answer.unit} {line}, "
        lines.append(f"{file}:{line}:{column}: note: {counted}{message(gap, keys)}\n")
    return "".join(lines)


def message(gap: Gap, keys: GapKeys) -> str:
    """Say on one line what a gap is, which papers fit and why, and the sentence."""
    papers = []
    for item in gap.recommendations:
        title = shortened(one_line(item.paper.title), _LONGEST_TITLE)
        reasons = ", ".join(one_line(reason.text) for reason in item.reasons)
        why = f" ({reasons})" if reasons else ""
        papers.append(f"{keys.names[item.paper.id]}, {percent(item.probability)}: {title}{why}")
    sentence = shortened(marked_sentence(gap), _LONGEST_SENTENCE)
    return f"{headline(gap)}: {'; '.join(papers) + '.' if papers else NOTHING_FITS} In: {sentence}"
