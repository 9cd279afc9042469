"""Programs that `python -m` runs end by an exit code, and tell errors in one line."""

from collections.abc import Sequence

import pytest

from benchmarks.bench import INTERRUPTED, ending
from recsys.errors import DraftError


def raising(error: BaseException | None) -> int:
    @ending
    def main(arguments: Sequence[str] | None = None) -> None:
        """Do it."""
        if error is not None:
            raise error

    assert main.__doc__ == "Do it."
    return main(["word"])


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (None, 0, ""),
        (
            DraftError("It is empty.", "Write it."),
            DraftError.exit_code,
            "error: It is empty. Write it.\n",
        ),
        (FileExistsError(17, "File exists", "/a"), 1, "error: File exists: /a\n"),
        (KeyboardInterrupt(), INTERRUPTED, "interrupted\n"),
    ],
)
def test_an_error_is_one_line_and_a_code(
    error: BaseException | None, code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert raising(error) == code
    assert capsys.readouterr().err == told


def test_a_program_may_end_by_a_code_of_its_own() -> None:
    assert ending(lambda arguments: 3 if arguments else None)(["word"]) == 3


def test_a_mistake_in_the_program_itself_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        raising(ZeroDivisionError())
