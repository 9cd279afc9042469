"""Read the names of authors out of the lines below a title."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import groupby, takewhile
from operator import attrgetter

from recsys.formats.drafts.pdf_pages import GAP, MARK, Line, composed, runs

LONGEST_BYLINE = 2_000
"""Characters of a line that are read for names."""
_MOST_LINES = 12
"""Lines of one print over which a list of names may go."""
_NO_AUTHOR = re.compile(
    r"(?i)@|\b(?:universi|institut|department|dept|school|college|lab(?:orator|s?\b)|inc\b|ltd\b|"
    r"corporation|research|cent(?:er|re)\b|faculty|academ|hospital|abstract|national|street|"
    r"polytech|ministry|foundation|council|association|society|division|campus|librar|journal|"
    r"review|volume|issue|article|access|papers?\b|report|edit|correspond|received|accepted|"
    r"published|copyright|licen[sc]e|commons|key ?words|introduction|background|education|learning|"
    r"teaching|technolog|sciences?\b|studies|resources|practices?\b|letters\b|proceedings|"
    r"conference|workshop|project|program|united|kingdom|zealand|south (?:africa|korea)|hong kong|"
    r"saudi|costa rica|sri lanka|puerto rico|new (?:york|delhi|jersey|mexico|south))"
)
"""Words of places, journals and headings, which may look like names."""
_RANK = re.compile(
    r"(?i),?\s*\b(?:(?:student |senior |graduate student )?member|fellow|ieee|acm|ph\.? ?d|"
    r"ed\.? ?d|d\.? ?phil|m\.? ?d|[bm]\.? ?sc|m\.? ?ed|mph|mba|rn)\b\.?(?=\s*(?:[,;&]|and\b|\W*\Z))"
    r"|\b(?:prof(?:essor)?|dr)\b\.?\s+|\A(?:by|authors?|written by)\b:?(?=\s)"
)
_ADDRESSES = re.compile(
    r"(?i)\(?(?:https?://)?(?:www\.)?(?:\borcid\b[\s:]{0,2})?(?:i?d\b:?\s?)?(?:orcid\.org/)?"
    r"\b\d{4}-\d{4}-\d{4}-\d{3}[\dx]\b\)?|\(?\borcid(?: ?id)?\b:?\)?|(?<= )iD\b"
    r"|\(?(?:e-?mail:? ?)?(?:\{[^{}]{1,80}\}|[\w.+-]{1,64}) ?@ ?[\w-]{1,64}"
    r"(?:\.[\w-]{1,64}){1,4}\)?"
)
"""What stands beside names: identifiers of ORCID, and addresses of mail."""
_MARKS = re.compile(rf"[\d*\u2217\u2021\u00a7\u00b6#\u00b9\u00b2\u00b3\u2070-\u207f{MARK}]+")
_LETTER_MARKS = re.compile(r"(?:\s+[a-z])+\Z|\A[a-z]\Z")
_DEGREE = re.compile(r"(?!U\.?[SK]|UAE)(?:[A-Z][a-z]{0,2}\.?){2,5}")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_IN_BRACKETS = re.compile(r"\([^()]{0,200}\)|\[[^\[\]]{0,200}\]")
_BETWEEN = re.compile(
    r",|;|&|\b(?:and|und|et)\b|\u00b7|\u2022|\|"
    r"|\s[ye]\s(?=[^\W\d_a-z][^\s,;&]*\s+[^\W\d_a-z])"
)
"""What divides names; "y Soto" alone is of a name."""
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[.'\u2019\u2010\u2011-]+(?=[^\W\d_]))*\.?")
_PARTICLES = frozenset(
    "van von de der den da di la le del dos das du bin binti al el ten ter y e zu af".split()
)
_MOST_WORDS = 4
"""Words of a name without its particles, or one more where names are divided; more are several."""


def names_below(lines: Sequence[Line], *, bounded: bool) -> tuple[tuple[str, ...], int]:
    """Return the names in lines below a title, and how many such lines were not understood.

    Names stand in one print; where somebody works stands between them, in another one or not.

    bounded: whether the lines end at the abstract; else they go on with text.
    """
    names = defaultdict[tuple[str, float], list[str]](list)
    unread = Counter[tuple[str, float]]()
    blocks = [
        (face, list(block))
        for begin, end in runs(lines)
        for face, block in groupby(lines[begin:end], key=attrgetter("face"))
    ]
    for face, block in blocks:
        look = face, round(block[0].size, 1)
        first = next(iter(names), look)
        if not bounded and look != first:
            if look[1] < 0.97 * first[1]:
                continue  # Smaller print tells where somebody works.
            break
        found, left = _of_block(block, go_on=bounded)
        if found or look in names:
            names[look] += found
            unread[look] += left
        elif not bounded:
            break
    most = max(names, key=lambda look: len(names[look]), default=None)
    return (tuple(dict.fromkeys(names[most])), unread[most]) if most else ((), 0)


def _of_block(lines: Sequence[Line], *, go_on: bool) -> tuple[list[str], int]:
    """Read the names in lines of one print: (names, how many lines may hold others).

    go_on: whether names may follow a line that holds none, below an address of mail.
    """
    texts = [(line.marked or line.text).replace(GAP, ";") for line in lines]
    names: list[str] = []
    begin, left, between = 0, 0, False
    while begin < len(texts):
        found, end = _names_at(texts, begin)
        if found and not between:
            names += found
        elif not found:
            if not go_on:
                break
            several = len(texts[begin].split()) > 1 and not _YEAR.search(texts[begin])
            left += bool(names and several) and not (between or _NO_AUTHOR.search(texts[begin]))
            between = "@" not in texts[begin] and bool(names)
        begin = end
    return names, left


def _names_at(texts: Sequence[str], begin: int) -> tuple[list[str], int]:
    """Read a line, with the next ones if a name breaks: (names, the line behind)."""
    single = names_of_line(texts[begin])
    for end in range(min(len(texts), begin + _MOST_LINES), begin + 1, -1):
        block = texts[begin:end]
        # One word below names is rather a place.
        listed = "," in "".join(block[:-1]) and (not single or _BETWEEN.search(block[-1]))
        if listed and not all(map(names_of_line, block)):
            names = names_of_line(" ".join(block), alone=True)
            if len(names) > 1:
                return names, end
    return single, begin + 1


def names_of_line(line: str, *, alone: bool = False) -> list[str]:
    """Read the names in a line; none where it holds anything else.

    alone: whether no place may stand behind them.
    """
    plain = _IN_BRACKETS.sub(" ", _ADDRESSES.sub(", ", line[:LONGEST_BYLINE]))
    if _YEAR.search(plain):
        return []
    plain = _RANK.sub("", _MARKS.sub(",", composed(plain).strip()))
    parts = (_LETTER_MARKS.sub("", part.strip()).strip(" .;:-") for part in _BETWEEN.split(plain))
    names = [part for part in parts if part and not _DEGREE.fullmatch(part)]
    most = _MOST_WORDS + (len(names) > 1)
    first = list(takewhile(lambda name: _is_name(name, most), names))
    if len(first) == len(names):
        return first
    rest = ", ".join(names[len(first) :])
    capitals = all(map(str.isupper, first)) and not any(map(str.isupper, names[len(first) :]))
    if alone or not first or not (capitals or _NO_AUTHOR.search(rest)):
        return []
    return [name.title() for name in first] if capitals else first


def _is_name(text: str, most: int) -> bool:
    """Whether a text has the shape of a name: "Ada B. van der Ash"."""
    words = text.rstrip(".").split()
    capitals = [word for word in words if word.lower() not in _PARTICLES or word[0].isupper()]
    return (
        1 < len(capitals) <= most
        and len(words) <= most + 3
        and all(map(_WORD.fullmatch, words))
        and all(not word[0].islower() for word in capitals)
        and capitals[0] is words[0]
        and capitals[-1] is words[-1]
        and len(words[-1]) > 1
        and _NO_AUTHOR.search(text) is None
    )
