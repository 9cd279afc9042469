"""Read a draft given as JSON: one object with what is known of it, or a list of works alone.

Checked by hand rather than by pydantic: importing that costs 0.1 CPU seconds, as much as all the
rest of reading a draft, and each of these errors names its next step."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from recsys.errors import DraftError, near_miss
from recsys.formats.drafts.wording import EARLIEST_YEAR, LATEST_YEAR, clean, short
from recsys.formats.files import checked_json, decode, decode_or_guess, display_name
from recsys.formats.identifiers import acl, arxiv, doi
from recsys.records import Manuscript, Reference

MOST_REFERENCES = 100_000
KEYPHRASES = ("keyphrases", "keywords")
"""Two names of one thing; the first goes first."""
KEYS = (*"id title abstract authors venue year as_of doi references".split(), *KEYPHRASES)
REFERENCE_KEYS = tuple("id title authors venue year abstract doi arxiv acl url".split())

T = TypeVar("T")
_NO_STRINGS = ("authors", "year")
_LONGEST_KEY = 100
_SHAPE = 'Give one JSON object such as {"title": "...", "abstract": "..."}.'
_REFERENCE = 'an id, a DOI, an arXiv id, or an object such as {"title": "...", "year": 2020}'


def read(raw: bytes, path: Path) -> Manuscript:
    """Read a file of one JSON object, or of a reading list of CSL or Zotero items.

    Raises:
        DraftError: it is no JSON, or of the wrong shape.
    """
    name = display_name(path)
    text = decode(raw, name)

    def unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(pairs)
        if len(mapping) < len(pairs):
            times = Counter(key for key, _ in pairs)
            raise ValueError(f"the key {short(times.most_common(1)[0][0])} occurs twice")
        return mapping

    if not text.strip():
        raise DraftError(f"{name} is empty.", _SHAPE)
    try:
        value = json.loads(checked_json(text), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DraftError(f"{name} is not JSON: {error.msg} at {where}.", _SHAPE) from error
    except RecursionError as error:
        raise DraftError(f"{name} is nested too deeply.", _SHAPE) from error
    except ValueError as error:  # A repeated key, or a number of thousands of digits.
        raise DraftError(f"{name} cannot be read as JSON: {error}.", _SHAPE) from error
    # A list of CSL items or of Zotero's stands bare or below "items".
    items = value.get("items") if isinstance(value, dict) else value
    if isinstance(items, list) and items:
        if all(isinstance(item, dict) and {"type", "itemType"} & item.keys() for item in items):
            return _listed(text, name)
    return manuscript_of(value, name)


def manuscript_of(value: object, name: str) -> Manuscript:
    """Check a decoded JSON value and make a manuscript of it.

    The year in which the draft is written is `as_of`, or `year` where that is all there is; `id`
    is the id of the corpus paper that the draft is, if it is one; `doi` its DOI, arXiv or ACL id.

    Raises:
        DraftError: unknown keys, or wrong types.
    """
    if not isinstance(value, dict):
        raise DraftError(f"{name} holds {_describe(value)} instead of a JSON object.", _SHAPE)
    _check_keys(value, KEYS, name)
    year, as_of = _year(value, "year", name), _year(value, "as_of", name)
    own = _string(value, "doi", name)
    return Manuscript(
        title=_string(value, "title", name) or "",
        abstract=_string(value, "abstract", name),
        authors=_strings(value, "authors", name),
        venue=_string(value, "venue", name),
        references=_references(value, name),
        as_of=year if as_of is None else as_of,
        paper_id=_string(value, "id", name),
        doi=doi(own) or arxiv(own) or acl(own),
        keyphrases=next(filter(None, (_strings(value, key, name) for key in KEYPHRASES)), ()),
    )


def named_work(text: str) -> Reference:
    """Make a reference of a name: a corpus id, which may be a DOI, an arXiv or an ACL id."""
    return Reference(key=text, id=text, doi=doi(text), arxiv=arxiv(text), acl=acl(text))


def _check_keys(value: Mapping[str, object], known: Sequence[str], name: str) -> None:
    unknown = next((key for key in value if key not in known), None)
    if unknown is not None:
        suggestion = near_miss(unknown[:_LONGEST_KEY], known).strip()
        raise DraftError(
            f"{name} has an unknown key {short(unknown)}.",
            suggestion or f"The keys are {', '.join(known)}.",
        )


def _references(value: Mapping[str, object], name: str) -> tuple[Reference, ...]:
    items = _typed(value, "references", name, list, f"a list, each item {_REFERENCE}") or []
    if len(items) > MOST_REFERENCES:
        raise DraftError(
            f"{name} has {len(items):,} references.", f"Give at most {MOST_REFERENCES:,} of them."
        )
    works: dict[Reference, None] = {}
    for place, item in enumerate(items, start=1):
        if isinstance(item, dict):
            at = f"{name}: references, item {place}"
            _check_keys(item, REFERENCE_KEYS, at)
            texts = {
                key: _string(item, key, at) for key in REFERENCE_KEYS if key not in _NO_STRINGS
            }
            work = Reference(
                key=texts["id"] or "",
                id=texts["id"],
                title=texts["title"],
                authors=_strings(item, "authors", at),
                year=_year(item, "year", at),
                venue=texts["venue"],
                abstract=texts["abstract"],
                doi=doi(texts["doi"]) or doi(texts["url"]),
                arxiv=arxiv(texts["arxiv"]) or arxiv(texts["url"]),
                acl=acl(texts["acl"]) or acl(texts["url"]),
                url=texts["url"],
            )
            if not (work.title or work.id or work.doi or work.arxiv or work.acl):
                raise DraftError(f"{at} names no work.", "Give it a title, an id or a DOI.")
            works[work] = None
        elif not isinstance(item, str):
            raise _wrong(name, f"references, item {place}", item, _REFERENCE)
        elif text := clean(item):
            works[named_work(text)] = None
    return tuple(works)


def _typed(
    value: Mapping[str, object], key: str, name: str, kind: type[T], expected: str
) -> T | None:
    """Return the value of a key, None where there is none; a truth value is no number."""
    item = value.get(key)
    if item is None or (isinstance(item, kind) and not isinstance(item, bool)):
        return item
    raise _wrong(name, key, item, expected)


def _string(value: Mapping[str, object], key: str, name: str) -> str | None:
    return clean(_typed(value, key, name, str, "a string") or "") or None


def _strings(value: Mapping[str, object], key: str, name: str) -> tuple[str, ...]:
    items = _typed(value, key, name, list, 'a list of strings such as ["...", "..."]') or []
    for place, item in enumerate(items, start=1):
        if not isinstance(item, str):
            raise _wrong(name, f"{key}, item {place}", item, "a string")
    return tuple(dict.fromkeys(filter(None, map(clean, items))))


def _year(value: Mapping[str, object], key: str, name: str) -> int | None:
    expected = f"a year between {EARLIEST_YEAR} and {LATEST_YEAR}, without quotes"
    year = _typed(value, key, name, int, expected)
    if year is not None and not EARLIEST_YEAR <= year <= LATEST_YEAR:
        raise _wrong(name, key, year, expected)
    return year


def _wrong(name: str, key: str, value: object, expected: str) -> DraftError:
    return DraftError(f"{name}: {key} is {_describe(value)}.", f"It must be {expected}.")


def _describe(value: object) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    kind = "the string" if isinstance(value, str) else "the number"
    return f"{kind} {short(value)}"


def read_list(raw: bytes, path: Path) -> Manuscript:
    """Read a bibliography of any format as the references of a draft without text."""
    text, note = decode_or_guess(raw, display_name(path))
    return _listed(text, display_name(path), *filter(None, [note]))


def _listed(text: str, name: str, *notes: str) -> Manuscript:
    from recsys.formats.references.reference_formats import parse_bibliography

    listed = parse_bibliography(text, name)
    notes += listed.problems
    return Manuscript(references=listed.references, notes=notes, details=listed.details)
