"""Get lines of text with sizes and places out of a PDF, within limits, and join their words."""

import json
import re
import subprocess
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recsys.errors import DraftError, installed, need

FRONT_PAGES = 3
"""Pages on which title and abstract are looked for."""
BACK_PAGES = 30
"""Pages at the end among which the list of references is looked for."""
MOST_PAGES = 300
"""Pages that are read: no paper has more, and a page takes some hundredths of a second."""
PATIENCE = 45
"""Seconds that reading pages may take, on a busy machine."""
_NO_PASSWORD = 4
"""PDFium's code where a password is missing."""

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
MARK = "\u2020"
"""Stands for what is raised in a line."""
_MARKS = re.compile(r"[\W\d_]*(?:(?:iD|[^\W\d_])[\W\d_]+)*(?:iD|[^\W\d_])?")
"""Numbers, signs and letters of footnotes, and the sign of ORCID."""
_SMALL = 0.8
"""Share of the size of a line that marks do not reach."""
_SHARE_OF_LINE = 0.15
_NOT_TEXT = "\ufffd"

_HYPHENS = "-\u00ad\u2010\u2011"
_BROKEN = re.compile(rf"([^\W\d_]+)[{_HYPHENS}]\Z")
_WORD = re.compile(r"[^\W\d_]+")
_IN_ADDRESS = re.compile(r"(?:10\.\d{4,9}/|://)\S*\Z")
"""A DOI or a web address keeps its hyphens."""
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
    other), or "". marked: the text with MARK for what is raised, such as the marks of footnotes,
    which are no words of it, and GAP where it is divided; empty if it has neither.
    """

    text: str
    size: float
    x: float
    y: float
    page: int
    right: bool = False
    parts: tuple[str, ...] = ()
    face: str = ""
    marked: str = ""


class Pages:
    """The pages of a PDF: `len`, and the lines of each in the order in which they were written.

    A program of its own reads them (`pdf_glyphs`), within limits, the first and the last ones at
    once. failures: how many of the pages asked for could not be read.
    """

    def __init__(self, raw: bytes, name: str) -> None:
        """Open a PDF.

        Raises:
            DraftError: it is no PDF, is encrypted, damaged beyond reading, or has no pages.
            MissingExtraError: pypdfium2 is not installed.
        """
        if not installed("pypdfium2"):  # It is loaded by the program alone.
            need("pypdfium2", f"Reading {name}")
        self._raw = raw
        self._lines: dict[int, list[Line]] = {}
        self._margins: dict[int, str] = {}
        self.failures = 0
        self._number, self._facts = 0, dict[str, str]()
        error = self._read(FRONT_PAGES, BACK_PAGES)
        if error == _NO_PASSWORD:
            raise DraftError(f"{name} is encrypted.", "Save it without a password.")
        if error is not None:
            reason = "it breaks its reader down" if error < 0 else "it is no PDF, or damaged"
            raise DraftError(
                f"{name} cannot be read as PDF: {reason}.",
                "Export it again, or give the draft as text.",
            )
        if not self._number:
            raise DraftError(f"{name} has no pages.", "Export the PDF again.")

    def __len__(self) -> int:
        """Count the pages."""
        return self._number

    def lines(self, page: int) -> list[Line]:
        """Return the lines of a page, none of one that cannot be read."""
        if page not in self._lines:
            self._read(MOST_PAGES, BACK_PAGES)
        return self._lines.get(page, [])

    def margin(self, page: int) -> str:
        """Return the text of a page that is turned, as the stamps of archives are."""
        self.lines(page)
        return self._margins.get(page, "")

    def fact(self, key: str) -> str:
        """Return an entry of the file's own information such as `Title`, empty if unknown."""
        return self._facts.get(key, "").strip()

    def _read(self, front: int, back: int) -> int | None:
        """Read the first and the last pages that are not read yet; return why none is, or None."""
        head, *pages = _answers(self._raw, (front, back, *self._lines))
        if "error" in head and not self._lines:
            return int(head["error"])
        self._number, self._facts = head.get("pages", self._number), head.get("facts", self._facts)
        for page, middle, pieces in pages:
            self.failures += pieces is None
            self._lines[page], self._margins[page] = _lines(pieces or (), page, middle)
        wanted = {*range(front), *range(self._number - back, self._number)} - self._lines.keys()
        missing = [page for page in wanted if 0 <= page < self._number]
        self.failures += len(missing)
        self._lines.update((page, []) for page in missing)
        return None


