"""Read one work as a list of references prints it: first author, title, year, and its place.

Styles differ in how names begin, in whether the year follows them, and in whether the title stands
in quotation marks, ends at a full stop, or at a comma. Some, as in physics, leave the title out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from types import MappingProxyType
from typing import Any, TypeAlias

from recsys.formats.identifiers import acl, arxiv, doi
from recsys.formats.references.bibliography import identified, text_in
from recsys.formats.references.people import name_of, natural
from recsys.records import Reference

# Find the names at the beginning of a printed reference: who comes first, and where they end.

_UP = "A-Z\u00c0-\u00d6\u00d8-\u00de\u0100-\u024f\u0370-\u03ff\u0400-\u04ff\u1e00-\u1eff"
_WORD = rf"[{_UP}][^\W\d_]*(?:['\u2019\u2010\u2011-][^\W\d_]+){{0,3}}"
_PARTICLE = (
    r"(?:(?:[Vv]an|[Vv]on|[Dd]e|[Dd]er|den|[Dd]a|[Dd]i|[Ll]a|[Ll]e|[Dd]el|[Dd]os|[Dd]u|[Ee]l|al|"
    r"ten|ter|bin|ibn|zu|af) (?:(?:der|den|la|las|los|het) )?)?"
)
_SURNAME = rf"{_PARTICLE}{_WORD}(?: {_WORD})?"
_FORENAMES = rf"(?:[{_UP}]\. ?(?:[\u2010\u2011-] ?)?){{1,4}}"
_SUFFIX = r"(?:,? (?:Jr|Sr)\.?|,? I{2,3}\b)?"

_INITIALS_FIRST = rf"{_FORENAMES}{_SURNAME}{_SUFFIX}"
_SURNAME_FIRST = rf"{_SURNAME}{_SUFFIX}, {_FORENAMES}"
_YEAR_NEXT = rf"(?:1[5-9]|20)\d\d[a-z]? [{_UP}]"
_COMPACT = (
    rf"{_SURNAME} [A-Z]{{1,3}}(?:-[A-Z])?(?=[,;:]"
    # Not "Ada B. Ash and Carl Birch, ..." or "Ash A. & Birch B.".
    rf"|\.(?!,| [{_UP}]\.,| (?:and|&) "
    rf"| {_WORD} (?:and|&) (?:(?:{_WORD}|[{_UP}]\.) ){{1,2}}{_WORD},)"
    rf"| (?:and|&|et al\.?) | \(| {_YEAR_NEXT})"
)
_STOPPED_COMPACT = (
    rf"{_SURNAME} (?:[{_UP}]\.[ \u2010\u2011-]?){{1,3}}(?<! )"
    rf"(?=[,;:]| (?:and|&|et al\.?) | \(| {_YEAR_NEXT})"
)
_CAPITALS = r"[A-Z]{1,3}(?![\w'\u2019\u2010\u2011-])"
_UNSTOPPED = (
    rf"{_SURNAME}{_SUFFIX}, [{_UP}]{{1,3}}(?:[ -][{_UP}]){{0,2}}(?:\.(?! ?\w\.)|(?![\w.'\u2019-]))"
)
_FULL = rf"(?:{_WORD} |[{_UP}]\. ?){{1,3}}{_PARTICLE}(?!{_CAPITALS}){_WORD}{_SUFFIX}"
_INVERTED = rf"{_SURNAME}{_SUFFIX}, (?=\w\w){_WORD}(?: (?:[{_UP}]\.|{_WORD}))?"

_FORMS = tuple(
    (re.compile(first), re.compile(others))
    for first, others in (
        (_SURNAME_FIRST, rf"{_SURNAME_FIRST}|{_INITIALS_FIRST}"),
        (_INITIALS_FIRST, _INITIALS_FIRST),
        (_FULL, _FULL),
        (_COMPACT, _COMPACT),
        (_STOPPED_COMPACT, rf"{_SURNAME} {_FORENAMES}"),
        (_UNSTOPPED, rf"{_UNSTOPPED}|{_SURNAME_FIRST}|{_INITIALS_FIRST}"),
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
    rf"(?:,? ?(?:and|&) (?:the )?(?:{_WORD} ){{1,6}}"
    r"(?:Collaboration|Collaborators|Consortium|Group|Initiative|Investigators|Network|Team)\b)?"
)
_NAMES_DATED = re.compile(
    r" ?[.,:]? ?(?:[(\[](?P<a>1[5-9]\d\d|20\d\d)[a-z]?(?:[,/ ][^()\[\]]{1,25})?[)\]][.,:]?"
    rf"|(?P<b>1[5-9]\d\d|20\d\d)[a-z]?(?:[.,:]|(?P<bare>)(?= [{_UP}\u201c\"\u2018]))"
    r"|[(\[](?i:n\.? ?d\.?|no date|in (?:press|prep|review)|to appear|forthcoming|submitted"
    r"|accepted|under review)[^()\[\]]{0,25}[)\]][.,:]?)\s+"
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
    """Read the names with which a reference begins; None where it begins otherwise.

    Of several ways to read them, one in which more than a comma or a colon ends them goes first.
    """
    readings = []
    for name, others in _first_names(text):
        end = name.end()
        while between := _BETWEEN.match(text, end):
            other = others.match(text, between.end())
            if other is None or not _ENDED.match(text, other.end()):
                break
            end = other.end()
        rest = _OTHERS.match(text, end)
        end = rest.end() if rest else end
        dated, stop = _NAMES_DATED.match(text, end), _STOP.match(text, end)
        if dated and dated["bare"] is not None and _DATED_LATER.search(text, dated.end()):
            dated = None  # "2016 Guidelines of ..." is a title that begins with a year.
        closed = dated or stop or _COMMA.match(text, end)
        if closed:
            plain = name[0].strip().rstrip(",")
            readings.append(
                PrintedNames(
                    first=name_of(plain).natural,
                    end=closed.end(),
                    year=int(year) if dated and (year := dated["a"] or dated["b"]) else None,
                    comma=not (dated or stop),
                    colon=text[: closed.end()].rstrip().endswith(":"),
                )
            )
    return min(readings, key=lambda names: 2 * names.comma + names.colon, default=None)


def begins_with_name(line: str) -> bool:
    """Whether a line may be the first of a reference: it begins with a name."""
    return any(_first_names(line))


def _first_names(text: str) -> Iterator[tuple[re.Match[str], re.Pattern[str]]]:
    """Yield a match of the first name for each form in which it may be written, with the others."""
    for first, others in _FORMS:
        if (name := first.match(text)) and _ENDED.match(text, name.end()):
            yield name, others


# Read where a work appeared out of what follows its title: journal, volume, first page, year.

_Y = r"(?:1[5-9]\d\d|20\d\d)"
_NUMBER = r"[A-Za-z]{0,2}\d{1,7}"
_DAY = rf"\d{{1,2}}, {_Y}(?! ?[(\u2013-])\b"
_VOLUMES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?i)[,.]? ?\bvol(?:ume|\.)? ?(?P<volume>\w{1,6})",
        rf"(?<![\w\u2013-])(?P<volume>\d{{1,4}}), ?\d{{1,3}} \((?:[A-Z][a-z]+\.? )?{_Y}\)[,:] ",
        # No space may be left before what is set in another font.
        rf"(?<![\d\u2013-])(?P<volume>\d{{1,4}}) ?\((?!{_Y}\))[^()]{{1,16}}\)",
        r";\s?(?P<volume>\d{1,4}) ?[:(]",
        rf"(?<![\w\u2013-])(?P<volume>\d{{1,4}}) \({_Y}\) {_NUMBER}",
        rf"(?<![\d\u2013(-])(?!{_Y}\b|{_DAY})(?P<volume>\d{{1,4}}) ?[,:] ?{_NUMBER}\b",
        rf"(?<![\w\u2013(-])(?!{_Y}\b)(?P<volume>\d{{1,4}}) \({_Y}\)",
    )
)
_PAGES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:[,.;(] ?|\b)(?:pp?|[Pp]ages?|[Aa]rticle|Art)\b\.? ?(?:no\.? ?|number )?"
        rf"(?P<page>{_NUMBER})\b",
        rf"(?<=[\d)]): ?(?P<page>{_NUMBER})\b(?!\))",
        rf"(?<![\w.\u2013-])(?P<page>{_NUMBER}) ?[\u2013\u2014-] ?[A-Za-z]{{0,2}}\d{{1,7}}\b",
        rf"(?<![\w\u2013(-])\d{{1,4}}, ?(?P<page>{_NUMBER}) \({_Y}\)",
        rf"\({_Y}\),? (?P<page>{_NUMBER})\b",
        rf"(?<![\w\u2013(-])\d{{1,4}}, ?(?!{_Y}\b)(?P<page>{_NUMBER})[.,;]*\Z",
    )
)
_YEAR_MARKED = re.compile(rf"[(\[](?:[^()\[\]]{{0,20}}[ ,])?({_Y})[a-z]?[)\]]")
_DATED_LATER = re.compile(rf"[(\[]{_Y}[a-z]?[)\]]|[ ;,]{_Y}[a-z]?(?:;|[ .,]*\Z)")
_YEAR = re.compile(rf"(?<![\w/\u2013-])({_Y})[a-z]?(?![\w/-])(?! ?\u2013)")
_SPAN = re.compile(r"\d+ ?[\u2013\u2014-] ?\d+")
_CUT = re.compile(
    rf"[,.;] ?\(?{_Y}|\({_Y}|\(pp|\barXiv:|\bdoi\b|https?:|[,;] ?(?:no|vol|issue)\b\.?|;"
)
_INTRODUCED = re.compile(
    r"\A[\s,.;:(]*(?:[Dd]ated: )?(?:[Pp]ublished )?"
    r"(?:(?:[Ii]n|IN)(?:: | (?=[^a-z])|(?=Proc))|[Ii]n: )?"
)
_EDITED = re.compile(r"\A.{3,150}?(?:\b[Ee]ditors?,|\([Ee]ds?\.?\)[,.:]?|\b[Ee]ds?\.,?) ")
_ENDING_YEAR = re.compile(rf"[ ,.]+{_Y}[ ,.;:]*\Z")
_PARTS = re.compile(r"(?<=[a-z\u00df-\u00ff]{7})[.] +(?=[A-Z])|, +(?:edited by|pages?|pp?\.)")
"""A full stop after a long word is none of an abbreviation."""


def place_of(text: str) -> Reference:
    """Read what follows a title: where a work appeared, each field None where nothing says so."""
    volume = next(filter(None, (pattern.search(text) for pattern in _VOLUMES)), None)
    page = next(filter(None, (pattern.search(text) for pattern in _PAGES)), None)
    ends = [match.start() for match in (volume, page, _CUT.search(text)) if match]
    # The editors, and what goes before and after, are not the name of the journal or book.
    venue = text[: min(ends, default=len(text))]
    venue = _EDITED.sub("", _INTRODUCED.sub("", venue, count=1), count=1)
    venue = _ENDING_YEAR.sub("", _PARTS.split(venue, maxsplit=1)[0])
    venue = venue.strip(" ,.;:()[]\u201c\u201d\"'")
    return Reference(
        venue=venue if sum(map(str.isalpha, venue)) > 2 and len(venue) < 250 else None,
        volume=volume["volume"] if volume else None,
        page=page["page"] if page else None,
        year=year_of(text),
    )


def year_of(text: str) -> int | None:
    """Return the year in brackets, else the last one that belongs to no span of pages."""
    years = _YEAR_MARKED.findall(text) or _YEAR.findall(_SPAN.sub(" ", text))
    return int(years[-1]) if years else None


_ADDRESS = re.compile(
    r"(?:\b(?:doi|urls?|available(?: online)?(?: at| from)?|from|at)\b:?\s?)?<?\bhttps?://\S{1,300}"
    r"|\bdoi\b:?\s?10\.\S{1,300}|\bdoi\.org/\S{1,300}|\barxiv:\s?\S{1,40}"
    r"|(?<![\w./])10\.\d{4,9}/\S{1,300}",
    re.IGNORECASE,
)
_SEEN = re.compile(
    r"(?:(?<=[.,;] )|[\[(])(?:[Ll]ast )?(?:[Aa]ccess|[Rr]etriev|[Vv]isit|[Vv]iew|cit)ed\b"
    rf"[^.()\[\]]{{0,40}}\b{_Y}\b[^.()\[\]]{{0,12}}[\])]?"
)
"""The day on which an address was looked at, which is no year of a work."""
_LAST_PART = r"(?:0\d+|x|(?!(?:19|20)\d\d\b)\d+(?=[.,;]|\Z))"
_PART_NEXT = rf"\.(?= (?:[a-z(][\w.()]*\d|\d+[./-]\w|\d{{5}}|{_LAST_PART}\b))"
_SPLIT_DOI = re.compile(
    rf"(10\.\d{{4,9}}/\S{{0,300}}(?:[/_-]|{_PART_NEXT})"
    rf"|https?:(?://\S{{0,300}}(?:[/-]|{_PART_NEXT}))?) (?=[\w(/])"
)
"""What is set over two lines; behind a full stop, only what looks like a part of a DOI."""
_QUOTED = re.compile(
    r"[\u201c\u201e\"]([^\u201c\u201d\"]{8,300}?)[,.?!]?[\u201d\u201c\"]|``(.{8,300}?)[,.]?''"
    r"|\u00ab ?([^\u00ab\u00bb]{8,300}?) ?\u00bb"
    r"|(?<![^\W_])\u2018([^\u2018]{8,300}?)[,.]?\u2019(?=[,.;]| [A-Z(])"
    r"|(?<![^\W_])'((?:[^'\n]|(?<=\w)'(?=\w)){8,300}?)[,.]?'(?=[,.;]| [A-Z(])"
)
# A full stop that ends no abbreviation, before a capital, a digit, a quotation mark or "iName".
_SENTENCE = re.compile(
    r"(?<![\s.(-][A-Z])(?<!\A[A-Z])(?<!\bal)(?<!\bvol)(?<!\bno)(?<!\bed)(?<!\beds)(?<!\bJr)(?<!\bMd)"
    r"(?<!\bvs)(?<!\bSt)(?<!\bDr)(?<!\bcf)"
    r"[.?!]\s+(?=[^\w\s]|[A-Z\u00c0-\u00de\d]|[a-z]{1,5}[A-Z])"
)
_DATED = re.compile(
    r"[(\[]?(?:1[89]\d\d|20\d\d)[a-z]?[)\]]?[.,:]\s+|\((?:1[89]\d\d|20\d\d)[a-z]?\)\s+"
    rf"|(?<=[.,] )(?:1[89]\d\d|20\d\d)[a-z]? (?=[{_UP}\u201c\"])"
)
_PLACED = re.compile(r"(?:In|in):? |Proc|Advances in|Journal|Trans|arXiv|ar[Xx]iv|Preprint|\d")
"""How what follows a title may begin, where a question mark may or may not end it."""
_COMMA_PLACE = re.compile(r"(?:,|(?<=\?),?) (?:in:? (?=[A-Z\u201c])|(?=[A-Z]|arXiv|preprint|tech))")
_WITHIN = re.compile(r"(?:,|(?<=\?),?) (?:in: (?=[A-Z])|in (?=Proc))")
_COMMA_NUMBER = re.compile(r", (?=[(\d])")
_COMMA_JOURNAL = re.compile(rf", (?=[{_UP}][^,:;?\d]{{1,80}}, [A-Z]?\d{{1,4}}, [A-Z]?\d)")
"""Before "Journal, 12, 34", as astronomers print it."""
_UNTITLED = re.compile(
    r"(?:in:? [A-Z]|arXiv(?: preprint)?\b|(?P<venue>[^,\u201c\"?]{2,80}?)(?P<comma>,?)"
    r" (?:vol\. )?\d{1,4}(?: ?\([^()]{1,12}\))?(?:, | ?: ?| \((?=\d{4})| (?=[A-Z]?\d{2,7}\.?\Z))"
    r"(?:no\. \d+, )?(?:pp?\. )?\(?[A-Za-z]{0,2}\d)"
)
_SMALL = frozenset(
    "and et al van von de der den da di la le del dos bin eds ed of the in on for und fur".split()
)
_INITIALS = re.compile(r"(?:[A-Z]\.?[\s-]?){1,4}\Z")
LONGEST_TITLE_WORDS = 45
MOST_REFERENCES, LONGEST_ENTRY = 2_000, 2_000
"""Works of a printed list, and characters of one of them, that are read."""
BRACKETED = re.compile(r"\A\[([^\]\s][^\]]{0,60})\]\s*")
NUMBERED = re.compile(r"\A(\d{1,4})[.)]?\s+(?=\D)")
"""Markers of the works in such a list."""


_LED_BY_YEAR = re.compile(rf"({_Y})[a-z]?[.:,]? ")
_SAME_NAMES = re.compile(r"(?:[\u2014\u2013]{2,}|-{3,}|_{3,})(?=[.,]? )")
"""What stands for the names of the work before, in Chicago's style."""


