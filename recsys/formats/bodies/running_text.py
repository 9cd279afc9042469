"""Collect the words of a draft, each with its place in the file, and give them as sentences.

A reader of a format says what it comes across, in order: words, marks, the ends of paragraphs,
headings. What all formats have in common is done here: white space, what citations leave behind,
printed citations and gaps in the text, and the sentences.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from recsys.formats.bodies.printed_citations import NO_LIST, CitedList, printed_citations
from recsys.formats.bodies.sentence_splitting import may_end, sentence_spans
from recsys.passages import Mark, Sentence, Span

MOST_SENTENCES = 50_000
"""Sentences of a draft that are kept; a long book has 20,000."""

_INTRODUCED = (
    r"(?:(?:but|see|also|cf|and|or|for example|among others|inter alia)\b\.?|e\.\s?g\.|i\.\s?e\.)"
)
_SPACES = (re.compile(r"\A\s+|\s\Z|(?<=\s)\s+"), False)
_LEFTOVERS = (  # Pattern of what goes; whether a mark must have stood in it.
    _SPACES,
    (re.compile(rf"[(\[](?:[\s,;:&\u2013-]|{_INTRODUCED}){{0,12}}[)\]]", re.IGNORECASE), True),
    (re.compile(r"(?<!\w)(?:\(\s*\)|\[\s*\])"), False),  # But "call()".
    (re.compile(r"(?:[\s,;]|(?<=[\s,;])(?:e\.g\.|see|cf\.)){1,12}(?=[)\]])"), False),
    (re.compile(r"(?<=[(\[])[\s,;]+"), False),
    (re.compile(r"[,;]\s*(?=[,;.])"), True),
    (re.compile(r"\s+(?=[.,;:!?](?:[\s\"'\u201d\u2019)]|\Z))"), False),
    (re.compile(r"\s+(?=[\u2013\u2014])"), True),
    _SPACES,
)
_SPACE = re.compile(r"\s")
_GOES_ON = re.compile(r"\s*(?:[,;]|[a-z'\u2019]|(?:and|or)\b)")


class Origin(Protocol):
    """Tells where an offset stands, which a reader gave with its words."""

    def place(self, offset: int) -> tuple[str, int, int]:
        """Return file, line and column of a character; both count from 1."""

    def printed(self, start: int, end: int) -> str:
        """Return what stands in the file from one offset to another; "" where that is unknown."""


class Units:
    """The pages or paragraphs of a file: offsets are `Units.offset`."""

    _LONGEST = 2**24

    @classmethod
    def offset(cls, unit: int, character: int) -> int:
        """Count a character, from 0, of a unit, from 0."""
        return unit * cls._LONGEST + character

    def place(self, offset: int) -> tuple[str, int, int]:
        """Return the unit and the character, both from 1; see `Origin`."""
        unit, character = divmod(offset, self._LONGEST)
        return "", unit + 1, character + 1

    def printed(self, start: int, end: int) -> str:
        """Return nothing; see `Origin`."""
        return ""


class Lines:
    """The lines of one text: offsets are those of its characters."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(self, offset: int) -> tuple[str, int, int]:
        """Return where a character stands; see `Origin`."""
        line = bisect_right(self._starts, offset)
        return "", line, offset - self._starts[line - 1] + 1

    def printed(self, start: int, end: int) -> str:
        """Return a part of the text; see `Origin`."""
        return self._text[start:end]


@dataclass(slots=True)
class _Sign:
    """A mark, or the place of a footnote, in a paragraph. at: in its text; start, end: offsets.

    printed: the mark as it was read, where the file cannot be asked.
    """

    at: int
    start: int
    end: int
    keys: tuple[str, ...] = ()
    gap: bool = False
    textual: bool = False
    printed: str = ""
    aside: "_Paragraph | None" = None


@dataclass(slots=True)
class _Paragraph:
    """Text, and of each character where it begins and ends in the draft."""

    text: str = ""
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    signs: list[_Sign] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    opaque: list[tuple[int, int]] = field(default_factory=list)

    def cut(self, cuts: Sequence[tuple[int, int]]) -> None:
        """Take out parts of the text, given in order; a sign in one of them moves to its begin."""
        if not cuts:
            return
        bounds = [0, *(place for cut in cuts for place in cut), len(self.text)]
        kept = list(zip(bounds[::2], bounds[1::2], strict=True))
        firsts, lengths = [start for start, _ in kept], [0]
        for start, end in kept:
            lengths.append(lengths[-1] + end - start)
        for sign in self.signs:
            place = max(0, bisect_right(firsts, sign.at) - 1)
            sign.at = (
                lengths[place] + min(max(sign.at, firsts[place]), kept[place][1]) - firsts[place]
            )
        self.text = "".join(self.text[start:end] for start, end in kept)
        self.starts = [place for start, end in kept for place in self.starts[start:end]]
        self.ends = [place for start, end in kept for place in self.ends[start:end]]


