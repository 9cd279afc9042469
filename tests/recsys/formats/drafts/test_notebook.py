import json
from pathlib import Path

import pytest

from recsys.errors import DraftError
from recsys.formats.drafts.markdown_draft import read_notebook
from tests.rows import each_row


def notebook(*cells: object, **more: object) -> bytes:
    return json.dumps({"cells": cells, "nbformat": 4, **more}).encode()


def cell(kind: str, source: object) -> dict[str, object]:
    return {"cell_type": kind, "source": source, "metadata": {}}


def test_cells_of_markdown_are_the_draft_and_code_is_not() -> None:
    raw = notebook(
        cell("code", "# Not a title"),
        cell("markdown", ["# Walls\n", "\n"]),
        cell("code", ["x = '[@doi:10.1000/no]'"]),
        cell("markdown", "## Abstract\n\nMoss grows. [@doi:10.1000/yes]"),
    )
    found = read_notebook(raw, Path("a.ipynb"))
    assert (found.title, found.abstract) == ("Walls", "Moss grows.")
    assert [work.doi for work in found.references] == ["10.1000/yes"]


def test_front_matter_stands_in_a_raw_cell() -> None:
    raw = notebook(cell("raw", "---\ntitle: Walls\nauthor: Ivy Moss\n---"), cell("raw", "# No"))
    found = read_notebook(raw, Path("a.ipynb"))
    assert (found.title, found.authors) == ("Walls", ("Ivy Moss",))


def test_notebooks_of_old_versions_are_read() -> None:
    sheet = {
        "cells": [
            {"cell_type": "heading", "source": ["Walls"]},
            cell("markdown", "Moss grows on old walls."),
        ]
    }
    found = read_notebook(json.dumps({"worksheets": [sheet]}).encode(), Path("a.ipynb"))
    assert (found.title, found.abstract) == ("Walls", "Moss grows on old walls.")


def test_what_is_no_cell_is_passed_over() -> None:
    raw = notebook(7, None, cell("markdown", [3, "# Walls"]), cell("markdown", None), {"source": 1})
    assert read_notebook(raw, Path("a.ipynb")).title == "Walls"


@each_row("raw", [b"[]", b"{", b"7", b'{"cells": ' + b"[" * 100_000])
def test_what_is_no_notebook_is_refused(raw: bytes) -> None:
    with pytest.raises(DraftError, match=r"is no notebook|nested too deeply"):
        read_notebook(raw, Path("a.ipynb"))


def test_bracketed_citations_without_a_bibliography_are_told() -> None:
    raw = notebook(cell("markdown", "# Walls\n\nMoss [@a; see @b] by {cite:t}`c`, and @someone."))
    assert read_notebook(raw, Path("a.ipynb")).notes[-1] == (
        "3 citations, none could be looked up: 'a', 'b', 'c'."
    )
