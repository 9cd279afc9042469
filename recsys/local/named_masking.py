"""Take the names and years of cited works out of a sentence, so that only its words ask."""

import re

from recsys.local.named_lists import name_lists
from recsys.local.named_mentions import find_mentions
from recsys.local.named_tokens import LONGEST, is_surname

_A_YEAR = r"(?<!\d)(?:1[89]|20)\d\d(?!\d)"
_YEAR = re.compile(rf"[-/]?{_A_YEAR}(?:(?:s|[a-z](?:\s?[,/&]\s?[a-z])*)\b)?|'\d\d(?!\d)")
_OTHERS = re.compile(
    r"(?:(?<![\w'-])[^\W\d_][\w'-]*\s)?\bet\s?\.?\s?al(?:ii|s)?(?![^\W\d_])\.?", re.IGNORECASE
)
_BEFORE_A_YEAR = re.compile(rf"(?<![\w'`-])([^\W\d_][\w`-]*)(?:'s?)?(?=,?\s?[(\[]\s?{_A_YEAR})")
_ALONE = re.compile(rf"(?<=[(\[;])\s?[^\W\d_][\w`'-]*,\s?(?={_A_YEAR})")
_WORD = re.compile(r"[^\W\d_]+(?:[-'`][^\W\d_]+)*")
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
    spans = [(mention.start, mention.end) for mention in find_mentions(text)]
    words = {word for start, end in spans for word in _WORD.findall(text[start:end])}
    names = {word.casefold() for word in words if is_surname(word) and len(word) > 1}
    text = _without(text, spans)
    text = _without_names(text, names)
    text = _BEFORE_A_YEAR.sub(lambda found: " " if is_surname(found[1]) else found[0], text)
    text = _ALONE.sub(" ", text)
    text = _YEAR.sub(" ", _OTHERS.sub(" ", text))
    return _tidy(_without_empty_brackets(text))


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    kept, at = [], 0
    for start, end in spans:
        kept.append(text[at:start])
        at = end
    return " ".join([*kept, text[at:]])


def _without_names(text: str, names: set[str]) -> str:
    """Take out names of mentioned authors where they stand again, and who is listed with them."""
    if not names:
        return text
    lists = [
        (first, after)
        for first, after in name_lists(text)
        if names & {word.casefold() for word in _WORD.findall(text[first:after])}
    ]
    text = _without(text, lists)
    again = "|".join(re.escape(name) for name in sorted(names))
    pattern = rf"(?<!\w)(?:{again})(?:\d\d)?(?:['\u2019]s?)?(?!\w)-?"
    return re.sub(
        pattern, lambda found: " " if found[0][0].isupper() else found[0], text, flags=re.IGNORECASE
    )


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
    unclosed = [part for bracket, before in opened for part in (*before, bracket)]
    return "".join([*unclosed, *here])


def _is_empty(bracket: str, inside: str) -> bool:
    only_numbers = bracket == "[" and _NUMBERS.fullmatch(inside) is not None
    return only_numbers or _EMPTY.fullmatch(inside) is not None


def _tidy(text: str) -> str:
    """Close the gaps: blanks before marks, and marks that follow marks."""
    text = re.sub(r" ([,;:.)\]])", r"\1", " ".join(text.split()))
    text = re.sub(r"([(\[])[ ,;:]+", r"\1", text)
    text = re.sub(r"[,;:](?: ?[,;:])*(?= ?[,;:.)\]])", "", text)
    return " ".join(text.split()).lstrip(",;:.) ")