def printed_work(text: str, key: str = "") -> Reference:
    """Read one work without its marker."""
    whole = _SPLIT_DOI.sub(r"\1", text)
    plain = _SEEN.sub("", " ".join(_ADDRESS.sub("", whole).split()))
    led = _LED_BY_YEAR.match(plain)
    if led and (names_at_beginning(plain[led.end() :]) is not None):
        plain = plain[led.end() :]
    else:
        led = None
    names = names_at_beginning(plain)
    title, start, end = _title(plain, names)
    work = place_of(plain[end:])
    first = names.first if names else None
    if title and names is None:
        # Of names in a form that is not known, the first ends at a comma.
        before, *others = re.split(
            r",\s*|\s+(?:and|&)\s+|\s+et al\b|;\s*", plain.strip(), maxsplit=2
        )
        if others and _INITIALS.fullmatch(others[0].strip()):
            first = f"{others[0].strip()} {before}"
        else:
            before = _SENTENCE.split(before, maxsplit=1)[0].strip(" .")
            first = name_of(before).natural if 0 < len(before.split()) <= 5 else None
    return replace(
        work,
        key=key,
        title=title,
        authors=(first,) if first else (),
        others=first is not None,
        year=(names.year if names else None)
        or (int(led[1]) if led else None)
        or work.year
        or year_of(plain[:start]),
        venue=work.venue if title or names else None,
        doi=doi(whole),
        arxiv=arxiv(whole),
        acl=acl(whole),
    )


