"""Write an answer as text for a terminal: each gap, and below it the papers that fit."""

from collections.abc import Iterator

from recsys.formats.answers import text_row
from recsys.formats.local_answers.gap_keys import GapKeys
from recsys.formats.local_answers.shown_gaps import (
    headline,
    marked_sentence,
    nothing_found,
    place_of,
)
from recsys.passages import Gap, LocalAnswer

INDENT = " " * 12
NOTHING_FITS = "No paper of the index fits."


def gap_table(answer: LocalAnswer, keys: GapKeys) -> str:
    """Render as text, one paragraph a gap."""
    if not answer.gaps:
        return f"{nothing_found(answer)}\n"
    return "\n".join("\n".join(_lines(answer, gap, keys)) + "\n" for gap in answer.gaps)


def key_line(keys: GapKeys, paper_id: str) -> str:
    """Say under which key a paper is cited, and whether that key is in use."""
    return f"key: {keys.names[paper_id]}" + (" (yours)" if paper_id in keys.had else "")


def _lines(answer: LocalAnswer, gap: Gap, keys: GapKeys) -> Iterator[str]:
    yield f"{place_of(answer, gap)}: {headline(gap)}"
    yield f"    {marked_sentence(gap)}"
    for item in gap.recommendations:
        yield text_row(item)
        yield f"{INDENT}{key_line(keys, item.paper.id)}"
    if not gap.recommendations:
        yield f"{INDENT}{NOTHING_FITS}"
