"""Numbers that are given as one text."""

from recsys.errors import InputError


def read_numbers(text: str, option: str, *, most: float) -> tuple[float, ...]:
    """Parse numbers with commas between them: distinct, ascending.

    Raises:
        InputError: one of them is no number above 0 and up to `most`.
    """
    try:
        found = tuple(sorted({float(each) for each in text.split(",")}))
    except ValueError:
        found = ()
    if not found or not all(0 < each <= most for each in found):
        raise InputError(
            f"{option} {text} are not numbers above 0 and up to {most:g}.",
            f"Give such numbers with commas between them, such as 0.25,0.5,{min(most, 1):g}.",
        )
    return found
