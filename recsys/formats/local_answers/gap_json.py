"""Write an answer for programs: as JSON with versioned schemas, or as SARIF 2.1.0 for editors.

Messages of SARIF, which editors and code review show beside the text, hold neither braces nor
links: both would have to be escaped, and viewers differ in that.
"""

import hashlib
import re
from dataclasses import astuple, fields
from pathlib import Path, PurePath
from typing import Any

from recsys.formats.answers import json_text, recommendation_record, sarif_place, sarif_text
from recsys.formats.local_answers.shown_gaps import (
    MISSING,
    NEEDED,
    GapKeys,
    file_of,
    kind_of_gap,
    looked_at,
    marked_sentence,
    message,
    span_of,
)
from recsys.formats.references.shown_facts import one_line
from recsys.records import Gap, LocalAnswer, Recommendation, Span

LOCAL_ANSWER_SCHEMA = "recsys.local-answer/1"
GAP_SCHEMA = "recsys.gap/1"
_RULES = {
    MISSING: ("note", "The author left a mark where a citation is missing."),
    NEEDED: ("note", "The sentence says what others have found, and cites nothing."),
}
_REGION = ("startLine", "startColumn", "endLine", "endColumn")
_BRACES = str.maketrans("{}", "()")
_LINK = re.compile(r"\](?=\()")


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
        **{field.name: span and getattr(span, field.name) for field in fields(Span)},
        "section": sentence.section,
        "sentence": sentence.text,
        "at": gap.at,
        "mark": gap.mark and gap.mark.printed,
        "cited": list(sentence.cited),
        "need": None if gap.need is None else round(float(gap.need), 6),
        "confident": gap.confident,
        "recommendations": [paper_record(item, keys) for item in gap.recommendations],
    }


def paper_record(item: Recommendation, keys: GapKeys) -> dict[str, Any]:
    """Put a recommended paper as in `recsys.recommendation/1`, with its key and its BibTeX."""
    named = {"key": keys.names[item.paper.id], "bibtex": keys.entry_of(item.paper)}
    return recommendation_record(item) | named


def sarif(answer: LocalAnswer, keys: GapKeys) -> str:
    """Render as a SARIF log with one run, whose results are the gaps."""
    said = [answer.understood, f"Looked at: {looked_at(answer)}.", *answer.notes, *answer.missing]
    notes = [{"level": "note", "message": {"text": _plain(text)}} for text in said if text]
    run = {
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(answer, gap, keys) for gap in answer.gaps],
        "properties": {"counts": dict(answer.counts)},
    }
    return sarif_text(_RULES, run)


def _result(answer: LocalAnswer, gap: Gap, keys: GapKeys) -> dict[str, Any]:
    record, sentence = gap_record(answer, gap, keys), marked_sentence(gap)
    kind = record["kind"]
    fingerprint = hashlib.sha256(f"{kind}\n{sentence}".encode(errors="replace")).hexdigest()[:16]
    path = PurePath(file_of(answer, gap))
    # Relative to the current folder, if the file lies below that.
    if path.is_absolute() and path.is_relative_to(here := Path.cwd()):
        path = path.relative_to(here)
    location: dict[str, Any] = {"physicalLocation": sarif_place(path)}
    span = span_of(gap)
    if span is not None and answer.unit == "line":
        region: dict[str, Any] = dict(zip(_REGION, astuple(span), strict=True))
        if gap.mark is not None and gap.mark.span is not None:
            region["snippet"] = {"text": gap.mark.printed}
        location["physicalLocation"]["region"] = region
    elif span is not None:  # SARIF has no pages: what the unit counts has a name.
        location["logicalLocations"] = [{"fullyQualifiedName": f"{answer.unit} {span.line}"}]
    result: dict[str, Any] = {
        "ruleId": kind,
        "ruleIndex": list(_RULES).index(kind),
        "level": "note",
        "message": {"text": _plain(message(gap, keys))},
        "locations": [location],
        "partialFingerprints": {"sentence/v1": fingerprint},
        "properties": {
            "sentence": sentence,
            **{name: record[name] for name in ("need", "recommendations")},
        },
    }
    if gap.need is not None:
        result["rank"] = round(float(gap.need) * 100, 4)
    return result


def _plain(text: str) -> str:
    return _LINK.sub("] ", one_line(text).translate(_BRACES))
