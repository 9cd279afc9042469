"""Find the works of a draft's list by what is printed in its text: a number, a name and a year."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from recsys.records import Reference
from recsys.store.words import author_key, fold

WIDEST_RANGE = 100
"""Works that "[3-90]" may cite."""


@dataclass(frozen=True, slots=True)
class CitedList:
    """A draft's references, each with a key of its own.

    keys: by what a label may look like, folded. named: by surname and year, in the order of the
    list. numbered: whether its keys are numbers.
    """

    references: tuple[Reference, ...]
    keys: Mapping[str, str]
    named: Mapping[tuple[str, int], tuple[str, ...]]
    numbered: bool

    def numbers(self, first: int, last: int) -> tuple[str, ...]:
        """Return the keys from one number to another one that the list has."""
        if not first <= last <= first + WIDEST_RANGE:
            return ()
        return tuple(key for each in range(first, last + 1) if (key := self.keys.get(str(each))))

    def dated(self, surname: str, year: str) -> str | None:
        """Return the key of what somebody wrote in a year such as "2019" or "2019b"."""
        name = (author_key(surname) or "").partition(" ")[0]
        found = self.named.get((fold(surname).strip(), int(year[:4]))) or self.named.get(
            (name, int(year[:4])), ()
        )
        letter = year[4:5].lower()
        place = ord(letter) - ord("a") if letter.isascii() and letter else 0
        return found[place] if 0 <= place < len(found) else None


def cited_list(references: Iterable[Reference]) -> CitedList:
    """Give each reference a key that no other one has, and sort them for looking up.

    Where no entry has a label of its own, and the others are known by no key either, entries are
    called by name and year; "Rivers2019b" is the second one of such.
    """
    works = _keyed(list(references))
    named: dict[tuple[str, int], list[str]] = defaultdict(list)
    for work in works:
        if work.year is not None:
            for name in _surnames(work.authors[:1]):
                named[name, work.year].append(work.key)
    labels = {work.key.casefold(): work.key for work in reversed(works)}
    numbers = [work.key for work in works if work.key.isdecimal()]
    return CitedList(
        references=tuple(works),
        keys=labels,
        named={at: tuple(dict.fromkeys(keys)) for at, keys in named.items()},
        numbered=2 * len(numbers) > len(works) and bool({"1", "2"} & {*numbers}),
    )


def _surnames(authors: Sequence[str]) -> list[str]:
    """Return what an author may be called: the last word of the surname, and the whole name."""
    found = dict[str, None]()
    for author in authors:
        found[(author_key(author) or "").partition(" ")[0]] = None
        found[fold(author.partition(",")[0]).strip()] = None
    return [name for name in found if name]


def _keyed(works: Sequence[Reference]) -> list[Reference]:
    """Keep the keys that name one work each, and make up the others."""
    used: set[str] = set()
    found: list[Reference | None] = []
    for work in works:
        fresh = bool(work.key) and work.key.casefold() not in used
        found.append(work if fresh else None)
        if fresh:
            used.add(work.key.casefold())
    for place, work in enumerate(works):
        if found[place] is None:
            key = _made_up(work, used)
            used.add(key.casefold())
            found[place] = replace(work, key=key)
    return [work for work in found if work is not None]


def _made_up(work: Reference, used: set[str]) -> str:
    """Make a key of a name and a year, with a letter where another work has it."""
    name = (author_key(work.authors[0]) or "").partition(" ")[0] if work.authors else ""
    stem = f"{name or 'work'}{work.year or ''}"
    stem = re.sub(r"\W", "", stem) or "work"
    if name and stem not in used:
        return stem
    number = 1
    while f"{stem}-{number}" in used:
        number += 1
    return f"{stem}-{number}"
