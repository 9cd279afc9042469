"""Read one work as a list of references prints it: first author, title, year, and its place.

Styles differ in how names begin, in whether the year follows them, and in whether the title stands
in quotation marks, ends at a full stop, or at a comma. Some, as in physics, leave the title out.
"""

import re

from recsys.formats.identifiers import acl, arxiv, doi
from recsys.formats.printed.journal_places import place_of, year_of
from recsys.formats.printed.printed_names import PrintedNames, names_at_beginning
from recsys.records import Reference

_ADDRESS = re.compile(
    r"\bhttps?://\S{1,300}|\bdoi\b:?\s?10\.\S{1,300}|\bdoi\.org/\S{1,300}|\barxiv:\s?\S{1,40}",
    re.IGNORECASE,
)
_SPLIT_DOI = re.compile(r"(10\.\d{4,9}/\S{0,300}[./_-]|https?:(?://\S{0,300}[/.-])?) (?=[\w(/])")
_QUOTED = re.compile(
    r"[\u201c\u201e\"]([^\u201c\u201d\"]{8,300}?)[,.?!]?[\u201d\u201c\"]|``(.{8,300}?)[,.]?''"
    r"|(?<![^\W_])\u2018([^\u2018]{8,300}?)[,.]?\u2019(?=[,.;]| [A-Z(])"
)
# A full stop that ends no abbreviation, before a capital, a digit, a quotation mark or "iName".
_SENTENCE = re.compile(
    r"(?<![\s.(-][A-Z])(?<!\A[A-Z])(?<!\bal)(?<!\bvol)(?<!\bno)(?<!\bed)(?<!\beds)(?<!\bJr)(?<!\bMd)"
    r"(?<!\bvs)(?<!\bSt)(?<!\bDr)(?<!\bcf)"
    r"[.?!]\s+(?=[^\w\s]|[A-Z\u00c0-\u00de\d]|[a-z]{1,5}[A-Z])"
)
_DATED = re.compile(
    r"[(\[]?(?:1[89]\d\d|20\d\d)[a-z]?[)\]]?[.,:]\s+|\((?:1[89]\d\d|20\d\d)[a-z]?\)\s+"
)
_PLACED = re.compile(r"(?:In|in):? |Proc|Advances in|Journal|Trans|arXiv|ar[Xx]iv|Preprint|\d")
"""How what follows a title may begin, where a question mark may or may not end it."""
_COMMA_PLACE = re.compile(r"(?:,|(?<=\?),?) (?:in:? (?=[A-Z\u201c])|(?=[A-Z]|arXiv|preprint|tech))")
_WITHIN = re.compile(r"(?:,|(?<=\?),?) (?:in: (?=[A-Z])|in (?=Proc))")
_COMMA_NUMBER = re.compile(r", (?=[(\d])")
_UNTITLED = re.compile(
    r"(?:in:? [A-Z]|arXiv(?: preprint)?\b|(?P<venue>[^,\u201c\"?]{2,80}?) (?:vol\. )?\d{1,4}"
    r"(?: ?\([^()]{1,12}\))?(?:, | ?: ?| \((?=\d{4}))(?:no\. \d+, )?(?:pp?\. )?\(?[A-Za-z]{0,2}\d)"
)
_SMALL = frozenset(
    "and et al van von de der den da di la le del dos bin eds ed of the in on for und fur".split()
)
_INITIALS = re.compile(r"(?:[A-Z]\.?[\s-]?){1,4}\Z")
LONGEST_TITLE_WORDS = 45


def printed_work(text: str, key: str = "") -> Reference:
    """Read one work without its marker."""
    whole = _SPLIT_DOI.sub(r"\1", text)
    plain = " ".join(_ADDRESS.sub("", whole).split())
    names = names_at_beginning(plain)
    title, start, end = _title(plain, names)
    place = place_of(plain[end:])
    year = (names.year if names else None) or place.year or year_of(plain[:start])
    return Reference(
        key=key,
        title=title,
        authors=_first_author(plain, names) if title or names else (),
        year=year,
        venue=place.venue if title or names else None,
        doi=doi(whole),
        arxiv=arxiv(whole),
        acl=acl(whole),
        volume=place.volume,
        page=place.page,
    )


def identified_works(text: str) -> list[Reference]:
    """Read the works that a text names by identifier, where nothing else tells them apart."""
    found = [
        Reference(doi=doi(each), arxiv=arxiv(each), acl=acl(each))
        for each in _ADDRESS.findall(_SPLIT_DOI.sub(r"\1", text))
    ]
    return list(dict.fromkeys(work for work in found if work.doi or work.arxiv or work.acl))


def _title(text: str, names: PrintedNames | None) -> tuple[str | None, int, int]:
    """Find the title: (its text, where it begins, where it ends)."""
    quoted = _QUOTED.search(text)
    after_names = quoted and names and quoted.start() <= names.end + 3
    if quoted and (not names or after_names or _is_capital(text[: quoted.start()])):
        words = quoted[1] or quoted[2] or quoted[3]
        question = text[quoted.start() + 1 + len(words) :][:1] in "?!"
        return _plausible(words + ("?" if question else "")), quoted.start(), quoted.end()
    begin = names.end if names else _begin_without_names(text)
    if begin is None:
        return None, 0, 0
    if names and _is_untitled(text[begin:], comma=names.comma):
        return None, begin, begin
    end = _end_at_comma(text, begin) if names and names.comma else _end_of_sentence(text, begin)
    title = _plausible(text[begin:end])
    return title, begin, end


def _begin_without_names(text: str) -> int | None:
    """Return where a title begins after what may be names in a form that is not known."""
    dated = _DATED.search(text)
    if dated and 3 < dated.start() < 0.6 * len(text) and _is_capital(text[: dated.start()]):
        return dated.end()
    first = _SENTENCE.search(text)
    return first.end() if first and _is_capital(text[: first.start()]) else None


def _is_untitled(rest: str, *, comma: bool) -> bool:
    """Whether a journal with its volume follows the names at once."""
    found = _UNTITLED.match(rest)
    if found is None:
        return False
    return comma or (found["venue"] is not None and _is_capital(found["venue"], share=1.0))


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


def _end_at_comma(text: str, begin: int) -> int:
    for pattern in (_COMMA_PLACE, _COMMA_NUMBER, _SENTENCE):
        if found := pattern.search(text, begin):
            return found.start()
    return len(text)


def _is_capital(text: str, *, share: float = 0.6) -> bool:
    """Whether most words begin with a capital letter, as names and journals do."""
    words = [word for word in re.findall(r"[^\W\d_]+", text) if word not in _SMALL]
    return bool(words) and sum(word[0].isupper() for word in words) >= share * len(words)


def _plausible(text: str) -> str | None:
    title = text.strip(" .,;:\u201c\u201d\"'")
    return title if 1 < len(title.split()) <= LONGEST_TITLE_WORDS and title[:3] != "In " else None


def _first_author(text: str, names: PrintedNames | None) -> tuple[str, ...]:
    """Return the first author; in forms that are not known, what stands before the first comma."""
    if names:
        return (names.first,)
    parts = re.split(r",\s*|\s+(?:and|&)\s+|\s+et al\b|;\s*", text.strip(), maxsplit=2)
    if len(parts) > 1 and _INITIALS.fullmatch(parts[1].strip()):
        return (f"{parts[1].strip()} {parts[0]}",)
    first = _SENTENCE.split(parts[0], maxsplit=1)[0].strip(" .")
    return (first,) if 0 < len(first.split()) <= 5 else ()
