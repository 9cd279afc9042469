"""Let entries of BibTeX take over fields from others: from their crossref and from their xdata."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

_MOST_PARENTS = 10  # Of one entry.
_MOST_KNOWN = 20_000
_LONGEST_TAKEN = 1000  # Characters of a field that children from another part take over.
_MOST_WAITING = 2**25  # Characters of all entries that wait for their parents.
# What a paper takes over from the volume it is in under another name.
_RENAMED = {"title": "booktitle", "subtitle": "booksubtitle"}
_OWN = frozenset(
    "abstract art_number article-number articleno author author_keywords cited-references crossref "
    "doi eid eprint keywords note pages pmcid pmid pubmed_id references unique-id url xdata".split()
)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry: its type, its key, and its fields by name, all but the values in lower case.

    A field's value is LaTeX, without the braces or quotes around all of it.
    """

    kind: str
    key: str
    fields: Mapping[str, str]


class Family:
    """Who can be inherited from, and who waits for a parent that the file has not named yet.

    Bounded: of the parents, the latest are known; those that wait hold so many characters at most,
    and more are given as they are.
    """

    def __init__(self) -> None:
        self._known: dict[str, Entry] = {}
        self._waiting: list[Entry] = []
        self._held = 0

    def complete(self, entries: Sequence[Entry]) -> Iterator[Entry]:
        """Yield the entries with what they inherit, after those that waited for one of them."""
        here = {entry.key.lower(): entry for entry in reversed(entries)}
        by_key = here | self._known
        waited, self._waiting, self._held = self._waiting, [], 0
        for entry in (*waited, *entries):
            if _parents(entry) <= by_key.keys() or not self._held_back(entry):
                yield from _inheriting(entry, by_key)
        for key, entry in here.items():
            self._known.setdefault(key, _shortened(entry))
        for key in list(self._known)[: max(len(self._known) - _MOST_KNOWN, 0)]:
            del self._known[key]

    def left(self) -> Iterator[Entry]:
        """Yield those whose parents the file does not have."""
        for entry in self._waiting:
            yield from _inheriting(entry, self._known)

    def _held_back(self, entry: Entry) -> bool:
        size = sum(map(len, entry.fields.values()))
        if self._held + size > _MOST_WAITING:
            return False
        self._held += size
        self._waiting.append(entry)
        return True


def _parents(entry: Entry) -> set[str]:
    return set(filter(None, (*_data(entry), _volume(entry))))


def _data(entry: Entry) -> list[str]:
    return [key.strip().lower() for key in entry.fields.get("xdata", "").split(",")[:_MOST_PARENTS]]


def _volume(entry: Entry) -> str:
    return entry.fields.get("crossref", "").strip().lower()


def _shortened(entry: Entry) -> Entry:
    left_out = frozenset[str]() if entry.kind == "xdata" else _OWN
    kept = ((name, text) for name, text in entry.fields.items() if name not in left_out)
    return replace(entry, fields={name: text[:_LONGEST_TAKEN] for name, text in kept})


def _inheriting(entry: Entry, by_key: Mapping[str, Entry]) -> Iterator[Entry]:
    """Yield an entry with what it takes over; one that is there to be inherited from is no work."""
    if entry.kind == "xdata":
        return
    fields = dict(entry.fields)
    for key in _data(entry):
        if parent := by_key.get(key):
            fields = {**parent.fields, **fields}
    if parent := by_key.get(_volume(entry)):
        taken = {_RENAMED.get(name, name): text for name, text in parent.fields.items()}
        fields = {name: text for name, text in taken.items() if name not in _OWN} | fields
    yield replace(entry, fields=fields)
