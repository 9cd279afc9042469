"""Files of any format read as works: packed, in any encoding, damaged, or none of works at all."""

import codecs
import gzip
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import CorpusError, InputError
from recsys.formats import source_streams
from recsys.formats.source_formats import FORMATS, Shape
from recsys.formats.source_streams import NOT_UTF8, TOO_LONG
from recsys.formats.work_stream import Found, Reject, Remark, format_of_file, open_works, tidied
from recsys.records import Reference
from tests.recsys.formats.exports.zotero_maker import Library
from tests.recsys.formats.source_examples import EXAMPLES, OWN, TEXTS
from tests.rows import each_row
from tests.torture import samples

Pack: TypeAlias = Callable[[str], bytes]
DECLARED = {form.name for form in FORMATS if form.shape is Shape.BYTES}
"""Formats whose files declare their encoding."""


def works_of(path: Path) -> list[Reference]:
    """Read a file of which every record is a work."""
    with open_works(path) as stream:
        items = list(stream.items)
    return [item.work for item in items if isinstance(item, Found)]


def written(folder: Path, raw: bytes, name: str = "works") -> Path:
    path = folder / name
    path.write_bytes(raw)
    return path


PACKINGS: dict[str, Pack] = {
    "plain": str.encode,
    "packed": lambda text: gzip.compress(text.encode()),
    "with a mark": lambda text: codecs.BOM_UTF8 + text.removeprefix("\ufeff").encode(),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "lines before": lambda text: b"\n\n" + text.removeprefix("\ufeff").encode(),
    "CRLF, packed, with a mark": lambda text: gzip.compress(
        codecs.BOM_UTF8 + text.removeprefix("\ufeff").replace("\n", "\r\n").encode()
    ),
}


@each_row("packing", list(PACKINGS)[1:])
@each_row(("name", "text"), TEXTS)
def test_a_text_is_the_same_works_however_it_is_packed(
    tmp_path: Path, name: str, text: str, packing: str
) -> None:
    if packing == "lines before" and text.lstrip("\ufeff").startswith("<?xml"):
        text = text[text.index("?>") + 2 :]  # XML allows nothing before a declaration.
    plain = written(tmp_path, text.encode(), "plain")
    path = written(tmp_path, PACKINGS[packing](text), "works.dat")
    assert format_of_file(path).name == name
    assert works_of(path) == works_of(plain) != []


@each_row(("name", "text"), TEXTS)
@each_row("codec", ["utf-16-le", "utf-16-be"])
def test_a_text_in_utf_16_is_the_same_works_or_refused(
    tmp_path: Path, name: str, text: str, codec: str
) -> None:
    plain = written(tmp_path, text.encode(), "plain")
    text = text.removeprefix("\ufeff")
    mark = codecs.BOM_UTF16_LE if codec.endswith("le") else codecs.BOM_UTF16_BE
    if name in DECLARED:
        text = text.replace('encoding="UTF-8"', 'encoding="UTF-16"', 1)
        text = text.replace('encoding="utf-8"', 'encoding="UTF-16"', 1)
        text = text.replace('encoding="ISO-8859-1"', 'encoding="UTF-16"', 1)
    path = written(tmp_path, mark + text.encode(codec))
    assert format_of_file(path).name == name
    if name == "JSON":
        with pytest.raises(CorpusError, match="UTF-16 text"):
            works_of(path)
    else:
        assert works_of(path) == works_of(plain)


@each_row(
    ("name", "text"),
    [
        ("RIS", "TY  - JOUR\nTI  - Flüsse\nPY  - 2001\nER  - \n\n"),
        ("BibTeX", "@article{a,\n title = {Flüsse},\n year = 2001\n}\n"),
        ("table", "Title,Year\nFlüsse,2001\n"),
        ("EndNote", "%0 Journal Article\n%T Flüsse\n%D 2001\n"),
        ("Web of Science", "FN X\nVR 1.0\nPT J\nTI Flüsse\nPY 2001\nER\n\nEF\n"),
    ],
)
def test_windows_1252_is_read_and_counted(tmp_path: Path, name: str, text: str) -> None:
    with open_works(written(tmp_path, text.encode("cp1252"))) as stream:
        found = [item.work for item in stream.items if isinstance(item, Found)]
    assert stream.format == name
    assert [(work.title, work.year) for work in found] == [("Flüsse", 2001)]
    assert stream.oddities == {NOT_UTF8: 1}


