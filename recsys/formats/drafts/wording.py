"""Bring the words of a draft into one shape, and find the keywords that it states."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from reprlib import Repr

from recsys.formats.bodies.headings import is_beside_title, is_section_name
from recsys.store.words import cleaned_keyphrases

OPENING_WORDS = 250
"""How much of a text stands in for an abstract that is not there."""
LONGEST_TEXT = 4 * 2**20
"""Characters of a text that are looked through for its parts."""
MOST_SECTIONS = 1_000
EARLIEST_YEAR, LATEST_YEAR = 1000, 2999
NO_TITLE = "No title was found: give it by --title."
GUESSED_TITLE = "The title is a guess: give --title if it is wrong."
OTHERS = "others"
"""Stands for the authors whom "et al." leaves out, as in BibTeX."""

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\s]+")
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_SHORT = 40
_REPR = Repr()  # An alias of YAML may stand for more than memory holds: not everything is written.
_REPR.maxlevel, _REPR.maxstring, _REPR.maxlong, _REPR.maxother = 3, 4 * _SHORT, 40, 4 * _SHORT
_REPR.maxlist = _REPR.maxdict = _SHORT


def clean(text: str) -> str:
    """Collapse white space, control characters and half surrogate pairs into single spaces."""
    return _UNPRINTABLE.sub(" ", text).strip()


def short(value: object) -> str:
    """Show a value within a message, on one line."""
    text = clean(_REPR.repr(value)[: 4 * _SHORT])
    return text if len(text) <= _SHORT else text[: _SHORT - 3] + "..."


def counted(number: int, noun: str) -> str:
    """Say a number of things: "1 work", "2 works"."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def clipped(text: str) -> tuple[str, tuple[str, ...]]:
    """Cut a text at `LONGEST_TEXT`; the note says so where anything was cut."""
    if len(text) <= LONGEST_TEXT:
        return text, ()
    return text[:LONGEST_TEXT], (f"Only the first {LONGEST_TEXT:,} characters are read.",)


def paragraphs(text: str) -> list[str]:
    """Split a text at its blank lines."""
    return [part.strip() for part in _PARAGRAPH.split(text) if part.strip()]


def opening(parts: Iterable[str]) -> str | None:
    """Join paragraphs until they have `OPENING_WORDS` words, and cut there; None if there are none.

    Paragraphs of fewer than four words are headings or leftovers.
    """
    words: list[str] = []
    for part in parts:
        further = part.split(maxsplit=OPENING_WORDS)
        words += further if len(further) > 3 else []
        if len(words) >= OPENING_WORDS:
            break
    return " ".join(words[:OPENING_WORDS]) or None


def sections(
    text: str, heading: re.Pattern[str], title: Callable[[re.Match[str]], str]
) -> list[tuple[str, str]]:
    """Split a text at its headings: the title of each and what stands below it, first of none.

    title: reads the title out of a match of `heading`.
    """
    headings = list(islice(heading.finditer(text), MOST_SECTIONS))
    starts = [0, *(match.end() for match in headings)]
    ends = [*(match.start() for match in headings), len(text)]
    texts = (text[start:end] for start, end in zip(starts, ends, strict=True))
    return list(zip(["", *map(title, headings)], texts, strict=True))


def first_title(headings: Iterable[tuple[int, str]]) -> tuple[str, tuple[str, ...]]:
    """Choose the title among headings, given with their levels; the note says what is a guess.

    It is the first one of the highest level, unless that is one of a paper's parts.
    """
    every = list(headings)
    top = min((level for level, _ in every), default=0)
    highest = [text for level, text in every if level == top and text]
    likely = [text for text in highest if not is_beside_title(text)]
    if not likely or is_section_name(likely[0]):
        return "", (NO_TITLE,)
    is_sure = likely == highest and all(map(is_section_name, likely[1:]))
    return likely[0], () if is_sure else (GUESSED_TITLE,)


def abstract_in(
    named: Sequence[tuple[str, str]], is_abstract: re.Pattern[str], stripped: Callable[[str], str]
) -> tuple[str | None, tuple[str, ...]]:
    """Return what stands in the section of that name, else the first words, with a note.

    Args:
        named: the title of each section, and its text.
        is_abstract: matches the title of an abstract.
        stripped: takes the markup out.
    """
    # Of abstracts in two languages, the English one.
    for name, text in sorted(named, key=lambda part: "abstract" not in part[0].lower()):
        if is_abstract.match(name) and (own := before_keywords(text)).strip():
            return stripped(own), ()
    return stand_in(stripped(part) for _, text in named for part in paragraphs(text))


