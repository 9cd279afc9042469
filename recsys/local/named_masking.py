"""Take the names and years of cited works out of a sentence, so that only its words ask."""

import re

from recsys.local.named_mentions import Mention, find_mentions
from recsys.local.named_tokens import LONGEST
from recsys.local.named_words import is_surname

_A_YEAR = r"(?<!\d)(?:1[89]|20)\d\d(?!\d)"
_YEAR = re.compile(rf"[-/]?{_A_YEAR}(?:(?:s|[a-z](?:\s?[,/&]\s?[a-z])*)\b)?|'\d\d(?!\d)")
_OTHERS = re.compile(
    r"(?:(?<![\w'-])[^\W\d_][\w'-]*\s)?\bet\s?\.?\s?al(?:ii)?(?![^\W\d_])\.?", re.IGNORECASE
)
_BEFORE_A_YEAR = re.compile(rf"(?<![\w'`-])([^\W\d_][\w`-]*)(?:'s?)?(?=,?\s?[(\[]\s?{_A_YEAR})")
_NUMBERS = re.compile(r"[\s\d,;.\-\u2013]*")
_EMPTY = re.compile(
    r"(?:[\s,;:.&/'\-\u2013]|\b(?:and|or|also|see|e\.?g|i\.?e|cf|in|by|among|others|inter alia|for"
    r"|example|compare|henceforth|ch|p|pp|sec|section|etc|press|to appear)\b)*",
    re.IGNORECASE,
)
_BRACKETS = {")": "(", "]": "["}


def mask(text: str) -> str:
    """Take out the names and years of cited works, all other years, and what brackets they empty.

    Of a long text, as many characters count as are read for names. Masking again changes nothing.

    >>> mask("We extend Ash and Elm (2007a) and others (Yew, 2018; see Fir et al. [12]) by rules.")
    'We extend and others by rules.'
    """
    text = " ".join(text[:LONGEST].split())
    while (masked := _once(text)) != text:
        text = masked
    return text


def _once(text: str) -> str:
    mentions = find_mentions(text)
    text = _without(text, [(mention.start, mention.end) for mention in mentions])
    text = _without_names(text, mentions)
    text = _BEFORE_A_YEAR.sub(lambda found: " " if is_surname(found[1]) else found[0], text)
    text = _YEAR.sub(" ", _OTHERS.sub(" ", text))
    return _tidy(_without_empty_brackets(text))


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    kept, at = [], 0
    for start, end in spans:
        kept.append(text[at:start])
        at = end
    return " ".join([*kept, text[at:]])


def _without_names(text: str, mentions: tuple[Mention, ...]) -> str:
    """Take out the names of mentioned authors where they stand again: "Snow (Snow, 2006)"."""
    names = {part for mention in mentions for name in mention.names for part in name.split()}
    names = {re.escape(name) for name in names if is_surname(name)}
    if not names:
        return text
    return re.sub(rf"(?<!\w)(?:{'|'.join(sorted(names))})(?:['\u2019]s?)?(?!\w)", " ", text)


def _without_empty_brackets(text: str) -> str:
    """Drop brackets in which nothing is said or only numbers, inner ones first. O(length)."""
    opened: list[tuple[str, list[str]]] = []
    here: list[str] = []
    for piece in re.split(r"([()\[\]])", text):
        if piece in ("(", "["):
            opened.append((piece, here))
            here = []
        elif piece in _BRACKETS and opened and opened[-1][0] == _BRACKETS[piece]:
            inside = "".join(here)
            bracket, here = opened.pop()
            here.append(" " if _is_empty(bracket, inside) else f"{bracket}{inside}{piece}")
        else:
            here.append(piece)
    for bracket, before in reversed(opened):
        here = [*before, bracket, *here]
    return "".join(here)


def _is_empty(bracket: str, inside: str) -> bool:
    only_numbers = bracket == "[" and _NUMBERS.fullmatch(inside) is not None
    return only_numbers or _EMPTY.fullmatch(inside) is not None


def _tidy(text: str) -> str:
    """Close the gaps: blanks before marks, and marks that follow marks."""
    text = re.sub(r" ([,;:.)\]])", r"\1", " ".join(text.split()))
    text = re.sub(r"([(\[])[ ,;:]+", r"\1", text)
    text = re.sub(r"[,;:](?: ?[,;:])*(?= ?[,;:.)\]])", "", text)
    return " ".join(text.split()).lstrip(",;:.) ")