class RunningText:
    """What has been collected so far.

    Offsets are what `origin` understands; they rise, but for what stands in for a macro, which has
    the offsets of its call.
    """

    def __init__(
        self,
        listed: CitedList = NO_LIST,
        *,
        numbers: bool = False,
        typeset: bool = False,
        fewest_words: int = 0,
    ) -> None:
        """Begin a text.

        Args:
            listed: what printed citations may name; see `printed_citations` for this and the next.
            numbers: whether "[12]" in the text is a citation.
            typeset: whether "(?)" in the text is one that is missing.
            fewest_words: a piece of fewer words that cites nothing is no sentence, but the rest of
                a table or a formula.
        """
        self.section = ""
        self._listed, self._numbers, self._typeset = listed, numbers, typeset
        self._fewest_words = fewest_words
        self._open = [_Paragraph()]
        self._length = [0]
        self._done: list[tuple[_Paragraph, str]] = []

    def words(self, text: str, start: int, end: int | None = None, *, opaque: bool = False) -> None:
        """Add words as they stand in the draft from `start` on.

        end: the words stand in for what stands there up to it. opaque: they are a formula or code,
        in which no sign is looked for.
        """
        paragraph = self._open[-1]
        paragraph.pieces.append(text)
        if end is None:
            paragraph.starts.extend(range(start, start + len(text)))
            paragraph.ends.extend(range(start + 1, start + len(text) + 1))
        else:
            paragraph.starts.extend([start] * len(text))
            paragraph.ends.extend([end] * len(text))
        if opaque:
            paragraph.opaque.append((self._length[-1], self._length[-1] + len(text)))
        self._length[-1] += len(text)

    def mark(
        self,
        start: int,
        end: int,
        keys: Iterable[str] = (),
        *,
        gap: bool = False,
        textual: bool = False,
        printed: str = "",
    ) -> None:
        """Add a citation or a gap that stands from `start` to `end`.

        textual: it is a part of the sentence, as "\\citet{key} show" is. printed: see `Mark`; only
        where the origin of the text does not tell it.
        """
        sign = _Sign(self._length[-1], start, end, tuple(keys), gap, textual, printed)
        self._open[-1].signs.append(sign)

    def begin_aside(self, start: int) -> None:
        """Begin a footnote: its sentences come behind the one that it belongs to."""
        self._open.append(_Paragraph())
        self._length.append(0)

    def end_aside(self, end: int) -> None:
        """End a footnote that begun."""
        aside = self._open.pop()
        self._length.pop()
        place = _Sign(self._length[-1], end, end, aside=aside)
        self._open[-1].signs.append(place)

    def end_paragraph(self) -> None:
        """End the paragraph; within a footnote, it goes on."""
        if len(self._open) > 1:
            self.words(" ", self._last())
        elif self._length[0] or self._open[0].signs:
            self._done.append((self._open[0], self.section))
            self._open, self._length = [_Paragraph()], [0]

    def heading(self, title: str) -> None:
        """Begin a section."""
        self.end_paragraph()
        self.section = " ".join(title.split())

    def sentences(self, origin: Origin) -> tuple[Sentence, ...]:
        """End the text, and return its sentences."""
        while len(self._open) > 1:
            self.end_aside(self._last())
        self.end_paragraph()
        found: list[Sentence] = []
        number = 0
        for paragraph, section in self._done:
            here = [
                replace(_placed(sentence, origin), section=section, paragraph=number)
                for sentence in self._split(paragraph)
            ]
            number += bool(here)
            found += here
            if len(found) > MOST_SENTENCES:
                break
        return tuple(found[:MOST_SENTENCES])

    def _split(self, paragraph: _Paragraph) -> Iterator["_Found"]:
        """Yield the sentences of a paragraph, each followed by those of its footnotes."""
        paragraph.text = "".join(paragraph.pieces)
        self._take_out_signs(paragraph)
        opening = {id(sign) for sign in paragraph.signs if _begins_sentence(paragraph.text, sign)}
        _clean(paragraph)
        bounds = sorted({sign.at for sign in paragraph.signs if id(sign) in opening})
        spans = _spans(paragraph.text, bounds)
        owned: list[list[_Sign]] = [[] for _ in spans]
        for sign in paragraph.signs if spans else ():
            owned[_owner(spans, sign, id(sign) in opening)].append(sign)
        for (start, end), signs in zip(spans, owned, strict=True):
            marks = [sign for sign in signs if sign.aside is None]
            for mark in marks:
                behind = paragraph.text[start : max(start, mark.at)].rstrip()
                mark.at = min(len(behind), end - start)
            text = paragraph.text[start:end]
            if marks or sum(map(_is_word, text.split())) >= self._fewest_words:
                first = min([paragraph.starts[start], *(mark.start for mark in marks)])
                last = max([paragraph.ends[end - 1], *(mark.end for mark in marks)])
                yield _Found(text, first, last, marks)
            yield from self._asides(signs)
        if not spans:
            # A gap may stand alone.
            marks = [sign for sign in paragraph.signs if sign.aside is None]
            if any(mark.gap for mark in marks):
                for mark in marks:
                    mark.at = 0
                first, last = min(mark.start for mark in marks), max(mark.end for mark in marks)
                yield _Found("", first, last, marks)
            yield from self._asides(paragraph.signs)

    def _asides(self, signs: Iterable[_Sign]) -> Iterator["_Found"]:
        for sign in signs:
            if sign.aside is not None:
                yield from self._split(sign.aside)

    def _take_out_signs(self, paragraph: _Paragraph) -> None:
        """Make marks of what is a gap or a printed citation in the words themselves."""
        cuts = []
        places = [sign.at for sign in paragraph.signs]
        closed = [place for span in paragraph.opaque for place in span]
        text = _SPACE.sub(" ", paragraph.text)
        for sign in printed_citations(
            text, self._listed, numbers=self._numbers, typeset=self._typeset
        ):
            first, last = sign.start, sign.end - 1
            if bisect_right(closed, first) % 2 or _any_between(closed, first, last):
                continue
            if _any_between(places, first + 1, last):
                continue  # A bracket around citations that were found already.
            cuts.append((sign.start, sign.end))
            start, end = paragraph.starts[first], paragraph.ends[last]
            printed = text[sign.start : sign.end]
            paragraph.signs.append(_Sign(first, start, end, sign.keys, sign.gap, printed=printed))
        paragraph.signs.sort(key=lambda sign: (sign.at, sign.start))
        paragraph.cut(cuts)

    def _last(self) -> int:
        ends = self._open[-1].ends
        return ends[-1] if ends else 0


