"""Recognise citations in print, "(Ash, 1999)" or "[3, 5-7]", gaps, and works that text names."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count

from recsys.formats.drafts.wording import OTHERS, counted
from recsys.records import Reference
from recsys.store.names import author_key
from recsys.store.words import fold

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
LONGEST_BRACKET = 600
"""Characters within brackets that are read as one citation."""
WIDEST_RANGE = 100
"""Works that "[3-90]" may cite."""
MOST_NAMED = 500
"""Works that are read out of one text by their surnames and years."""
LONGEST_TEXT = 400_000
"""Characters that are looked through for such works."""

_HEAD = r"(?<![\w\])}])(?<!\$)|(?<=[^\W\d_]{3})|(?<=\])"
# What a bracket that cites may follow: a space or a word, not the name of what it is an index of.
_S, _SS = r"\s{0,3}", r"\s{1,3}"
_DASH = r"[-\u2010-\u2015\u2212]"

# Numbers: "[3]", "[3, 5-7]", "[2]-[4]", "[1], [2]", "[12, p. 3]"; no address behind them.
_NUMBERS = rf"\d{{1,4}}(?:{_S}{_DASH}{_S}\d{{1,4}})?"
_LOCATOR = (
    rf"(?:{_S},{_S}(?:pp?\.|pages?|[Ss]ec(?:t\.|tion|s?\.)|[Cc]h(?:ap(?:ter|\.)|\.)|"
    r"[Tt]h(?:eorem|m\.)|[Ll]emma|[Ff]ig(?:ure|\.)|[Ee]q\.|[Tt]able|[Vv]ol\.|\u00a7)[^\[\]]{0,40})?"
)
_NUMBERED = (
    rf"\[\s?(?:(?:see|cf\.|e\.\s?g\.,?|see also|refs?\.){_SS})?"
    rf"{_NUMBERS}(?:{_S}[,;]{_S}{_NUMBERS})*{_LOCATOR}\s?\]"
)
_NUMBER_MARK = re.compile(
    rf"(?:{_HEAD}){_NUMBERED}(?:\s?(?:[,;]|{_DASH}|and)?\s?{_NUMBERED}){{0,20}}(?![(\[:]?\()"
)
_RANGE = re.compile(rf"(\d{{1,4}})(?:\]?{_S}{_DASH}{_S}\[?(\d{{1,4}}))?")

# Labels: "[Ash19]", "[ABC+20, Def21]".
_LABEL = r"[A-Z][A-Za-z]{0,7}\+?\d{2}[a-z]?"
_LABEL_MARK = re.compile(
    rf"(?:{_HEAD})\[({_LABEL}(?:{_S}[,;]{_S}{_LABEL}){{0,20}})(?:,[^\[\]]{{1,40}})?\]"
)

# Names and years: "(Ash 1999; Beech and Oak, 2001a,b)", "[Ash et al., 1999]".
_YEAR = r"(?:(?:1[5-9]|20)\d\d[a-z]?(?![\w])|in press\b|forthcoming\b|to appear\b|n\.\s?d\.)"
_YEARS = rf"{_YEAR}(?:{_S},{_S}(?:{_YEAR}|[a-z](?!\w)))*"
_WORD = r"(?:d['\u2019])?[^\W\d_a-z][^\W\d_]*(?:['\u2019\u2010\u2011-][^\W\d_]+){0,3}\.?"
_PARTICLES = (
    r"(?:(?:van|von|de|der|den|da|di|del|della|la|le|dos|du|bin|ibn|al|el|ter|ten|zu)[\s-]{1,3})"
    r"{0,3}"
)
_POSSESSIVE = re.compile(r"['\u2019]s?\Z")
_NAME = rf"{_PARTICLES}{_WORD}(?:{_SS}{_PARTICLES}{_WORD}){{0,4}}"
_AND = r"(?:and|&|und|et|y)"
_OTHERS = rf"(?:{_S},?{_S}(?:et{_SS}al\b\.?|and{_SS}(?:others|colleagues|co-?workers)|u\.\s?a\.))"
_NAMES = rf"{_NAME}(?:{_S},{_S}{_NAME}){{0,9}}(?:{_S},?{_S}{_AND}{_SS}{_NAME})?{_OTHERS}?"
_DATED = re.compile(rf"(?P<names>{_NAMES})(?P<sep>{_S},?{_S}[(\[]?)(?P<years>{_YEARS})")
_BRACKET = re.compile(
    rf"[(\[]([^()\[\]]{{0,{LONGEST_BRACKET}}}\b{_YEAR}[^()\[\]]{{0,200}})[)\]](?!\()"
)
_YEARS_ALONE = re.compile(
    rf"(?<=[\s.\u2019's])[(\[]\s?({_YEARS})(?:{_S}[,:]\s?[^()\[\]]{{0,40}})?\s?[)\]]"
)
_NAMES_BEFORE = re.compile(rf"(?P<names>{_NAMES})(?:['\u2019]s?)?{_S}\Z")
_LOOKED_BACK = 120
_INTRODUCTION = re.compile(
    r"\W*(?:(?:but\s)?(?:see(?:\salso)?|e\.\s?g\.|i\.\s?e\.|cf\.|compare|also|following|after|from|in|by|"
    r"as\sin|for\s(?:a\s)?(?:reviews?|surveys?|examples?|instance|details?|an\soverview),?(?:\ssee)?|"
    r"reviewed\s(?:in|by)|adapted\sfrom|and),?\s){0,3}\W*\Z"
)
"""What may stand before the first name within brackets."""
_SINGLE_NAME = re.compile(_NAME)
_NO_NAME = re.compile(
    r"(?i)\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|spring|summer|autumn|fall|winter|"
    r"version|since|until|in|from|figure|fig|table|section|chapter|copyright|equation|appendix|"
    r"volume|python|windows|olympics|census)\b"
)
_UNRESOLVED = re.compile(
    rf"(?:{_HEAD})\(\?{{1,4}}(?:{_S}[,;]{_S}\?{{1,4}}){{0,20}}\)|"
    r"(?<=\w )\?{1,3}(?= [a-z(]|[,;.)])"
)
_NO_SURNAME = re.compile(
    r"(?:See|Also|And|But|By|For|The|This|That|These|Those|After|Before|During|While|When|Where|As|"
    r"At|On|Of|To|With|Under|Both|Like|Unlike|Following|Cf|Conference|Workshop|Symposium|"
    r"Proceedings|Act|Law|Treaty|War|Office|\w|.*\.)\Z"
)


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


@dataclass(frozen=True, slots=True)
class CitedList:
    """A draft's references, each with a key of its own.

    keys: by what a label may look like, folded. named: by surname and year, in the order of the
    list. numbered: whether its keys are numbers.
    """

    references: tuple[Reference, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    named: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    numbered: bool = False

    def numbers(self, first: int, last: int) -> tuple[str, ...]:
        """Return the keys from one number to another one that the list has."""
        if not first <= last <= first + WIDEST_RANGE:
            return ()
        return _known(self.keys.get(str(number)) for number in range(first, last + 1))

    def dated(self, surname: str, year: str) -> str | None:
        """Return the key of what somebody wrote in a year such as "2019" or "2019b"."""
        name = (author_key(surname) or "").partition(" ")[0]
        keys = self.named.get((fold(surname).strip(), int(year[:4]))) or self.named.get(
            (name, int(year[:4])), ()
        )
        letter = year[4:5].lower()
        place = ord(letter) - ord("a") if letter.isascii() and letter else 0
        return keys[place] if 0 <= place < len(keys) else None


NO_LIST = CitedList()


def cited_list(references: Iterable[Reference]) -> CitedList:
    """Give each reference a key that no other one has, and sort them for looking up.

    Where no entry has a label of its own, and the others are known by no key either, entries are
    called by name and year; "Rivers2019b" is the second one of such.
    """
    given = list(references)
    owners: dict[str, int] = {}
    for place, work in enumerate(given):
        if work.key:
            owners.setdefault(work.key.casefold(), place)
    used, works = {*owners}, list[Reference]()
    for place, work in enumerate(given):
        if owners.get(work.key.casefold()) != place:  # Made up: a name, a year, a number.
            name = (author_key(work.authors[0]) or "").partition(" ")[0] if work.authors else ""
            stem = re.sub(r"\W", "", f"{name or 'work'}{work.year or ''}") or "work"
            numbered = (f"{stem}-{number}" for number in count(1))
            keys = chain((stem,), numbered) if name else numbered
            work = replace(work, key=next(key for key in keys if key not in used))
            used.add(work.key.casefold())
        works.append(work)
    named: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
    for work in works:
        # An author is called by the last word of the surname, or by the whole name.
        for author in work.authors[:1] if work.year is not None else ():
            surnames = (author_key(author) or "").partition(" ")[0], author.partition(",")[0]
            for surname in filter(None, (surnames[0], fold(surnames[1]).strip())):
                named[surname, work.year or 0][work.key] = None
    numbers = [work.key for work in works if work.key.isdecimal()]
    return CitedList(
        references=tuple(works),
        keys={work.key.casefold(): work.key for work in reversed(works)},
        named={at: tuple(keys) for at, keys in named.items()},
        numbered=2 * len(numbers) > len(works) and bool({"1", "2"} & {*numbers}),
    )


def printed_citations(
    text: str, listed: CitedList = NO_LIST, *, numbers: bool = True, typeset: bool = False
) -> list[Sign]:
    """Find the citations and gaps in a paragraph without markup: in order, none within another.

    A name in the running text stays, "Ash (1999) shows": only its year is taken for the citation,
    and only where the list has such a work.

    Args:
        text: the paragraph.
        listed: the draft's references; what is printed is known without, but cites nothing then.
        numbers: whether "[12, 14-16]" cites, unless the list is cited otherwise.
        typeset: whether a program set it that prints "(?)" for what is cited and missing.
    """
    signs = [*gaps(text)]
    missing = [gap.start for gap in signs]
    if typeset:
        signs += (Sign(*mark.span(), gap=True) for mark in _UNRESOLVED.finditer(text))
    # "[3, 5-7]", where works are listed by number or not listed at all.
    by_number = numbers and (listed.numbered or not listed.references)
    for mark in _NUMBER_MARK.finditer(text) if by_number else ():
        shown = re.sub(_LOCATOR + r"(?=\])", "", mark[0]) if "," in mark[0] else mark[0]
        ranges = [(int(first), int(last or first)) for first, last in _RANGE.findall(shown)]
        if any(first == 0 or last < first for first, last in ranges):
            continue  # An interval or an index.
        keys = _known(key for first, last in ranges for key in listed.numbers(first, last))
        # Without a list, a number of four digits is rather a year.
        if keys or (not listed.references and max(last for _, last in ranges) < 1000):
            signs.append(Sign(*mark.span(), keys))
    for mark in _LABEL_MARK.finditer(text):
        labels = re.split(rf"{_S}[,;]{_S}", mark[1].casefold())
        signs.append(Sign(*mark.span(), _known(map(listed.keys.get, labels))))
    signs += (
        sign
        for sign in _bracketed(text, listed)
        if not any(sign.start < start < sign.end for start in missing)
    )
    if listed.named:
        for names, years in _narrative(text):
            if keys := _works(names, years[1], listed):
                signs.append(Sign(*years.span(), keys))
    return apart(signs)


def apart(signs: Iterable[Sign]) -> list[Sign]:
    """Sort signs and leave out those that begin within another one."""
    separate: list[Sign] = []
    for sign in sorted(signs, key=lambda sign: (sign.start, -sign.end)):
        if not separate or sign.start >= separate[-1].end:
            separate.append(sign)
    return separate


def _bracketed(text: str, listed: CitedList) -> Iterator[Sign]:
    """Read "(Ash 1999; Beech 2001)": what is not listed must look it beyond doubt."""
    for bracket in _BRACKET.finditer(text):
        keys: list[str] = []
        sure = False
        for work in _DATED.finditer(text, *bracket.span(1)):
            keys += (cited := _works(work["names"], work["years"], listed))
            if cited:
                sure = True
            elif not _NO_NAME.search(work["names"]):
                before = text[max(work.start() - LONGEST_BRACKET, 0) : work.start()]
                begins = _INTRODUCTION.match(re.split(r"[(\[;]", before)[-1])
                several = re.search(rf"{_OTHERS}|\s{_AND}\s", work["names"])
                sure = sure or bool(begins or several)
        if sure:
            yield Sign(*bracket.span(), tuple(dict.fromkeys(keys)))


def _narrative(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Read "Ash and Beech (1999) show": the names, and the match of the years."""
    for years in _YEARS_ALONE.finditer(text):
        before = text[max(years.start() - _LOOKED_BACK, 0) : years.start()]
        if names := _NAMES_BEFORE.search(before):
            # Without "and", what stands before a comma is no name of the same list.
            spoken = _POSSESSIVE.sub("", names["names"])
            several = re.search(rf"\s{_AND}\s", re.sub(_OTHERS, "", spoken))
            yield spoken if several else spoken.rpartition(", ")[2], years


