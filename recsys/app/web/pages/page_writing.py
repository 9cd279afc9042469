"""Render the pages as HTML: every text is escaped, and each page works without its script."""

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.app.web.pages.page_contents import (
    Form,
    Found,
    FoundHere,
    Listed,
    Operation,
    PaperShown,
    Site,
)
from recsys.app.web.problem_details import Problem
from recsys.extras import need
from recsys.formats.local_answers.shown_gaps import HERE
from recsys.query.question import IN_LIBRARY

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
SHOWN_AUTHORS = 8
"""More authors than that are folded away."""
EXPORTS = (
    ("bibtex", "BibTeX"),
    ("ris", "RIS"),
    ("csl-json", "CSL-JSON"),
    ("csv", "CSV"),
    ("markdown", "Markdown"),
)
"""Formats that papers are downloaded in: the value that is sent, and its name for people."""
VARIETY = (("0", "Best first"), ("0.3", "Some variety"), ("0.6", "Much variety"))
"""Values of `mmr`, and what people call them."""

_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_WEB = re.compile(r"(?i)https?://")


def ask(site: Site, form: Form, problem: Problem | None = None) -> str:
    """Render the page that asks for a draft; a problem with the last question stands first."""
    return _render("ask", site, form=form, problem=problem)


def answer(site: Site, found: Found) -> str:
    """Render the question as it was understood, open to correction, and what was found."""
    return _render("answer", site, found=found, form=found.form)


def here(site: Site, found: FoundHere) -> str:
    """Render what fits at the place of a passage, or at those of a draft."""
    return _render("here", site, found=found, form=found.form)


def paper(site: Site, shown: PaperShown) -> str:
    """Render a paper of the corpus and its neighbours."""
    return _render("paper", site, paper=shown)


def search(site: Site, query: str, items: tuple[Listed, ...], next: str = "") -> str:  # noqa: A002 - as the API calls it.
    """Render the papers that hold some words. next: what asks for the next page, or empty."""
    return _render("search", site, query=query, items=items, next=next)


def map(site: Site, form: Form, svg: str, table: str, gaps: tuple[str, ...]) -> str:  # noqa: A001 - `page_writing.map`.
    """Render the map around a draft. svg, table: HTML that is safe."""
    return _render("map", site, form=form, svg=svg, table=table, gaps=gaps)


def failure(site: Site, problem: Problem) -> str:
    """Render what went wrong."""
    return _render("failure", site, problem=problem)


def api(site: Site, operations: tuple[Operation, ...]) -> str:
    """Render the operations that programs may ask for."""
    return _render("api", site, operations=operations)


def _render(name: str, site: Site, **values: object) -> str:
    return _environment().get_template(f"{name}.html.jinja").render(site=site, **values)


@cache
def _environment() -> "Environment":
    """Open the templates, once.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    need("jinja2", "A web page")
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        auto_reload=False,
        finalize=_shown,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["bar"] = _bar
    environment.filters["ids"] = _ids
    environment.filters["web"] = _web
    environment.globals.update(
        exports=EXPORTS,
        here=HERE,
        in_library=IN_LIBRARY.text,
        shown_authors=SHOWN_AUTHORS,
        variety=VARIETY,
    )
    return environment


def _shown(value: object) -> object:
    """Put a mark where a character cannot be shown, or not even be sent."""
    if not isinstance(value, str) or not _UNSEEN.search(value):
        return value
    return type(value)(_UNSEEN.sub("\N{REPLACEMENT CHARACTER}", str(value)))


def _bar(probability: float) -> int:
    """Return the length of a bar that is 100 long."""
    return round(100 * min(max(probability, 0), 1))


def _ids(ids: tuple[str, ...]) -> str:
    """Write ids as one value of a form; any character may be in one of them."""
    return json.dumps(ids)


def _web(address: str | None) -> str:
    """Return an address that a link may lead to, or nothing."""
    return address if address and _WEB.match(address) else ""
