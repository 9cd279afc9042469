"""A page of results: sentences, tables and pictures."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from recsys.eval.report.tables import Table


@dataclass(frozen=True, slots=True)
class Picture:
    """svg: the drawing. caption: what to say below it."""

    svg: str
    caption: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page.

    pictures: names of pictures of the page; those that cannot be drawn are left out. open: how many
    of its tables are shown without being asked: on a page the others are folded, on a terminal left
    out.
    """

    name: str
    title: str
    text: str
    tables: tuple[Table, ...]
    pictures: tuple[str, ...] = ()
    open: int = 1


def no_pictures() -> Mapping[str, Picture]:
    """Draw nothing."""
    return {}


@dataclass(frozen=True, slots=True)
class Page:
    """What is shown, in which order.

    lead: a sentence or two below the title. facts: what it takes to make the page again. figures:
    all that is known, for programs, in JSON of a schema. draw: draws the pictures, name by name;
    called only by who shows them, because it takes seconds.
    """

    title: str
    lead: str
    sections: tuple[Section, ...]
    facts: tuple[tuple[str, str], ...]
    schema: str
    figures: Mapping[str, Any]
    draw: Callable[[], Mapping[str, Picture]] = no_pictures

    def tables(self) -> Iterator[Table]:
        """Give every table, in the order of the page."""
        return (table for section in self.sections for table in section.tables)
