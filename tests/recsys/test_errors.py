"""Errors quote what they are about, and stay short whatever that is."""

from recsys.errors import LONGEST_HINT, LONGEST_WHAT, InputError


def test_an_error_is_bounded_and_keeps_its_end() -> None:
    error = InputError(f"The paper {'i' * 10**6!r} appears twice.", "h" * 10**6)
    assert len(error.what) == LONGEST_WHAT
    assert len(error.hint) == LONGEST_HINT
    assert error.what.startswith("The paper 'iii") and error.what.endswith("' appears twice.")
    assert error.args == (error.what,)