def listed_work(text: str, key: str = "") -> Reference:
    """Read an item of a list: a work in full, else its identifier, and a title that stands beside.

    What may be names or a journal is no title: one that is not the work's would speak against its
    identifier.
    """
    work = printed_work(text, key)
    if work.title and work.authors:
        return work
    rest = " ".join(_ADDRESS.sub("", _SPLIT_DOI.sub(r"\1", text)).split()).strip(" .,;:()[]<>")
    known = work.doi or work.arxiv or work.acl
    beside = known and not (begins_with_name(rest) or _is_capital(rest)) and rest.count(" ") > 1
    title = _plausible(rest) if beside else None
    return Reference(key=key, title=title, doi=work.doi, arxiv=work.arxiv, acl=work.acl)


def is_printed(text: str, work: Reference) -> bool:
    """Whether a text is a printed reference, of which a work was read, beyond doubt; no title."""
    if not (work.title and work.authors):
        return False
    names = names_at_beginning(text)
    dated = names.year if names else re.search(rf"\({_Y}[a-z]?\)[.,:]? ", text)
    quoted = names and _QUOTED.search(text)
    initial = re.search(rf"\b[{_UP}]\b", work.authors[0])
    placed = work.volume or work.page
    return bool(dated or (quoted and initial) or (work.year and (initial or placed)))


