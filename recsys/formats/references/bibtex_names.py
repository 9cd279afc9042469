"""Split BibTeX's list of names, and put each into the order in which it is spoken.

bibtexparser splits such lists, too, but loses the accent of a name that begins with one.
"""

import re
from collections.abc import Iterator

from recsys.formats.latex.latex_text import from_latex
from recsys.formats.references.people import HOMONYM, SUFFIXES

_LONGEST_LIST = 200_000  # Characters: the largest collaborations have some 5000 authors.
_AND = re.compile(r"(?<!\\)[{}]|(?<=\s)and(?=\s)", re.IGNORECASE)
_COMMA = re.compile(r"(?<!\\)[{}]|,")


def names_between_and(field: str) -> Iterator[str]:
    """Read the names of an author field; `{...}` is a name that stays as it is.

    >>> list(names_between_and("Cohan, Arman and King, Jr., Martin and {Simon and Co, Ltd}"))
    ['Arman Cohan', 'Martin King Jr.', 'Simon and Co, Ltd']
    >>> list(names_between_and("Matthew Kay 0001 and Martin King, Jr."))
    ['Matthew Kay', 'Martin King Jr.']
    """
    return map(_spoken, _split(field[:_LONGEST_LIST], _AND))


def _spoken(name: str) -> str:
    parts = [from_latex(part).strip() for part in _split(name, _COMMA)]
    if len(parts) > 3:
        return ", ".join(parts)
    parts = [HOMONYM.sub("", part) for part in parts]
    if len(parts) == 2 and parts[1].lower() in SUFFIXES and " " in parts[0]:
        return " ".join(parts)  # "Martin King, Jr.", in the order in which it is spoken.
    family, *suffix, given = parts if len(parts) > 1 else (parts[0], "")
    if suffix and given.lower() in SUFFIXES:
        suffix, given = [given], suffix[0]  # "King, Martin, Jr.", as databases have it.
    return " ".join(filter(None, (given, family, *suffix)))


def _split(text: str, marks: re.Pattern[str]) -> list[str]:
    """Split at the marks outside braces that are no braces themselves."""
    parts, depth, start = [], 0, 0
    for match in marks.finditer(text):
        if match[0] in "{}":
            depth = max(depth + (1 if match[0] == "{" else -1), 0)
        elif depth == 0:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]
