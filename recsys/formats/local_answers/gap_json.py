"""Write an answer for programs: one object, or one line a gap, with versioned schemas."""

from typing import Any

from recsys.formats.answers import json_text, recommendation_record
from recsys.formats.local_answers.gap_keys import GapKeys
from recsys.formats.local_answers.shown_gaps import file_of, kind_of_gap, span_of
from recsys.passages import Gap, LocalAnswer
from recsys.records import Recommendation

LOCAL_ANSWER_SCHEMA = "recsys.local-answer/1"
GAP_SCHEMA = "recsys.gap/1"


def local_json(answer: LocalAnswer, keys: GapKeys) -> str:
    """Render as one JSON object of schema `recsys.local-answer/1`."""
    return json_text(local_record(answer, keys), indent=1) + "\n"


def local_record(answer: LocalAnswer, keys: GapKeys) -> dict[str, Any]:
    """Put an answer as the object of schema `recsys.local-answer/1`."""
    return {
        "schema": LOCAL_ANSWER_SCHEMA,
        "draft": answer.draft,
        "understood": answer.understood,
        "counts": dict(answer.counts),
        "unit": answer.unit,
        "notes": list(answer.notes),
        "missing": list(answer.missing),
        "gaps": [gap_record(answer, gap, keys) for gap in answer.gaps],
    }


def local_json_lines(answer: LocalAnswer, keys: GapKeys) -> str:
    """Render as one JSON object of schema `recsys.gap/1` per line, with the draft."""
    first = {"schema": GAP_SCHEMA, "draft": answer.draft, "unit": answer.unit}
    records = (gap_record(answer, gap, keys) for gap in answer.gaps)
    return "".join(f"{json_text(first | record)}\n" for record in records)


def gap_record(answer: LocalAnswer, gap: Gap, keys: GapKeys) -> dict[str, Any]:
    """Put a gap as the object of schema `recsys.gap/1`."""
    span, sentence = span_of(gap), gap.sentence
    return {
        "kind": kind_of_gap(gap),
        "file": None if answer.draft is None else file_of(answer, gap),
        "line": span and span.line,
        "column": span and span.column,
        "end_line": span and span.end_line,
        "end_column": span and span.end_column,
        "section": sentence.section,
        "sentence": sentence.text,
        "at": gap.at,
        "mark": gap.mark and gap.mark.printed,
        "cited": list(sentence.cited),
        "need": None if gap.need is None else round(float(gap.need), 6),
        "recommendations": [paper_record(item, keys) for item in gap.recommendations],
    }


def paper_record(item: Recommendation, keys: GapKeys) -> dict[str, Any]:
    """Put a recommended paper as in `recsys.recommendation/1`, with its key and its BibTeX."""
    named = {"key": keys.names[item.paper.id], "bibtex": keys.entry_of(item.paper)}
    return recommendation_record(item) | named
