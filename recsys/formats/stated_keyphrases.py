"""Find the keywords that a draft states, and tell them apart."""

import re
from collections.abc import Sequence

from recsys.formats.drafts.wording import clean
from recsys.store.words import cleaned_keyphrases

LONGEST_LIST, LONGEST_PHRASE = 2_000, 80
"""Characters of what follows a heading "Keywords", and of one of them; more is running text."""
NAMES = (
    r"(?:(?:author|additional)\s+)?"
    r"(?:key[ -]?words?(?:\s+and\s+phrases)?|key[ -]?phrases|index terms)"
)
"""A heading, to be read without regard to case."""
STRONG = r"[;\u00b7\u2022\u2219\u22c5|]"
"""A mark between keywords that may have commas in them, or that nothing else has."""
_LINE = re.compile(
    rf"(?im)^[^\S\n]{{0,8}}[*_#>]{{0,6}}[^\S\n]{{0,4}}{NAMES}[*_]{{0,3}}[^\S\n]{{0,4}}"
    r"(?:[:.\u2013\u2014-]{1,3}[*_]{0,3}[^\S\n]*|[*_]{0,3}[^\S\n]*\n\s*|[*_]{1,3}[^\S\n]+)"
    r"(?P<list>[^\n]*(?:\n(?!\s*\n|[^\S\n]*[\w ]{1,30}:\s)[^\n]*)*)"
)
_STRONG = re.compile(rf"\s*(?:{STRONG}|\n\s*[-*]\s)\s*")
_WEAK = (r"[,\u3001\uff0c]", r"\n", r"\s[\u2013\u2014]\s|---")
"""Marks where there is none of those: commas, else lines, else the dashes of astronomers."""
_AND = re.compile(r"(?i)\Aand\s+")


def stated_on_lines(text: str) -> tuple[str, ...]:
    """Return what a line or a paragraph lists that begins with "Keywords:" or the like.

    >>> stated_on_lines("Abstract. We ring.\\n\\n**Key words:** bells, ropes, and towers\\n\\nOnce")
    ('bells', 'ropes', 'towers')
    """
    for match in _LINE.finditer(text):
        if found := told_apart(match["list"]):
            return found
    return ()


def stated_in(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """Do so with paragraphs; a heading that stands alone speaks of the next one."""
    return stated_on_lines("\n\n".join(part.strip() for part in paragraphs).replace("\r", "\n"))


def told_apart(text: str) -> tuple[str, ...]:
    """Split a list at its semicolons or points, else commas, lines or dashes; none of prose.

    >>> told_apart("bells; ropes, old and new; towers.")
    ('bells', 'ropes, old and new', 'towers')
    """
    text = text[:LONGEST_LIST].strip(" \t\n*_")
    parts = _STRONG.split(text)
    for mark in _WEAK:
        parts = re.split(mark, text) if len(parts) == 1 else parts
    phrases = [_AND.sub("", clean(part).strip("*_ ")) for part in parts]
    if any(len(phrase) > LONGEST_PHRASE for phrase in phrases):
        return ()
    return cleaned_keyphrases(phrases)