_BULLET = r"[-*+\u00b7\u2022\u2013\u25aa\u25cf\u25e6\uf0b7][^\S\n]+"
_MARKER = re.compile(
    rf"[^\S\n]{{0,8}}(?:{_BULLET})?(?:\[\^?(\d{{1,4}})\](?!\():?[^\S\n]*"
    r"|\[([^\]\n]{1,30})\]:?[^\S\n]+|\(?(1[0-4]\d\d|\d{1,3})(?:\)|\\?\.)[^\S\n]+)"
    rf"|[^\S\n]{{0,8}}{_BULLET}"
)
"""What may stand before a work in a list: "[3]", "[Ash20]", "3.", "(3)", "- "."""
_NUMBER_ALONE = re.compile(r"[^\S\n]{0,8}(\d{1,3})[^\S\n]+(?=\D)")
_BLANK = re.compile(r"\n(?:[^\S\n]*\n)+")
_ENDED_ITEM = re.compile(r"(?:[.!?)\]\u201d\"\d]|10\.\d{4,9}/\S+|https?://\S+)\s*\Z")
_LONGEST_END = 300  # characters of a line by whose end the next one is judged
_GOES_ON = re.compile(rf"(?:[,;:&]|\b{_AND})\s*\Z")
BROKEN_DOI = re.compile(r"(\b10\.\d{4,9}/\S{0,200}[/_-])\n(?=\S)")