@dataclass(frozen=True, slots=True)
class _Found:
    """A sentence: its text, its offsets, and its signs, whose `at` counts in it."""

    text: str
    start: int
    end: int
    signs: list[_Sign]


def _any_between(places: Sequence[int], first: int, last: int) -> bool:
    """Whether one of some numbers in order is at least `first` and at most `last`."""
    found = bisect_left(places, first)
    return found < len(places) and places[found] <= last


def _begins_sentence(text: str, sign: _Sign) -> bool:
    """Whether a mark stands where a sentence begins whose first words it is."""
    left, right = text[max(0, sign.at - 60) : sign.at], text[sign.at : sign.at + 20]
    if sign.aside is not None or not left or not left[-1].isspace() or not may_end(left):
        return False
    return sign.textual or bool(_GOES_ON.match(right))


def _clean(paragraph: _Paragraph) -> None:
    for pattern, needs_mark in _LEFTOVERS:
        cuts = [match.span() for match in pattern.finditer(paragraph.text)]
        if needs_mark and cuts:
            places = [sign.at for sign in paragraph.signs]
            cuts = [cut for cut in cuts if _any_between(places, cut[0], cut[1])]
        paragraph.cut(cuts)
    paragraph.text = _SPACE.sub(" ", paragraph.text)


def _spans(text: str, bounds: Sequence[int]) -> list[tuple[int, int]]:
    """Return the sentences of a text that is also split at some places; those without a word go."""
    found = []
    for start, end in zip([0, *bounds], [*bounds, len(text)], strict=True):
        found += [(start + first, start + last) for first, last in sentence_spans(text[start:end])]
    return [span for span in found if any(map(str.isalpha, text[span[0] : span[1]]))]


def _owner(spans: Sequence[tuple[int, int]], sign: _Sign, opens: bool) -> int:
    """Return which sentence a mark belongs to: the one that it stands in, or behind."""
    number = bisect_right(spans, sign.at, key=lambda span: span[0]) - 1
    if number < 0 or opens:
        number = max(0, number)
        behind = sign.at >= spans[number][1] and number + 1 < len(spans)
        return number + 1 if behind and opens else number
    return number - 1 if number and sign.at == spans[number][0] else number


def _placed(sentence: _Found, origin: Origin) -> Sentence:
    file, *_ = origin.place(sentence.start)
    marks = (
        Mark(
            at=sign.at,
            keys=sign.keys,
            gap=sign.gap,
            printed=origin.printed(sign.start, sign.end) or sign.printed,
            span=_span(origin, sign.start, sign.end, file),
        )
        for sign in sorted(sentence.signs, key=lambda sign: (sign.at, sign.start))
    )
    span = _span(origin, sentence.start, sentence.end, file)
    return Sentence(text=sentence.text, marks=tuple(marks), file=file, span=span)


def _span(origin: Origin, start: int, end: int, file: str) -> Span | None:
    """Return where something stands in a file; None if it is in another, cut where it goes on."""
    where, line, column = origin.place(start)
    if where != file:
        return None
    if end <= start:
        return Span(line, column, line, column)
    until, end_line, end_column = origin.place(end - 1)
    if until != file:
        return Span(line, column, line, column + 1)
    return Span(line, column, end_line, end_column + 1)


def _is_word(text: str) -> bool:
    return sum(map(str.isalpha, text)) > 1
