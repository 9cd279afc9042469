"""The formats that a page of results is written in."""

import json
from collections.abc import Callable, Mapping

from recsys.eval.report.page import Page
from recsys.eval.report.page_html import html
from recsys.eval.report.tables import (
    Table,
    cells,
    escape_markdown,
    latex_table,
    markdown_table,
    text_table,
)


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