def begins_item(line: str) -> bool:
    """Whether a line has the marker of an item of a list, or begins with a name."""
    return bool(_MARKER.match(line) or _SAME_NAMES.match(line)) or begins_with_name(line)


def marker_of(item: str) -> tuple[str, str]:
    """Split what marks an item of a list, such as "3" of "[3]", from the rest; "" for a dash."""
    mark = _MARKER.match(item)
    return (mark[1] or mark[2] or mark[3] or "", item[mark.end() :]) if mark else ("", item)


def numbered(lines: Sequence[str]) -> list[str]:
    """Put full stops behind the numbers of lines where these run from 1 on: "1 Ash", "2 Birch"."""
    marks = [mark for line in lines if (mark := _NUMBER_ALONE.match(line))]
    if len(marks) < 2 or [int(mark[1]) for mark in marks] != [*range(1, len(marks) + 1)]:
        return list(lines)
    return [_NUMBER_ALONE.sub(r"\1. ", line, count=1) for line in lines]


def list_items(text: str) -> list[str]:
    """Split a list of works at its markers, else at blank lines and at lines that begin a work."""
    text = BROKEN_DOI.sub(r"\1", text)
    lines = numbered([line for line in text.split("\n") if line.strip()])
    starts = [place for place, line in enumerate(lines) if _MARKER.match(line)]
    # A few marks further down are wrapped lines, such as "12. Springer, Berlin."
    if starts and 2 * starts[0] < len(starts):
        return ["\n".join(lines[a:b]) for a, b in pairwise([*starts, len(lines)])]
    parts = [part for part in _BLANK.split(text) if part.strip()]
    return with_names([item for part in parts for item in _of_part(part, single=len(parts) == 1)])


