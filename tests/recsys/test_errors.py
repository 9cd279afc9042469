"""Errors quote what they are about, and stay short whatever that is."""

from recsys.errors import LONGEST_HINT, LONGEST_WHAT, InputError, shortened


def test_a_text_that_fits_stays_as_it_is() -> None:
    assert shortened("x" * 20, 20) == "x" * 20


def test_the_middle_of_a_long_text_goes() -> None:
    assert shortened("a" * 100 + "z" * 100, 35) == "a" * 20 + " ... " + "z" * 10


def test_an_error_is_bounded_and_keeps_its_end() -> None:
    error = InputError(f"The paper {'i' * 10**6!r} appears twice.", "h" * 10**6)
    assert len(error.what) == LONGEST_WHAT
    assert len(error.hint) == LONGEST_HINT
    assert error.what.startswith("The paper 'iii") and error.what.endswith("' appears twice.")
    assert error.args == (error.what,)
