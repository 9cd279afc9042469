"""Print the text of a PDF with its places, as a program of its own: its limits end only itself.

    python pdf_glyphs.py FRONT BACK [PAGE ...] < FILE

prints lines of JSON: {"pages": number, "facts": {key: text}}, or {"error": code of PDFium}; then
[page, its middle, pieces or null] for each of the first FRONT and the last BACK pages, from 0, but
for those that are named. A piece is [text, size, x, y, face, whether it stands upright, whether it
goes on in the line of the piece before]. A line is printed as soon as its page is read: what was
told before a page breaks the program down is kept.
"""

import ctypes
import json
import math
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

import pypdfium2_raw as pdfium

MEMORY, SECONDS = 1 << 29, 20
"""Bytes of address space and seconds of processor time of the program."""
_DIE_WITH_PARENT = 1
"""Linux's PR_SET_PDEATHSIG."""
LONGEST_TEXT, LONGEST_PAGE, LONGEST_FACT = 4_000_000, 100_000, 1_000
"""Characters of all pages, of one, and of an entry of the file's own information, that are kept."""
FACTS = ("Title", "Author", "Subject", "CreationDate", "doi", "DOI", "WPS-ARTICLEDOI")
GAP = "\u2003"
"""Stands where words are further apart than any space in a line of text, as two names may be."""
_SPACE, _WIDE = 0.165, 1.2
"""Of the size: TeX's narrowest space, and a gap."""
_SAME_LINE = 0.6
_HYPHENS = {0x02: "-", 0xAD: "-", 0xFFFE: "-"}
"""A soft hyphen that is drawn is one, and so is what PDFium finds at the end of a line."""
_FIXED = re.compile(
    r"(?i)mono|courier|typewriter|consola|inconsolata|menlo|cmtt|ectt|lmtt|sftt|nimbusmon|zi4"
)
_BOLD = re.compile(r"(?i)bold|black\b|heavy|cmbx|ecbx|sfbx|lmbx|medi\b|demi")

Piece: TypeAlias = list[Any]
"""Letters of one size and face in a row: [text, size, x, y, face, upright, goes on]."""


class _Style(NamedTuple):
    """How the letters of an object look."""

    size: float
    face: str
    upright: bool


def main(front: int, back: int, skipped: set[int]) -> None:
    """Print the file's own information and the wanted pages of the PDF at the standard input."""
    with suppress(AttributeError, OSError, TypeError):  # Linux ends it with who waits for it.
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    with suppress(ImportError):  # Windows has none; who waits for this program ends it.
        import resource

        kinds = {resource.RLIMIT_AS: MEMORY, resource.RLIMIT_CPU: SECONDS, resource.RLIMIT_CORE: 0}
        for kind, most in kinds.items():
            with suppress(ValueError, OSError):  # A lower limit is set already.
                resource.setrlimit(kind, (most, most))
    raw = sys.stdin.buffer.read()
    pdfium.FPDF_InitLibrary()
    document = pdfium.FPDF_LoadMemDocument64(raw, len(raw), None)
    if not document:
        _tell({"error": pdfium.FPDF_GetLastError()})
        return
    number = pdfium.FPDF_GetPageCount(document)
    facts = {}
    for key in FACTS:
        size = pdfium.FPDF_GetMetaText(document, key.encode(), None, 0)
        text = ctypes.create_string_buffer(size)
        pdfium.FPDF_GetMetaText(document, key.encode(), text, size)
        facts[key] = text.raw.decode("utf-16-le", "replace").rstrip("\0")[:LONGEST_FACT]
    _tell({"pages": number, "facts": facts})
    wanted = {*range(min(front, number)), *range(max(number - back, 0), number)}
    left = LONGEST_TEXT
    for place in sorted(wanted - skipped):
        middle, pieces = _page(document, place) if left > 0 else (0.0, None)
        left -= sum(len(piece[0]) for piece in pieces or ())
        _tell([place, middle, pieces])


