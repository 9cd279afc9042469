"""Write papers in every format in which people take references away."""

from collections.abc import Callable, Mapping, Sequence

from recsys.formats.references import bibtex, csl, ris, spreadsheet
from recsys.formats.references.markdown_items import markdown
from recsys.formats.references.web_page import web_page
from recsys.records import Paper

WRITERS: Mapping[str, Callable[[Sequence[Paper]], str]] = {
    "bibtex": bibtex.write,
    "ris": ris.write,
    "csl-json": csl.write,
    "csv": spreadsheet.write,
    "markdown": markdown,
    "html": web_page,
}
"""A format's name, and what writes papers in it, in order."""
