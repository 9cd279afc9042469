"""What a bibliography says, and how the readers of all formats put a reference together."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import islice
from typing import Any

from recsys.errors import InputError
from recsys.formats import identifiers
from recsys.formats.papers.paper_fields import cleaned
from recsys.records import Bibliography, Reference

EARLIEST_YEAR, LATEST_YEAR = 1400, 2100
"""A year outside is no year, of a corpus neither. Constants: one file always reads the same."""
MOST_REFERENCES = 100_000
"""A file with more than that is a dump of a digital library, not a bibliography."""
MOST_PROBLEMS = 100
"""Problems that are told one by one; more are counted."""
MOST_LINES = 3
"""Lines of problems of one kind that are named where they are counted."""
TWICE, UNREAD = "key twice", "fields not read"
"""The reasons of problems that say of a key that it occurs twice, and what readers leave out."""
LONGEST_TEXT = 20_000
"""Characters that are read of a title, a name, an abstract."""

SECOND = "second abstract"
"""The reason of a problem that says of a record that it has two abstracts."""

_COUNTED = {
    SECOND: "records have another abstract; the first in English counts",
    "broken entry": "entries are broken and left out",
    "field twice in one entry": "entries have a field twice; the first counts",
    "author lists that could be read in two ways": "author lists could be read in two ways",
}
_YEAR = re.compile(r"(?<!\d)(\d{4})(?:(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01]))?(?!\d)")
_NEXT_ADDRESS = re.compile(r"(?:;|,| and)?\s{1,20}(?=https?://)")
_NOT_IN_ADDRESS = re.compile(
    r"[\s<>{}\\\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+"
)
_NUMBER = re.compile(r"\b(PMID|PMCID):\s{0,3}((?:PMC)?\d{1,10})\b", re.IGNORECASE)
# As in "*Sleep/ep [Epidemiology]", "Sleep/*physiology", "Sleep [drug effects]".
_QUALIFIED = re.compile(
    r"\A\*+\s?|/\*?[a-z]{2}(?:, ?\*?[a-z]{2}){0,9} \[[^\[\]]{1,200}\]\Z|/\*[^/]{1,80}\Z"
    r"|\s\[[*A-Za-z][A-Za-z ,*&-]{0,80}\]\Z"
)
_NOBODY = frozenset({"others", "et al", "et al.", "and others"})


@dataclass(frozen=True, slots=True)
class Problem:
    """A sentence on what was wrong, which a reader gives in place of a reference, or beside it.

    reason: the same in a few words without numbers or names, to be counted. line: where, from 1.
    kept: the record was read all the same, so that this is no more than a remark.
    """

    text: str
    reason: str = "unreadable"
    line: int = 0
    kept: bool = False


def bibliography(found: Iterable[Reference | Problem], name: str) -> Bibliography:
    """Gather what says something; say when that is nothing, and count what went wrong.

    Raises:
        InputError: there are more than MOST_REFERENCES.
    """
    items = tuple(islice(found, MOST_REFERENCES + 1))
    if len(items) > MOST_REFERENCES:
        raise InputError(
            f"{name} holds more than {MOST_REFERENCES:,} references.",
            "A bibliography is smaller; index a corpus with `recsys build`.",
        )
    problems = [item for item in items if isinstance(item, Problem)]
    read = [item for item in items if isinstance(item, Reference)]
    kept = tuple(filter(says_something, read))
    times = Counter(reference.key for reference in read)
    twice = any(problem.reason == TWICE for problem in problems)
    repeated = tuple(key for key, count in times.items() if twice and count > 1)
    told = list(_by_kind([item for item in problems if item.reason not in (TWICE, UNREAD)]))
    if repeated:
        named = ", ".join(repeated[:MOST_LINES])
        told.append(f"{occur_twice(len(repeated))}: {named}{'...' if repeated[3:] else '.'}")
    if len(kept) < len(read):
        told.append(f"{len(read) - len(kept):,} without title, identifier and address left out.")
    if not kept:
        told.append(f"{name} holds no references.")
    details = [item.text for item in problems[:MOST_PROBLEMS]]
    if len(problems) > MOST_PROBLEMS:
        details.append(f"{len(problems) - MOST_PROBLEMS:,} more problems are not listed.")
    return Bibliography(kept, tuple(told), tuple(details), repeated)


def occur_twice(count: int) -> str:
    """Say of so many keys that they occur twice.

    >>> occur_twice(1), occur_twice(56)
    ('1 key occurs twice', '56 keys occur twice')
    """
    return "1 key occurs twice" if count == 1 else f"{count:,} keys occur twice"


def _by_kind(problems: Sequence[Problem]) -> Iterable[str]:
    """Yield one sentence for each kind of problem: that itself where there is one, else a count."""
    kinds = dict.fromkeys(item.reason for item in problems)
    for reason in islice(kinds, MOST_PROBLEMS):
        alike = [item for item in problems if item.reason == reason]
        if len(alike) == 1:
            yield alike[0].text
            continue
        lines = [f"{item.line:,}" for item in alike if item.line]
        named = ", ".join(lines[:MOST_LINES])
        more = f" and {len(lines) - MOST_LINES:,} more" if len(lines) > MOST_LINES else ""
        where = f" (lines {named}{more})" if lines else ""
        if reason in _COUNTED:
            yield f"{len(alike):,} {_COUNTED[reason]}{where}."
        else:
            yield f"{alike[0].text.rstrip('.')}, and {len(alike) - 1:,} more like it{where}."


def says_something(reference: Reference) -> bool:
    """Whether a reference has what a work could be found by."""
    number = reference.id or reference.doi or reference.arxiv or reference.acl
    return bool(reference.title or number or reference.url)


def identified(reference: Reference, *places: str | None) -> Reference:
    """Fill in the identifiers that are found in a reference's address and in further places.

    places: fields that may hold a DOI, an arXiv id or an ACL id; the first that has one counts.
    """
    searched = [place for place in (*places, reference.url) if place]
    return replace(
        reference,
        doi=next(filter(None, map(identifiers.doi, searched)), None),
        arxiv=next(filter(None, map(identifiers.arxiv, searched)), None),
        acl=next(filter(None, map(identifiers.acl, searched)), None),
    )


def in_two_ways(authors: Sequence[str], where: str, line: int = 0) -> Problem:
    """Say of a list of authors that it could be read in another way than it was."""
    read = "; ".join(authors)[:MOST_PROBLEMS]
    text = f"{where}: the author list could be read in two ways; it is read as {read}."
    return Problem(text, "author lists that could be read in two ways", line, kept=True)


def text_in(value: object) -> str | None:
    """Return a value's text on one line without mark-up, None when it is no text or empty."""
    return (cleaned(value[:LONGEST_TEXT]) or None) if isinstance(value, str) else None


