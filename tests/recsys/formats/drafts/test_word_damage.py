import sys

import pytest

from recsys.errors import DraftError, MissingExtraError
from recsys.formats.drafts import draft_files
from tests.recsys.formats.drafts.small_docx import docx, packed, paragraph
from tests.recsys.formats.drafts.written_docx import read
from tests.rows import each_row

LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    "<w:p><w:r><w:t>A title of words &b;&f;</w:t></w:r></w:p></w:body></w:document>"
)


def test_entities_are_not_followed() -> None:
    try:
        found = str(read(docx(document=LAUGHS)))
    except DraftError as error:
        found = str(error)
    assert "root:" not in found
    assert "haha" not in found


@each_row(
    ("raw", "said"),
    [
        (b"PK\3\4rest", "is damaged"),
        (b"no zip at all", "is damaged"),
        (b"\xd0\xcf\x11\xe0rest", "is an old Word file, or has a password"),
        (packed({"a.txt": b"x"}), "is not a Word document"),
        (packed({"[Content_Types].xml": b"x", "xl/workbook.xml": b"x"}), "is not a Word document"),
        (packed({"[Content_Types].xml": b"x", "word/document.xml": b"x"}), "is damaged"),
        (docx(document="<w:document>"), "is damaged"),
        (docx(document="<x/>"), "neither a title nor an abstract"),
        (docx(), "neither a title nor an abstract"),
        (docx(paragraph("A title"))[:-200], "is damaged"),
        (
            docx(paragraph("A title of words", inside="<w:r>" * 5_000 + "</w:r>" * 5_000)),
            "is damaged",
        ),
    ],
)
def test_what_is_no_document_is_one_line_with_the_next_step(raw: bytes, said: str) -> None:
    with pytest.raises(DraftError) as caught:
        read(raw)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_a_document_that_unpacks_beyond_all_measure_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(draft_files, "LARGEST_ENTRY", 2**16)
    monkeypatch.setattr(draft_files, "MOST_BYTES", 2**17)
    many = {f"word/{number}.xml": bytes(2**15) for number in range(5)}
    for bomb in (docx(document=" " * 2**17), packed({**many, "[Content_Types].xml": b"x"})):
        assert len(bomb) < 2**13
        with pytest.raises(DraftError, match="too large"):
            read(bomb)


def test_without_python_docx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(MissingExtraError) as caught:
        read(docx(paragraph("A title")))
    assert caught.value.hint == "pip install 'citerec[serve]'"
