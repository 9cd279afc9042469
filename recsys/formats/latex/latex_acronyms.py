"""Spell out acronyms and terms as the packages for them do (acronym, acro, glossaries)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from recsys.formats.latex.latex_commands import after_group, after_options, group, groups

MOST_TERMS = 2_000

_DEFINED = re.compile(
    r"\\(?P<how>newacronym|newabbreviation|newglossaryentry|DeclareAcronym|acrodef|newacro|acro)"
    r"(?![A-Za-z@])"
)
_USED = re.compile(
    r"\\(?P<how>(?:[Gg]ls|GLS)(?:pl|xtrshort|xtrlong|entryshort|entrylong|entrytext|entryname)?"
    r"|(?:[Aa]cr|ACR)(?:short|long|full)(?:pl)?|[Aa]c[slfa]?p?)\*?(?:\[[^\[\]]{0,100}\])?"
    r"\{(?P<label>[^{}]{1,100})\}"
)
_LONG = re.compile(r"[Aa]clp?\Z|(?i:\w*long(?:pl)?\Z)")
_SHORT_FIELD = re.compile(
    r"\b(?:short|name|text)\s*=\s*(?=\{)|\b(?:short|name|text)\s*=\s*([^,{}]+)"
)
_LONG_FIELD = re.compile(r"\blong\s*=\s*(?=\{)|\blong\s*=\s*([^,{}]+)")


@dataclass(frozen=True, slots=True)
class Term:
    """An acronym: what it is in short, and in full."""

    short: str
    long: str


def terms(source: str) -> dict[str, Term]:
    """Collect the acronyms and terms that a source defines, by their labels."""
    found: dict[str, Term] = {}
    for match in islice(_DEFINED.finditer(source), MOST_TERMS):
        at = after_options(source, match.end())
        label = group(source, at)
        if label is None:
            continue
        behind = after_group(source, at, label)
        if match["how"] in ("acrodef", "newacro", "acro"):
            given = groups(source, after_options(source, behind), 1)
            short = source[behind : after_options(source, behind)].strip(" []\n") or label
            term = Term(short, given[0]) if given else None
        elif match["how"] in ("newglossaryentry", "DeclareAcronym"):
            term = _described(groups(source, behind, 1))
        else:
            given = groups(source, after_options(source, behind), 2)
            term = Term(*given) if len(given) == 2 else None
        if term is not None:
            found.setdefault(label.strip(), term)
    return found


def spelt_out(text: str, known: Mapping[str, Term]) -> str:
    """Put acronyms in place of their labels."""

    def shown(match: re.Match[str]) -> str:
        term = known.get(match["label"].strip())
        if term is None:
            return match[0]
        return f"{{{term.long if _LONG.match(match['how']) else term.short}}}"

    return _USED.sub(shown, text) if known else text


def _described(fields: list[str]) -> Term | None:
    short = _field(_SHORT_FIELD, fields[0]) if fields else None
    long = _field(_LONG_FIELD, fields[0]) if fields else None
    return Term(short or long or "", long or short or "") if short or long else None


def _field(name: re.Pattern[str], fields: str) -> str | None:
    match = name.search(fields)
    if match is None:
        return None
    return match[1].strip() if match[1] else group(fields, match.end())
