"""Find citations and gaps in text that somebody printed or typed, without any markup."""

import re
from collections.abc import Iterator, Sequence

from recsys.formats.bodies.cited_list import CitedList
from recsys.formats.bodies.gap_signs import signs
from recsys.formats.bodies.marked_text import Spot

LONGEST_BRACKET = 600
"""Characters within brackets that are read as one citation."""
_HEAD = r"(?<![\w\])}])(?<!\$)|(?<=[^\W\d_]{3})|(?<=\])"
# What a bracket that cites may follow: a space or a word, not the name of what it is an index of.
_S, _SS = r"\s{0,3}", r"\s{1,3}"
_DASH = r"[-\u2010-\u2015]"

# Numbers: "[3]", "[3, 5-7]", "[2]-[4]", "[1], [2]", "[12, p. 3]".
_NUMBERS = rf"\d{{1,4}}(?:{_S}{_DASH}{_S}\d{{1,4}})?"
_LOCATOR = (
    rf"(?:{_S},{_S}(?:pp?\.|pages?|[Ss]ec(?:t\.|tion|s?\.)|[Cc]h(?:ap(?:ter|\.)|\.)|"
    r"[Tt]h(?:eorem|m\.)|[Ll]emma|[Ff]ig(?:ure|\.)|[Ee]q\.|[Tt]able|[Vv]ol\.|\u00a7)[^\[\]]{0,40})?"
)
_NUMBERED = (
    rf"\[\s?(?:(?:see|cf\.|e\.\s?g\.,?|see also){_SS})?"
    rf"{_NUMBERS}(?:{_S}[,;]{_S}{_NUMBERS})*{_LOCATOR}\s?\]"
)
_NUMBER_MARK = re.compile(
    rf"(?:{_HEAD}){_NUMBERED}(?:\s?(?:[,;]|{_DASH}|and)?\s?{_NUMBERED}){{0,20}}"
)
_RANGE = re.compile(rf"(\d{{1,4}})(?:\]?{_S}{_DASH}{_S}\[?(\d{{1,4}}))?")

# Labels: "[Ash19]", "[ABC+20, Def21]".
_LABEL = r"[A-Z][A-Za-z]{0,7}\+?\d{2}[a-z]?"
_LABEL_MARK = re.compile(
    rf"(?:{_HEAD})\[({_LABEL}(?:{_S}[,;]{_S}{_LABEL}){{0,20}})(?:,[^\[\]]{{1,40}})?\]"
)

# Names and years: "(Ash 1999; Beech and Oak, 2001a,b)", "[Ash et al., 1999]".
_YEAR = r"(?:1[5-9]|20)\d\d[a-z]?(?![\w])"
_YEARS = rf"{_YEAR}(?:{_S},{_S}(?:{_YEAR}|[a-z](?!\w)))*"
_WORD = r"(?:d['\u2019])?[^\W\d_a-z][^\W\d_]*(?:['\u2019\u2010\u2011-][^\W\d_]+){0,3}\.?"
_PARTICLES = rf"(?:(?:van|von|de|der|den|da|di|la|le|del|dos|bin|al|el|ter|ten|zu){_SS}){{0,3}}"
_NAME = rf"{_PARTICLES}{_WORD}(?:{_SS}{_PARTICLES}{_WORD}){{0,4}}"
_AND = r"(?:and|&|und|et|y)"
_OTHERS = rf"(?:{_S},?{_S}(?:et{_SS}al\b\.?|and{_SS}(?:others|colleagues|co-?workers)|u\.\s?a\.))"
_NAMES = rf"{_NAME}(?:{_S},{_S}{_NAME}){{0,9}}(?:{_S},?{_S}{_AND}{_SS}{_NAME})?{_OTHERS}?"
_DATED = re.compile(rf"(?P<names>{_NAMES})(?P<sep>{_S},?{_S}[(\[]?)(?P<years>{_YEARS})")
_BRACKET = re.compile(rf"[(\[]([^()\[\]]{{0,{LONGEST_BRACKET}}}\b{_YEAR}[^()\[\]]{{0,200}})[)\]]")
_YEARS_ALONE = re.compile(
    rf"(?<=[\s.\u2019's])[(\[]\s?({_YEARS})(?:{_S}[,:]\s?[^()\[\]]{{0,40}})?\s?[)\]]"
)
_NAMES_BEFORE = re.compile(rf"(?P<names>{_NAMES})(?:['\u2019]s?)?{_S}\Z")
_LOOKED_BACK = 120
_SINGLE_NAME = re.compile(_NAME)
_MONTHS = re.compile(
    r"(?i)\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|spring|summer|autumn|fall|winter|"
    r"version|since|until|in|from|figure|table|section|chapter|copyright)\b"
)
_UNRESOLVED = re.compile(
    rf"(?:{_HEAD})\(\?{{1,4}}(?:{_S}[,;]{_S}\?{{1,4}}){{0,20}}\)|"
    r"(?<=\w )\?{1,3}(?= [a-z(]|[,;.)])"
)


