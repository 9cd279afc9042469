"""Small files that unpack to much: zip, Word, PDF, nested brackets."""

import io
import struct
import zipfile
import zlib
from collections.abc import Sequence
from functools import cache

GIB = 2**30
_BLOCK = 2**20


@cache
def deflated_zeros(size: int) -> bytes:
    """Compress zeros: a thousandth of their size. size: in bytes, whole mebibytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packer.compress(bytes(_BLOCK))
    packer.flush(zlib.Z_FULL_FLUSH)
    # From a full flush on, equal input gives equal output: one block is packed, then repeated.
    block = packer.compress(bytes(_BLOCK)) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * (size // _BLOCK) + b"\x03\x00"


def zip_of_zeros(names: Sequence[str], size: int, *, told: int | None = None) -> bytes:
    """Pack files of zeros, each `size` bytes; told: what the zip says they have.

    The sums are left at 0: whoever gets so far as to compare them has read all of it.
    """
    packed, out, places = deflated_zeros(size), io.BytesIO(), list[int]()
    says = size if told is None else told
    for name in names:
        places.append(out.tell())
        out.write(_local(name, len(packed), says) + packed)
    return _with_directory(out, names, places, len(packed), says)


def overlapping_zip(count: int, size: int) -> bytes:
    """Name one file of zeros `count` times: all entries share its bytes."""
    packed, out = deflated_zeros(size), io.BytesIO()
    names = [f"{number:06}.tex" for number in range(count)]
    out.write(_local(names[0], len(packed), size) + packed)
    return _with_directory(out, names, [0] * count, len(packed), size)


def nested_zip(depth: int, inner: bytes) -> bytes:
    """Pack a zip into zips."""
    for level in range(depth):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"level-{level}.zip", inner)
        inner = out.getvalue()
    return inner


def zip_of(files: Sequence[tuple[str, bytes]]) -> bytes:
    """Pack files as they are."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return out.getvalue()


def pdf_bomb(size: int, *, twice: bool) -> bytes:
    """Write a PDF whose one page unpacks to so many bytes of spaces, packed once or twice."""
    packed = b"\x78\x9c" + deflated_zeros(size)
    filters = b"/FlateDecode"
    if twice:
        packed, filters = zlib.compress(packed, 9), b"[/FlateDecode /FlateDecode]"
    return pdf_of(b"<< /Length %d /Filter %b >>\nstream\n" % (len(packed), filters), packed)


def pdf_of(head: bytes, content: bytes) -> bytes:
    """Write a PDF of one page. head: of its stream, down to the word `stream`."""
    return _pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        head + content + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )


def pdf_with_cycle() -> bytes:
    """Write a PDF whose tree of pages holds itself."""
    return _pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 99999999 /Parent 2 0 R >>",
    )


def word_of(text: str, doctype: str) -> bytes:
    """Pack a Word document of one paragraph. doctype: what stands before it, such as entities."""
    xml = (
        f'<?xml version="1.0"?>{doctype}<w:document xmlns:w="http://schemas.openxmlformats.org/'
        f'wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body>'
        "</w:document>"
    ).encode()
    kinds = (
        b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        b'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        b'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        b'<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
        b'officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    links = (
        b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        b'<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        b'relationships/officeDocument" Target="word/document.xml"/></Relationships>'
    )
    parts = [("[Content_Types].xml", kinds), ("_rels/.rels", links), ("word/document.xml", xml)]
    return zip_of(parts)


def _pdf(*objects: bytes) -> bytes:
    out, places = io.BytesIO(b""), list[int]()
    out.write(b"%PDF-1.7\n")
    for number, each in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%b\nendobj\n" % (number, each))
    begin = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    out.write(b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(objects) + 1))
    out.write(b"startxref\n%d\n%%%%EOF\n" % begin)
    return out.getvalue()


def _local(name: str, packed: int, size: int) -> bytes:
    label = name.encode()
    fields = (0x04034B50, 20, 0, 8, 0, 0, 0, packed, size, len(label), 0)
    return struct.pack("<IHHHHHIIIHH", *fields) + label


def _with_directory(
    out: io.BytesIO, names: Sequence[str], places: Sequence[int], packed: int, size: int
) -> bytes:
    begin = out.tell()
    for name, place in zip(names, places, strict=True):
        label = name.encode()
        fields = (0x02014B50, 20, 20, 0, 8, 0, 0, 0, packed, size, len(label), 0, 0, 0, 0, 0, place)
        out.write(struct.pack("<IHHHHHHIIIHHHHHII", *fields) + label)
    count, length = len(names), out.tell() - begin
    out.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, length, begin, 0))
    return out.getvalue()