def _works(names: str, years: str, listed: CitedList) -> tuple[str, ...]:
    """Return what the first of these names that the list knows wrote in years: "2001a, b, 2004"."""
    if not listed.named:
        return ()
    dates, year = [], ""
    for part in re.split(rf"{_S},{_S}", years):
        year = part if len(part) > 1 else year
        if year[:4].isdecimal():  # Not "in press".
            dates.append(year[:4] + part if len(part) == 1 else part)
    for match in _SINGLE_NAME.finditer(re.sub(_OTHERS, "", names)):
        name = _POSSESSIVE.sub("", match[0])
        # Other words may precede a name, or follow it.
        for surname in dict.fromkeys((name, name.split()[-1])):
            if keys := _known(listed.dated(surname, date) for date in dates):
                return keys
    return ()


def _known(keys: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for key in keys if key))


def named_works(text: str) -> tuple[tuple[Reference, ...], tuple[str, ...]]:
    """Return the works that running text names by surnames and year, and a note that says so.

    Who writes without keys still says whom they cite. Such a work has surnames and a year, and
    nothing else: `query.matching` looks for the one paper of the corpus that fits.
    """
    plain = " ".join(text[:LONGEST_TEXT].split())
    places = [(years.start(), names, years[1]) for names, years in _narrative(plain)]
    for bracket in _BRACKET.finditer(plain):
        for work in _DATED.finditer(plain, *bracket.span(1)):
            places.append((work.start(), work["names"], work["years"]))
    works: dict[Reference, None] = {}
    for _, names, years in sorted(places):
        spoken = re.sub(_OTHERS, "", names)
        surnames = [name.split()[-1] for name in re.split(rf",? {_AND} |, ", spoken)]
        if any(_NO_SURNAME.match(name) or _NO_NAME.fullmatch(name) for name in surnames):
            continue
        authors = (*surnames, OTHERS) if spoken != names else tuple(surnames)
        said = spoken + (" et al." if spoken != names else "")
        for year in dict.fromkeys(re.findall(r"1[5-9]\d\d|20\d\d", years)):
            works[Reference(key=f"{said} ({year})", authors=authors, year=int(year))] = None
    if not works:
        return (), ()
    named = tuple(works)[:MOST_NAMED]
    verb = "is" if len(named) == 1 else "are"
    how = f"named in the text by surname and year, such as {named[0].key}."
    return named, (f"{counted(len(named), 'work')} {verb} {how}",)
