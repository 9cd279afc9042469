"""Find commands in a LaTeX source, with their arguments, and expand its simple definitions.

A scan in linear time, so that nothing in the rest of a paper can get in the way of its title.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

LONGEST_ARGUMENT = 50_000
"""Characters of one argument; a longer one counts as unclosed."""
DEEPEST_BRACES = 100
MOST_COMMANDS = 100
"""How many commands of a kind are looked at: a paper has one title, and some authors."""
MOST_OPTIONS = 4
MOST_DEFINITIONS, LONGEST_DEFINITION = 2_000, 5_000
LONGEST_EXPANSION, MOST_PASSES = 100_000, 8

_BRACE = re.compile(r"[{}]|\\.", re.DOTALL)
_OPTION = re.compile(r"\s*\[((?:[^\[\]{}]|\{[^{}]{0,500}\}){0,500})\]")
_SPACE = re.compile(r"\s*")
_MACRO = re.compile(r"\\([A-Za-z@]+)")
_PLACE = re.compile(r"#([1-9])")
_DEFINITION = re.compile(
    r"\\(?:(?:re|provide)?newcommand|renewcommand|providecommand|DeclareRobustCommand)\*?"
    r"\s*\{?\s*\\(?P<name>[A-Za-z@]{1,50})\s*\}?\s*(?:\[(?P<count>[1-9])\])?\s*(?=\{)"
    r"|\\[gex]?def\s*\\(?P<defined>[A-Za-z@]{1,50})\s*(?P<places>(?:#[1-9])*)\s*(?=\{)"
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A macro of the author's: what stands for it, and how many arguments it takes."""

    body: str
    arguments: int


def group(source: str, at: int) -> str | None:
    """Return what is inside the braces that open at or after the spaces at `at`; None without."""
    start = _skip_space(source, at)
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
        at = _skip_space(source, at) + len(inside) + 2
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


def after_options(source: str, at: int) -> int:
    """Return the place behind the arguments in square brackets that begin at `at`."""
    for _ in range(MOST_OPTIONS):
        match = _OPTION.match(source, at)
        if match is None:
            break
        at = match.end()
    return at


def after_definition(source: str, at: int) -> int | None:
    """Return the place behind the definition of a macro that begins at `at`; None without one."""
    match = _DEFINITION.match(source, at)
    body = group(source, match.end()) if match else None
    return _skip_space(source, match.end()) + len(body) + 2 if match and body is not None else None


def definitions(source: str) -> dict[str, Definition]:
    """Collect the macros that a source defines with all of their arguments in braces."""
    found: dict[str, Definition] = {}
    for number, match in enumerate(_DEFINITION.finditer(source)):
        if number == MOST_DEFINITIONS:
            break
        body = group(source[: match.end() + LONGEST_DEFINITION], match.end())
        name = match["name"] or match["defined"]
        if body is not None:
            count = len(match["places"] or "") // 2 or int(match["count"] or 0)
            found[name] = Definition(body, count)
    return found


def expand(text: str, macros: Mapping[str, Definition]) -> str:
    """Put what they stand for in place of the author's macros.

    A macro that never ends, or makes the text longer than `LONGEST_EXPANSION`, stays as it is.
    """
    for _ in range(MOST_PASSES):
        expanded = _expand_once(text, macros)
        if expanded == text or len(expanded) > LONGEST_EXPANSION:
            break
        text = expanded
    return text


def _expand_once(text: str, macros: Mapping[str, Definition]) -> str:
    pieces, at, length = [], 0, 0
    for match in _MACRO.finditer(text):
        macro = macros.get(match[1])
        if macro is None or match.start() < at or length > LONGEST_EXPANSION:
            continue
        values = groups(text, match.end(), macro.arguments) if macro.arguments else []
        if len(values) < macro.arguments:
            continue
        body = filled(macro.body, values)
        if body is None:
            continue
        pieces += [text[at : match.start()], "{", body, "}"]
        at = match.end()
        for value in values:
            at = _skip_space(text, at) + len(value) + 2
        length += len(body)
    return "".join(pieces) + text[at:]


def filled(body: str, values: list[str]) -> str | None:
    """Put the values in their places, which they may name themselves; None if that is too long."""
    parts = _PLACE.split(body)  # Text and numbers of places, in turn.
    for at in range(1, len(parts), 2):
        place = int(parts[at]) - 1
        parts[at] = values[place] if place < len(values) else f"#{parts[at]}"
    return "".join(parts) if sum(map(len, parts)) <= LONGEST_EXPANSION else None


def _skip_space(source: str, at: int) -> int:
    match = _SPACE.match(source, at)
    return match.end() if match else at