HEADERS = {
    "EndNote XML": "<xml><records></records></xml>",
    "PubMed XML": "<PubmedArticleSet></PubmedArticleSet>",
    "DBLP XML": "<dblp></dblp>",
    "Web of Science": "FN Clarivate Analytics Web of Science\nVR 1.0\n",
    "table": "Authors,Title,Year,DOI\n",
    "OpenAlex merged ids": "merge_date,id,merge_into_id\n",
}


@each_row("name", HEADERS)
@each_row("packed", [False, True])
def test_a_header_alone_is_no_work_and_no_error(tmp_path: Path, name: str, packed: bool) -> None:
    raw = HEADERS[name].encode()
    path = written(tmp_path, gzip.compress(raw) if packed else raw)
    with open_works(path) as stream:
        assert (stream.format, list(stream.items)) == (name, [])


@each_row("raw", [b"", b"\n", b" \r\n \n", gzip.compress(b"", mtime=0), codecs.BOM_UTF8])
def test_an_empty_file_says_so(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(CorpusError, match=r"is empty|holds no JSON|no format"):
        works_of(written(tmp_path, raw))


MARC = "00714cam a2200205 a 4500001001300000003000600013005001700019008004100036\x1eon rivers\x1d"
FOREIGN = {
    "a MARC record": MARC.encode(),
    "a zip archive": b"PK\3\4\x14\0\0\0\x08\0" + bytes(16) + b"\5\0\0\0a.txt",
    "a log-in page": b'<html><body><form><input type="password"></form></body></html>',
}


@each_row("what", FOREIGN)
@each_row("packed", [False, True])
def test_what_a_file_is_instead_is_said(tmp_path: Path, what: str, packed: bool) -> None:
    raw = FOREIGN[what]
    path = written(tmp_path, gzip.compress(raw) if packed else raw, "export.txt")
    with pytest.raises(CorpusError, match=f"is {what}") as caught:
        works_of(path)
    assert caught.value.hint


@each_row("raw", [bytes(5000), bytes(range(256)) * 20, b"\xfe" * 500, b"Rivers flow.\n" * 50])
def test_what_nothing_knows_is_refused_with_its_beginning(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(CorpusError, match="has no known format") as caught:
        works_of(written(tmp_path, raw, "works.txt"))
    assert "BibTeX" in caught.value.hint


@each_row(("name", "text"), TEXTS)
def test_a_gzip_file_that_is_cut_is_an_error_or_is_told(
    tmp_path: Path, name: str, text: str
) -> None:
    """Never fewer works without a word."""
    whole = written(tmp_path, gzip.compress(text.encode()), "whole.gz")
    raw = whole.read_bytes()
    with open_works(whole) as stream:
        expected = len(list(stream.items))
    for size in (len(raw) - 1, len(raw) - 9, len(raw) // 2, 15):
        path = written(tmp_path, raw[:size], "cut.gz")
        try:
            with open_works(path) as stream:
                items = list(stream.items)
        except CorpusError:
            continue
        told = [item for item in items if isinstance(item, Reject)]
        assert told or len(items) > expected, (size, items)


@pytest.mark.parametrize(
    ("name", "begun"),
    [
        ("JSON", b'{"id": "a", "title": "'),
        ("RIS", b"TY  - JOUR\nTI  - "),
        ("BibTeX", b"@article{a, title = {"),
        ("Web of Science", b"FN X\nVR 1.0\nPT J\nTI "),
        ("EndNote", b"%0 Journal Article\n%T "),
        ("table", b"Title,Year\n"),
        ("PubMed XML", b"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>"),
        ("HTML", b'<html><span class="Z3988" title="rft.title=A"></span><p>'),
    ],
)
def test_a_line_without_end_is_bounded_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, begun: bytes
) -> None:
    from recsys.formats.markup import xml_stream
    from recsys.formats.papers import json_records

    for module in (source_streams, json_records):
        monkeypatch.setattr(module, "LONGEST_LINE", 2**16)
        monkeypatch.setattr(module, "_ENDLESS", 2**22)
    defaults = json_records.open_lines.__wrapped__.__kwdefaults__  # type: ignore[attr-defined]
    monkeypatch.setitem(defaults, "longest", 2**16)
    monkeypatch.setattr(xml_stream, "LARGEST_RECORD", 2**18)
    path = written(tmp_path, begun + b"x" * 2**23)
    tracemalloc.start()
    try:
        with open_works(path) as stream:
            assert stream.format in (name, "recsys")
            items = list(stream.items)
        assert any(isinstance(item, Reject) for item in items) or stream.oddities[TOO_LONG]
    except CorpusError as error:
        assert "no end" in error.what or "line too long" in error.what
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 20 * 2**20


@each_row(("name", "texts"), EXAMPLES.items())
@given(
    which=st.integers(0, 99),
    at=st.integers(0, 3000),
    lost=st.sampled_from([0, 1, 30, 10_000]),
    junk=st.binary(max_size=60),
    packed=st.booleans(),
)
def test_a_file_changed_anywhere_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    texts: tuple[str, ...],
    which: int,
    at: int,
    lost: int,
    junk: bytes,
    packed: bool,
) -> None:
    whole = texts[which % len(texts)].encode()
    at %= len(whole) + 1
    raw = whole[:at] + junk + whole[at + lost :]
    path = tmp_path_factory.getbasetemp() / "changed-anywhere"
    path.write_bytes(gzip.compress(raw, 1) if packed else raw)
    try:
        with open_works(path) as stream:
            for item in stream.items:
                assert isinstance(item, Found | Reject)
                if isinstance(item, Found):
                    json.dumps(dict(item.work.labels))
                    repr(item.work).encode()  # No half of a surrogate.
    except InputError as error:
        assert error.hint


def test_a_zotero_database_is_known_by_its_bytes(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.add("book", {"title": "On rivers", "date": "2001"})
    assert [(work.title, work.year) for work in works_of(library.file)] == [("On rivers", 2001)]


def test_columns_are_for_tables_alone(tmp_path: Path) -> None:
    path = written(tmp_path, b"A;B\nOn rivers;2001\n", "works.csv")
    with open_works(path, columns={"title": "A", "year": "B"}) as stream:
        works = [item.work for item in stream.items if isinstance(item, Found)]
    assert [(work.title, work.year) for work in works] == [("On rivers", 2001)]
    own = written(tmp_path, OWN.encode())
    with open_works(own, columns={"title": "A"}) as stream:
        assert len(list(stream.items)) == 2


@each_row(
    ("text", "plain"),
    [
        *((text, text) for text in ("ON RIVERS", "Abstract: © 2016 Elsevier", "a < b and c > d")),
        *(
            (text, text)
            for text in ("p<0.05", "<10 keV", "a vector<int>", "$5 or $10", "a <b and c>")
        ),
        ("<i>Homo sapiens</i> in CO<sub>2</sub> and H<sub>2</sub>O", "Homo sapiens in CO2 and H2O"),
        ("&lt;i&gt;Homo&lt;/i&gt; &amp;amp; $\\beta$", "Homo & β"),
        ("<jats:title>Abstract</jats:title><jats:p>On</jats:p><jats:p>ice</jats:p>", "On ice"),
    ],
)
def test_our_own_format_is_sealed_and_its_texts_lose_mark_up_alone(
    tmp_path: Path, text: str, plain: str
) -> None:
    record = {"id": "a", "title": text, "abstract": text}
    with open_works(written(tmp_path, json.dumps(record).encode())) as stream:
        assert stream.sealed
        (item,) = stream.items
    assert isinstance(item, Found)
    assert item.work.title == item.work.abstract == plain


def test_other_formats_are_not_sealed(tmp_path: Path) -> None:
    with open_works(written(tmp_path, samples.RIS.encode())) as stream:
        assert not stream.sealed


def test_a_part_of_a_work_lacks_nothing() -> None:
    assert tidied(Reference(id="a", abstract="We measure."), sealed=False)[1] == ()
    full = tidied(Reference(title="On the rivers of the north", year=3000), sealed=False)
    assert full[0].year is None
    assert full[1] == (Remark.NO_ABSTRACT, Remark.IMPOSSIBLE_YEAR, Remark.NO_YEAR)
