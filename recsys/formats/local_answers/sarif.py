"""Write an answer as SARIF 2.1.0, which editors and code review show beside the text.

Messages hold neither braces nor links: both would have to be escaped, and viewers differ in that.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from recsys.formats.answers import json_text
from recsys.formats.local_answers.editor_lines import message
from recsys.formats.local_answers.gap_json import paper_record
from recsys.formats.local_answers.gap_keys import GapKeys
from recsys.formats.local_answers.shown_gaps import (
    MISSING,
    NEEDED,
    file_of,
    kind_of_gap,
    looked_at,
    marked_sentence,
    span_of,
)
from recsys.formats.references.shown_facts import one_line
from recsys.passages import Gap, LocalAnswer
from recsys.version import VERSION

SARIF_VERSION = "2.1.0"
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_RULES: Mapping[str, str] = {
    MISSING: "The author left a mark where a citation is missing.",
    NEEDED: "The sentence says what others have found, and cites nothing.",
}
_BRACES = str.maketrans("{}", "()")
_LINK = re.compile(r"\](?=\()")


def sarif(answer: LocalAnswer, keys: GapKeys) -> str:
    """Render as a SARIF log with one run, whose results are the gaps."""
    run = {
        "tool": {"driver": _driver()},
        "invocations": [_invocation(answer)],
        "columnKind": "unicodeCodePoints",
        "results": [_result(answer, gap, keys) for gap in answer.gaps],
        "properties": {"counts": dict(answer.counts)},
    }
    log = {"$schema": _SCHEMA, "version": SARIF_VERSION, "runs": [run]}
    return json_text(log, indent=1) + "\n"


def _driver() -> dict[str, Any]:
    rules = [
        {
            "id": name,
            "shortDescription": {"text": text},
            "defaultConfiguration": {"level": "note"},
        }
        for name, text in _RULES.items()
    ]
    return {"name": "recsys", "version": VERSION, "semanticVersion": VERSION, "rules": rules}


def _invocation(answer: LocalAnswer) -> dict[str, Any]:
    told = [answer.understood, f"Looked at: {looked_at(answer)}.", *answer.notes, *answer.missing]
    notes = [{"level": "note", "message": {"text": _plain(text)}} for text in told if text]
    return {"executionSuccessful": True, "toolExecutionNotifications": notes}


def _result(answer: LocalAnswer, gap: Gap, keys: GapKeys) -> dict[str, Any]:
    kind, sentence = kind_of_gap(gap), marked_sentence(gap)
    found: dict[str, Any] = {
        "ruleId": kind,
        "ruleIndex": list(_RULES).index(kind),
        "level": "note",
        "message": {"text": _plain(message(gap, keys))},
        "locations": [_location(answer, gap)],
        "partialFingerprints": {"sentence/v1": _fingerprint(f"{kind}\n{sentence}")},
        "properties": {
            "sentence": sentence,
            "need": None if gap.need is None else round(float(gap.need), 6),
            "recommendations": [paper_record(item, keys) for item in gap.recommendations],
        },
    }
    if gap.need is not None:
        found["rank"] = round(float(gap.need) * 100, 4)
    return found


def _location(answer: LocalAnswer, gap: Gap) -> dict[str, Any]:
    """Name the place: a region of a text, else, as SARIF has no pages, what its unit counts."""
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(file_of(answer, gap))}}
    span = span_of(gap)
    if span is None:
        return {"physicalLocation": place}
    if answer.unit != "line":
        named = {"fullyQualifiedName": f"{answer.unit} {span.line}"}
        return {"physicalLocation": place, "logicalLocations": [named]}
    region: dict[str, Any] = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    if gap.mark is not None and gap.mark.span is not None:
        region["snippet"] = {"text": gap.mark.printed}
    return {"physicalLocation": place | {"region": region}}


def _uri(file: str) -> str:
    """Write a path as a reference relative to the current folder, if it lies below that."""
    path = PurePath(file)
    if path.is_absolute():
        here = Path.cwd()
        if not path.is_relative_to(here):
            return path.as_uri()
        path = path.relative_to(here)
    return quote(path.as_posix(), safe="/", errors="replace")


def _plain(text: str) -> str:
    return _LINK.sub("] ", one_line(text).translate(_BRACES))


def _fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()[:16]
