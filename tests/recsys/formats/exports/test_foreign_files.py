"""What files of other programs begin with.

MARC: https://www.loc.gov/marc/bibliographic/bdleader.html. EndNote libraries:
https://www.loc.gov/preservation/digital/formats/fdd/fdd000489.shtml and
https://filesignature.org/enl. Office: ECMA-376 part 2. tar: POSIX ustar.
"""

import io
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


MARC = b"01142cam  2200301 a 4500001001300000003000400013"
XML = b'<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by hand -->\n'
HTML = b"<!DOCTYPE html>\n<html><head><title>%s</title></head><body>%s</body></html>"
FILES = {
    "a MARC record": [MARC, b"00000nam a22000007a 4500"],
    "a MARC record as text": [b"=LDR  01142cam  2200301 a 4500\n=001  1\n"],
    "MARC XML": [XML + b'<collection xmlns="http://www.loc.gov/MARC21/slim"><record>'],
    "a MODS record": [
        XML + b'<modsCollection xmlns="http://www.loc.gov/mods/v3">',
        b'<mods:mods xmlns:mods="http://www.loc.gov/mods/v3">',
        b"<modsCollection><mods>",
    ],
    "an answer of OAI-PMH": [
        XML + b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>'
    ],
    "a Dublin Core record": [
        b'<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/">',
        b'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">',
    ],
    "an answer of a catalogue (SRU)": [b'<zs:searchRetrieveResponse xmlns:zs="x">'],
    "TEI XML, as GROBID writes it": [
        XML + b'<TEI xml:space="preserve" xmlns="http://www.tei-c.org/ns/1.0">'
    ],
    "an Atom feed": [XML + b'<feed xmlns="http://www.w3.org/2005/Atom">'],
    "a news feed": [b'<rss version="2.0"><channel>'],
    "RDF": [b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'],
    "an EndNote library": [b"\x32\x20\xbe\xff\xe4\x40\x40\x20"],
    "a compressed EndNote library": [
        zipped("My.enl", "sdb/sdb.eni"),
        zipped("My.Data/x", "My.enl"),
    ],
    "a Word document": [zipped("[Content_Types].xml", "_rels/.rels", "word/document.xml")],
    "an Excel workbook": [zipped("[Content_Types].xml", "xl/workbook.xml")],
    "an Office document": [zipped("[Content_Types].xml", "visio/document.xml")],
    "an OpenDocument file": [zipped("mimetype", "content.xml")],
    "an EPUB book": [zipped("mimetype", "META-INF/container.xml")],
    "a zip archive": [zipped("a.ris"), zipped("password/a.ris"), b"PK\x03\x04"],
    "an old Word document": [
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le")
    ],
    "an old Excel workbook": [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "Workbook".encode("utf-16-le")],
    "an old Office document": [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"],
    "a document in RTF": [b"{\\rtf1\\ansi"],
    "a web page": [
        HTML % (b"A paper", b"Sign in to save. Text."),
        b"\xef\xbb\xbf\n<HTML lang='en'>",
    ],
    "a log-in page saved as a file": [
        HTML % (b"Library", b'<input name="p" type="password">'),
        HTML % (b"Log in to continue", b""),
    ],
    "a Parquet file": [b"PAR1\x15\x04"],
    "a 7z archive": [b"7z\xbc\xaf\x27\x1c\x00"],
    "a rar archive": [b"Rar!\x1a\x07\x01\x00"],
    "an xz file": [b"\xfd7zXZ\x00"],
    "a bzip2 file": [b"BZh91AY&SY"],
    "a zstandard file": [b"\x28\xb5\x2f\xfd\x00"],
    "a tar archive": [tarred()],
    "a PDF portfolio": [b"%PDF-1.7\n1 0 obj <</Type/Catalog /Collection 2 0 R>>"],
    "a pointer to a file in Git LFS": [b"version https://git-lfs.github.com/spec/v1\noid"],
    "PubMed's summary or abstracts as text": [
        b"1: Lee A, Roe B. A title.\r\nJ Things. 2020 Jan;1(2):3-4. PMID: 123.\r\n",
        b"1. J Things. 2020 Jan;1(2):3-4.\n\nA title.\n\nLee A(1).\n\nAbstract.\n\nPMID: 123",
    ],
    "a RefWorks tagged file": [b"RT Journal Article\nSR 1\nA1 Lee,Ann\nT1 Title\n"],
    "Scopus' plain text": [b"Scopus\nEXPORT DATE: 01 Jan 2024\n"],
    "a paper's text, not its references": [b"\\documentclass{article}"],
}
CASES = [(what, head) for what, heads in FILES.items() for head in heads]


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
