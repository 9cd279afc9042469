"""Decode the lines of a corpus file into JSON objects, or into the reason why there is none."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from recsys.formats.papers.source_lines import Line

HEAD = 50
"""Records by which a file's format is recognised."""
HEAD_LINES = 1000
"""Lines read in search of those records."""

# Where the answers of services, and exports, have their list of records.
_PAGES: tuple[tuple[str, ...], ...] = (
    ("message", "items"),  # Crossref
    ("resultList", "result"),  # Europe PMC
    ("referenceList", "reference"),
    ("citationList", "citation"),
    ("result", "hits", "hit"),  # dblp
    ("items",),  # Better BibTeX, and Crossref's public data files
    ("recommendations",),  # An answer of this program
    ("recommendedPapers",),  # Semantic Scholar
    ("papers",),
    ("results",),  # OpenAlex
    ("data",),  # Semantic Scholar, Lens
    ("references",),  # CSL within a document's header
)
# What services put around one record.
_ENVELOPES = ("message", "data", "info", "citedPaper", "citingPaper")
# What has one of these is a record, whatever lists are in it.
_OF_A_RECORD = frozenset(
    "title id _id paperId paper_id corpusid corpusId lens_id DOI itemType".split()
)
_MONGO_NUMBER = re.compile(r"\bNumber(?:Int|Long)\(\"?(-?\d+)\"?\)")
# Raw control characters inside strings are not JSON, but harmless: they are cleaned away later.
_decode = json.JSONDecoder(strict=False).decode


@dataclass(frozen=True, slots=True)
class Entry:
    """A record not yet looked into, or None and the flaw for which there is none."""

    line: Line
    record: dict[str, Any] | None
    flaw: str = ""


def entries_of(
    line: Line, *, records: Callable[[object], list[object]] | None = None
) -> Iterator[Entry]:
    """Decode a line into the records in it: one, or the many of an array.

    records: takes records out of what is decoded; None: see `records_in`.
    """
    if line.too_long:
        yield Entry(line, None, "line too long")
        return
    text = _unwrapped(line.text)
    if not text:
        return
    try:
        value = _value(text)
    except RecursionError:
        yield Entry(line, None, "nested too deeply")
    except ValueError:
        yield Entry(line, None, "not JSON")
    else:
        for item in (records or records_in)(value):
            yield (
                Entry(line, item) if isinstance(item, dict) else Entry(line, None, "not an object")
            )


def head_of(entries: Iterator[Entry]) -> Iterator[Entry]:
    """Take entries until there are HEAD records or HEAD_LINES entries."""
    records = 0
    for entry in islice(entries, HEAD_LINES):
        yield entry
        records += entry.record is not None
        if records == HEAD:
            return


def tally(reasons: Mapping[str, int]) -> str:
    """Write counted reasons in one line, most frequent first."""
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{reason}: {count:,}" for reason, count in ordered)


def _unwrapped(text: str) -> str:
    """Strip what surrounds a record in an array that has one record per line."""
    text = text.strip().strip(",").strip()
    if text.startswith("[") and not text.endswith("]"):
        return text[1:].strip()
    if text.endswith("]") and not text.startswith("["):
        return text[:-1].strip()
    return "" if text == "[]" else text


def records_in(value: object) -> list[object]:
    """Take records out of a list, the page of a service's answer, or what is put around each."""
    items = _page(value) if isinstance(value, dict) else value
    return [_opened(item) for item in items] if isinstance(items, list) else [items]


def _page(value: dict[str, Any]) -> object:
    if _OF_A_RECORD.isdisjoint(value):
        for path in _PAGES:
            found: object = value
            for key in path:
                found = found.get(key) if isinstance(found, dict) else None
            if isinstance(found, list):
                return found
            if isinstance(found, dict) and len(path) > 2:  # dblp has no list around a single hit.
                return [found]
    return [value]


def _opened(item: object) -> object:
    """Take a record out of its envelopes, of which Zotero's has the record's key."""
    while isinstance(item, dict) and _OF_A_RECORD.isdisjoint(item):
        inner = next((item[name] for name in _ENVELOPES if isinstance(item.get(name), dict)), None)
        if inner is None:
            break
        item = {"key": item["key"], **inner} if "key" in item else inner
    return item


def _value(text: str) -> object:
    try:
        return _decode(text)
    except ValueError:
        if "Number" not in text:
            raise
        return _decode(_MONGO_NUMBER.sub(r"\1", text))  # AMiner's v13 is such an export.
