"""Tell what a writer leaves where a citation is still missing, and what is a citation in print."""

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

_YEAR = r"(?:(?:1[6-9]|20)\d\d[a-z]?|in press|forthcoming|to appear|n\.\s?d\.)"
_MORE_YEARS = r"(?:\s?[,/&\u2013-]\s?(?:(?:1[6-9]|20)?\d\d[a-z]?|[a-z]\b(?!\.))){0,30}"
_YEARS = rf"(?>(?:\({_YEAR}\)|{_YEAR}){_MORE_YEARS})"
_UP = "A-Z\u00c0-\u00d6\u00d8-\u00de\u0100-\u024f\u0370-\u03ff\u0400-\u04ff\u1e00-\u1eff"
_NAME = (
    r"(?:(?:[A-Z]\.[ -]?){1,3})?(?:(?:van|von|de|der|den|da|di|del|della|dos|du|la|le|ten|ter|el|"
    rf"al|bin|ibn)[\s-]){{0,3}}[{_UP}][^\W\d_]*(?:['\u2019\u2010\u2011-][^\W\d_]+)*"
)
_NAMES = (
    rf"{_NAME}(?:\s{_NAME})?(?:\s?,\s{_NAME}){{0,8}}(?:,?\s(?:and|&|und|et|y)\s{_NAME}(?:\s{_NAME})?)?"
    r"(?:,?\s(?:et\s?al\.?|and\s(?:others|colleagues)))?(?:['\u2019]s)?"
)
_PREFIX = (
    r"(?:(?:but\s)?(?:see(?:\salso)?|e\.\s?g\.|i\.\s?e\.|cf\.|compare|also|following|after|from|in|by|as\sin|"
    r"for\s(?:a\s)?(?:reviews?|surveys?|examples?|instance|details?|an\soverview),?(?:\ssee)?|"
    r"reviewed\s(?:in|by)|adapted\sfrom|and),?\s){0,3}"
)
_PLACE = r"(?:[,:]\s?(?:pp?\.|chap\.|ch\.|fig\.|sec\.|table|appendix|\d|\u00a7)[^;()\[\]]{0,40})?"
_PARTS = re.compile(
    rf"[(\[]\s?{_PREFIX}(?P<first>{_NAMES})(?P<comma>,)?\s{_YEARS}{_PLACE}"
    rf"(?>(?:\s?[;,]\s?{_PREFIX}(?:{_NAMES},?\s)?{_YEARS}{_PLACE}){{0,30}})"
    r"(?:[;,]\s(?:and\s)?(?:among\sothers|inter\salia|and\sreferences\stherein))?\s?[)\]](?!\()"
)
_NO_NAME = re.compile(
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|"
    r"Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|Spring|Summer|Autumn|Fall|Winter|"
    r"Table|Tab|Figure|Fig|Section|Sec|Equation|Eq|Version|Python|Windows|Copyright|Year|Appendix|"
    r"Chapter|Since|Until|Before|After|During|Mid|Early|Late|Circa|About|The|Olympics)\b"
)
_NUMBERS = re.compile(
    r"(?<![\d_\])}=^])(?<!\b[A-Za-z])\[\s?(?:refs?\.\s)?[1-9]\d{0,2}"
    r"(?:\s?[,;\u2010-\u2015\u2212-]\s?[1-9]\d{0,2}){0,60}\s?\](?![(\[:]?\()"
)
_SIGN_STARTS = re.compile(r"[\[({<@#%$*_]|(?<=[;,])\s(?=[RC?])")


@dataclass(frozen=True, slots=True)
class Sign:
    """A mark in the running text: where it begins and ends, and whether a citation is missing."""

    start: int
    end: int
    gap: bool


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


def signs(text: str, *, numbers: bool = False) -> Iterator[Sign]:
    """Yield the gaps and the printed citations of a paragraph, in order, none within another.

    numbers: whether "[12, 14-16]" cites; else only "(Smith et al., 2019)" and the like do.
    """
    end = 0
    for start in (match.start() for match in _SIGN_STARTS.finditer(text)):
        if start < end:
            continue
        found = _sign_at(text, start, numbers)
        if found is not None:
            end = found.end
            yield found


def _sign_at(text: str, start: int, numbers: bool) -> Sign | None:
    if gap := _TEXT_GAPS.match(text, start):
        return Sign(start + gap[0].startswith(" "), gap.end(), True)
    if text[start] not in "([":
        return None
    printed = _PARTS.match(text, start)
    if printed and _names_people(printed):
        return Sign(start, printed.end(), False)
    if numbers and text[start] == "[" and (found := _NUMBERS.match(text, start)):
        return Sign(start, found.end(), False)
    return None


def _names_people(match: re.Match[str]) -> bool:
    return not _NO_NAME.match(match["first"])