def with_names(items: Sequence[str]) -> list[str]:
    """Put the first author of the work before where a dash stands for the names."""
    told, first = list[str](), None
    for item, following in zip_longest(items, items[1:], fillvalue=""):
        if first and _SAME_NAMES.match(item):
            told.append(_SAME_NAMES.sub(first, item, count=1))
            continue
        told.append(item)
        first = None
        if _SAME_NAMES.match(following):
            first = next(iter(printed_work(item[:LONGEST_ENTRY]).authors), None)
    return told


def _of_part(part: str, *, single: bool) -> list[str]:
    """Split what stands between blank lines where it holds several works.

    single: nothing else stands in the list, so that each line is rather a work of its own.
    """
    lines = [line for line in part.split("\n") if line.strip()]
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    items: list[str] = []
    for line in lines:
        end = items[-1][-_LONGEST_END:] if items else ""
        inside = len(line) - len(line.lstrip()) > margin or _GOES_ON.search(end)
        ended = _ENDED_ITEM.search(end) is not None
        if single:
            begins = ended or begins_with_name(line[:LONGEST_ENTRY])
        else:
            names = names_at_beginning(line[:LONGEST_ENTRY]) if ended else None
            begins = bool(names and (names.year or re.search(rf"\b[{_UP}]\b", names.first)))
        if items and (inside or not begins):
            items[-1] += f"\n{line}"
        else:
            items.append(line)
    return items


