"""Render pages as HTML by templates: every text in them is escaped."""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.errors import need

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
"""Holds `page.html.jinja`, which every page extends."""
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


@cache
def templates_in(folder: Path, purpose: str = "An HTML page") -> "Environment":
    """Open the templates of a folder, once; they may extend those of TEMPLATES.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    need("jinja2", purpose)
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    def shown(value: object) -> object:
        """Put a mark where a character cannot be shown, or not even be sent."""
        if not isinstance(value, str) or not _UNSEEN.search(value):
            return value
        return type(value)(_UNSEEN.sub("\N{REPLACEMENT CHARACTER}", str(value)))

    return Environment(
        loader=FileSystemLoader([folder, TEMPLATES]),
        autoescape=True,
        auto_reload=False,
        finalize=shown,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