def _tell(answer: object) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _page(document: pdfium.FPDF_DOCUMENT, place: int) -> tuple[float, list[Piece] | None]:
    """Return the middle of a page, and its pieces as written; None where it cannot be read."""
    page = pdfium.FPDF_LoadPage(document, place)
    if not page:
        return 0.0, None
    text = pdfium.FPDFText_LoadPage(page)
    edges = [ctypes.c_float() for _ in range(4)]
    pdfium.FPDFPage_GetMediaBox(page, *edges)
    middle = (edges[0].value + edges[2].value or pdfium.FPDF_GetPageWidthF(page)) / 2
    # What stands in drawings that are set into it, such as figures, counts if nothing else does.
    objects = range(pdfium.FPDFPage_CountObjects(page))
    own = {_address(pdfium.FPDFPage_GetObject(page, at)) for at in objects}
    drawn = list(_pieces(text, own)) or list(_pieces(text, None))
    pdfium.FPDFText_ClosePage(text)
    pdfium.FPDF_ClosePage(page)
    return middle, drawn


def _address(handle: pdfium.FPDF_PAGEOBJECT) -> int:
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def _pieces(text: pdfium.FPDF_TEXTPAGE, own: set[int] | None) -> Iterator[Piece]:
    """Yield pieces, with a space where glyphs of one line are apart.

    own: the objects whose letters count; None: all.
    """
    x, y, box = ctypes.c_double(), ctypes.c_double(), pdfium.FS_RECTF()
    styles: dict[int, _Style] = {}
    piece: Piece = []
    style: _Style | None = None
    before, ended = (0.0, 0.0), 0.0
    for at in range(min(pdfium.FPDFText_CountChars(text), LONGEST_PAGE)):
        drawn = _address(pdfium.FPDFText_GetTextObject(text, at))
        pdfium.FPDFText_GetCharOrigin(text, at, x, y)
        if not drawn:  # PDFium's own space stands where the glyph before ends.
            ended = min(ended, x.value)
            if piece and not piece[5]:
                piece[0] += " "
        if not drawn or (own is not None and drawn not in own):
            continue
        if drawn not in styles:
            styles[drawn] = _style(text, at)
        code = pdfium.FPDFText_GetUnicode(text, at)
        letter = _HYPHENS.get(code) or chr(code)
        pdfium.FPDFText_GetLooseCharBox(text, at, box)
        size = max(styles[drawn].size, style.size if style else 0.0, 1.0)
        near = abs(y.value - before[1]) <= _SAME_LINE * size and x.value >= before[0] - size
        gap = (x.value - ended) / size if near else 0.0
        space = GAP if gap >= _WIDE else " " if gap >= _SPACE else ""
        goes_on = (near and y.value == before[1]) or not styles[drawn].upright
        if not piece or styles[drawn] != style or not goes_on:
            if piece:
                yield piece
            style = styles[drawn]
            piece = ["", style.size, x.value, y.value, style.face, style.upright, near]
        piece[0] += space + letter
        before, ended = (x.value, y.value), box.right
    if piece:
        yield piece


def _style(text: pdfium.FPDF_TEXTPAGE, at: int) -> _Style:
    matrix, flags = pdfium.FS_MATRIX(), ctypes.c_int()
    pdfium.FPDFText_GetMatrix(text, at, matrix)
    name = ctypes.create_string_buffer(LONGEST_FACT)
    pdfium.FPDFText_GetFontInfo(text, at, name, len(name), flags)
    font = name.value.decode("utf-8", "replace")
    face = "fixed" if _FIXED.search(font) else "bold" if _BOLD.search(font) else ""
    size = pdfium.FPDFText_GetFontSize(text, at) * math.hypot(matrix.c, matrix.d)
    return _Style(size, face, abs(matrix.d) >= abs(matrix.c))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), {*map(int, sys.argv[3:])})
