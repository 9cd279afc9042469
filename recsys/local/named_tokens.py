"""Tokens of running text as citations by author and year are made of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

LONGEST = 20_000
"""Characters of a text that are read: a sentence has fewer, and noise is no sentence."""

_LETTER = r"[^\W\d_][\u0300-\u036f]*"
_TOKEN = re.compile(
    rf"""
    (?P<year>(?<!\d)(?<!\d[.])(?:1[89]|20)\d\d(?!\d)(?:[a-z](?![a-z\d])|\s[a-z](?=\s?[),;\]]))?)
    | (?P<amp>&\s?amp\b\s?;?)
    | (?P<short>'\d\d(?!\d))
    | (?P<word>(?:{_LETTER})+(?:[-'`\u00a8~^?]{{1,2}}(?:{_LETTER})+)*)
    | (?P<number>\d+)
    | (?P<sign>[^\s\w])
    """,
    re.VERBOSE,
)
_PLAIN_SIGNS = str.maketrans("\u2018\u2019\u00b4\u2010\u2011\u2013", "''`---")
_GLUED_OTHERS = re.compile(r"([^\W\d_][\w'?-]+?)(?:et[-.]?al)", re.IGNORECASE)
_GLUED_PAIR = re.compile(r"([A-Z][a-z]+)and([A-Z][a-z]+)")
_GLUED_AND = re.compile(r"(and)([A-Z][a-z]+)")
_GIVEN_NAMES = frozenset("anand armand bertrand ferdinand fernand gand roland".split())
_AL = frozenset({"al", "als", "alii"})
_POSSESSIVE = re.compile(r"'s$")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text. kind: "word", "others" (et al.), "year", "number" or "sign".

    start, end: characters of the text, the end exclusive.
    """

    kind: str
    text: str
    start: int
    end: int


def cut(text: str) -> list[Token]:
    """Cut a text into tokens, what was glued together by a lost blank apart: "Palmeretal"."""
    pieces = [
        Token(str(match.lastgroup), match[0], *match.span())
        for match in _TOKEN.finditer(text[:LONGEST].translate(_PLAIN_SIGNS))
    ]
    parts = [part for piece in pieces for part in _unglue(piece)]
    return list(_split_and(list(_join_others(parts))))


def _unglue(piece: Token) -> Iterator[Token]:
    """Take the parts of a word apart; a year of two digits becomes a year."""
    if piece.kind == "short":
        yield replace(piece, kind="year")
    elif piece.kind == "amp":
        yield replace(piece, kind="sign", text="&")
    elif piece.kind == "word" and piece.text.lower() == "etal":
        yield replace(piece, kind="others")
    elif piece.kind == "word" and (glued := _GLUED_OTHERS.fullmatch(piece.text)):
        middle = piece.start + glued.end(1)
        yield Token("word", glued[1], piece.start, middle)
        yield Token("others", piece.text[glued.end(1) :], middle, piece.end)
    elif piece.kind == "word" and (glued := _GLUED_PAIR.fullmatch(piece.text)):
        first, second = piece.start + glued.end(1), piece.start + glued.start(2)
        yield Token("word", glued[1], piece.start, first)
        yield Token("word", "and", first, second)
        yield Token("word", glued[2], second, piece.end)
    elif piece.kind == "word" and (owner := _POSSESSIVE.search(piece.text)) and owner.start():
        yield Token("word", piece.text[: owner.start()], piece.start, piece.start + owner.start())
        yield Token("owner", owner[0], piece.start + owner.start(), piece.end)
    elif piece.kind == "word" and (glued := _GLUED_AND.fullmatch(piece.text)):
        middle = piece.start + glued.start(2)
        yield Token("word", "and", piece.start, middle)
        yield Token("word", glued[2], middle, piece.end)
    else:
        yield piece


def _join_others(tokens: list[Token]) -> Iterator[Token]:
    """Make one token of "et al.", also of "Bakeret al"."""
    at = 0
    while at < len(tokens):
        token, after = tokens[at], at + 1
        if token.kind == "word" and token.text.lower().endswith("et") and after < len(tokens):
            after += tokens[after].text == "."
            if after < len(tokens) and tokens[after].text.lower() in _AL:
                middle = token.end - 2
                if middle > token.start:
                    yield Token("word", token.text[:-2], token.start, middle)
                after += 1
                yield Token("others", "et al", middle, tokens[after - 1].end)
                at = after + (after < len(tokens) and tokens[after].text == ".")
                continue
        if token.kind == "others" and after < len(tokens) and tokens[after].text == ".":
            after += 1
            token = replace(token, end=tokens[at + 1].end)
            yield token
            at = after
            continue
        yield token
        at += 1


def _split_and(tokens: list[Token]) -> Iterator[Token]:
    """Make two tokens of the first word of "Gaoand Vogel"."""
    for token, following in zip_longest(tokens, tokens[1:]):
        word = token.text
        capitals = word[:1].isupper() and following is not None and following.text[:1].isupper()
        glued = token.kind == "word" and len(word) > 4 and word.endswith("and") and capitals
        if glued and word.lower() not in _GIVEN_NAMES:
            middle = token.end - 3
            yield Token("word", word[:-3], token.start, middle)
            yield Token("word", "and", middle, token.end)
        else:
            yield token