def marked_work(text: str) -> Reference:
    """Read one work as a list of references prints it, with its marker such as "[3]" or "3."."""
    mark = BRACKETED.match(text) or NUMBERED.match(text)
    return printed_work(text[mark.end() :], mark[1]) if mark else printed_work(text)


def identified_works(text: str) -> list[Reference]:
    """Read the works that a text names by identifier, where nothing else tells them apart."""
    addresses = _ADDRESS.findall(_SPLIT_DOI.sub(r"\1", text))
    works = [identified(Reference(), address) for address in addresses]
    return list(dict.fromkeys(work for work in works if work.doi or work.arxiv or work.acl))


def _title(text: str, names: PrintedNames | None) -> tuple[str | None, int, int]:
    """Find the title: (its text, where it begins, where it ends)."""
    quoted = _QUOTED.search(text)
    after_names = quoted and names and quoted.start() <= names.end + 3
    if quoted and (not names or after_names or _is_capital(text[: quoted.start()])):
        words = next(filter(None, quoted.groups()))
        question = text[quoted.start() + 1 + len(words) :][:1] in "?!"
        return _plausible(words + ("?" if question else "")), quoted.start(), quoted.end()
    if names is None:
        # A title may begin after what are names in a form that is not known.
        dated, sentence = _DATED.search(text), _SENTENCE.search(text)
        if dated is None or not 3 < dated.start() < 0.6 * len(text):
            dated = None
        for before in filter(None, (dated, sentence)):
            if _is_capital(text[: before.start()]):
                end = _end_of_sentence(text, before.end())
                return _plausible(text[before.end() : end]), before.end(), end
        return None, 0, 0
    begin = names.end
    untitled = _UNTITLED.match(text[begin:])  # A journal with its volume follows at once.
    journal = (untitled["venue"] if untitled else None) or ""
    # "Winter Nests of Elms. Nature" is a title in capitals before a journal.
    head, *others = _SENTENCE.split(journal, maxsplit=1)
    capital = _is_capital(journal, share=1.0) and not (others and head.count(" ") > 1)
    if untitled and ((names.comma and not untitled["comma"]) or capital):
        return None, begin, begin
    end = _end_of_sentence(text, begin)
    if names.comma:
        stops = (
            pattern.search(text, begin) for pattern in (_COMMA_PLACE, _COMMA_NUMBER, _SENTENCE)
        )
        end = next((stop.start() for stop in stops if stop), len(text))
    elif place := _COMMA_JOURNAL.search(text, begin):
        end = min(end, place.start())
    return _plausible(text[begin:end]), begin, end