def names_in(names: Iterable[str | None]) -> tuple[str, ...]:
    """Return cleaned names in order, without "et al." and the like."""
    found = (text_in(name) for name in names)
    return tuple(name for name in found if name and name.casefold() not in _NOBODY)


@cache
def alternatives(text: str) -> Mapping[str, Sequence[str]]:
    """Take apart a table of names and of what programs call them; a name may come again.

    >>> alternatives("book: Book | Edited Book; thesis: Thesis")
    {'book': ['Book', 'Edited Book'], 'thesis': ['Thesis']}
    """
    table: dict[str, list[str]] = {}
    for part in text.replace("\n", ";").split(";"):
        name, _, words = part.partition(":")
        table.setdefault(name.strip(), []).extend(map(str.strip, words.split("|")))
    return table


def kinds_by_word(text: str) -> dict[str, str]:
    """Turn a table of the types of CSL round, for which see `alternatives`.

    >>> kinds_by_word("book: Book | Edited Book")
    {'Book': 'book', 'Edited Book': 'book'}
    """
    return {word: kind for kind, words in alternatives(text).items() for word in words}


def keywords_in(value: object) -> tuple[str, ...]:
    """Return keywords given as a list, or as one text with semicolons, bars or else commas between.

    What MeSH adds to its headings goes: the mark of a major topic, qualifiers.

    >>> keywords_in("*Bark; Sleep/ep [Epidemiology]; oak (Quercus; Fagus)")
    ('Bark', 'Sleep', 'oak (Quercus; Fagus)')
    """
    if isinstance(value, str):
        text = value[:LONGEST_TEXT]
        value = split_phrases(text, ";|")
        value = split_phrases(text, ",") if len(value) == 1 else value
    items = value if isinstance(value, list) else ()
    return names_in(_QUALIFIED.sub("", item.strip()) for item in items if isinstance(item, str))


def split_phrases(text: str, marks: str) -> list[str]:
    """Split at marks outside brackets."""
    parted = re.sub(
        rf"\([^()]{{0,200}}\)|\[[^\[\]]{{0,200}}\]|[{marks}]",
        lambda match: "\0" if match[0] in marks else match[0],
        text,
    )
    return parted.split("\0")


def numbers_of_pubmed(note: str) -> list[tuple[str, str]]:
    """Return the numbers that notes of Zotero have after "PMID:" and "PMCID:"."""
    return [(match[1].lower(), match[2]) for match in _NUMBER.finditer(note[:LONGEST_TEXT])]


def year_in(value: object) -> int | None:
    """Return the first possible year in a date of any spelling, None when there is none.

    >>> year_in("2020-05-01"), year_in("May 2020/2021"), year_in("in press"), year_in(2020)
    (2020, 2020, None, 2020)
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    years = map(int, _YEAR.findall(value[:100] if isinstance(value, str) else f"{value:d}"))
    return next((year for year in years if EARLIEST_YEAR <= year <= LATEST_YEAR), None)


def address_in(value: object) -> str | None:
    """Return a web address without characters that none may have, None when it is none."""
    if not isinstance(value, str):
        return None
    address = _NOT_IN_ADDRESS.sub("", _NEXT_ADDRESS.split(value[:LONGEST_TEXT], 1)[0])
    return address if re.match(r"(?i)https?://[^/]", address) else None


_MANY = (list, tuple)
_TYPES: dict[str, Any] = {field.name: str for field in fields(Reference)}
_TYPES |= {"year": int, "labels": dict, "others": bool}
_TYPES |= dict.fromkeys(("authors", "ids", "keyphrases", "cited_ids", "cites"), _MANY)


def record_of(work: Reference) -> dict[str, Any]:
    """Write a work out as the program keeps it in JSON; what it does not tell is left out."""
    names = (field.name for field in fields(work))
    record = {name: value for name in names if (value := getattr(work, name))}
    if work.cites:
        record["cites"] = [record_of(cited) for cited in work.cites]
    return record


def work_of(record: object) -> Reference:
    """Read what `record_of` wrote, before or after JSON has had it.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(record, Mapping):
        raise ValueError("It is no work.")
    values: dict[str, Any] = {}
    for name, value in record.items():
        if not isinstance(value, _TYPES.get(name, ())):
            raise ValueError(f"{name!r} of a work is something else.")
        if name == "cites":
            value = map(work_of, value)
        elif isinstance(value, _MANY) and not all(isinstance(item, str) for item in value):
            raise ValueError(f"{name!r} of a work holds something else.")
        values[name] = tuple(value) if name == "cites" or isinstance(value, list) else value
    return Reference(**values)
