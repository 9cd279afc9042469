"""Write an answer as compilers write messages, `file:line:column: message`, for editors."""

from recsys.errors import shortened
from recsys.formats.answers import percent
from recsys.formats.local_answers.gap_keys import GapKeys
from recsys.formats.local_answers.gap_table import NOTHING_FITS
from recsys.formats.local_answers.shown_gaps import file_of, headline, marked_sentence, span_of
from recsys.formats.references.shown_facts import one_line
from recsys.passages import Gap, LocalAnswer
from recsys.records import Recommendation

_LONGEST_SENTENCE, _LONGEST_TITLE = 300, 200


def editor_lines(answer: LocalAnswer, keys: GapKeys) -> str:
    """Render as one line a gap; where nothing lacks a citation, there is no message."""
    return "".join(f"{_line(answer, gap, keys)}\n" for gap in answer.gaps)


def message(gap: Gap, keys: GapKeys) -> str:
    """Say on one line what a gap is, which papers fit and why, and the sentence."""
    papers = "; ".join(_paper(item, keys) for item in gap.recommendations)
    sentence = shortened(marked_sentence(gap), _LONGEST_SENTENCE)
    return f"{headline(gap)}: {f'{papers}.' if papers else NOTHING_FITS} In: {sentence}"


def _line(answer: LocalAnswer, gap: Gap, keys: GapKeys) -> str:
    span, file = span_of(gap), one_line(file_of(answer, gap))
    place = f"{span.line}:{span.column}" if span else "1:1"
    counted = "" if answer.unit == "line" else f"{answer.unit} {span.line if span else 1}, "
    return f"{file}:{place}: note: {counted}{message(gap, keys)}"


def _paper(item: Recommendation, keys: GapKeys) -> str:
    title = shortened(one_line(item.paper.title), _LONGEST_TITLE)
    why = ", ".join(one_line(reason.text) for reason in item.reasons)
    told = f" ({why})" if why else ""
    return f"{keys.names[item.paper.id]}, {percent(item.probability)}: {title}{told}"
