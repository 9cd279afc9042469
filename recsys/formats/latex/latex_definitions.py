"""Collect the definitions of a LaTeX source, and put what they stand for in their places."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from recsys.formats.latex.latex_commands import after_group, group

MOST_DEFINITIONS, LONGEST_DEFINITION = 2_000, 5_000
LONGEST_EXPANSION, MOST_PASSES = 100_000, 8

_MACRO = re.compile(r"\\([A-Za-z@]+)")
_PLACE = re.compile(r"#([1-9])")
_NAME = r"\s*\{?\s*\\(?P<%s>[A-Za-z@]{1,50})\s*\}?\s*"
_DEFINITION = re.compile(
    r"\\(?P<how>(?:re|provide)?newcommand|renewcommand|providecommand|DeclareRobustCommand|"
    r"(?:re|provide)?(?:new)?robustcmd|DeclareMathOperator)(?![A-Za-z@])\*?"
    + _NAME % "name"
    + r"(?:\[(?P<count>[1-9])\])?\s*(?:\[(?P<default>[^\[\]]{0,500})\])?\s*(?=\{)"
    + r"|\\(?:New|Renew|Provide|Declare)DocumentCommand(?![A-Za-z@])"
    + _NAME % "documented"
    + r"\{(?P<kinds>(?:[^{}]|\{[^{}]{0,500}\}){0,500})\}\s*(?=\{)"
    + r"|\\[gex]?def\s*\\(?P<defined>[A-Za-z@]{1,50})\s*(?P<places>(?:#[1-9])*)"
    r"(?P<after>[^#{}\\\s]{0,5})\s*(?=\{)"
    + r"|\\let\s*\\(?P<let>[A-Za-z@]{1,50})\s*=?\s*(?P<same>\\[A-Za-z@]{1,50})"
)
_KIND = re.compile(r"[mosv]|[OD](?:[^{}\s]{2})?\s*\{([^{}]*)\}")
_LIKE_OPTION = re.compile(r"\s?\[((?:[^\[\]{}]|\{[^{}]{0,500}\}){0,500})\]")
_CONTROL_WORD = re.compile(r"\\[A-Za-z@]+")
_STAR = "*"


@dataclass(frozen=True, slots=True)
class Definition:
    """A macro of the author's: what stands for it, and how many arguments it takes.

    defaults: of each argument that stands in square brackets and may be left out, None of one in
    braces; "*" is a star. after: what is written behind its name.
    """

    body: str
    arguments: int
    defaults: tuple[str | None, ...] = ()
    after: str = ""

    @property
    def calls(self) -> frozenset[str]:
        """The names of the commands in its body."""
        return frozenset(_MACRO.findall(self.body))

    @property
    def plain(self) -> bool:
        """Whether all of its arguments stand in braces, and nothing else belongs to it."""
        return not self.after and all(each is None for each in self.defaults)


@dataclass(frozen=True, slots=True)
class Call:
    """The values of a macro's arguments, and where what follows them begins."""

    values: list[str]
    end: int


def after_definition(source: str, at: int) -> int | None:
    """Return the place behind the definition of a macro that begins at `at`; None without one."""
    match = _DEFINITION.match(source, at)
    if match is None or match["let"]:
        return match.end() if match else None
    body = group(source, match.end())
    return None if body is None else after_group(source, match.end(), body)


def definitions(source: str) -> dict[str, Definition]:
    """Collect the macros that a source defines; of several definitions of one the last counts."""
    found: dict[str, Definition] = {}
    for match in islice(_DEFINITION.finditer(source), MOST_DEFINITIONS):
        name = match["name"] or match["documented"] or match["defined"] or match["let"]
        if match["let"]:
            found[name] = found.get(match["same"][1:], Definition(match["same"], 0))
            continue
        body = group(source[match.end() : match.end() + LONGEST_DEFINITION], 0)
        provided = (match["how"] or "").startswith("provide") and name in found
        if body is not None and not provided:
            found[name] = _definition(match, body)
    return found


def _definition(match: re.Match[str], body: str) -> Definition:
    if match["documented"]:
        defaults = tuple(map(_default, _KIND.finditer(match["kinds"])))
        return Definition(body, len(defaults), defaults)
    if match["defined"]:
        return Definition(body, len(match["places"]) // 2, after=match["after"])
    count = int(match["count"] or 0)
    if match["default"] is None or not count:
        return Definition(body, count)
    return Definition(body, count, (match["default"], *[None] * (count - 1)))


def _default(kind: re.Match[str]) -> str | None:
    if kind[0] in "mv":
        return None
    return _STAR if kind[0] == "s" else kind[1] or ""


def called(source: str, at: int, macro: Definition) -> Call | None:
    """Read the arguments of a macro behind its name; None where they are not all there."""
    if not source.startswith(macro.after, at):
        return None
    at += len(macro.after)
    values: list[str] = []
    for number in range(macro.arguments):
        default = macro.defaults[number] if number < len(macro.defaults) else None
        if default is None:
            value = group(source, at)
            if value is None:
                return None
            at = after_group(source, at, value)
        elif default == _STAR:
            value, at = "", at + source.startswith("*", at)
        else:
            option = _LIKE_OPTION.match(source, at)
            value, at = (option[1], option.end()) if option else (default, at)
        values.append(value)
    return Call(values, at)


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
    pieces, at, length = list[str](), 0, 0
    for match in _MACRO.finditer(text):
        macro = macros.get(match[1])
        if macro is None or match.start() < at or length > LONGEST_EXPANSION:
            continue
        call = called(text, match.end(), macro)
        body = filled(macro.body, call.values) if call else None
        if call is None or body is None:
            continue
        pieces += [text[at : match.start()], *_enclosed(body)]
        at = call.end
        length += len(body)
    return "".join(pieces) + text[at:]


def _enclosed(body: str) -> Iterator[str]:
    """Put braces around what stands for a macro, unless it takes arguments from behind itself."""
    yield from (body,) if _CONTROL_WORD.fullmatch(body.strip()) else ("{", body, "}")


def filled(body: str, values: list[str]) -> str | None:
    """Put the values in their places, which they may name themselves; None if that is too long."""
    parts = _PLACE.split(body)  # Text and numbers of places, in turn.
    for at in range(1, len(parts), 2):
        place = int(parts[at]) - 1
        parts[at] = values[place] if place < len(values) else f"#{parts[at]}"
    return "".join(parts) if sum(map(len, parts)) <= LONGEST_EXPANSION else None
