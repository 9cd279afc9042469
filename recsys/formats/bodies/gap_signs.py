"""Tell what a writer leaves where a citation is still missing."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

LONGEST_SIGN = 120
"""Characters of a note such as "[TODO: cite the survey]"."""

_NOUN = r"(?:citations?|cites?|cit\.?|refs?\.?|references?|sources?)"
_DO = r"(?:add|needs?|insert|missing|find|give|put|which|what|some|more|to ?do:?|fix ?me:?)"
_AFTER = r"(?:needed|missing|required|here|to ?do|tbd|me|this|\?{1,3}|!{1,3}|\.{2,3})"
_WORDS = rf"(?:{_DO}[\s_-]?){{0,3}}(?:a[\s_-])?{_NOUN}(?:[\s:_-]{{0,2}}{_AFTER}){{0,2}}"
_GAP_KEY = re.compile(
    r"\?+|[xX]{2,}|\.{2,}|(?i:tb[adc]|fix ?me|to ?do|(?:to ?do|fix ?me|cite ?me)[\s_:-].*"
    rf"|{_WORDS}|citation ?needed|cite ?(?:me|this|here)|missing|needed|place ?holder)",
)
_EXCEPT_KEY = re.compile(r"(?i)sources?\Z")
_REMARK = r"[^\[\](){}\n]{0,60}"
_TODO = rf"(?:to ?do|fix ?me|xxx|note)\b{_REMARK}\b(?:cite|citing|{_NOUN})\b{_REMARK}"
_XS = r"(?:et\ al\.,?\s)?(?:X{4}|\d\d(?:XX|\d\d))"
_PLURAL = r"(?:citations?|cites?|refs?|references?)"
_TEXT_GAPS = re.compile(
    rf"""
    \[\[?\s?(?:
        (?i:{_WORDS})
        | (?i:{_TODO})
        | (?i:cite|citation):?\s(?!\d)[^\[\]\n]{{1,{LONGEST_SIGN}}}
        | (?:REFS?|(?i:to ?do[-\s]?ref)):\s?[^\[\]\n]{{1,{LONGEST_SIGN}}}
        | (?:\d{{1,3}}\s?[,;]\s?)*\?+(?:\s?[,;]\s?(?:\?+|\d{{1,3}}))*
        | X{{2,}}(?:\s?[,;]\s?X{{2,}})*
        | (?i:authors?,?\s(?:\(?year\)?|et\ al\.?,?\ year))
    )\s?\]\]?(?![(\[:])
    | \(\s?(?:
        (?:CITES?|CITATIONS?|REFS?|REFERENCES?|SOURCES?)[?!]*
        | (?i:(?:{_PLURAL}|sources?)[\s_-](?:needed|missing|here|required))
        | (?i:(?:add|needs?|insert|missing)[\s_-](?:a[\s_-])?{_PLURAL})
        | (?:cite|refs?|citation)[?!]*
        | (?i:{_TODO})
        | X{{3,}}(?:,?\s{_XS})? | XX,?\s{_XS}
        | (?i:authors?,?\s(?:et\ al\.?,?\s)?years?)
    )\s?\)
    | \{{\{{\s?(?i:{_WORDS}|cn|fact|citation\ needed(?:\|[^{{}}\n]{{0,80}})?)\s?\}}\}}
    | (?P<fence>@@|\#\#|%%|\$\$|<<|\*\*\*|__)(?i:{_WORDS})(?:@@|\#\#|%%|\$\$|>>|\*\*\*|__)
    | <\s?(?i:{_WORDS})\s?>
    | (?<=[;,])\s(?:REFS?|CITES?|CITATIONS?|\?{{1,3}})(?=\s?[;)\]])
    """,
    re.VERBOSE,
)
_TODO_CITES = re.compile(rf"(?i)\b(?:cit(?:e|es|ed|ing|ations?)|{_NOUN})(?!\w)|\A\s*\?+\s*\Z")

_STARTS = re.compile(r"[\[({<@#%$*_]|(?<=[;,])\s(?=[RC?])")


@dataclass(frozen=True, slots=True)
class Sign:
    """A mark in running text, from the character `start` to before `end`.

    keys: of the works that it cites. gap: whether a citation is missing there.
    """

    start: int
    end: int
    keys: tuple[str, ...] = ()
    gap: bool = False


def is_gap_key(key: str) -> bool:
    """Whether a citation key says that the key is not known yet: "?", "TODO", "citation needed"."""
    key = " ".join(key.split())
    return not key or (bool(_GAP_KEY.fullmatch(key)) and not _EXCEPT_KEY.fullmatch(key))


def asks_for_citation(note: str) -> bool:
    """Whether a note to oneself, the words of a `\\todo`, asks for a citation."""
    return bool(_TODO_CITES.search(note[: 10 * LONGEST_SIGN]))


def split_keys(keys: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """Return the true ones of some keys, each once, and whether one of the others is a gap."""
    stripped = [" ".join(key.split()) for key in keys]
    true = tuple(dict.fromkeys(key for key in stripped if not is_gap_key(key)))
    return true, not stripped or any(map(is_gap_key, stripped))


def gaps(text: str) -> Iterator[Sign]:
    """Yield the places of a paragraph where its author marked that a citation is missing."""
    end = 0
    for start in (match.start() for match in _STARTS.finditer(text)):
        if start >= end and (mark := _TEXT_GAPS.match(text, start)):
            end = mark.end()
            yield Sign(start + mark[0].startswith(" "), end, gap=True)
