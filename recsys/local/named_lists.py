"""Lists of surnames in running text: "Smith", "Smith, J. Jones and de Lee", "Smith et al."."""

from collections.abc import Sequence
from dataclasses import dataclass

from recsys.local.named_tokens import (
    BOTH,
    NAME_SUFFIXES,
    NO_SURNAMES,
    PARTICLES,
    Token,
    cut,
    is_surname,
)
from recsys.store.words import fold

MOST_NAMES = 12
"""Surnames of one list; what has more is no citation."""
_AND = frozenset({"and", "&", "und", "et", "y"})
_OTHERS = frozenset({"others", "colleagues", "coworkers", "co-workers", "associates", "al"})
_MOST_WORDS = 6


@dataclass(frozen=True, slots=True)
class Names:
    """Surnames that stand together. first, after: the tokens where they begin and end.

    more: whether "et al." follows. joined: whether "and" stands before the last.
    """

    names: tuple[str, ...]
    more: bool
    joined: bool
    first: int
    after: int


@dataclass(frozen=True, slots=True)
class _Name:
    """A surname as it is printed. first, after: its first token and the one behind it."""

    printed: str
    first: int
    after: int


@dataclass(frozen=True)
class NameReader:
    """Reads lists of names off tokens, from any of them on."""

    tokens: Sequence[Token]

    def names(self, at: int) -> Names | None:
        """Read surnames: one, or a list that ends in "and B" or "et al."."""
        name = self._name(at)
        if name is None:
            return None
        found, joined, more = [name], False, False
        at = name.after
        while len(found) < MOST_NAMES and not joined and not more:
            after = at + (self.text(at) == ",")
            if more := self.has("others", after):
                at = after + 1
                break
            joined = fold(self.text(after)) in _AND
            after += joined
            if joined and fold(self.text(after)) in _OTHERS:
                more, at = True, after + 1
            elif after > at and (name := self._last_name(after) if joined else self._name(after)):
                found, at = [*found, name], name.after
            else:
                joined = False
                break
        if joined and not more and self.has("others", at + (self.text(at) == ",")):
            more, at = True, at + 1 + (self.text(at) == ",")
        if not joined and not more:  # Commas alone divide names from other words, too.
            found = found[-1:]
        return Names(tuple(name.printed for name in found), more, joined, found[0].first, at)

    def may_begin(self, at: int) -> bool:
        """Tell whether a list of names may begin at a token."""
        return self.has("word", at) and (self._in_name(at) or self._initial(at))

    def _last_name(self, at: int) -> _Name | None:
        """Read the name behind "and", also one that lost its capital or was torn apart."""
        name = self._name(at)
        if name is None:
            small = self.has("word", at) and len(self.text(at)) > 2
            dated = self.text(at + 1) == "(" and self.has("year", at + 2)
            return _Name(self.text(at), at, at + 1) if small and dated else None
        after = name.after
        while after < name.after + 2 and self.has("word", after) and self._is_scrap(after):
            after += 1
        if after > name.after and self.text(after) == "," and self.has("year", after + 1):
            scraps = "".join(self.text(scrap) for scrap in range(name.after, after))
            return _Name(name.printed + scraps, name.first, after)
        return name

    def _name(self, at: int) -> _Name | None:
        """Read one surname, with given names or initials before it."""
        begin = at
        at = self._after_initials(at)
        run: list[int] = []
        while self.has("word", at) and len(run) < _MOST_WORDS and self._in_name(at):
            run.append(at)
            at += 1
        if len(run) > 1 and fold(self.text(run[-1])) in NAME_SUFFIXES:
            run.pop()
            at += self.text(at) == "."
        if not run or (not is_surname(self.text(run[-1])) and not self._both(run[-1])):
            return None
        first = last = run[-1]
        while first > run[0] and fold(self.text(first - 1)) in PARTICLES:
            first -= 1
        name = " ".join(self.text(word) for word in range(first, last + 1))
        while first > run[0] and self._is_given(first - 1, last):
            first -= 1
        if self.text(at) == "," and self._initial(at + 1) and self.text(at + 2) == ".":
            after = self._after_initials(at + 1)
            if not self.has("word", after) or fold(self.text(after)) in _AND:
                at = after  # "Smith, J. and Jones, K.", not "Smith, J. Jones and K. Lee".
        return _Name(name, begin if first == run[0] else first, at)

    def _after_initials(self, at: int) -> int:
        for _ in range(_MOST_WORDS):
            if not self._initial(at):
                break
            at += 1 + (self.text(at + 1) == ".")
        return at

    def _is_given(self, at: int, surname: int) -> bool:
        """Tell a given name from "MINIPAR Lin", "Recently Lin" and "Following Lin"."""
        word = self.text(at)
        return word.isupper() == self.text(surname).isupper() and not word.endswith(("ing", "ly"))

    def _is_scrap(self, at: int) -> bool:
        word = self.text(at)
        return word.islower() and len(word) < 6 and fold(word) not in _AND | NO_SURNAMES

    def _in_name(self, at: int) -> bool:
        word = self.text(at)
        return is_surname(word) or (fold(word) in PARTICLES and word not in _AND) or self._both(at)

    def _both(self, at: int) -> bool:
        """Tell whether a common word is a surname here: others or a year are named with it."""
        word, after = self.text(at), self.text(at + 1)
        if not word[:1].isupper() or fold(word) not in BOTH:
            return False
        return self.has("others", at + 1) or fold(after) in _AND or after in (",", "(")

    def _initial(self, at: int) -> bool:
        word = self.text(at)
        return self.has("word", at) and len(word) == 1 and word.isupper()

    def has(self, kind: str, at: int) -> bool:
        """Tell whether there is a token of that kind."""
        return 0 <= at < len(self.tokens) and self.tokens[at].kind == kind

    def text(self, at: int) -> str:
        """Return the text of a token; "" where there is none."""
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""


def name_lists(text: str) -> list[tuple[int, int]]:
    """Find lists of two names or more, with or without a year: (start, end) of characters."""
    reader, found, at = NameReader(cut(text)), [], 0
    while at < len(reader.tokens):
        names = reader.names(at) if reader.may_begin(at) else None
        if names and names.joined:
            found.append((reader.tokens[names.first].start, reader.tokens[names.after - 1].end))
        at = names.after if names and names.joined else at + 1
    return found
