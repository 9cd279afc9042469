"""Tokens of running text as citations by author and year are made of."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from recsys.store.words import fold

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
_GLUED: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"([^\W\d_][\w'?-]+?)(et[-.]?al)", re.IGNORECASE), ("word", "others")),
    (re.compile(r"([A-Z][a-z]+)(and)([A-Z][a-z]+)"), ("word", "word", "word")),
    (re.compile(r"(.+)('s)"), ("word", "owner")),
    (re.compile(r"(and)([A-Z][a-z]+)"), ("word", "word")),
)
"""What a lost blank glues together, and of what kind its parts are."""
_GIVEN_NAMES = frozenset("anand armand bertrand ferdinand fernand gand roland".split())
_AL = frozenset({"al", "als", "alii"})


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
    return list(_joined(parts))


def _unglue(piece: Token) -> Iterator[Token]:
    """Take the parts of a word apart; a year of two digits becomes a year."""
    if piece.kind == "short":
        yield replace(piece, kind="year")
    elif piece.kind == "amp":
        yield replace(piece, kind="sign", text="&")
    elif piece.kind == "word" and piece.text.lower() == "etal":
        yield replace(piece, kind="others")
    else:
        for pattern, kinds in _GLUED if piece.kind == "word" else ():
            if glued := pattern.fullmatch(piece.text):
                for part, kind in enumerate(kinds, 1):
                    begin, end = (piece.start + at for at in glued.span(part))
                    yield Token(kind, glued[part], begin, end)
                return
        yield piece


def _joined(parts: Sequence[Token]) -> Iterator[Token]:
    """Make one token of "et al.", also of "Bakeret al", and two of the first in "Gaoand Vogel"."""
    texts = [*(part.text.lower() for part in parts), "", "", ""]
    at = 0
    while at < len(parts):
        token, word, after = parts[at], parts[at].text, at + 1
        following = parts[after].text if after < len(parts) else ""
        al = after + (following == ".")
        glued = token.kind == "word" and len(word) > 4 and word.endswith("and")
        glued = glued and word[0].isupper() and texts[at] not in _GIVEN_NAMES
        if token.kind == "word" and texts[at].endswith("et") and texts[al] in _AL:
            middle = token.end - 2
            if middle > token.start:
                yield Token("word", word[:-2], token.start, middle)
            yield Token("others", "et al", middle, parts[al].end)
            after = al + 1 + (texts[al + 1] == ".")
        elif glued and following[:1].isupper() and texts[after] != "et":
            yield Token("word", word[:-3], token.start, token.end - 3)
            yield Token("word", "and", token.end - 3, token.end)
        elif token.kind == "others" and following == ".":
            yield replace(token, end=parts[after].end)
            after += 1
        else:
            yield token
        at = after


# Words that tell whether a capitalised word before a year can be a surname.

PARTICLES = frozenset(
    "af al bin da dal dalla das de degli dei del della den der des di dos du el ibn la las le los "
    "mac op st ten ter van vande vander ver vom von y zu zum zur".split()
)
"""Words that belong to the surname after them: "van der Maaten"."""

NAME_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})

_MONTHS = (
    "apr april aug august autumn dec december fall feb february friday jan january jul july jun "
    "june mar march may monday nov november oct october saturday sep sept september spring "
    "summer sunday thursday tuesday wednesday winter"
)
_PARTS = (
    "algorithm appendix chapter chapters definition edition eq eqn equation equations example "
    "examples experiment experiments fig figs figure figures footnote formula lemma line lines "
    "listing model no number page pages paragraph part phase proposition release row sec sect "
    "section sections stage step tab table tables task tasks theorem track version vol volume"
)
_OPENERS = (
    "a about above according additionally after all also although an and another any approaches "
    "are around as at based because before both but by cf compare compared consider contrary "
    "despite different do does due during e.g each earlier early eg either even every finally "
    "first firstly follow following for from further furthermore given he hence her here his "
    "how however i i.e ie if in indeed inspired instead introduced is it its last lastly late "
    "later like likewise many methods mid more moreover most motivated much my neither next no "
    "nor not note of often on one only or other others our previous previously prior proposed "
    "rather recent recently related results second secondly see she similar similarly since so "
    "some specifically still studies such surveys system systems than that the their then there "
    "therefore these they third this those though through thus till to today two under "
    "unfortunately unlike until up upon using via was we well were what when where whereas "
    "whether which while who why with within without work works yet you your"
)
_RESOURCES = (
    "academy algorithm annotation archive association bank benchmark cambridge challenge chart "
    "committee competition conference congress consortium corpora corpus data database dataset "
    "dictionary discourse editor encyclopedia european evaluation framenet grammar group "
    "guidelines handbook institute international journal language languages lexicon library "
    "linguistics machine manual meeting national net network online ontology parser press "
    "proceedings project projects propbank report repository research resource review school "
    "science sciences society symposium system tagger technology test thesaurus tool toolkit "
    "track translation treebank university verbnet web wiki wordnet workshop workshops world"
)
_PEOPLES = (
    "africa african america american arabic asia australia basque bengali brazilian british "
    "bulgarian catalan china chinese croatian czech danish dutch english estonian europe "
    "european finnish france french german germanic germany greek hebrew hindi hungarian "
    "icelandic india indian indonesian internet irish italian italy japan japanese korea korean "
    "latin london mandarin norwegian paris persian polish portuguese romanian russian sanskrit "
    "semitic slavic slovak slovene spanish swedish tamil thai turkish ukrainian urdu vietnamese "
    "welsh"
)
_MEETINGS = (
    "aaai ace acl aclweb acm biocreative bionlp chi cikm clef coling conll cvpr duc eacl emnlp "
    "europarl eurospeech gigaword icassp iccv iclr icml icslp ieee ijcai ijcnlp interspeech "
    "iwslt lncs lrec mit muc naacl neurips nips nist ntcir semeval senseval siggraph sighan "
    "sigir tac tempeval trec uai vis wmt www"
)
NO_SURNAMES = frozenset(
    " ".join((_MONTHS, _PARTS, _OPENERS, _RESOURCES, _PEOPLES, _MEETINGS)).split()
)
"""Folded words that stand before a year, or before a surname, and are none."""


BOTH = frozenset("an do he her may see so such will you".split())
"""Words that are surnames, too, where others or a year are named with them."""


def is_surname(word: str) -> bool:
    """Tell whether a capitalised word may be a surname: no opener, month, resource or camel case.

    >>> is_surname("McCallum"), is_surname("SMITH"), is_surname("Treebank"), is_surname("WordNet")
    (True, True, False, False)
    """
    return word[:1].isupper() and fold(word) not in NO_SURNAMES and not _camel(word)


_INSIDE_CAPITALS = frozenset(
    "Mc Mac De Del Della Di Da Du La Le Lo Fitz Van Von Vander Ver O D L Ten Ter El Al St".split()
)


def _camel(word: str) -> bool:
    """Find capitals behind small letters, unless what precedes them begins surnames (MacKay)."""
    for part in word.replace("'", "-").split("-"):
        for at in range(1, len(part)):
            if part[at].isupper() and part[at - 1].islower():
                if part[:at] not in _INSIDE_CAPITALS:
                    return True
                break
        else:  # "BLEUs" and "NPs" are no names, either.
            if len(part) > 2 and part[0].isupper() and part[1].isupper() and part[-1].islower():
                return True
    return False


# Lists of surnames in running text: "Smith", "Smith, J. Jones and de Lee", "Smith et al.".

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
        while after < name.after + 2 and self.has("word", after):
            word = self.text(after)
            if not word.islower() or len(word) > 5 or fold(word) in _AND | NO_SURNAMES:
                break
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
        surname = self.text(last)
        while first > run[0]:  # A given name; not "MINIPAR Lin", "Recently Lin" or "Following Lin".
            word = self.text(first - 1)
            if word.isupper() != surname.isupper() or word.endswith(("ing", "ly")):
                break
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
