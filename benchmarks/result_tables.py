"""Write measured figures as Markdown, keep them as JSON, and put them into pages of results.

A block of a page, such as `few-links`, has its template in `pages` and its marks in one page.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from docs.made.marked_pages import page_with, rewrite_block
from recsys.eval.report.evaluation_pictures import wilson
from recsys.store.artifacts import write_json


def templates(folder: Path, *, markup: bool) -> Environment:
    """Open the templates of a folder. markup: what is put in is escaped.

    The filter `fmt` writes by a format, `n` whole numbers with commas.
    """
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=markup,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"fmt": format, "n": "{:,.0f}".format}
    return environment


BLOCKS = templates(Path(__file__).parent / "pages", markup=False)


def table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Write a Markdown table, the first column left and the others right."""
    rule = ("---", *("---:" for _ in header[1:]))
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rule, *rows))


def written(block: str, found: Mapping[str, Any]) -> str:
    """Write what a block shows of figures, by its template in `pages`."""
    text = BLOCKS.get_template(f"{block}.md.jinja").render(found=found)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def share(part: int, whole: int) -> dict[str, float]:
    """Divide, with the bounds of the 95 % Wilson interval; of nothing, all is possible."""
    value = part / whole if whole else 0.0
    low, high = wilson(value, whole) if whole else (0.0, 1.0)
    return {"value": value, "low": low, "high": high}


@dataclass(frozen=True, slots=True)
class Report:
    """Figures that are kept, and the block that shows them.

    results: a JSON file. docs: the folder of results.
    """

    block: str
    results: Path
    docs: Path

    def read(self) -> dict[str, Any]:
        """Return the figures that are kept, once it is sure that a page can take new ones.

        Raises:
            InputError: no page has the marks of the block.
        """
        page_with(self.docs, self.block)
        kept: dict[str, Any] = {}
        return json.loads(self.results.read_bytes()) if self.results.is_file() else kept

    def keep(self, found: Mapping[str, Any]) -> None:
        """Keep figures, and show them."""
        self.results.parent.mkdir(parents=True, exist_ok=True)
        write_json(self.results, found)
        rewrite_block(self.docs, self.block, written(self.block, found))