def _end_of_sentence(text: str, begin: int) -> int:
    """Return where the sentence ends; a question may be the first half of a title."""
    if within := _WITHIN.search(text, begin):
        return within.start()
    stops = _SENTENCE.finditer(text, begin)
    stop = next(stops, None)
    if stop is None:
        return len(text)
    after = text[stop.end() :]
    if stop[0][0] in "?!" and not _PLACED.match(after):
        further = next(stops, None)
        between = text[stop.end() : further.start()] if further else ""
        follows = text[further.end() :][:1] if further else ""
        goes_on = between and not re.search(r"\d", between) and not _is_capital(between, share=1.0)
        if goes_on and follows.isalpha():
            stop = further or stop
    return stop.start() + (stop[0][0] in "?!")


def _is_capital(text: str, *, share: float = 0.6) -> bool:
    """Whether most words begin with a capital letter, as names and journals do."""
    words = [word for word in re.findall(r"[^\W\d_]+", text) if word not in _SMALL]
    return bool(words) and sum(word[0].isupper() for word in words) >= share * len(words)


def _plausible(text: str) -> str | None:
    title = text.strip(" .,;:\u201c\u201d\"'")
    return title if 1 < len(title.split()) <= LONGEST_TITLE_WORDS and title[:3] != "In " else None


# Read a cited work that a list of references gives as text, without fields.

Known: TypeAlias = Mapping[str, Any]
"""Fields of a reference by name."""
LONGEST = 2_000
"""Characters that are read of one cited work."""

# What medical journals print after the name of the journal: "2001 Mar 5;12(3):45-50".
_NUMBERS = re.compile(
    r"(?<![\d/.:-])(1[89]\d\d|20\d\d)[a-z]?\b[^;:\d]{0,12}[\d-]{0,5};\s?([A-Za-z]?\d[\w-]{0,9})?"
    r"(?:\s?(?:Suppl|Pt)\s?\d{0,3})?(?:\s?\([^()]{0,40}\))?(?:\s?:\s?([A-Za-z]{0,3}\d[\w.]{0,15}))?"
)
# "Smith J, Doe A.": the first of the authors.
_COMPACT_NAME = re.compile(r"([^\W\d_][^\d,.:;()]{0,60}?) ([A-Z]{1,4})(?=[.;,]|\s+et\s+al)")
_STOPPED = re.compile(r"(?<=[.?!])\s+")
_NOTHING: Known = MappingProxyType({})


def cited_work(text: str | None, known: Known = _NOTHING) -> Reference:
    """Read one cited work that is text without fields; what is not understood is unknown.

    Most that databases have are as medicine prints them, and quickly taken apart.

    known: fields of the work that are told elsewhere, and are not looked for in the text.
    """
    plain = text_in((text or "")[:LONGEST]) or ""
    numbers = _NUMBERS.search(plain)
    if numbers is None:
        work = printed_work(plain)
        return replace(work, authors=tuple(map(natural, work.authors)), others=False, **known)
    # "Smith J, Doe A. Title. Journal. 2001;12(3):45", of which each may lack.
    name = _COMPACT_NAME.match(plain)
    before = (part.strip(" .") for part in _STOPPED.split(plain[: numbers.start()]))
    rest = list(filter(None, before))[bool(name) :]
    titled = len(rest) > 1
    own: Known = {
        "title": rest[0] if titled else None,
        "authors": (f"{name[2]} {name[1]}",) if name else (),
        "year": int(numbers[1]),
        "venue": ". ".join(rest[titled:]) or None,
        "volume": numbers[2],
        "page": numbers[3],
        "doi": doi(plain) if "10." in plain else None,
        "arxiv": arxiv(plain) if "rxiv" in plain else None,
    }
    return Reference(**{**own, **known})
