import json
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest

from recsys.errors import DraftError
from recsys.formats.drafts.draft_formats import parse_draft
from recsys.records import Manuscript
from tests.recsys.formats.drafts.small_docx import packed
from tests.rows import each_row

KIND = "application/vnd.oasis.opendocument.text"
NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "style", "table", "draw", "meta")
)
FIELD = {"citationItems": [{"itemData": {"id": 1, "type": "book", "title": "Moss on walls"}}]}


def odt(body: str, *, styles: str = "", meta: str = "", head: str = "") -> bytes:
    content = (
        f"{head}<office:document-content {NAMES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:text>{body}</office:text></office:body>"
        "</office:document-content>"
    )
    files = {"mimetype": KIND.encode(), "content.xml": content.encode()}
    if meta:
        files["meta.xml"] = (
            f'<office:document-meta {NAMES} xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<office:meta>{meta}</office:meta></office:document-meta>"
        ).encode()
    return packed(files)


def read(body: str, **more: str) -> Manuscript:
    return parse_draft(odt(body, **more), Path("paper.odt")).manuscript


def title(text: str) -> str:
    return f'<text:p text:style-name="Title">{text}</text:p>'


def test_styles_are_followed_to_their_parents_and_names_are_decoded() -> None:
    found = read(
        '<text:p text:style-name="P1">Walls<text:s/>and <text:span>moss</text:span></text:p>'
        '<text:p text:style-name="Abstract_20_Text">Moss<text:tab/>grows'
        "<text:line-break/>here.</text:p>"
        '<text:h text:outline-level="1">One</text:h><text:p>Text of it.</text:p>',
        styles='<style:style style:name="P1" style:parent-style-name="Title"/>',
    )
    assert (found.title, found.abstract) == ("Walls and moss", "Moss grows here.")


SAID = f"ZOTERO_ITEM CSL_CITATION {json.dumps(FIELD)}"
MARK = f"<text:p>As <text:reference-mark-start text:name={quoteattr(f'{SAID} RNDx')}/>(1)</text:p>"
KEPT = "".join(
    f"<meta:user-defined meta:name='ZOTERO_BREF_a1_{n}'>{escape(part)}</meta:user-defined>"
    for n, part in ((2, SAID[60:]), (1, SAID[:60]))
)
OWN = (
    '<text:p><text:bibliography-mark text:identifier="M1" text:author="Moss, I.; Fern, O." '
    'text:title="Moss on walls" text:year="2001" text:url="https://doi.org/10.1000/x"/></text:p>'
)
NOTE = (
    "<text:p><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>"
    "See 10.1000/y.</text:p></text:note-body></text:note></text:p>"
)


@each_row(
    ("body", "meta", "key", "work", "identifier"),
    [
        (MARK, "", "1", "Moss on walls", None),
        ("", KEPT, "1", "Moss on walls", None),
        (OWN, "", "M1", "Moss on walls", "10.1000/x"),
        (NOTE, "", "", None, "10.1000/y"),
    ],
)
def test_works_in_marks_beside_the_text_in_its_own_list_and_in_notes_are_cited(
    body: str, meta: str, key: str, work: str | None, identifier: str | None
) -> None:
    found = read(title("Walls") + body, meta=meta)
    assert found.title == "Walls"
    (cited,) = found.references
    assert (cited.key, cited.title, cited.doi) == (key, work, identifier)


@each_row(
    ("raw", "reason"),
    [
        (odt("", head='<!DOCTYPE x [<!ENTITY a "b">]>'), "defines an entity"),
        (odt("<text:p>" * 300 + "</text:p>" * 300), "within one another"),
        (odt("<text:p>"), "is damaged"),
        (packed({"mimetype": KIND.encode(), "content.xml": b""}), "neither a title"),
        (
            packed(
                {"mimetype": b"application/vnd.oasis.opendocument.spreadsheet", "content.xml": b"x"}
            ),
            "not an OpenDocument text",
        ),
        (packed({"x": b"y"}), "not an OpenDocument text"),
        (b"PK\3\4", "is damaged"),
    ],
)
def test_what_is_no_sound_document_is_refused(raw: bytes, reason: str) -> None:
    with pytest.raises(DraftError, match=reason):
        _ = parse_draft(raw, Path("paper.odt")).manuscript
