"""A page of results as HTML that needs no network and no script."""

import re
from importlib import resources

from recsys.eval.report.page import Page
from recsys.extras import need

_ID = re.compile(r'\b(id=")([^"]+)"')
_REFERENCE = re.compile(r'(url\(#|href="#)([^")]+)')
_PROLOGUE = re.compile(r"^.*?(?=<svg\b)", re.DOTALL)


def html(page: Page) -> str:
    """Render the page; titles and every other text are escaped by the template.

    Raises:
        MissingExtraError: jinja2 or matplotlib is not installed.
    """
    need("jinja2", "An HTML page")
    from jinja2 import Environment, StrictUndefined

    templates = resources.files("recsys.eval.report") / "templates"
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string((templates / "page.html.jinja").read_text(encoding="utf-8"))
    css = (templates / "page.css").read_text(encoding="utf-8")
    pictures = {
        name: (_inlined(picture.svg, name), picture.caption)
        for name, picture in page.draw().items()
    }
    return template.render(page=page, css=_Safe(css), pictures=pictures) + "\n"


def _inlined(svg: str, name: str) -> "_Safe":
    """Make an SVG file part of a page: no prologue, and ids that no other picture has."""
    svg = _PROLOGUE.sub("", svg, count=1)
    svg = _ID.sub(rf'\g<1>{name}-\g<2>"', svg)
    return _Safe(_REFERENCE.sub(rf"\g<1>{name}-\g<2>", svg))


class _Safe(str):
    """Text that is HTML already."""

    __slots__ = ()

    def __html__(self) -> str:
        return self
