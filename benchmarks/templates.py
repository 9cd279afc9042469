"""Write pages of results and made files from templates that lie beside the code."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def templates(folder: Path, *, markup: bool) -> Environment:
    """Open the templates of a folder. markup: what is put in is escaped."""
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=markup,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def page(template: Path, **figures: Any) -> str:  # noqa: ANN401 - JSON.
    """Write figures as Markdown; the filter `n` writes whole numbers with commas."""
    environment = templates(template.parent, markup=False)
    environment.filters["n"] = "{:,.0f}".format
    return environment.get_template(template.name).render(figures).strip()
