from pathlib import Path

import pytest

from recsys.errors import DraftError
from recsys.formats.drafts.markdown_files import read_notebook
from tests.rows import each_row


@each_row("raw", [b"[]", b"{", b"7", b'{"cells": ' + b"[" * 100_000])
def test_what_is_no_notebook_is_refused(raw: bytes) -> None:
    with pytest.raises(DraftError, match=r"is not a notebook|nested too deeply"):
        read_notebook(raw, Path("a.ipynb"))
