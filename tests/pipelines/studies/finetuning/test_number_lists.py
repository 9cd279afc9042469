"""Numbers in one text."""

import pytest

from recsys.errors import InputError
from recsys.pipelines.studies.finetuning.number_lists import read_numbers
from tests.rows import each_row


def test_numbers_are_read_in_order() -> None:
    assert read_numbers("1,0.25, 0.5,1.0", "--shares", most=1) == (0.25, 0.5, 1.0)


@each_row("text", ["", "much", "0.5,", "0,1", "3", "nan"])
def test_what_is_no_such_number_is_named(text: str) -> None:
    with pytest.raises(InputError, match=r"--strengths .*are not numbers above 0 and up to 2"):
        read_numbers(text, "--strengths", most=2)
