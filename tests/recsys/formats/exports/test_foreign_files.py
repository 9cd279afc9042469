"""What files of other programs begin with.

MARC: https://www.loc.gov/marc/bibliographic/bdleader.html. EndNote libraries:
https://www.loc.gov/preservation/digital/formats/fdd/fdd000489.shtml and
https://filesignature.org/enl. Office: ECMA-376 part 2. tar: POSIX ustar.
"""

import io
import json
import sqlite3
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.exports.foreign_files import foreign
from tests.recsys.formats.exports import golden_exports
from tests.rows import each_row


def zipped(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "x" * 100)
    return file.getvalue()


def tarred() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.ris"))
    return file.getvalue()


HTML = b"<!DOCTYPE html>\n<html><head><title>%s</title></head><body>%s</body></html>"
TEXTS = json.loads(Path(__file__).with_name("foreign_files.json").read_text(encoding="utf-8"))
"""What files are, and what they begin with, a character for each byte."""
ARCHIVES = {
    "a compressed EndNote library": [
        zipped("My.enl", "sdb/sdb.eni"),
        zipped("My.Data/x", "My.enl"),
    ],
    "a Word document": [zipped("[Content_Types].xml", "_rels/.rels", "word/document.xml")],
    "an Excel workbook": [zipped("[Content_Types].xml", "xl/workbook.xml")],
    "an Office document": [zipped("[Content_Types].xml", "visio/document.xml")],
    "an OpenDocument file": [zipped("mimetype", "content.xml")],
    "an EPUB book": [zipped("mimetype", "META-INF/container.xml")],
    "a zip archive": [zipped("a.ris"), zipped("password/a.ris")],
    "a tar archive": [tarred()],
}
CASES = [
    *((what, head.encode("latin-1")) for what, heads in TEXTS.items() for head in heads),
    *((what, head) for what, heads in ARCHIVES.items() for head in heads),
]


@each_row(("what", "head"), CASES)
def test_a_file_that_cannot_be_read_is_named(what: str, head: bytes) -> None:
    said = foreign(head)
    assert said is not None
    assert said[0] == what
    assert said[1].endswith(".")


@pytest.mark.parametrize("table", ["DocumentContributors", "enl_refs"])
def test_libraries_in_sqlite_are_told_from_others(tmp_path: Path, table: str) -> None:
    for name in (table, "itemTypes"):
        with sqlite3.connect(tmp_path / name) as connection:
            connection.execute(f"CREATE TABLE {name} (id INTEGER)")
        connection.close()
    assert foreign((tmp_path / table).read_bytes()) is not None
    assert foreign((tmp_path / "itemTypes").read_bytes()) is None


@each_row(
    "head",
    [
        b"",
        *(text.encode() for text in golden_exports.ALL),
        b"\xef\xbb\xbf" + golden_exports.WOS.encode(),
        HTML % (b"Log in", b'<span class="Z3988" title="rft.title=A"></span>'),
        b"FN ISI Export Format\nVR 1.0\nPT J\n",
        b'{"id": "1", "title": "Zip"}\n',
        b'[{"id": 1}]',
        b"@article{a,\n title={B}}",
        b"title,year\nA,2020\n",
        b"10.1000/abc\nA title\n",
        b"<?xml version='1.0'?><!DOCTYPE PubmedArticleSet PUBLIC '-//x'><PubmedArticleSet>",
        b"<xml><records><record>",
        b'<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="research-article">',
        b'<!DOCTYPE dblp SYSTEM "dblp.dtd">\n<dblp>',
        b"%PDF-1.7\n1 0 obj",
        b"12345 Some title that begins with a number",
    ],
)
def test_what_can_be_read_is_not_foreign(head: bytes) -> None:
    assert foreign(head) is None


@given(head=st.binary(max_size=300), begins=st.sampled_from([head for _, head in CASES]))
def test_any_bytes_are_looked_at(head: bytes, begins: bytes) -> None:
    for bytes_ in (head, begins + head, begins[: len(head)] + head):
        said = foreign(bytes_)
        assert said is None or all(said)


@each_row("unit", [b"<", b"<!--", b"1. ", b"1. a\n", b"PK\x03\x04", b"{", b" ", b"<a "])
def test_long_files_of_one_thing_are_looked_at_soon(unit: bytes) -> None:
    foreign(unit * (200_000 // len(unit)))
    foreign(b"1. a\n" + unit * (200_000 // len(unit)))
