"""Collect the words of a draft, each with its place in the file, and give them as sentences.

A reader of a format says what it comes across, in order: words, marks, the ends of paragraphs,
headings. What all formats have in common is done here: white space, what citations leave behind,
printed citations and gaps in the text, and the sentences.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Protocol

from sentencex import get_sentence_boundaries

from recsys.errors import InputError
from recsys.formats.bodies.printed_citations import NO_LIST, CitedList, printed_citations
from recsys.records import Body, Mark, Sentence, Span

# sentencex, a compiled library of Wikimedia's, finds the ends of sentences: it keeps offsets, takes
# 1 ms for 800 sentences and imports in 2 ms (syntok takes 25 ms, pysbd 65 to 165 ms). It splits
# rather too often at the abbreviations of scholarly text; what it splits wrongly is joined here.
# syntok misses sentences that begin in lower case or behind ".[12]": that could not be mended.

MOST_AT_ONCE = 20_000
"""Characters that the library is given at once, so that no text costs more than in proportion."""
LONGEST_TAIL = 60
"""Characters on each side of a boundary that are looked at."""

_ALWAYS = frozenset(
    "e.g i.e cf vs viz ca approx resp w.r.t w.l.o.g s.t a.k.a i.i.d eg ie esp incl excl prof dr "
    "mr mrs ms st proc natl acad sci conf int univ dept trans symp assoc fig figs eq eqs eqn "
    "eqns sec secs sect sects tab tabs ref refs thm lem cor def defs prop alg algs chap chaps "
    "suppl vol vols pp para ex exs lab subsp aff phys chem biol rev lett bull".split()
)
"""What never ends a sentence, without its last full stop."""
_BEFORE_NUMBERS = frozenset(
    "no nos p app appx art ch pt sp spp al ed eds op min max avg est exp obs col ser ver v n ln "
    "ll l n.b jan feb mar apr jun jul aug sep sept oct nov dec ext".split()
)
"""What ends none before a number or a bracket."""
_LAST_WORD = re.compile(r"(?:\A|[\s(\[{/~\u2013\u2014\"'\u201c\u2018])([^\W\d_][\w.]{0,10})\.\s*\Z")
_NUMBER = re.compile(r"[(\[]?\d|[(\[]|[A-Z](?:\.\d|\b(?![\w' -]))")
_LOWER = re.compile(r"[^\W\d_A-Z]+")
_NO_WORD = re.compile(r"[\W_]*(?:\d[\d.,]*|[^\W\d_])?[\W_]*\Z")
_BEHIND_BRACKET = re.compile(r"[.!?][)\]][\"'\u201d\u2019]?(\s+)(?=[\"'\u201c\u2018(\[]?[A-Z])")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where each sentence of a paragraph begins and ends, without the spaces around it."""
    boundaries = {match.end(1) for match in _BEHIND_BRACKET.finditer(text)}
    at = 0
    while at < len(text):
        piece = text[at : at + MOST_AT_ONCE]
        begins = [boundary["start_index"] for boundary in get_sentence_boundaries("en", piece)]
        boundaries.update(at + begin for begin in begins)
        last = begins[-1] if begins else 0
        # What it finds in the last sentence of a cut piece, it finds again with what follows.
        at += last if last and len(text) > at + MOST_AT_ONCE else len(piece)
    starts = [0]
    for boundary in sorted(boundaries - {0}):
        left = text[max(starts[-1], boundary - LONGEST_TAIL) : boundary]
        if _ends(left, text[boundary : boundary + LONGEST_TAIL]):
            starts.append(boundary)
    spans = []
    for start, end in pairwise([*starts, len(text)]):
        piece = text[start:end]
        if sentence := piece.strip():
            start += len(piece) - len(piece.lstrip())
            spans.append((start, start + len(sentence)))
    return spans


def sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph."""
    return [text[start:end] for start, end in sentence_spans(text)]


def may_end(left: str) -> bool:
    """Whether a sentence may end with a piece of text: its last word is no abbreviation."""
    ended = left.rstrip().rstrip("\"')]}\u201d\u2019").endswith((".", "!", "?"))
    word = _last_word(left)
    return ended and word not in _ALWAYS and word not in _BEFORE_NUMBERS


def _last_word(text: str) -> str:
    """Return the word before a full stop at the end of a text, in lower case; "" without one."""
    word = _LAST_WORD.search(text.rstrip()[-16:])
    return word[1].lower() if word else ""


def _ends(left: str, right: str) -> bool:
    """Whether a sentence ends between two pieces of text."""
    right = right.lstrip()
    if not right or right[0] in ",;:)]}%/" or _NO_WORD.match(left):
        return False
    word = _last_word(left)
    if word in _ALWAYS or (word in _BEFORE_NUMBERS and _NUMBER.match(right)):
        return False
    lower = _LOWER.match(right)
    # A name such as iPhone or p53 begins a sentence; other words in lower case go on with one.
    return lower is None or right[lower.end() : lower.end() + 1].isalnum()


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

    printed: the mark as it was read, where the file cannot be asked. opens: whether a sentence
    begins with it.
    """

    at: int
    start: int
    end: int
    keys: tuple[str, ...] = ()
    gap: bool = False
    textual: bool = False
    printed: str = ""
    aside: "_Paragraph | None" = None
    opens: bool = False


@dataclass(slots=True)
class _Paragraph:
    """Text, first in pieces, and of each character where it begins and ends in the draft."""

    text: str = ""
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    signs: list[_Sign] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    opaque: list[tuple[int, int]] = field(default_factory=list)
    section: str = ""

    def cut(self, cuts: Sequence[tuple[int, int]]) -> None:
        """Take out parts of the text, given in order; a sign in one of them moves to its begin."""
        if not cuts:
            return
        bounds = [0, *(place for cut in cuts for place in cut), len(self.text)]
        rest = list(zip(bounds[::2], bounds[1::2], strict=True))
        firsts, lengths = [start for start, _ in rest], [0]
        for start, end in rest:
            lengths.append(lengths[-1] + end - start)
        for sign in self.signs:
            place = max(0, bisect_right(firsts, sign.at) - 1)
            start, end = rest[place]
            sign.at = lengths[place] + min(max(sign.at, start), end) - start
        self.text = "".join(self.text[start:end] for start, end in rest)
        self.starts = [place for start, end in rest for place in self.starts[start:end]]
        self.ends = [place for start, end in rest for place in self.ends[start:end]]

    def clean(self) -> None:
        """Take out what is left where marks were: empty brackets, commas, white space."""
        for pattern, needs_mark in _LEFTOVERS:
            cuts = [match.span() for match in pattern.finditer(self.text)]
            if needs_mark and cuts:
                places = [sign.at for sign in self.signs]
                cuts = [cut for cut in cuts if _any_between(places, cut[0], cut[1])]
            self.cut(cuts)
        self.text = _SPACE.sub(" ", self.text)

    def spans(self) -> list[tuple[int, int]]:
        """Return the sentences of the text, split also where a mark opens one.

        What has no word is none.
        """
        bounds = sorted({sign.at for sign in self.signs if sign.opens})
        spans = []
        for start, end in zip([0, *bounds], [*bounds, len(self.text)], strict=True):
            for first, last in sentence_spans(self.text[start:end]):
                if any(map(str.isalpha, self.text[start + first : start + last])):
                    spans.append((start + first, start + last))
        return spans


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
        self._done: list[_Paragraph] = []

    def words(self, text: str, start: int, end: int | None = None, *, opaque: bool = False) -> None:
        """Add words as they stand in the draft from `start` on.

        end: the words stand in for what stands there up to it. opaque: they are a formula or code,
        in which no sign is looked for.
        """
        paragraph = self._open[-1]
        at, length = len(paragraph.starts), len(text)
        paragraph.pieces.append(text)
        if end is None:
            paragraph.starts.extend(range(start, start + length))
            paragraph.ends.extend(range(start + 1, start + length + 1))
        else:
            paragraph.starts.extend([start] * length)
            paragraph.ends.extend([end] * length)
        if opaque:
            paragraph.opaque.append((at, at + length))

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
        at = len(self._open[-1].starts)
        self._open[-1].signs.append(_Sign(at, start, end, tuple(keys), gap, textual, printed))

    def begin_aside(self) -> None:
        """Begin a footnote: its sentences come behind the one that it belongs to."""
        self._open.append(_Paragraph())

    def end_aside(self, end: int) -> None:
        """End a footnote that begun."""
        aside = self._open.pop()
        self._open[-1].signs.append(_Sign(len(self._open[-1].starts), end, end, aside=aside))

    def end_paragraph(self) -> None:
        """End the paragraph; within a footnote, it goes on."""
        paragraph = self._open[-1]
        if len(self._open) > 1:
            self.words(" ", paragraph.ends[-1] if paragraph.ends else 0)
        elif paragraph.starts or paragraph.signs:
            paragraph.section = self.section
            self._done.append(paragraph)
            self._open = [_Paragraph()]

    def heading(self, title: str) -> None:
        """Begin a section."""
        self.end_paragraph()
        self.section = " ".join(title.split())

    def sentences(self, origin: Origin) -> tuple[Sentence, ...]:
        """End the text, and return its sentences."""
        while len(self._open) > 1:
            ends = self._open[-1].ends
            self.end_aside(ends[-1] if ends else 0)
        self.end_paragraph()
        sentences: list[Sentence] = []
        number = 0
        for paragraph in self._done:
            own = list(self._split(paragraph, origin))
            sentences += (
                replace(sentence, section=paragraph.section, paragraph=number) for sentence in own
            )
            number += bool(own)
            if len(sentences) > MOST_SENTENCES:
                break
        return tuple(sentences[:MOST_SENTENCES])

    def _split(self, paragraph: _Paragraph, origin: Origin) -> Iterator[Sentence]:
        """Yield the sentences of a paragraph, each followed by those of its footnotes."""
        paragraph.text = "".join(paragraph.pieces)
        self._take_out_signs(paragraph)
        text = paragraph.text
        for sign in paragraph.signs:
            left, right = text[max(0, sign.at - 60) : sign.at], text[sign.at : sign.at + 20]
            behind = sign.aside is None and left[-1:].isspace() and may_end(left)
            sign.opens = behind and (sign.textual or bool(_GOES_ON.match(right)))
        paragraph.clean()
        text, spans = paragraph.text, paragraph.spans()
        worded = bool(spans)
        spans = spans or [(0, 0)]  # A gap may stand alone.
        owned: list[list[_Sign]] = [[] for _ in spans]
        for sign in paragraph.signs:
            owned[_owner(spans, sign) if worded else 0].append(sign)
        for (start, end), signs in zip(spans, owned, strict=True):
            marks = [sign for sign in signs if sign.aside is None]
            for mark in marks:
                before = text[start : max(start, mark.at)].rstrip()
                mark.at = min(len(before), end - start)
            words = sum(sum(map(str.isalpha, word)) > 1 for word in text[start:end].split())
            cites = bool(marks) if worded else any(mark.gap for mark in marks)
            if cites or (worded and words >= self._fewest_words):
                first = min([*paragraph.starts[start:end][:1], *(mark.start for mark in marks)])
                last = max([*paragraph.ends[start:end][-1:], *(mark.end for mark in marks)])
                yield _sentence(text[start:end], first, last, marks, origin)
            for sign in signs:
                if sign.aside is not None:
                    yield from self._split(sign.aside, origin)

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


