"""Write measured figures as Markdown, keep them as JSON, and put them into pages of results."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from docs.made.marked_pages import check_page, rewrite_page
from recsys.store.artifacts import write_json

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "pages"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters["fmt"] = format


def table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Write a Markdown table, the first column left and the others right."""
    rule = ("---", *("---:" for _ in header[1:]))
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rule, *rows))


def written(page: str, found: Mapping[str, Any]) -> str:
    """Write what a page shows of figures, by its template in `pages`."""
    text = TEMPLATES.get_template(f"{page}.md.jinja").render(found=found)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


@dataclass(frozen=True, slots=True)
class Report:
    """Figures that are kept, and the page that shows them.

    page: its name in the folder of results. results: a JSON file. docs: the folder of results.
    """

    page: str
    results: Path
    docs: Path

    def read(self) -> dict[str, Any]:
        """Return the figures that are kept, once it is sure that the page can take new ones.

        Raises:
            InputError: there is no such page, or it lacks the marks.
        """
        check_page(self.docs, self.page)
        found: dict[str, Any] = {}
        return json.loads(self.results.read_bytes()) if self.results.is_file() else found

    def keep(self, found: Mapping[str, Any]) -> None:
        """Keep figures, and show them."""
        self.results.parent.mkdir(parents=True, exist_ok=True)
        write_json(self.results, found)
        rewrite_page(self.docs, self.page, written(self.page, found))