def printed_spots(text: str, listed: CitedList, *, typeset: bool = False) -> list[Spot]:
    """Find the citations and gaps in a paragraph.

    A name in the running text stays, "Ash (1999) shows": only its year is taken for the citation,
    and only where the list has such a work.

    Args:
        text: the paragraph.
        listed: the draft's references; what is printed is known without, but cites nothing then.
        typeset: whether a program set it that prints "(?)" for what is cited and missing.
    """
    return [
        *(Spot(each.start, each.end, gap=True) for each in signs(text) if each.gap),
        *(_unresolved(text) if typeset else ()),
        *_numbers(text, listed),
        *_labels(text, listed),
        *_brackets(text, listed),
        *_years(text, listed),
    ]


def _unresolved(text: str) -> Iterator[Spot]:
    for mark in _UNRESOLVED.finditer(text):
        yield Spot(mark.start(), mark.end(), gap=True)


def _numbers(text: str, listed: CitedList) -> Iterator[Spot]:
    """Read "[3, 5-7]", where works are listed by number or not listed at all."""
    if listed.references and not listed.numbered:
        return
    for mark in _NUMBER_MARK.finditer(text):
        shown = re.sub(_LOCATOR + r"(?=\])", "", mark[0]) if "," in mark[0] else mark[0]
        pairs = [(int(each[1]), int(each[2] or each[1])) for each in _RANGE.finditer(shown)]
        keys = dict.fromkeys(key for pair in pairs for key in listed.numbers(*pair))
        if any(first == 0 or last < first for first, last in pairs):
            continue  # An interval or an index.
        if keys or not listed.references:
            yield Spot(mark.start(), mark.end(), tuple(keys))


def _labels(text: str, listed: CitedList) -> Iterator[Spot]:
    for mark in _LABEL_MARK.finditer(text):
        labels = re.split(rf"{_S}[,;]{_S}", mark[1])
        keys = (listed.keys.get(label.casefold()) for label in labels)
        yield Spot(mark.start(), mark.end(), tuple(dict.fromkeys(key for key in keys if key)))


def _brackets(text: str, listed: CitedList) -> Iterator[Spot]:
    """Read "(Ash 1999; Beech 2001)": what is not listed must look it beyond doubt."""
    for mark in _BRACKET.finditer(text):
        keys: dict[str, None] = {}
        sure = False
        for work in _DATED.finditer(mark[1]):
            found = _works(work["names"], work["years"], listed)
            keys |= dict.fromkeys(found)
            sure = sure or bool(found) or _is_citation(work, mark[1])
        if sure:
            yield Spot(mark.start(), mark.end(), tuple(keys))


def _is_citation(work: re.Match[str], bracket: str) -> bool:
    """Whether a name and a year within brackets cite something, which no list has."""
    if _MONTHS.search(work["names"]):
        return False
    begins = not re.search(r"\w", bracket[: work.start()].rpartition(";")[2])
    several = re.search(rf"{_OTHERS}|\s{_AND}\s", work["names"])
    return begins or bool(several)


def _years(text: str, listed: CitedList) -> Iterator[Spot]:
    """Read the year in "Ash and Beech (1999) show"."""
    for mark in _YEARS_ALONE.finditer(text):
        begin = mark.start()
        names = _NAMES_BEFORE.search(text[max(begin - _LOOKED_BACK, 0) : begin])
        keys = _works(names["names"], mark[1], listed) if names else ()
        if keys:
            yield Spot(begin, mark.end(), keys)


def _works(names: str, years: str, listed: CitedList) -> tuple[str, ...]:
    """Return what the first of these names that the list knows wrote in these years."""
    wanted = list(_dates(years))
    for name in _SINGLE_NAME.finditer(re.sub(_OTHERS, "", names)):
        for surname in _spellings(name[0]):
            keys = [listed.dated(surname, year) for year in wanted]
            if any(keys):
                return tuple(dict.fromkeys(key for key in keys if key))
    return ()


def _spellings(name: str) -> Sequence[str]:
    """Return what a name that other words may precede or follow may be listed as."""
    name = re.sub(r"['\u2019]s?\Z", "", name)
    return tuple(dict.fromkeys((name, name.split()[-1])))


def _dates(years: str) -> Iterator[str]:
    """Yield each of "2001a, b, 2004"."""
    year = ""
    for part in re.split(rf"{_S},{_S}", years):
        if len(part) > 1:
            year = part
        yield year[:4] + part if len(part) == 1 else part