def _any_between(places: Sequence[int], first: int, last: int) -> bool:
    """Whether one of some numbers in order is at least `first` and at most `last`."""
    at = bisect_left(places, first)
    return at < len(places) and places[at] <= last


def _owner(spans: Sequence[tuple[int, int]], sign: _Sign) -> int:
    """Return which sentence a mark belongs to: the one that it stands in, or behind."""
    number = max(0, bisect_right(spans, sign.at, key=lambda span: span[0]) - 1)
    if sign.opens:
        return number + (sign.at >= spans[number][1] and number + 1 < len(spans))
    return number - 1 if number and sign.at == spans[number][0] else number


def _sentence(text: str, start: int, end: int, signs: Sequence[_Sign], origin: Origin) -> Sentence:
    """Make a sentence that stands from one offset to another; `at` of its signs counts in it."""
    file, *_ = origin.place(start)

    def span(start: int, end: int) -> Span | None:
        """Return where something stands; None if in another file, cut where it goes on in one."""
        where, line, column = origin.place(start)
        if where != file:
            return None
        if end <= start:
            return Span(line, column, line, column)
        until, end_line, end_column = origin.place(end - 1)
        if until != file:
            return Span(line, column, line, column + 1)
        return Span(line, column, end_line, end_column + 1)

    marks = (
        Mark(
            at=sign.at,
            keys=sign.keys,
            gap=sign.gap,
            printed=origin.printed(sign.start, sign.end) or sign.printed,
            span=span(sign.start, sign.end),
        )
        for sign in sorted(signs, key=lambda sign: (sign.at, sign.start))
    )
    return Sentence(text=text, marks=tuple(marks), file=file, span=span(start, end))


