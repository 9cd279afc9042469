"""Small files that unpack to much: zip, Word, PDF, nested brackets."""

import io
import struct
import zlib
from collections.abc import Sequence
from functools import cache

from tests.inputs.small_pdf import pdf_of, written
from tests.recsys.formats.drafts.small_docx import docx, packed

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
    zeros, out, places = deflated_zeros(size), io.BytesIO(), list[int]()
    says = size if told is None else told
    for name in names:
        places.append(out.tell())
        out.write(_local(name, len(zeros), says) + zeros)
    return _with_directory(out, names, places, len(zeros), says)


def overlapping_zip(count: int, size: int) -> bytes:
    """Name one file of zeros `count` times: all entries share its bytes."""
    zeros, out = deflated_zeros(size), io.BytesIO()
    names = [f"{number:06}.tex" for number in range(count)]
    out.write(_local(names[0], len(zeros), size) + zeros)
    return _with_directory(out, names, [0] * count, len(zeros), size)


def nested_zip(depth: int, inner: bytes) -> bytes:
    """Pack a zip into zips."""
    for level in range(depth):
        inner = packed({f"level-{level}.zip": inner})
    return inner


def pdf_bomb(size: int, *, twice: bool) -> bytes:
    """Write a PDF whose one page unpacks to so many bytes of spaces, packed once or twice."""
    zeros = b"\x78\x9c" + deflated_zeros(size)
    if twice:
        return pdf_of(zlib.compress(zeros, 9), entries=b"/Filter [/FlateDecode /FlateDecode]")
    return pdf_of(zeros, entries=b"/Filter /FlateDecode")


def pdf_with_cycle() -> bytes:
    """Write a PDF whose tree of pages holds itself."""
    nodes = b"<</Type /Pages /Kids [2 0 R 2 0 R] /Count 99999999 /Parent 2 0 R>>"
    return written([b"<</Type /Catalog /Pages 2 0 R>>", nodes])


def word_of(text: str, doctype: str) -> bytes:
    """Pack a Word document of one paragraph. doctype: what stands before it, such as entities."""
    return docx(
        document=f'<?xml version="1.0"?>{doctype}<w:document xmlns:w="http://schemas.openxmlformats.org/'
        f'wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body>'
        "</w:document>"
    )


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
