"""Pages of which a program writes one block, and people the rest."""

import pytest

from docs.made.marked_pages import splice
from recsys.errors import InputError
from tests.rows import each_row

BEGIN, END = "<!-- seeds -->", "<!-- /seeds -->"
PAGE = f"# Title\n\n{BEGIN}\nold\n{END}\n\nAfter.\n"


def test_the_block_replaces_the_old_one_and_nothing_else() -> None:
    once = splice(PAGE, "seeds", "new")
    assert once == f"# Title\n\n{BEGIN}\nnew\n{END}\n\nAfter.\n"
    assert splice(once, "seeds", "new") == once


@each_row("text", ["", BEGIN, END, f"{END}{BEGIN}", PAGE + PAGE])
def test_marks_must_be_there_once_and_in_order(text: str) -> None:
    with pytest.raises(InputError, match="marks"):
        splice(text, "seeds", "new")
