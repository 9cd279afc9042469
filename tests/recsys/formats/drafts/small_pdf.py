"""Write small PDF files by hand: text of given sizes at given places, nothing else."""

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 612, 792
_WIDTHS = {
    **dict.fromkeys("fr()-J", 0.333), **dict.fromkeys("ijlt.,:", 0.278),
    **dict.fromkeys("acez", 0.444),
    **dict.fromkeys("BCR", 0.667), **dict.fromkeys("ADHNwGOQVXY", 0.722), "m": 0.778, "W": 0.944,
    "E": 0.611, "s": 0.389,
}  # fmt: skip
_APART = 0.2
"""Of the size: about how wide letters of Times are, and how far apart its words."""


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text. x, y: from the lower left corner, in points.

    What stands in braces behind a circumflex is raised: "Ash^{1}". spaced: whether there are glyphs
    of spaces; else words are only set apart.
    """

    text: str
    x: float = 72
    y: float = 700
    size: float = 10
    spaced: bool = True


def down(lines: Iterable[str], *, x: float = 72, y: float = 700, size: float = 10) -> list[Text]:
    """Set lines below each other."""
    return [Text(line, x, y - 1.2 * size * place, size) for place, line in enumerate(lines)]


def write_pdf(
    pages: Sequence[Sequence[Text]], *, facts: Mapping[str, str] | None = None, packed: bool = False
) -> bytes:
    """Write pages of text; facts: entries of the information dictionary, without the slash."""
    contents = [_content(page) for page in pages]
    return write_objects(contents, facts=facts, packed=packed)


def write_objects(
    contents: Sequence[bytes],
    *,
    facts: Mapping[str, str] | None = None,
    packed: bool = False,
    filters: bytes = b"",
) -> bytes:
    """Write pages with the given content streams, already encoded if `filters` names how."""
    first = 5
    numbers = [first + 2 * place for place in range(len(contents))]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    information = "".join(f"/{key} ({value})" for key, value in (facts or {}).items())
    objects = {
        1: b"<</Type /Catalog /Pages 2 0 R>>",
        2: f"<</Type /Pages /Count {len(contents)} /Kids [{kids}]>>".encode(),
        3: b"<</Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding>>",
        4: f"<<{information}>>".encode("cp1252"),
    }
    for number, content in zip(numbers, contents, strict=True):
        objects[number] = (
            f"<</Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {number + 1} 0"
            " R /Resources <</Font <</F 3 0 R>>>>>>"
        ).encode()
        data, used = (zlib.compress(content), b"/FlateDecode") if packed else (content, filters)
        head = b"<</Length %d" % len(data) + (b" /Filter " + used if used else b"") + b">>"
        objects[number + 1] = head + b"\nstream\n" + data + b"\nendstream"
    return _file(objects)


def _content(page: Sequence[Text]) -> bytes:
    return "\n".join(map(_shown, page)).encode("cp1252")


def _shown(line: Text) -> str:
    shown, x = "", line.x
    for word in [line.text] if line.spaced else line.text.split():
        shown += f"BT 1 0 0 1 {x:.2f} {line.y} Tm"
        for place, part in enumerate(re.split(r"\^\{(.*?)\}", word)):
            size, rise = (0.6 * line.size, 0.35 * line.size) if place % 2 else (line.size, 0)
            shown += f" /F {size} Tf {rise} Ts ({_escaped(part)}) Tj"
        shown += " ET\n"
        x += (sum(_WIDTHS.get(letter, 0.5) for letter in word) + _APART) * line.size
    return shown


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _file(objects: Mapping[int, bytes]) -> bytes:
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in sorted(objects.items()):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start, size = len(out), len(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size + table
    out += b"trailer\n<</Size %d /Root 1 0 R /Info 4 0 R>>\n" % size
    out += b"startxref\n%d\n%%%%EOF\n" % start
    return bytes(out)
