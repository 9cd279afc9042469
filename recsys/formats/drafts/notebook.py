"""Read a draft written as a notebook of Jupyter: its cells of Markdown, one after the other."""

import json
from collections.abc import Iterator
from pathlib import Path

from recsys.errors import DraftError
from recsys.formats.drafts.folder import Folder
from recsys.formats.drafts.markdown_draft import MarkdownDraft
from recsys.formats.files import decode, display_name
from recsys.records import Manuscript

_HINT = "Save it again as a notebook (.ipynb), or give its text as Markdown."


def read(raw: bytes, path: Path, folder: Folder | None = None) -> Manuscript:
    """Read a notebook as the Markdown in it; code and what it printed are passed over.

    Raises:
        DraftError: it is no notebook, or its front matter is broken.
    """
    return MarkdownDraft(notebook_text(raw, display_name(path)), path, folder).manuscript()


def notebook_text(raw: bytes, name: str) -> str:
    """Return the Markdown of a notebook, front matter first where it has some.

    Raises:
        DraftError: it is no notebook.
    """
    try:
        value = json.loads(decode(raw, name))
    except RecursionError as error:
        raise DraftError(f"{name} is nested too deeply.", _HINT) from error
    except ValueError as error:
        raise DraftError(f"{name} is no notebook: it is not JSON.", _HINT) from error
    if not isinstance(value, dict):
        raise DraftError(f"{name} is no notebook: it holds no cells.", _HINT)
    return "\n\n".join(_texts(value))


def _texts(value: dict[str, object]) -> Iterator[str]:
    cells = value.get("cells")
    if not isinstance(cells, list):  # As notebooks were kept before version 4.
        sheets = value.get("worksheets")
        first = sheets[0] if isinstance(sheets, list) and sheets else {}
        cells = first.get("cells") if isinstance(first, dict) else None
    for cell in cells if isinstance(cells, list) else ():
        if not isinstance(cell, dict):
            continue
        source = cell.get("source")
        lines = source if isinstance(source, list) else [source]
        text = "".join(line for line in lines if isinstance(line, str)).strip("\n")
        kind = cell.get("cell_type")
        # Quarto's front matter stands in a raw cell.
        if kind == "markdown" or (kind == "raw" and text.startswith("---")):
            yield text
        elif kind == "heading":
            yield f"# {text}"
