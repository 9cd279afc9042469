"""Works that running text names by author and year: "Smith and Jones (2019)", "(Lee et al., 2020)".

Text is read as it comes out of tokenisers, PDFs and OCR, too: "Smith and Jones ( 2019 )",
"Lee et al2020", "Sch?utze", "Palmeretal."
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from recsys.local.named_tokens import Token, cut
from recsys.local.named_words import BOTH, NAME_SUFFIXES, PARTICLES, is_surname
from recsys.store.name_keys import author_key, fold

MOST_NAMES = 12
"""Surnames of one mention; what lists more is no citation."""
_AND = frozenset({"and", "&", "und", "et", "y"})
_OTHERS = frozenset({"others", "colleagues", "coworkers", "co-workers", "associates", "al"})
_UNDATED = {"in": ("press", "preparation", "prep"), "to": ("appear",), "forthcoming": (),
            "submitted": ()}  # fmt: skip
_BEFORE_A_BARE_NAME = frozenset({"see", "cf", "by", "of", "in", "from", "to", "like", "following"})


@dataclass(frozen=True, slots=True)
class Mention:
    """A work named by its authors and, mostly, its year.

    names: surnames as they are printed. more: whether "et al." follows them. listed: whether they
    are all that there are: "A and B", "A, B and C". year: None where none stands there or it is in
    press. suffix: the letter behind the year. start, end: characters of the text; of several years
    behind the same names, the first mention has the names, the others only their years.
    """

    names: tuple[str, ...]
    more: bool
    year: int | None
    suffix: str
    start: int
    end: int

    @property
    def surnames(self) -> tuple[str, ...]:
        """The surnames as the keys of authors have them, of several words the last."""
        return tuple((author_key(name) or "").partition(" ")[0] for name in self.names)

    def __str__(self) -> str:
        """Write the mention as a sentence would: "Smith, Jones and Lee (2019a)"."""
        return readable(self)


def readable(mention: Mention) -> str:
    """Write a mention as a sentence would: "Vadas and Curran (2007a)", "Lee et al. (2020)"."""
    *first, last = mention.names
    names = f"{', '.join(first)} and {last}" if first and not mention.more else (
        ", ".join(mention.names))  # fmt: skip
    others = " et al." if mention.more else ""
    year = "" if mention.year is None else f" ({mention.year}{mention.suffix})"
    return names + others + year


def find_mentions(text: str) -> tuple[Mention, ...]:
    """Find the works that a text names by author, in the order of their places. O(length).

    Names without a year count where "et al." or a bracketed number follows them.

    >>> [str(mention) for mention in find_mentions("As Ash and Elm (2007a,b) and (cf. Yew 2018).")]
    ['Ash and Elm (2007a)', 'Ash and Elm (2007b)', 'Yew (2018)']
    """
    reader = _Reader(tuple(cut(text)))
    return tuple(reader.mentions())


@dataclass(frozen=True, slots=True)
class _Names:
    """Surnames that stand together. first, after: the tokens where they begin and end."""

    names: tuple[str, ...]
    more: bool
    joined: bool
    first: int
    after: int


@dataclass(frozen=True, slots=True)
class _Dated:
    """How a year follows names. opened: a bracket before it; comma: a comma; at: its token."""

    opened: bool
    comma: bool
    at: int


@dataclass(frozen=True)
class _Reader:
    """Reads mentions off tokens; every place is looked at once as the begin of names."""

    tokens: Sequence[Token]

    def mentions(self) -> Iterator[Mention]:
        """Go through the tokens; what a mention has taken is not read again."""
        at, depth = 0, 0
        while at < len(self.tokens):
            found: list[Mention] = []
            if self._may_begin(at) and (names := self._names(at)):
                found, after = self._read(names, depth)
            if found:
                yield from found
            else:
                after = at + 1
            for token in self.tokens[at:after]:
                depth = max(0, depth + (token.text in "([") - (token.text in ")]"))
            at = after

    def _read(self, names: _Names, depth: int) -> tuple[list[Mention], int]:
        """Read what follows names: years, a number in brackets, or nothing after "et al."."""
        start = self.tokens[names.first].start
        dated = self._dated(names.after)
        if self._is("year", dated.at) and self._belongs(names, dated, depth):
            found, after = self._years(names, dated.at, nested=dated.opened or depth > 0)
            if dated.opened and self._text(after) in (")", "]"):
                found[-1] = replace(found[-1], end=self.tokens[after].end)
                after += 1
            return found, after
        if after := self._undated(dated.at):
            end = self.tokens[after - 1].end
            return [Mention(names.names, names.more, None, "", start, end)], after
        if names.more or self._numbered(names.after):
            after = self._numbered(names.after) or names.after
            end = self.tokens[after - 1].end
            return [Mention(names.names, names.more, None, "", start, end)], after
        return [], names.first + 1

    def _belongs(self, names: _Names, dated: _Dated, depth: int) -> bool:
        """Tell whether the year is that of the names, and not of what they name."""
        last = names.names[-1]
        if names.more or names.joined:
            return True
        closed = depth > 0 or self._text(dated.at + 1) in (")", "]")
        if fold(last) in BOTH:
            return (dated.comma and closed) or (dated.opened and fold(last) in ("he", "do", "her"))
        if dated.opened:
            return True
        if last.isupper() and not dated.comma:
            return False
        if dated.comma or closed:
            return True
        return fold(self._text(names.first - 1)) in _BEFORE_A_BARE_NAME

    def _years(self, names: _Names, at: int, *, nested: bool) -> tuple[list[Mention], int]:
        """Read one or more years, and letters behind them, of the same names."""
        found: list[Mention] = []
        start = self.tokens[names.first].start
        while True:
            token = self.tokens[at]
            year, suffix = _year(token.text)
            found.append(Mention(names.names, names.more, year, suffix, start, token.end))
            at += 1
            while suffix and (letter := self._letter(at)):
                begin, end = self.tokens[letter].start, self.tokens[letter].end
                suffix = self.tokens[letter].text
                found.append(Mention(names.names, names.more, year, suffix, begin, end))
                at = letter + 1
            following = at + (self._text(at) in (",", ";", "&", "/"))
            following += fold(self._text(following)) in _AND
            if following == at or not nested or not self._is("year", following):
                return found, at
            at, start = following, self.tokens[following].start

    def _letter(self, at: int) -> int:
        """Find the next letter of "2007a,b": its token, 0 where there is none."""
        after = at + 1
        joined = self._text(at) in (",", "&", "/") or fold(self._text(at)) == "and"
        letter = self._text(after)
        if joined and self._is("word", after) and len(letter) == 1 and letter.islower():
            return after
        return 0

    def _dated(self, at: int) -> _Dated:
        """Pass over what stands between names and their year."""
        opened = comma = False
        if self._is("owner", at) or self._text(at) == "'":
            at += 1
        for _ in range(3):
            sign = self._text(at)
            if self._is("year", at) or sign not in (",", "(", "[", ".", ";"):
                break
            opened, comma = opened or sign in "([", comma or sign in ",;"
            at += 1
        return _Dated(opened, comma, at)

    def _undated(self, at: int) -> int:
        """Read "in press" and the like: the token behind it, 0 where there is none."""
        first, second = fold(self._text(at)), fold(self._text(at + 1))
        if first not in _UNDATED:
            return 0
        if not _UNDATED[first]:
            return at + 1
        return at + 2 if second in _UNDATED[first] else 0

    def _numbered(self, at: int) -> int:
        """Read "[12]" or "[3, 4]": the token behind it, 0 where there is none."""
        if self._text(at) != "[" or not self._is("number", at + 1):
            return 0
        for after in range(at + 2, at + 12):
            if self._text(after) == "]":
                return after + 1
            if not self._is("number", after) and self._text(after) not in (",", "-", ";"):
                return 0
        return 0

    def _names(self, at: int) -> _Names | None:
        """Read surnames: one, or a list that ends in "and B" or "et al."."""
        name = self._name(at)
        if name is None:
            return None
        names, firsts, (_, first, at) = [name[0]], [name[1]], name
        joined = more = False
        while len(names) < MOST_NAMES and not joined and not more:
            after = at + (self._text(at) == ",")
            if more := self._is("others", after):
                at = after + 1
                break
            joined = fold(self._text(after)) in _AND
            after += joined
            if joined and fold(self._text(after)) in _OTHERS:
                more, at = True, after + 1
            elif after > at and (name := self._name(after)):
                names, firsts, at = [*names, name[0]], [*firsts, name[1]], name[2]
            else:
                joined = False
                break
        if joined and not more and self._is("others", at + (self._text(at) == ",")):
            more, at = True, at + 1 + (self._text(at) == ",")
        if not joined and not more:  # Commas alone divide names from other words, too.
            names, first = names[-1:], firsts[-1]
        return _Names(tuple(names), more, joined, first, at)

    def _name(self, at: int) -> tuple[str, int, int] | None:
        """Read one surname, given names before it: as printed, its first token, the one behind."""
        begin = at
        at = self._after_initials(at)
        run: list[int] = []
        while self._is("word", at) and len(run) < 6 and self._in_name(at):
            run.append(at)
            at += 1
        if len(run) > 1 and fold(self._text(run[-1])) in NAME_SUFFIXES:
            run.pop()
            at += self._text(at) == "."
        if not run or (not is_surname(self._text(run[-1])) and not self._both(run[-1])):
            return None
        first = len(run) - 1
        while first and fold(self._text(run[first - 1])) in PARTICLES:
            first -= 1
        name = " ".join(self._text(word) for word in run[first:])
        if self._text(at) == "," and self._initial(at + 1) and self._text(at + 2) == ".":
            at = self._after_initials(at + 1)  # "Smith, J. and Jones, K."
        return name, run[first] if first else begin, at

    def _after_initials(self, at: int) -> int:
        while self._initial(at):
            at += 1 + (self._text(at + 1) == ".")
        return at

    def _in_name(self, at: int) -> bool:
        word = self._text(at)
        return is_surname(word) or (fold(word) in PARTICLES and word not in _AND) or self._both(at)

    def _both(self, at: int) -> bool:
        """Tell whether a common word is a surname here: others or a year are named with it."""
        word, after = self._text(at), self._text(at + 1)
        if not word[:1].isupper() or fold(word) not in BOTH:
            return False
        return self._is("others", at + 1) or fold(after) in _AND or after in (",", "(")

    def _initial(self, at: int) -> bool:
        word = self._text(at)
        return self._is("word", at) and len(word) == 1 and word.isupper()

    def _may_begin(self, at: int) -> bool:
        return self._is("word", at) and (self._in_name(at) or self._initial(at))

    def _is(self, kind: str, at: int) -> bool:
        return 0 <= at < len(self.tokens) and self.tokens[at].kind == kind

    def _text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""


def _year(text: str) -> tuple[int, str]:
    """Read a year's token: "2007a" is (2007, "a"), "'99" is (1999, "")."""
    if text[0] == "'":
        short = int(text[1:])
        return (1900 if short > 40 else 2000) + short, ""
    return int(text[:4]), text[4:].strip()