# Find the sentence at a place of a draft, and read a passage whose place is marked in it.

_PLACE = re.compile(r"(?<!\|)\|(?!\|)")
LONGEST_PASSAGE = 100_000
"""Characters of a passage; a longer text is a draft."""


def sentence_at(body: Body, line: int) -> Sentence:
    """Return the first sentence that begins on a line of a draft, else the one that goes over it.

    Args:
        body: the draft's; of several files, the first is meant.
        line: what `Body.unit` says, counted from 1.

    Raises:
        InputError: a line beyond the text, or no sentence there.
    """
    if line < 1:
        raise InputError(f"There is no {body.unit} {line}.", "Lines and columns count from 1.")
    file = body.sentences[0].file if body.sentences else ""
    of_file = [sentence for sentence in body.sentences if sentence.file == file]
    spans = [(sentence, sentence.span) for sentence in of_file if sentence.span is not None]
    over = [(sentence, span) for sentence, span in spans if span.line <= line <= span.end_line]
    if over:
        return next((sentence for sentence, span in over if span.line == line), over[0][0])
    last = max((span.end_line for _, span in spans), default=0)
    if line > last:
        raise InputError(
            f"There is no sentence at {body.unit} {line}: the running text ends on {body.unit} "
            f"{last}.",
            f"Give a {body.unit} from 1 to {last}.",
        )
    nearest = min(
        (span for _, span in spans),
        key=lambda span: min(abs(span.line - line), abs(span.end_line - line)),
    )
    raise InputError(
        f"There is no sentence at {body.unit} {line}.",
        f"The nearest one begins on {body.unit} {nearest.line}, column {nearest.column}.",
    )


def passage_of(text: str, offset: int | None = None) -> Sentence:
    """Return the sentence of a passage in which a citation is looked for, its place as a gap.

    The place is where "|" stands, or the character at `offset`, or where a gap is marked as in a
    draft, else the end of the last sentence. The text of the sentence is that of its passage's
    sentence; the spans of its marks are those of the passage.

    Raises:
        InputError: the passage is empty or too long, or the place outside it or given twice.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not any(map(str.isalnum, text)):
        raise InputError("The passage is empty.", "Give the sentence that needs a citation.")
    if len(text) > LONGEST_PASSAGE:
        raise InputError(
            f"The passage has {len(text):,} characters.",
            "Give a draft as a file, not as a passage.",
        )
    bars = [match.start() for match in _PLACE.finditer(text)]
    if len(bars) > 1:
        raise InputError(
            f'The passage has {len(bars)} places marked by "|".', "Mark one place at a time."
        )
    if bars and offset is not None:
        raise InputError(
            f'The place is given twice: by "|" and by offset {offset}.', "Give one of them."
        )
    if offset is not None and not 0 <= offset <= len(text):
        raise InputError(
            f"Offset {offset} is outside the passage.",
            f"The passage has {len(text)} characters: give an offset from 0 to {len(text)}.",
        )
    place = bars[0] if bars else offset
    running = RunningText(numbers=True)
    running.words(text[:place], 0)
    if place is not None:
        behind = place + (offset is None)  # Behind the "|".
        running.mark(place, behind, gap=True)
        running.words(text[behind:], behind)
    sentences = running.sentences(Lines(text))
    if not sentences:
        raise InputError("The passage has no words.", "Give the sentence that needs a citation.")
    _, *at = Lines(text).place(place or 0)
    for sentence in sentences:
        spans = [mark.span for mark in sentence.marks if mark.gap and mark.span is not None]
        if any(place is None or [span.line, span.column] == at for span in spans):
            return sentence
    sentence = sentences[-1]
    end = Mark(at=len(sentence.text.rstrip(" .!?:;")), gap=True)  # Before its full stop.
    marks = sorted((*sentence.marks, end), key=lambda mark: mark.at)
    return replace(sentence, marks=tuple(marks))
