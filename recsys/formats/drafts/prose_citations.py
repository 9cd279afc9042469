"""Find works that running text names by surnames and year: "Ash and Birch (2010)".

Who writes without keys still says whom they cite. A work so named has surnames and a year, and
nothing else: `asking.matching` looks for the one paper of the corpus that fits.
"""

import re
from collections.abc import Iterator

from recsys.formats.drafts.wording import counted
from recsys.records import Reference

MOST = 500
"""Works that are read out of one text."""
LONGEST_TEXT = 400_000
"""Characters that are looked through."""
OTHERS = "others"
"""Stands for the authors whom "et al." leaves out, as in BibTeX."""

_WORD = r"[A-Z\u00c0-\u00de\u0100-\u024f][^\W\d_]*(?:['\u2019-](?!s\b)[^\W\d_]+){0,2}"
_PARTICLES = r"(?:(?:van|von|de|der|den|da|di|la|le|del|dos|du|ten|ter|al|el) ){0,2}"
_NAME = rf"{_PARTICLES}{_WORD}(?: {_WORD})?"
_AND = r"(?:and|&|und|et|y)"
_OTHERS = r",? (?:et al\.?|and (?:others|colleagues|co-?workers))"
_NAMES = rf"(?P<names>{_NAME}(?:(?:, {_NAME}){{0,4}},? {_AND} {_NAME})?)(?P<others>{_OTHERS})?"
_POSSESSIVE = r"(?:['\u2019]s?)?"
_YEAR = r"(?:1[89]|20)\d\d"
_YEARS = rf"(?P<years>{_YEAR}[a-z]?(?:(?:,| and| &) {_YEAR}[a-z]?){{0,5}})"
_PLACE = r"(?:[,:] ?(?:pp?\.|chap\.|ch\.|sec\.|fig\.)? ?[\d\u2013-]{1,11})?"
_NARRATIVE = re.compile(rf"(?<![\w-]){_NAMES}{_POSSESSIVE} [(\[]{_YEARS}{_PLACE}[)\]]")
_WITHIN = re.compile(rf"(?<![\w-]){_NAMES},? {_YEARS}{_PLACE}(?=[;)\]]|, [a-z])")
_BRACKETS = re.compile(r"[(\[]([^()\[\]]{6,600})[)\]]")
_BETWEEN = re.compile(rf",? {_AND} |, ")
_NO_NAME = frozenset(
    "In See Also And But By For From The This That These Those After Before Since Until During "
    "While When Where As At On Of To With Under Both Like Unlike Following Cf January February "
    "March April May June July August September October November December Figure Fig Table "
    "Section Chapter Equation Appendix Version Volume Conference Workshop Symposium Proceedings "
    "Spring Summer Autumn Winter Olympics Census Act Law Treaty War Windows Office Version".split()
)


def named_works(text: str) -> tuple[Reference, ...]:
    """Return the works that a text names, each once, in order."""
    found: dict[Reference, None] = {}
    for work in _works(text[:LONGEST_TEXT]):
        found[work] = None
        if len(found) == MOST:
            break
    return tuple(found)


def told(works: tuple[Reference, ...]) -> tuple[str, ...]:
    """Say that works were found so, and how."""
    if not works:
        return ()
    number = counted(len(works), "work")
    verb = "is" if len(works) == 1 else "are"
    return (f"{number} {verb} named in the text by surname and year, such as {works[0].key}.",)


def _works(text: str) -> Iterator[Reference]:
    plain = " ".join(text.split())
    found = [(mark.start(), mark) for mark in _NARRATIVE.finditer(plain)]
    for bracket in _BRACKETS.finditer(plain):
        for mark in _WITHIN.finditer(bracket[1] + ")"):
            found.append((bracket.start() + mark.start(), mark))
    for _, mark in sorted(found, key=lambda each: each[0]):
        names = _surnames(mark["names"])
        if names is None:
            continue
        authors = (*names, OTHERS) if mark["others"] else names
        said = mark["names"] + (" et al." if mark["others"] else "")
        for year in dict.fromkeys(re.findall(_YEAR, mark["years"])):
            yield Reference(key=f"{said} ({year})", authors=authors, year=int(year))


def _surnames(names: str) -> tuple[str, ...] | None:
    """Return the last word of each name; None where one of them is no name."""
    last = [name.split()[-1] for name in _BETWEEN.split(names)]
    return None if _NO_NAME.intersection(last) else tuple(last)
