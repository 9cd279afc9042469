"""Read which works of OpenAlex were merged into which: the files `merged_ids/works/*.csv.gz`."""

import re
from collections.abc import Iterator

from recsys.errors import InputError
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference

_COLUMNS = ["merge_date", "id", "merge_into_id"]
_HEAD = re.compile(r'[\ufeff\s"]*merge_date"?,"?id"?,"?merge_into_id\b')
_ENTITY = re.compile(r"(?:https?://openalex\.org/)?([A-Z])([0-9]{1,15})$")
_WORK = "W"


def looks_so(head: str) -> bool:
    """Tell a list of merged ids by its header."""
    return _HEAD.match(head) is not None


def read(lines: Iterator[str]) -> Iterator[Reference | Problem]:
    """Give a part of a work for each merged one: its names, old and new, and nothing else.

    The part has no id of its own, so that works that were merged twice are found, too.

    Raises:
        InputError: they are authors, institutions or sources.
    """
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip(' \t\r\n"\ufeff') for cell in line[:1000].split(",")]
        if not any(cells) or cells == _COLUMNS:
            continue
        found = [_ENTITY.match(cell) for cell in cells[1:3]]
        if len(cells) != len(_COLUMNS) or None in found:
            text = f"line {number}: a date and two ids of OpenAlex are expected."
            yield Problem(text, "no merged ids", number)
            continue
        old, new = ((each[1], f"{each[1]}{each[2]}") for each in found if each is not None)
        if {old[0], new[0]} != {_WORK}:
            raise InputError(
                f"Its ids, such as {old[1]}, are not those of works.",
                "Give the lists of `merged_ids/works`.",
            )
        names = (new[1], f"openalex:{new[1]}", old[1], f"openalex:{old[1]}")
        yield Reference(ids=names)
