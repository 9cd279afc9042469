"""Find the names at the beginning of a printed reference: who comes first, and where they end."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recsys.formats.references.people import natural

_UP = "A-Z\u00c0-\u00d6\u00d8-\u00de\u0100-\u024f\u0370-\u03ff\u0400-\u04ff\u1e00-\u1eff"
_WORD = rf"[{_UP}][^\W\d_]*(?:['\u2019\u2010\u2011-][^\W\d_]+){{0,3}}"
_PARTICLE = (
    r"(?:(?:[Vv]an|[Vv]on|[Dd]e|[Dd]er|den|[Dd]a|[Dd]i|[Ll]a|[Ll]e|[Dd]el|[Dd]os|[Dd]u|[Ee]l|al|"
    r"ten|ter|bin|ibn|zu|af) (?:(?:der|den|la|las|los|het) )?)?"
)
_SURNAME = rf"{_PARTICLE}{_WORD}(?: {_WORD})?"
_INITIALS = rf"(?:[{_UP}]\. ?(?:[\u2010\u2011-] ?)?){{1,4}}"
_SUFFIX = r"(?:,? (?:Jr|Sr)\.?|,? I{2,3}\b)?"

_INITIALS_FIRST = rf"{_INITIALS}{_SURNAME}{_SUFFIX}"
_SURNAME_FIRST = rf"{_SURNAME}{_SUFFIX}, {_INITIALS}"
_COMPACT = rf"{_SURNAME} [A-Z]{{1,3}}(?:-[A-Z])?(?=[,.;:]| (?:and|&) | \()"
_CAPITALS = r"[A-Z]{1,3}(?![\w'\u2019\u2010\u2011-])"
_FULL = rf"(?:{_WORD} |[{_UP}]\. ?){{1,3}}{_PARTICLE}(?!{_CAPITALS}){_WORD}{_SUFFIX}"
_INVERTED = rf"{_SURNAME}{_SUFFIX}, (?=\w\w){_WORD}(?: (?:[{_UP}]\.|{_WORD}))?"

_FORMS = tuple(
    (re.compile(first), re.compile(others))
    for first, others in (
        (_SURNAME_FIRST, rf"{_SURNAME_FIRST}|{_INITIALS_FIRST}"),
        (_INITIALS_FIRST, _INITIALS_FIRST),
        (_FULL, _FULL),
        (_COMPACT, _COMPACT),
        (_INVERTED, rf"{_INVERTED}|{_FULL}"),
    )
)
"""How the first name of a list is written, and how the others may be."""
_AND = r"(?:and|AND|und|et|y|&)"
_BETWEEN = re.compile(rf"[,;] ?(?:{_AND} )?| ?{_AND} ")
_ENDED = re.compile(rf"(?=[,.;:(\[&\u201c\"]| (?:{_AND}|\(|\[|\u201c|\"|\d{{4}})|\Z)|(?<=[. ])")
_OTHERS = re.compile(
    r"(?:,? ?(?:and |& )?(?:et al\.?|others\b)|,? ?(?:\u2026|\. \. \.),? ?(?:& )?)?"
    r"(?:,? [(\[]?[Ee]d(?:itor)?s?\b\.?[)\]]?)?"
)
_DATED = re.compile(
    r" ?[.,:]? ?(?:[(\[](?P<a>1[5-9]\d\d|20\d\d)[a-z]?(?:[,/ ][^()\[\]]{1,25})?[)\]][.,:]?"
    r"|(?P<b>1[5-9]\d\d|20\d\d)[a-z]?[.,:])\s+"
)
_STOP = re.compile(r" ?[.:] +|(?<=\.) +|(?<=\. )")
_COMMA = re.compile(r", *| +(?=[\u201c\"])")


@dataclass(frozen=True, slots=True)
class PrintedNames:
    """first: in natural order. end: where what follows the names and their year begins.

    year: where it follows the names. comma, colon: whether no more than that ends them.
    """

    first: str
    end: int
    year: int | None = None
    comma: bool = False
    colon: bool = False


def names_at_beginning(text: str) -> PrintedNames | None:
    """Read the names with which a reference begins; None where it begins otherwise."""
    return min(_readings(text), key=_doubt, default=None)


def _doubt(names: PrintedNames) -> int:
    return 2 * names.comma + names.colon


def begins_with_name(line: str) -> bool:
    """Whether a line may be the first of a reference: it begins with a name."""
    return any(
        (name := first.match(line)) is not None and _ENDED.match(line, name.end())
        for first, _ in _FORMS
    )


def _readings(text: str) -> Iterator[PrintedNames]:
    for first, others in _FORMS:
        name = first.match(text)
        if name is None or not _ENDED.match(text, name.end()):
            continue
        end = _end_of_list(text, name.end(), others)
        if (closed := _closed(text, end)) is not None:
            after, year, comma = closed
            colon = text[:after].rstrip().endswith(":")
            yield PrintedNames(_in_order(name[0]), after, year, comma, colon)


def _end_of_list(text: str, end: int, others: re.Pattern[str]) -> int:
    """Follow the names after the first one; return where the last one ends."""
    while True:
        between = _BETWEEN.match(text, end)
        name = others.match(text, between.end()) if between else None
        if name is None or not _ENDED.match(text, name.end()):
            return end
        end = name.end()


def _closed(text: str, end: int) -> tuple[int, int | None, bool] | None:
    """Return where the names are over, the year that follows, whether a comma ends them."""
    rest = _OTHERS.match(text, end)
    end = rest.end() if rest else end
    if dated := _DATED.match(text, end):
        return dated.end(), int(dated["a"] or dated["b"]), False
    if stop := _STOP.match(text, end):
        return stop.end(), None, False
    comma = _COMMA.match(text, end)
    return (comma.end(), None, True) if comma else None


def _in_order(name: str) -> str:
    """Put a printed name into natural order; "Ash AB" is "AB Ash"."""
    plain = name.strip().rstrip(",")
    if compact := re.fullmatch(rf"({_SURNAME}) ([A-Z]{{1,3}}(?:-[A-Z])?)", plain):
        return f"{compact[2]} {compact[1]}"
    return natural(plain)
