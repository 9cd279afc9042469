"""Get lines of text with sizes and places out of a PDF, within limits, and join their words."""

import io
import logging
import math
import re
import unicodedata
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from recsys.errors import DraftError, need

if TYPE_CHECKING:
    from pypdf import PageObject

LIMITS: Mapping[str, Any] = {
    "zlib_maximum_output_length": 16 * 2**20,
    "zlib_maximum_recovery_input_length": 2**17,
    "lzw_maximum_output_length": 16 * 2**20,
    "run_length_maximum_output_length": 16 * 2**20,
    "array_based_stream_maximum_output_length": 16 * 2**20,
    "stream_decoding_work_maximum_length": 64 * 2**20,
    "stream_parsing_work_maximum_count": 150_000,
    "page_tree_maximum_entries": 50_000,
}
"""Of pypdf's configuration: what one stream may cost (bytes, tokens), and how many pages."""
FORMS = 50
"""Nested drawings that are looked into where a page has no text of its own."""
MOST_FAILURES = 3
"""After so many pages that cannot be read the others are not tried."""
LONGEST_PAGE, LONGEST_FACT = 100_000, 1_000
"""Characters of a page, and of an entry of the file's own information, that are kept."""

_LIGATURES = (
    {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
    | {
        first + place: ligature
        for first in (0x0B, 0x1B)
        for place, ligature in enumerate(("ff", "fi", "fl", "ffi", "ffl"))
    }
    | {0x10: "\u201c", 0x11: "\u201d", 0x15: "\u2013", 0x16: "\u2014"}
)
"""Unicode's, and what bitmap fonts of TeX put in the places of control characters."""
GAP = "\u2003"
"""Stands where words are further apart than any space in a line of text, as two names may be."""
_SPACE, _SURE, _WIDE = 165, 240, 1200
"""Thousandths of the size: TeX's narrowest space, what pypdf takes for one in fonts whose own space
is wide, and a gap."""
_SAME_LINE = 0.6
_SHARE_OF_LINE = 0.15
_NOT_TEXT = "\ufffd"

_FIXED = re.compile(
    r"(?i)mono|courier|typewriter|consola|inconsolata|menlo|cmtt|ectt|lmtt|sftt|nimbusmon|zi4"
)
_BOLD = re.compile(r"(?i)bold|black\b|heavy|cmbx|ecbx|sfbx|lmbx|medi\b|demi")

T = TypeVar("T")
_HYPHENS = "-\u00ad\u2010\u2011"
_BROKEN = re.compile(rf"([^\W\d_]+)[{_HYPHENS}]\Z")
_WORD = re.compile(r"[^\W\d_]+")
_LONGEST_WORD = 80
JOINING = ("/", *_HYPHENS)
"""No space stands between a line that ends so and the next one."""
_ACCENTS = {
    "\u00a8": "\u0308", "\u00b4": "\u0301", "\u02c6": "\u0302", "\u02dc": "\u0303",
    "\u00af": "\u0304", "\u02d9": "\u0307", "\u02c7": "\u030c", "\u02d8": "\u0306",
    "\u02da": "\u030a", "\u02dd": "\u030b",
}  # fmt: skip
_DOTTED = {0x0131: "i", 0x0237: "j"}
"""An accent stands on letters without their dots."""
_LOOSE_ACCENT = re.compile(rf"([{''.join(_ACCENTS)}]) ?([^\W\d_])")
_TYPED_HAT = re.compile(r"(?<=[^\W\d_])\^(?=[aeiouAEIOU](?!\w*\d))")
"""A circumflex of TeX's own fonts is read as the sign that is typed for it."""
_NUMBERING = re.compile(r"\A(?:\d{1,2}(?:\.\d{1,2})*|[IVXivx]{1,4})[.)]?\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, or a piece of one.

    size: of its letters, in points. x, y: where it begins, from the lower left. page: from 0.
    right: whether it begins in the right half of the page. parts: the text, divided at wide gaps;
    empty where there are none. face: of most of its letters: "bold", "fixed" (as wide as each
    other), or "".
    """

    text: str
    size: float
    x: float
    y: float
    page: int
    right: bool = False
    parts: tuple[str, ...] = ()
    face: str = ""


class Pages:
    """The pages of a PDF: `len`, and the lines of each in the order in which they were written.

    failures: how many of the pages asked for could not be read.
    """

    def __init__(self, raw: bytes, name: str) -> None:
        """Open a PDF.

        Raises:
            DraftError: it is no PDF, is encrypted, damaged beyond reading, or has no pages.
            MissingExtraError: pypdf is not installed.
        """
        need("pypdf", f"Reading {name}")
        import pypdf

        self._name = name
        self._reader = self._guarded(lambda: pypdf.PdfReader(io.BytesIO(raw)))
        if self._guarded(lambda: self._reader.is_encrypted):
            # An empty password opens what is only protected against printing.
            if not self._guarded(lambda: self._reader.decrypt("")):
                raise _encrypted(name)
        self._pages: Sequence[PageObject] = self._guarded(lambda: list(self._reader.pages))
        self._lines: dict[int, list[Line]] = {}
        self._margins: dict[int, str] = {}
        self.failures = 0
        if not self._pages:
            raise DraftError(f"{name} has no pages.", "Export the PDF again.")

    def __len__(self) -> int:
        """Count the pages."""
        return len(self._pages)

    def lines(self, page: int) -> list[Line]:
        """Return the lines of a page; of a page that cannot be read, as far as it could."""
        if page not in self._lines:
            failures = self.failures
            self._lines[page] = self._read(page, forms=0)
            if not self._lines[page] and self.failures == failures:
                self._lines[page] = self._read(page, forms=FORMS)
        return self._lines[page]

    def margin(self, page: int) -> str:
        """Return the text of a page that is turned, as the stamps of archives are."""
        self.lines(page)
        return self._margins.get(page, "")

    def fact(self, key: str) -> str:
        """Return an entry of the file's own information such as `/Title`, empty if unknown."""
        try:
            facts = self._guarded(lambda: self._reader.metadata)
            fact = None if facts is None else self._guarded(lambda: facts.get(key))
        except DraftError:
            return ""
        return fact[:LONGEST_FACT].strip() if isinstance(fact, str) else ""

    def _read(self, number: int, *, forms: int) -> list[Line]:
        pieces: list[Line] = []
        turned: list[str] = []
        page, middle, left = self._pages[number], math.inf, LONGEST_PAGE

        def collect(
            text: str, cm: Sequence[float], tm: Sequence[float], font: object, size: float
        ) -> None:
            """Keep a piece of text with its place, if it is upright."""
            nonlocal left
            printable = (c for c in text.translate(_LIGATURES) if c.isprintable() or c == GAP)
            plain = "".join(printable)[:left]
            left -= len(plain)
            (up_x, up_y), (x, y) = (
                (tm[at] * cm[0] + tm[at + 1] * cm[2], tm[at] * cm[1] + tm[at + 1] * cm[3])
                for at in (2, 4)
            )
            if plain and abs(up_y) >= abs(up_x):
                name = font.get("/BaseFont", "") if isinstance(font, dict) else ""
                name = str(name)[:LONGEST_FACT]
                face = "fixed" if _FIXED.search(name) else "bold" if _BOLD.search(name) else ""
                size = abs(size) * abs(up_y)
                pieces.append(Line(plain, size, x + cm[4], y + cm[5], number, face=face))
            elif plain:
                turned.append(plain)

        if self.failures < MOST_FAILURES:
            try:
                self._guarded(
                    lambda: page.extract_text(
                        visitor_operand_before=_space_out, visitor_text=collect
                    ),
                    xform_maximum_invocations_per_extraction=forms,
                )
                middle = self._guarded(lambda: float(page.mediabox.left + page.mediabox.right) / 2)
            except DraftError:
                self.failures += 1
        self._margins[number] = " ".join("".join(turned).split())
        return list(_lines(pieces, middle))

    def _guarded(self, work: Callable[[], T], **limits: int) -> T:
        """Call pypdf: quietly, within limits, and with one kind of error."""
        from pypdf import Configuration, apply_configuration
        from pypdf.errors import DependencyError, FileNotDecryptedError

        logger = logging.getLogger("pypdf")
        level = logger.level
        logger.setLevel(logging.CRITICAL + 1)  # Its remarks on damaged files are none of ours.
        try:
            with (
                warnings.catch_warnings(action="ignore"),
                apply_configuration(Configuration(**{**LIMITS, **limits})),
            ):
                return work()
        except (DependencyError, FileNotDecryptedError) as error:
            raise _encrypted(self._name) from error
        except Exception as error:  # Damaged files raise whatever the damage leads to.
            reason = " ".join(str(error).split())[:80] or type(error).__name__
            raise DraftError(
                f"{self._name} cannot be read as PDF: {reason.rstrip('.')}.",
                "Export it again, or give the draft as text.",
            ) from error
        finally:
            logger.setLevel(level)


def _encrypted(name: str) -> DraftError:
    return DraftError(f"{name} is encrypted.", "Save it without a password.")


def _space_out(operator: bytes, operands: list[Any], *_: object) -> None:
    """Make narrow spaces ones that pypdf sees, and mark wide ones, before a line is drawn."""
    if operator != b"TJ" or not operands or not isinstance(operands[0], list):
        return
    spaced: list[Any] = []
    for item in operands[0]:
        if isinstance(item, int | float) and item <= -_SPACE:
            spaced += [GAP, item] if item <= -_WIDE else [min(item, -_SURE)]
        else:
            spaced.append(item)
    operands[0][:] = spaced


def _lines(pieces: Sequence[Line], middle: float) -> Iterator[Line]:
    """Join pieces that stand on one line, each right of the one before."""
    runs: list[list[Line]] = []
    for piece in pieces:
        last = runs[-1][-1] if runs else piece
        near = abs(last.y - piece.y) <= _SAME_LINE * max(last.size, piece.size, 1.0)
        if runs and near and piece.x >= last.x:
            runs[-1].append(piece)
        else:
            runs.append([piece])
    for run in runs:
        yield from _line(run, middle)


def _line(run: Sequence[Line], middle: float) -> Iterator[Line]:
    sizes, faces = Counter[float](), Counter[str]()
    letters = [sum(map(str.isalpha, piece.text)) for piece in run]
    for piece, number in zip(run, letters, strict=True):
        sizes[piece.size] += number
        faces[piece.face] += number
    # The initials of small capitals are few, marks for footnotes are fewer.
    common = [size for size, number in sizes.items() if number > _SHARE_OF_LINE * sizes.total()]
    size = max(common or sizes)
    face, number = faces.most_common(1)[0]
    # Small raised figures and signs are no words of the line.
    written = "".join(
        piece.text
        for piece, number in zip(run, letters, strict=True)
        if piece.size > 0.8 * size or number > 1
    )
    parts = tuple(filter(None, (" ".join(part.split()) for part in written.split(GAP))))
    if parts:
        yield replace(
            run[0],
            text=" ".join(parts),
            size=size,
            right=run[0].x > 0.97 * middle,
            parts=parts if len(parts) > 1 else (),
            # Within a sentence, a word may stand out.
            face=face if number > 0.8 * faces.total() else "",
        )


def is_readable(lines: Sequence[Line]) -> bool:
    """Tell text from what fonts without an encoding leave: half of it are letters."""
    text = "".join(line.text for line in lines).replace(" ", "")
    letters = sum(map(str.isalpha, text))
    return 2 * letters > len(text) and text.count(_NOT_TEXT) < letters


def joined(lines: Sequence[Line], vocabulary: Counter[str] | None = None) -> str:
    """Join lines into running text; vocabulary: see `is_broken`."""
    text = ""
    for line in lines:
        if is_broken(text, line.text, vocabulary or Counter()):
            text = text[:-1]
        elif text and not text.endswith(JOINING):
            text += " "
        text += line.text
    return composed(text)


def is_broken(text: str, words: str, vocabulary: Counter[str]) -> bool:
    """Whether a hyphen at the end of a text only divides a word from what follows it.

    So it does before a small letter, unless the vocabulary (the words of the document) knows the
    word better with it.
    """
    begun, rest = _BROKEN.search(text[-_LONGEST_WORD:]), _WORD.match(words)
    if begun is None or rest is None or not rest[0].islower():
        return False
    whole, hyphened = begun[1] + rest[0], f"{begun[1]}-{rest[0]}"
    return vocabulary[hyphened.lower()] <= vocabulary[whole.lower()]


def composed(text: str) -> str:
    """Put loose accents onto their letters; drop soft hyphens and spaces before punctuation."""
    accented = _LOOSE_ACCENT.sub(
        lambda match: unicodedata.normalize(
            "NFC", match[2].translate(_DOTTED) + _ACCENTS[match[1]]
        ),
        _TYPED_HAT.sub("\u02c6", text),
    )
    return re.sub(r" (?=[,.;:])", "", " ".join(accented.replace("\u00ad", "").split()))


def words_of(lines: Iterable[Line]) -> Counter[str]:
    """Count the words within lines, in lower case, those with hyphens as one."""
    words: Counter[str] = Counter()
    for line in lines:
        words.update(word.lower() for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)?", line.text))
    return words


def without_running_heads(lines: Sequence[Line], others: Iterable[Line]) -> list[Line]:
    """Leave out what stands on several pages at one height, but for its figures.

    others: lines of other pages, with which heads are compared too.
    """

    def head(line: Line) -> tuple[str, int]:
        return re.sub(r"\d+", "", line.text).casefold(), round(line.y / 4)

    pages: dict[tuple[str, int], set[int]] = defaultdict(set)
    for line in [*lines, *others]:
        pages[head(line)].add(line.page)
    return [line for line in lines if len(pages[head(line)]) < 2]


def heading(text: str) -> str:
    """Reduce a line to the letters of a heading, without number, spaces and case."""
    return re.sub(r"[\W\d_]+", "", _NUMBERING.sub("", text.strip())).lower()


def main_size(lines: Sequence[Line]) -> float:
    """Return the size in which most letters are set, 0 without lines."""
    letters: Counter[float] = Counter()
    for line in lines:
        letters[round(line.size, 1)] += len(line.text)
    return letters.most_common(1)[0][0] if letters else 0.0
