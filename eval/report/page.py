"""A page of results: sentences, tables and pictures."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recsys.eval.report.tables import (
    Table,
    cells,
    escape_markdown,
    latex_table,
    markdown_table,
    text_table,
)
from recsys.html_pages import templates_in


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


@dataclass(frozen=True, slots=True)
class Page:
    """What is shown, in which order.

    lead: a sentence or two below the title. facts: what it takes to make the page again. figures:
    all that is known, for programs, in JSON of a schema. draw: draws the pictures, name by name,
    if there are any; called only by who shows them, because it takes seconds.
    """

    title: str
    lead: str
    sections: tuple[Section, ...]
    facts: tuple[tuple[str, str], ...]
    schema: str
    figures: Mapping[str, Any]
    draw: Callable[[], Mapping[str, Picture]] = dict

    def tables(self) -> Iterator[Table]:
        """Give every table, in the order of the page."""
        return (table for section in self.sections for table in section.tables)


# A page of results as HTML that needs no network and no script.

TEMPLATES = Path(__file__).parent / "templates"
_ID = re.compile(r'\b(id=")([^"]+)"')
_REFERENCE = re.compile(r'(url\(#|href="#)([^")]+)')
_PROLOGUE = re.compile(r"^.*?(?=<svg\b)", re.DOTALL)


def html(page: Page) -> str:
    """Render the page; titles and every other text are escaped by the template.

    Raises:
        MissingExtraError: jinja2 or matplotlib is not installed.
    """
    template = templates_in(TEMPLATES).get_template("report.html.jinja")
    css = (TEMPLATES / "page.css").read_text(encoding="utf-8")
    pictures = {}
    for name, picture in page.draw().items():
        # A part of the page: no prologue, and ids that no other picture has.
        svg = _PROLOGUE.sub("", picture.svg, count=1)
        svg = _ID.sub(rf'\g<1>{name}-\g<2>"', svg)
        pictures[name] = _REFERENCE.sub(rf"\g<1>{name}-\g<2>", svg), picture.caption
    return template.render(page=page, css=css, pictures=pictures) + "\n"


# The formats that a page of results is written in.


def text(page: Page) -> str:
    """Write the tables that are open in aligned columns."""
    shown = (table for section in page.sections for table in section.tables[: section.open])
    return "\n".join(map(text_table, shown))


def markdown(page: Page) -> str:
    """Write headings, sentences and pipe tables."""
    parts = [f"# {escape_markdown(page.title)}", page.lead]
    for section in page.sections:
        parts += [f"## {section.title}", section.text, *map(markdown_table, section.tables)]
    rows = tuple(cells(name, value) for name, value in page.facts)
    made = Table("made", "What it takes to make it again.", ("", ""), rows, 2)
    parts += ["## How it was made", markdown_table(made)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def latex(page: Page) -> str:
    """Write every table; the preamble needs booktabs, and UTF-8 input."""
    first = f"% {page.schema}; needs \\usepackage{{booktabs}}"
    return "\n".join([first, *map(latex_table, page.tables())])


def as_json(page: Page) -> str:
    """Write the figures as one JSON object that names its schema."""
    value = {**page.figures, "schema": page.schema}
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


FORMATS: Mapping[str, Callable[[Page], str]] = {
    "table": text,
    "html": html,
    "markdown": markdown,
    "json": as_json,
    "latex": latex,
}
