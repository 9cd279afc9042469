"""Bring the words of a draft into one shape: single spaces, no control characters, no excess."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from reprlib import Repr

OPENING_WORDS = 250
"""How much of a text stands in for an abstract that is not there."""
LONGEST_TEXT = 4 * 2**20
"""Characters of a text that are looked through for its parts."""
MOST_SECTIONS = 1_000
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


def abstract_in(
    named: Sequence[tuple[str, str]], is_abstract: re.Pattern[str], stripped: Callable[[str], str]
) -> tuple[str | None, tuple[str, ...]]:
    """Return what stands in the section of that name, else the first words, with a note.

    Args:
        named: the title of each section, and its text.
        is_abstract: matches the title of an abstract.
        stripped: takes the markup out.
    """
    for name, text in named:
        if is_abstract.match(name) and text.strip():
            return stripped(text), ()
    return stand_in(stripped(part) for _, text in named for part in paragraphs(text))


def stand_in(parts: Iterable[str]) -> tuple[str | None, tuple[str, ...]]:
    """Let the first words of a text stand in for its abstract; the note says so."""
    words = opening(parts)
    if words is None:
        return None, ()
    count = counted(len(words.split()), "word")
    return words, (f"No abstract was found; the first {count} of the text stand in for it.",)
