"""Works that running text names by author and year: "Smith and Jones (2019)", "(Lee et al., 2020)".

Text is read as it comes out of tokenisers, PDFs and OCR, too: "Smith and Jones ( 2019 )",
"Lee et al2020", "Sch?utze", "Palmeretal."
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from recsys.local.surnames import BOTH, LONGEST, NameReader, Names, cut, is_surname, name_lists
from recsys.store.names import surname
from recsys.store.words import STOP_WORDS, fold

_UNDATED = {"in": ("press", "preparation", "prep"), "to": ("appear",), "forthcoming": (),
            "submitted": ()}  # fmt: skip


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
        return tuple(map(surname, self.names))

    def __str__(self) -> str:
        """Write it as a sentence would: "Vadas and Curran (2007a)", "Lee et al. (2020)"."""
        *first, last = self.names
        names = ", ".join(self.names)
        if first and not self.more:
            names = f"{', '.join(first)} and {last}"
        others = " et al." if self.more else ""
        year = "" if self.year is None else f" ({self.year}{self.suffix})"
        return names + others + year


def find_mentions(text: str) -> tuple[Mention, ...]:
    """Find the works that a text names by author, in the order of their places. O(length).

    Names without a year count where "et al." or a bracketed number follows them.

    >>> [str(mention) for mention in find_mentions("As Ash and Elm (2007a,b) and (cf. Yew 2018).")]
    ['Ash and Elm (2007a)', 'Ash and Elm (2007b)', 'Yew (2018)']
    """
    return tuple(_MentionReader(cut(text)).mentions())


@dataclass(frozen=True)
class _MentionReader(NameReader):
    """Reads mentions off tokens."""

    def mentions(self) -> Iterator[Mention]:
        """Go through the tokens; what a mention has taken is not read again."""
        at, depth = 0, 0
        while at < len(self.tokens):
            found: list[Mention] = []
            if self.may_begin(at) and (names := self.names(at)):
                found, after = self._read(names, depth)
            if found:
                yield from found
            else:
                after = at + 1
            for token in self.tokens[at:after]:
                depth = max(0, depth + (token.text in "([") - (token.text in ")]"))
            at = after

    def _read(self, names: Names, depth: int) -> tuple[list[Mention], int]:
        """Read what follows names: years, a number in brackets, or nothing after "et al."."""
        start = self.tokens[names.first].start
        opened, _, at = dated = self._dated(names.after)
        if self.has("year", at) and self._belongs(names, dated, depth):
            found, after = self._years(names, at, nested=opened or depth > 0)
            if opened and self.text(after) in (")", "]"):
                found[-1] = replace(found[-1], end=self.tokens[after].end)
                after += 1
            return found, after
        after = self._undated(at) or self._numbered(names.after)
        if not (after or names.more):
            return [], names.first + 1
        after = after or names.after
        end = self.tokens[after - 1].end
        return [Mention(names.names, names.more, None, "", start, end)], after

    def _belongs(self, names: Names, dated: tuple[bool, bool, int], depth: int) -> bool:
        """Tell whether the year is that of the names, and not of what they name."""
        (opened, comma, at), last = dated, names.names[-1]
        if names.more or names.joined:
            return True
        if fold(last) in BOTH:
            closed = depth > 0 or self.text(at + 1) in (")", "]")
            return (comma and closed) or (opened and fold(last) in ("he", "do", "her"))
        return opened or comma or not last.isupper()

    def _years(self, names: Names, at: int, *, nested: bool) -> tuple[list[Mention], int]:
        """Read one or more years, and letters behind them, of the same names."""
        found: list[Mention] = []
        start = self.tokens[names.first].start
        while True:
            token = self.tokens[at]
            if token.text[0] == "'":  # "'99" is 1999.
                short = int(token.text[1:])
                year, suffix = (1900 if short > 40 else 2000) + short, ""
            else:  # "2007a" is 2007, "a".
                year, suffix = int(token.text[:4]), token.text[4:].strip()
            found.append(Mention(names.names, names.more, year, suffix, start, token.end))
            at += 1
            while suffix and (letter := self._letter(at)):
                begin, end = self.tokens[letter].start, self.tokens[letter].end
                suffix = self.tokens[letter].text
                found.append(Mention(names.names, names.more, year, suffix, begin, end))
                at = letter + 1
            following = at + (self.text(at) in (",", ";", "&", "/"))
            following += self.text(following) in ("and", "&")
            if following == at or not nested or not self.has("year", following):
                return found, at
            at, start = following, self.tokens[following].start

    def _letter(self, at: int) -> int:
        """Find the next letter of "2007a,b": its token, 0 where there is none."""
        after = at + 1
        joined = self.text(at) in (",", "&", "/") or fold(self.text(at)) == "and"
        letter = self.text(after)
        if joined and self.has("word", after) and len(letter) == 1 and letter.islower():
            return after
        return 0

    def _dated(self, at: int) -> tuple[bool, bool, int]:
        """Pass over what stands between names and their year: (a bracket, a comma, its token)."""
        opened = comma = False
        if self.has("owner", at) or self.text(at) == "'":
            at += 1
        for _ in range(3):
            sign = self.text(at)
            if self.has("year", at) or sign not in (",", "(", "[", ".", ";"):
                break
            opened, comma = opened or sign in "([", comma or sign in ",;"
            at += 1
        return opened, comma, at

    def _undated(self, at: int) -> int:
        """Read "in press" and the like: the token behind it, 0 where there is none."""
        first, second = fold(self.text(at)), fold(self.text(at + 1))
        if first not in _UNDATED:
            return 0
        if not _UNDATED[first]:
            return at + 1
        return at + 2 if second in _UNDATED[first] else 0

    def _numbered(self, at: int) -> int:
        """Read "[12]" or "[3, 4]": the token behind it, 0 where there is none."""
        if self.text(at) != "[" or not self.has("number", at + 1):
            return 0
        for after in range(at + 2, at + 12):
            if self.text(after) == "]":
                return after + 1
            if not self.has("number", after) and self.text(after) not in (",", "-", ";"):
                return 0
        return 0


# Systems, models and resources that running text names: "BERT", "GraphSAGE", "word2vec".

_WORD = re.compile(r"[^\W_]+(?:[-.+]{1,2}[^\W_]+)*\+{0,2}")
_SHORTEST, _LONGEST = 2, 30
_COMMON = frozenset(
    "1d 2d 3d ad ai api bc cd cpu dna eq f1 fig gpu hmm html http https i.e id ii iii "
    "iv ip kb mb ml mt ne ner nlp nlg np nps ok os pc pdf phd pos pp qa rna sd sgml smt sql svm tv "
    "uk un url us usa vi vii viii vp vs wsd www xml".split()
)
"""Folded words of capitals that name a field, a place or a unit, not one work."""


@dataclass(frozen=True, slots=True)
class SystemName:
    """A word that may be the name of a system. plain: spelt like any name ("Moses").

    start, end: characters of the text, the end exclusive.
    """

    name: str
    plain: bool
    start: int
    end: int

    @property
    def key(self) -> str:
        """The name as names are compared: "t-SNE" is "tsne"."""
        return system_key(self.name)

    def __str__(self) -> str:
        """Return the name."""
        return self.name


def system_key(name: str) -> str:
    """Fold a name and drop what is neither letter nor digit.

    >>> system_key("t-SNE"), system_key("C4.5")
    ('tsne', 'c45')
    """
    return "".join(sign for sign in fold(name) if sign.isalnum())


def is_system_shaped(word: str) -> bool:
    """Tell whether a word is spelt as only names are: BERT, GraphSAGE, word2vec, C4.5, t-SNE.

    >>> [word for word in ("BERT", "word2vec", "C4.5", "Moses", "3-gram") if is_system_shaped(word)]
    ['BERT', 'word2vec', 'C4.5']
    """
    if not _SHORTEST <= len(word) <= _LONGEST or not any(sign.isalpha() for sign in word):
        return False
    capitals = sum(sign.isupper() for sign in word)
    digits = any(sign.isdigit() for sign in word)
    parts = re.split(r"[-.+]", word)
    if len(parts) > 1 and parts[-1].islower():  # "EM-based", "POS-tagged".
        return False
    if digits and not word[0].isdigit():
        return capitals > 0 or len(parts) == 1
    # "Real-Time" has its capitals where words begin.
    inside = any(any(sign.isupper() for sign in part[1:]) for part in parts)
    small_first = word[0].islower() and len(word) > 2  # "iBark", "t-SNE".
    return (capitals > 1 or small_first) and (inside or word.isupper())


def find_system_names(
    text: str, *, taken: Sequence[tuple[int, int]] = ()
) -> tuple[SystemName, ...]:
    """Find what may be names of systems, each once, in the order of their places. O(length).

    Args:
        text: the sentence.
        taken: (start, end) of what is known to be something else, as the names of authors.
    """
    text = text[:LONGEST]
    closed = bytearray(len(text))
    for start, end in taken:
        closed[start:end] = b"\1" * len(closed[start:end])
    found: dict[str, SystemName] = {}
    for match in _WORD.finditer(text):
        word, key = match[0], system_key(match[0])
        if closed[match.start()] or key in found or key in _COMMON or key in STOP_WORDS:
            continue
        if shaped := is_system_shaped(word):
            found[key] = SystemName(word, False, *match.span())
        elif word[0].isupper() and 3 < len(word) <= _LONGEST and not shaped:
            found[key] = SystemName(word, True, *match.span())
    return tuple(found.values())


# Take the names and years of cited works out of a sentence, so that only its words ask.

_A_YEAR = r"(?<!\d)(?:1[89]|20)\d\d(?!\d)"
_YEAR = re.compile(rf"[-/]?{_A_YEAR}(?:(?:s|[a-z](?:\s?[,/&]\s?[a-z])*)\b)?|'\d\d(?!\d)")
_OTHERS = re.compile(
    r"(?:(?<![\w'-])[^\W\d_][\w'-]*\s)?\bet\s?\.?\s?al(?:ii|s)?(?![^\W\d_])\.?", re.IGNORECASE
)
_BEFORE_A_YEAR = re.compile(rf"(?<![\w'`-])([^\W\d_][\w`-]*)(?:'s?)?(?=,?\s?[(\[]\s?{_A_YEAR})")
_ALONE = re.compile(rf"(?<=[(\[;])\s?[^\W\d_][\w`'-]*,\s?(?={_A_YEAR})")
_PRINTED_WORD = re.compile(r"[^\W\d_]+(?:[-'`][^\W\d_]+)*")
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
    words = {word for start, end in spans for word in _PRINTED_WORD.findall(text[start:end])}
    names = {word.casefold() for word in words if is_surname(word) and len(word) > 1}
    text = _without(text, spans)
    if names:  # Mentioned authors also where they stand again, and who is listed with them.
        lists = [
            (first, after)
            for first, after in name_lists(text)
            if names & {word.casefold() for word in _PRINTED_WORD.findall(text[first:after])}
        ]
        again = "|".join(re.escape(name) for name in sorted(names))
        text = re.sub(
            rf"(?<!\w)(?:{again})(?:\d\d)?(?:['\u2019]s?)?(?!\w)-?",
            lambda found: " " if found[0][0].isupper() else found[0],
            _without(text, lists),
            flags=re.IGNORECASE,
        )
    text = _BEFORE_A_YEAR.sub(lambda found: " " if is_surname(found[1]) else found[0], text)
    text = _YEAR.sub(" ", _OTHERS.sub(" ", _ALONE.sub(" ", text)))
    # Close the gaps: blanks before marks, and marks that follow marks.
    text = re.sub(r" ([,;:.)\]])", r"\1", " ".join(_without_empty_brackets(text).split()))
    text = re.sub(r"([(\[])[ ,;:]+", r"\1", text)
    text = re.sub(r"[,;:](?: ?[,;:])*(?= ?[,;:.)\]])", "", text)
    return " ".join(text.split()).lstrip(",;:.) ")


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    bounds = [0, *(at for span in spans for at in span), len(text)]
    return " ".join(text[a:b] for a, b in zip(bounds[::2], bounds[1::2], strict=True))


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
            numbers = bracket == "[" and _NUMBERS.fullmatch(inside)
            empty = numbers or _EMPTY.fullmatch(inside)
            here.append(" " if empty else f"{bracket}{inside}{piece}")
        else:
            here.append(piece)
    unclosed = [part for bracket, before in opened for part in (*before, bracket)]
    return "".join([*unclosed, *here])
