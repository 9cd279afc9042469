"""Read a record of JSON by a field map, which says where a record has what a work needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Any, TypeAlias

from recsys.formats.papers.external_ids import SCHEMES, named
from recsys.formats.papers.paper_fields import (
    Record,
    first_page,
    first_text,
    ids_of,
    inverted_text,
    labelled,
    listed,
    names_of,
    person_in,
    required_id,
    required_title,
    text_of,
    volume_of,
    year_of,
)
from recsys.formats.references.bibliography import (
    address_in,
    identified,
    keywords_in,
    names_in,
    text_in,
    year_in,
)
from recsys.records import Reference


@dataclass(frozen=True, slots=True)
class PaperFormat:
    """One way to write a paper down.

    A record is of the format if it has all keys of `needs`, one of `marks` (where there are any),
    and none of `lacks`, of which `key[]` is one that has a list.

    needs, marks, lacks, reads: words. fields: words such as `venue=journal.name|venue`: a field of
    `Reference`, a label, or a scheme of names, and where a record has it: keys joined by dots,
    alternatives between bars. Of a list, a path goes into each item. A word alone is a key of the
    same name. Beside the fields of `Reference` there are `date` (text with a year in it), `people`
    (names in parts), `keywords` (one text, or a list), `places` (texts that may hold a DOI, an
    arXiv or an ACL id) and `names` (an object of schemes). partial: records may lack a title.
    kinds: a `type` -> its name in CSL. more: what the map cannot say, by field; it comes before
    what the map says. Its `names` are pairs of scheme and name. reads: the keys that `more` looks
    at, and those that say nothing of a work. inside: a key whose object has more keys of the
    record.
    """

    name: str
    needs: str
    marks: str
    fields: str
    lacks: str = ""
    partial: bool = False
    kinds: Mapping[str, str] | None = None
    more: Callable[[Record], dict[str, Any]] | None = field(default=None, compare=False)
    reads: str = ""
    inside: str = ""

    def fits(self, record: Record) -> bool:
        """Tell whether a record looks like one of this format."""
        record = self._whole(record)
        keys, lacks = record.keys(), words(self.lacks)
        return (
            words(self.needs) <= keys
            and (not self.marks or not words(self.marks).isdisjoint(keys))
            and lacks.isdisjoint(keys)
            and not any(f"{key}[]" in lacks for key in keys if isinstance(record[key], list))
        )

    def known(self) -> frozenset[str]:
        """Return the keys that are read."""
        return _heads(self.fields) | words(self.reads)

    def unread(self, record: Record, work: Reference) -> list[str]:
        """List the keys that say something of which the work has nothing.

        work: what was read of the record.
        """
        record, known = self._whole(record), self.known()
        unread = [key for key, value in record.items() if value and key not in known]
        for name, of in _paths(self.fields).items():
            if name in _READERS and not getattr(work, _READERS[name][0]):
                values = ((path[0], _value(record, path)) for path in of)
                unread += [key for key, v in values if (any(v) if isinstance(v, list) else v)]
        return list(dict.fromkeys(unread))

    def _whole(self, record: Record) -> Record:
        inner = record.get(self.inside) if self.inside else None
        if not isinstance(inner, dict):
            return record
        return {key: value for key, value in record.items() if key != self.inside} | inner

    def reference_of(self, record: Record) -> Reference:
        """Read a record.

        Raises:
            FieldError: it tells no work, or not enough of one.
        """
        record, paths = self._whole(record), _paths(self.fields)
        values: dict[str, Any] = {}
        labels: dict[str, Any] = {}
        names: list[tuple[object, object]] = []
        if "id" in paths:
            values["id"] = required_id(record, *(key for (key,) in paths["id"]))
        more = self.more(record) if self.more else {}
        if "title" in paths and not self.partial and "title" not in more:
            values["title"] = required_title(record, *(key for (key,) in paths["title"]))
        for name, of in paths.items():
            if field := _READERS.get(name):
                values[field[0]] = values.get(field[0]) or _first(record, of, field[1])
            elif label := _LABELS.get(name):
                labels[label[0]] = _first(record, of, label[1])
            elif name == "names":
                for value in _values(record, of):
                    names += value.items() if isinstance(value, dict) else ()
            elif name in SCHEMES:
                names += ((name, value) for value in _values(record, of))
        if self.kinds is not None:
            values["kind"] = self.kinds.get((labels.get("type") or "").lower(), "document")
        values["labels"] = labelled(**labels)
        values |= more
        names += values.pop("names", ())
        work = Reference(**{name: value for name, value in values.items() if value is not None})
        if "places" in paths:
            texts = chain.from_iterable(map(each_of, _values(record, paths["places"])))
            work = identified(work, *map(text_of, texts))
        return named(work, names) if names else work


_Paths: TypeAlias = tuple[tuple[str, ...], ...]
_Reader: TypeAlias = Callable[[Any], Any]


@cache
def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


@cache
def _paths(fields: str) -> Mapping[str, _Paths]:
    """Take a map apart; the alternatives of a name may stand in several words."""
    paths: dict[str, _Paths] = {}
    for word in fields.split():
        name, _, alternatives = word.partition("=")
        split = tuple(tuple(path.split(".")) for path in (alternatives or name).split("|"))
        paths[name] = paths.get(name, ()) + split
    return paths


@cache
def _heads(fields: str) -> frozenset[str]:
    """Return the keys of a record at which a map looks."""
    return frozenset(path[0] for paths in _paths(fields).values() for path in paths)


def _value(record: Record, path: tuple[str, ...]) -> Any:  # noqa: ANN401 - Whatever is there.
    value: Any = record
    for key in path:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list):
            value = [item.get(key) if isinstance(item, dict) else item for item in value]
        else:
            return None
    return value


def _values(record: Record, paths: _Paths) -> list[Any]:
    """Return what a record has at each of several paths."""
    return [value for path in paths if (value := _value(record, path)) is not None]


def _first(record: Record, paths: _Paths, reader: _Reader) -> Any:  # noqa: ANN401 - As the field is.
    """Return the first value that says something as a reader understands it, else None."""
    for path in paths:
        value = record.get(path[0]) if len(path) == 1 else _value(record, path)
        if value is not None:
            read = reader(value)
            if read is not None and read != ():
                return read
    return None


def year_of_date(date: object) -> int | None:
    """Read {"date-parts": [[2020, 5]]}, {"raw": "May 2020"}, {"year": ...}, or plain text."""
    if isinstance(date, list) and date:
        date = date[0]
    if not isinstance(date, dict):
        return year_in(date)
    parts = date.get("date-parts")
    while isinstance(parts, list) and parts:
        parts = parts[0]
    told = (parts, date.get("year"), date.get("raw"), date.get("literal"))
    return next(filter(None, map(year_in, told)), None)


_READERS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "key": ("key", lambda value: str(value) if isinstance(value, int) else text_in(value)),
    "title": ("title", first_text),
    "abstract": ("abstract", lambda value: text_of(value) or inverted_text(value)),
    "year": ("year", year_of),
    "date": ("year", year_of_date),
    "authors": ("authors", names_of),
    "people": ("authors", lambda value: names_in(map(person_in, people_in(value)))),
    "venue": ("venue", first_text),
    "cited_ids": ("cited_ids", ids_of),
    "keyphrases": ("keyphrases", names_of),
    "keywords": ("keyphrases", keywords_in),
    "url": ("url", lambda value: next(filter(None, map(address_in, each_of(value))), None)),
    "volume": ("volume", volume_of),
    "page": ("page", first_page),
    "article": ("page", text_of),
}
"""For the names of a map: the field of a work, and what of a value is the field's."""
_LABELS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "type": ("type", first_text),
    "types": ("type", names_of),
    "fields": ("fields", names_of),
    "topic": ("topic", text_of),
    "journal_ref": ("journal_ref", text_of),
    "retracted": ("retracted", lambda value: value is True),
    "paratext": ("paratext", lambda value: value is True),
}
"""The same for labels."""


def people_in(value: object) -> list[Any]:
    """Return a list of people; one in parts may stand alone."""
    return [value] if isinstance(value, dict) else listed(value)


def each_of(value: object) -> list[Any]:
    """Return the values of a field that is a list only where there are several."""
    return value if isinstance(value, list) else [value]