def _answers(raw: bytes, arguments: Iterable[int]) -> list[Any]:
    """Let `pdf_glyphs` read pages of a PDF; return what it told before it ended."""
    program = str(Path(__file__).with_name("pdf_glyphs.py"))
    told = b""
    try:
        told = subprocess.run(
            [sys.executable, "-P", program, *map(str, arguments)],
            input=raw,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
        ).stdout
    except subprocess.TimeoutExpired as late:
        told = late.stdout or b""
    except OSError:  # No process can be started.
        pass
    # The last line may be cut short.
    lines = [line for line in told.splitlines(keepends=True) if line.endswith(b"\n")]
    return [json.loads(line) for line in lines] or [{"error": -1}]


def _lines(pieces: Iterable[Sequence[Any]], page: int, middle: float) -> tuple[list[Line], str]:
    """Join the pieces of a page: (the lines that stand upright, the text of what is turned)."""
    runs: list[list[Line]] = []
    turned = ""
    begins = True
    for text, size, x, y, face, upright, goes_on in pieces:
        plain = "".join(c for c in text.translate(_LIGATURES) if c.isprintable() or c == GAP)
        begins = begins or not goes_on
        if not upright:
            turned += plain
        elif plain:
            runs += [[]] if begins else []
            runs[-1].append(Line(plain, size, x, y, page, face=face))
            begins = False
    return [line for run in runs for line in _line(run, middle)], " ".join(turned.split())


def _line(run: Sequence[Line], middle: float) -> Iterator[Line]:
    sizes, faces = Counter[float](), Counter[str]()
    letters_of = [sum(map(str.isalpha, piece.text)) for piece in run]
    for piece, number in zip(run, letters_of, strict=True):
        sizes[piece.size] += number
        faces[piece.face] += number
    # The initials of small capitals are few, marks for footnotes are fewer.
    common = [size for size, number in sizes.items() if number > _SHARE_OF_LINE * sizes.total()]
    size = max(common or sizes)
    face, number = faces.most_common(1)[0]
    base = next(piece.y for piece in run if piece.size > _SMALL * size)
    written = ""
    for piece, letters in zip(run, letters_of, strict=True):
        # Small raised figures and signs are no words of the line, nor are lists of single letters.
        raised = piece.y > base and letters > 0 and _MARKS.fullmatch(piece.text) is not None
        small = (piece.size <= _SMALL * size and letters <= 1) or (raised and piece.size < size)
        written += MARK if small and piece.text.strip() else piece.text
    parts = tuple(
        filter(None, (" ".join(part.split()) for part in written.replace(MARK, "").split(GAP)))
    )
    if parts:
        yield replace(
            run[0],
            text=" ".join(parts),
            size=size,
            right=run[0].x > 0.97 * middle,
            parts=parts if len(parts) > 1 else (),
            # Within a sentence, a word may stand out.
            face=face if number > 0.8 * faces.total() else "",
            marked=written if MARK in written or len(parts) > 1 else "",
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
    tail = text[-_LONGEST_WORD:]
    begun, rest = _BROKEN.search(tail), _WORD.match(words)
    if begun is None or rest is None or not rest[0].islower() or _IN_ADDRESS.search(tail):
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


def runs(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Group lines of one size that follow each other closely."""
    begin = 0
    for place in range(1, len(lines) + 1):
        if place == len(lines) or not close_lines(lines[place - 1], lines[place]):
            yield begin, place
            begin = place


def close_lines(one: Line, other: Line) -> bool:
    """Whether lines of one size follow each other closely."""
    alike = abs(one.size - other.size) <= 0.03 * max(one.size, other.size)
    return alike and -0.5 * one.size <= one.y - other.y <= 2 * one.size
