"""Small PDF files with one page, written by hand so that they may be as wrong as one likes."""

from collections.abc import Sequence

_FONT = b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>"
_TEXT = b"BT /F1 12 Tf 72 720 Td (On rivers) Tj ET"


def written(objects: Sequence[bytes]) -> bytes:
    """Write numbered objects, the catalogue first, with their table."""
    pieces, places, at = [b"%PDF-1.4\n"], [], 9
    for number, content in enumerate(objects, start=1):
        places.append(at)
        pieces.append(b"%d 0 obj\n%s\nendobj\n" % (number, content))
        at += len(pieces[-1])
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    tail = b"trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, at)
    return b"".join([*pieces, head, table, tail])


def stream(content: bytes, entries: bytes = b"") -> bytes:
    """Write an object with a stream."""
    return b"<</Length %d %s>>\nstream\n%s\nendstream" % (len(content), entries, content)


def page(contents: int, parent: int, resources: bytes = b"/Font <</F1 4 0 R>>") -> bytes:
    """Write a page whose text stands in another object."""
    shape = b"<</Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
    return shape % (parent, contents) + b"/Resources <<%s>>>>" % resources


def pdf_of(
    content: bytes, resources: bytes = b"/Font <</F1 4 0 R>>", entries: bytes = b""
) -> bytes:
    """Write a file of one page with this content; entries: of its stream, such as /Filter."""
    return written([
        b"<</Type /Catalog /Pages 2 0 R>>", b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
        page(5, 2, resources), _FONT, stream(content, entries),
    ])  # fmt: skip


def nested_value(opening: str, closing: str, levels: int) -> bytes:
    """Put a nested value into the resources of a page."""
    value = opening * levels + "/X" + closing * levels
    if opening == "(":
        value = "(" * levels + "x" + ")" * levels
    return pdf_of(_TEXT, b"/Font <</F1 4 0 R>> /Y " + value.encode())


def nested_page_tree(levels: int) -> bytes:
    """Put a page below as many nodes of the tree."""
    first = 5
    nodes = [
        b"<</Type /Pages /Kids [%d 0 R] /Count 1 /Parent %d 0 R>>" % (first + n + 1, first + n - 1)
        for n in range(levels)
    ]
    last = first + levels
    return written([
        b"<</Type /Catalog /Pages 2 0 R>>", b"<</Type /Pages /Kids [5 0 R] /Count 1>>",
        stream(_TEXT), _FONT, *nodes, page(3, last - 1),
    ])  # fmt: skip


def nested_drawings(levels: int) -> bytes:
    """Write a page with a drawing that draws two drawings, and so on."""
    entries = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources <</XObject <</D %d 0 R>>>>"
    forms = [stream(b"/D Do /D Do", entries % (n + 7)) for n in range(levels)]
    fonts = b"/Resources <</Font <</F1 4 0 R>>>>"
    bottom = stream(_TEXT, b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] " + fonts)
    return written([
        b"<</Type /Catalog /Pages 2 0 R>>", b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
        page(5, 2, b"/Font <</F1 4 0 R>> /XObject <</D 6 0 R>>"), _FONT, stream(b"/D Do"),
        *forms, bottom,
    ])  # fmt: skip