def stand_in(parts: Iterable[str]) -> tuple[str | None, tuple[str, ...]]:
    """Let the first words of a text stand in for its abstract; the note says so."""
    words = opening(parts)
    if words is None:
        return None, ()
    count = counted(len(words.split()), "word")
    return words, (f"No abstract was found; the first {count} of the text stand in for it.",)


LONGEST_KEYWORDS, LONGEST_KEYWORD = 2_000, 80
"""Characters of what follows a heading "Keywords", and of one of them; more is running text."""
KEYWORD_HEADING = (
    r"(?:(?:author|additional)\s+)?"
    r"(?:key[ -]?words?(?:\s+and\s+phrases)?|key[ -]?phrases|index terms)"
)
"""A heading, to be read without regard to case."""
KEYWORD_MARK = r"[;\u00b7\u2022\u2219\u22c5|]"
"""A mark between keywords that may have commas in them, or that nothing else has."""
_KEYWORDS = re.compile(
    rf"(?im)^[^\S\n]{{0,8}}[*_#>]{{0,6}}[^\S\n]{{0,4}}{KEYWORD_HEADING}[*_]{{0,3}}[^\S\n]{{0,4}}"
    r"(?:[:.\u2013\u2014-]{1,3}[*_]{0,3}[^\S\n]*|[*_]{0,3}[^\S\n]*\n\s*|[*_]{1,3}[^\S\n]+)"
    r"(?P<list>[^\n]*(?:\n(?!\s*\n|[^\S\n]*[\w ]{1,30}:\s)[^\n]*)*)"
)
_KEYWORDS_BEGIN = re.compile(
    rf"(?im)^[^\S\n]{{0,8}}[*_#>]{{0,6}}[^\S\n]{{0,4}}{KEYWORD_HEADING}[*_]{{0,3}}"
    r"(?:[^\S\n]{0,4}[:.\u2013\u2014-]|[*_]{1,3}[^\S\n]|(?<=[*_])[^\S\n]*$|[^\S\n]*$)"
)
_STRONG = re.compile(rf"\s*(?:{KEYWORD_MARK}|\n\s*[-*]\s)\s*")
_WEAK = (r"[,\u3001\uff0c]", r"\n", r"\s[\u2013\u2014]\s|---")
"""Marks where there is none of those: commas, else lines, else the dashes of astronomers."""
_AND = re.compile(r"(?i)\Aand\s+")


def stated_on_lines(text: str) -> tuple[str, ...]:
    """Return what a line or a paragraph lists that begins with "Keywords:" or the like.

    >>> stated_on_lines("Abstract. We ring.\\n\\n**Key words:** bells, ropes, and towers\\n\\nOnce")
    ('bells', 'ropes', 'towers')
    """
    for match in _KEYWORDS.finditer(text):
        if found := told_apart(match["list"]):
            return found
    return ()


def before_keywords(text: str) -> str:
    """Cut a text at the line that begins to list keywords; what follows is no abstract."""
    begin = _KEYWORDS_BEGIN.search(text)
    return text[: begin.start()] if begin else text


def stated_in(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """Do so with paragraphs; a heading that stands alone speaks of the next one."""
    return stated_on_lines("\n\n".join(part.strip() for part in paragraphs).replace("\r", "\n"))


def told_apart(text: str) -> tuple[str, ...]:
    """Split a list at its semicolons or points, else commas, lines or dashes; none of prose.

    >>> told_apart("bells; ropes, old and new; towers.")
    ('bells', 'ropes, old and new', 'towers')
    """
    text = text[:LONGEST_KEYWORDS].strip(" \t\n*_")
    parts = _STRONG.split(text)
    for mark in _WEAK:
        parts = re.split(mark, text) if len(parts) == 1 else parts
    phrases = [_AND.sub("", clean(part).strip("*_ ")) for part in parts]
    if any(len(phrase) > LONGEST_KEYWORD for phrase in phrases):
        return ()
    return cleaned_keyphrases(phrases)
