"""Find commands in a LaTeX source, with their arguments.

A scan in linear time, so that nothing in the rest of a paper can get in the way of its title.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

LONGEST_ARGUMENT = 50_000
"""Characters of one argument; a longer one counts as unclosed."""
DEEPEST_BRACES = 100
MOST_COMMANDS = 100
"""How many commands of a kind are looked at: a paper has one title, and some authors."""
MOST_OPTIONS = 4
MOST_LOOKED_AT = 4 * LONGEST_ARGUMENT
"""Characters among which a title, an abstract or names are looked for."""

_BRACE = re.compile(r"[{}]|\\.", re.DOTALL)
_OPTION = re.compile(r"\s*\[((?:[^\[\]{}]|\{[^{}]{0,500}\}){0,500})\]")
_PLACE = re.compile(r"(?<!\\)#")
_SPACE = re.compile(r"\s*")


def group(source: str, at: int) -> str | None:
    """Return what is inside the braces that open at or after the spaces at `at`; None without."""
    start = skip_space(source, at)
    if not source.startswith("{", start):
        return None
    depth = 0
    for match in _BRACE.finditer(source, start, start + LONGEST_ARGUMENT):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return source[start + 1 : match.start()]
        if depth > DEEPEST_BRACES:
            return None
    return None


def groups(source: str, at: int, most: int) -> list[str]:
    """Return the arguments in braces that follow one another from `at` on."""
    found: list[str] = []
    while len(found) < most and (inside := group(source, at)) is not None:
        found.append(inside)
        at = skip_space(source, at) + len(inside) + 2
    return found


def commands(source: str, names: str, *, most: int = 1) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the arguments of the first commands that have some in braces.

    Args:
        source: LaTeX without comments.
        names: a regular expression for the names, without the backslash.
        most: how many arguments are read; options are passed over.
    """
    pattern = re.compile(rf"\\({names})(?![A-Za-z@])\*?")
    for match in islice(pattern.finditer(source), MOST_COMMANDS):
        if arguments := groups(source, after_options(source, match.end()), most):
            yield match[1], arguments


def first_text(pieces: Iterable[str], text: Callable[[str], str]) -> str | None:
    """Return the first of some pieces of LaTeX that has a letter in it as text."""
    texts = (text(piece) for piece in looked_at(pieces) if not is_template(piece))
    return next((found for found in texts if any(map(str.isalpha, found))), None)


def is_template(piece: str) -> bool:
    """Whether a piece is of a definition, with the places of arguments in it."""
    return _PLACE.search(piece) is not None


def looked_at(pieces: Iterable[str]) -> Iterator[str]:
    """Yield pieces until they are `MOST_LOOKED_AT` long: those within one another count again."""
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > MOST_LOOKED_AT:
            return
        yield piece


def after_options(source: str, at: int) -> int:
    """Return the place behind the arguments in square brackets that begin at `at`."""
    for _ in range(MOST_OPTIONS):
        match = _OPTION.match(source, at)
        if match is None:
            break
        at = match.end()
    return at


def after_group(source: str, at: int, inside: str) -> int:
    """Return the place behind the group that opens at or after the spaces at `at`."""
    return skip_space(source, at) + len(inside) + 2


def skip_space(source: str, at: int) -> int:
    """Return the place behind the white space at a place."""
    match = _SPACE.match(source, at)
    return match.end() if match else at
