import base64
import io
import json
import sys
from pathlib import Path
from xml.sax.saxutils import quoteattr

import docx as python_docx
import pytest
from docx.enum.text import WD_BREAK
from hypothesis import given, settings
from hypothesis import strategies as st

from recsys.errors import DraftError, MissingExtraError, RecsysError
from recsys.formats.drafts.draft_formats import parse_manuscript
from recsys.records import Manuscript
from tests.recsys.formats.drafts.small_docx import docx, field, mark, packed, paragraph, run, style

GERMAN = style("Titel", "Title") + style("berschrift1", "heading 1") + style("Standard", "Normal")
ABSTRACT = "We measure the length of rivers with an instrument that was made for glaciers."
TEXT = "Rivers are long, and some of them are longer than others, as everybody knows by now."
WORK = {
    "id": 7,
    "type": "article-journal",
    "title": "On the measure of rivers",
    "author": [{"family": "Rivers", "given": "Ada"}],
    "issued": {"date-parts": [["2001", 2]]},
    "DOI": "10.1000/r1",
}
ZOTERO = json.dumps({"citationID": "x", "citationItems": [{"id": 7, "itemData": WORK}]})
ENDNOTE = (
    "<EndNote><Cite><Author>Rivers</Author><Year>2001</Year><record><rec-number>7</rec-number>"
    "<contributors><authors><author><style>Rivers, Ada</style></author></authors></contributors>"
    "<titles><title><style>On the measure of rivers</style></title><secondary-title>Water"
    "</secondary-title></titles><dates><year>2001</year></dates>"
    "<electronic-resource-num>10.1000/r1</electronic-resource-num></record></Cite></EndNote>"
)


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def read(raw: bytes, name: str = "paper.docx") -> Manuscript:
    return parse_manuscript(raw, Path(name))


def saved(document: "python_docx.document.Document") -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_a_document_with_styles_is_read_by_them() -> None:
    document = python_docx.Document()
    document.add_heading("On rivers & <ice>", 0)
    document.add_paragraph("Ada Rivers1, Bo L\u00f6ffel2,* and Cy Glacier")
    document.add_paragraph("1 University of Somewhere, ada@rivers.org")
    document.add_heading("Abstract", 1)
    document.add_paragraph(ABSTRACT)
    document.add_paragraph("Keywords: rivers, ice")
    document.add_heading("1 Introduction", 1)
    document.add_paragraph(TEXT)
    document.add_heading("References", 1)
    document.add_paragraph("Rivers, A. (2001). On the measure of rivers. Water 3. doi:10.1000/r1")
    document.add_paragraph(
        "[2] B. L\u00f6ffel, \u201cOn the age of glaciers,\u201d Ice, vol. 2, 2002."
    )
    document.add_heading("Appendix", 1)
    document.add_paragraph("Not, A. Work. (2003). That nobody cites at all.")
    found = read(saved(document))
    assert found.title == "On rivers & <ice>"
    assert found.authors == ("Ada Rivers", "Bo L\u00f6ffel", "Cy Glacier")
    assert found.abstract == ABSTRACT
    assert [(work.title, work.year, work.doi) for work in found.references] == [
        ("On the measure of rivers", 2001, "10.1000/r1"),
        ("On the age of glaciers", 2002, None),
    ]
    assert found.notes == ()


def test_styles_are_known_by_the_names_that_every_language_shares() -> None:
    raw = docx(
        paragraph("Fl\u00fcsse und Eis", style="Titel"),
        paragraph("Zusammenfassung", style="berschrift1"),
        paragraph(ABSTRACT, style="Standard"),
        paragraph("Einleitung", style="berschrift1"),
        paragraph(TEXT),
        paragraph("Literaturverzeichnis", style="berschrift1"),
        paragraph("Rivers, A. (2001). On the measure of rivers. Water 3."),
        styles=GERMAN,
    )
    found = read(raw)
    assert (found.title, found.abstract) == ("Fl\u00fcsse und Eis", ABSTRACT)
    assert [work.title for work in found.references] == ["On the measure of rivers"]


def test_without_any_style_the_words_tell() -> None:
    raw = docx(
        paragraph("Research Article"),
        paragraph("On the measure of rivers"),
        paragraph("Ada Rivers"),
        paragraph(f"Abstract\u2014{ABSTRACT}"),
        paragraph("Key words: rivers"),
        paragraph("1. Introduction"),
        paragraph(TEXT),
    )
    found = read(raw)
    assert (found.title, found.abstract) == ("On the measure of rivers", ABSTRACT)
    assert found.authors == ("Ada Rivers",)
    assert found.notes == ("The title is a guess: give --title if it is wrong.",)


@pytest.mark.parametrize(
    "heading",
    [
        "Abstract",
        "ABSTRACT",
        "Abstract:",
        "1. Summary",
        "R\u00e9sum\u00e9",
        "Resumen",
        "\u6458\u8981",
    ],
)
def test_an_abstract_stands_under_its_heading_in_many_languages(heading: str) -> None:
    raw = docx(
        paragraph("A title", style="Title"),
        paragraph(heading, style="Heading1"),
        paragraph(ABSTRACT),
        paragraph("Second part of it."),
        paragraph("Introduction", style="Heading1"),
        paragraph(TEXT),
    )
    assert read(raw).abstract == f"{ABSTRACT} Second part of it."


def test_an_abstract_may_be_styled_or_stand_in_one_paragraph_with_its_name() -> None:
    styled = docx(
        paragraph("A title of a paper", style="papertitle"),
        paragraph(f"Abstract. {ABSTRACT}", style="abstract"),
        paragraph(TEXT),
        styles=style("papertitle", "paper title") + style("abstract", "abstract"),
    )
    assert (read(styled).title, read(styled).abstract) == ("A title of a paper", ABSTRACT)
    broken = docx(
        paragraph("A title", style="Title"),
        paragraph(inside=f"{run('Abstract')}<w:r><w:br/></w:r>{run(ABSTRACT)}"),
        *[paragraph(f"{TEXT} {number}") for number in range(8)],
    )
    assert read(broken).abstract == ABSTRACT


def test_the_first_words_stand_in_for_an_abstract_that_is_not_there() -> None:
    found = read(docx(paragraph("A title", style="Title"), paragraph(TEXT), paragraph("Short.")))
    assert found.abstract == TEXT
    assert found.notes == (
        "No abstract was found; the first 16 words of the text stand in for it.",
    )


def test_the_title_of_the_file_counts_if_it_is_printed() -> None:
    body = (paragraph("Preface of sorts"), paragraph("On the measure of rivers"), paragraph(TEXT))
    assert read(docx(*body, facts={"title": "On the Measure of Rivers"})).title == (
        "On the Measure of Rivers"
    )
    stale = read(docx(*body, facts={"title": "A template for authors of the journal"}))
    assert stale.title == "Preface of sorts"
    alone = docx(paragraph(f"{TEXT} " * 5), facts={"title": "On the measure of rivers"})
    assert read(alone).title == "On the measure of rivers"
    assert read(docx(*body, facts={"creator": "Ada Rivers"})).authors == ()


@pytest.mark.parametrize(
    "facts", [None, {}, {"title": "Word Document"}, {"title": "Microsoft Word"}]
)
def test_no_title_is_made_up(facts: dict[str, str] | None) -> None:
    assert read(docx(paragraph(f"{TEXT} " * 5), facts=facts)).title in ("", "Word Document")
    assert read(docx(paragraph(f"{TEXT} " * 5))).title == ""


CITATIONS = {
    "Zotero": field(f" ADDIN ZOTERO_ITEM CSL_CITATION {ZOTERO} "),
    "Zotero, cut by Word": field(" ADDIN ZOTERO_", f"ITEM CSL_CITATION {ZOTERO[:40]}", ZOTERO[40:]),
    "Mendeley": field(f"ADDIN CSL_CITATION {ZOTERO}"),
    "a simple field": f"<w:fldSimple w:instr={quoteattr(f'ADDIN CSL_CITATION {ZOTERO}')}/>",
    "Mendeley Cite": (
        f"<w:sdt><w:sdtPr><w:tag w:val='MENDELEY_CITATION_v3_{encoded(ZOTERO)}'/></w:sdtPr>"
        f"<w:sdtContent>{run('(1)')}</w:sdtContent></w:sdt>"
    ),
    "EndNote": field(f" ADDIN EN.CITE {ENDNOTE}"),
    "EndNote, encoded": (
        mark("begin", f"<w:fldData>{encoded(ENDNOTE)}</w:fldData>")
        + "<w:r><w:instrText> ADDIN EN.CITE.DATA </w:instrText></w:r>"
        + mark("end")
    ),
}


@pytest.mark.parametrize("manager", CITATIONS)
def test_what_reference_managers_keep_is_what_is_cited(manager: str) -> None:
    raw = docx(
        paragraph("A title", style="Title"),
        paragraph(f"As is known {TEXT} ", inside=CITATIONS[manager] + run(" we go on.")),
        paragraph("References", style="Heading1"),
        paragraph("A. Rivers. On the measure of rivers. Water, 2001."),
        paragraph("L\u00f6ffel, B. (2002). On the age of glaciers. Ice 3."),
    )
    found = read(raw)
    assert [(work.title, work.year, work.doi) for work in found.references] == [
        ("On the measure of rivers", 2001, "10.1000/r1"),
        ("On the age of glaciers", 2002, None),
    ]
    assert "CITATION" not in str(found)
    assert "EndNote" not in str(found)
    assert str(found.abstract).endswith("we go on.")


def test_a_field_may_span_paragraphs_and_never_end() -> None:
    begins = mark("begin") + "<w:r><w:instrText>ADDIN ZOTERO_BIBL {}</w:instrText></w:r>"
    spanning = docx(
        paragraph("A title", style="Title"),
        paragraph(
            inside=begins + mark("separate") + run("Rivers, A. (2001). On the rivers of ice. W.")
        ),
        paragraph("Second", inside=mark("end")),
        paragraph(TEXT),
    )
    assert str(read(spanning).abstract).startswith("Rivers, A.")
    endless = docx(paragraph("A title", style="Title", inside=begins), paragraph(TEXT))
    assert (read(endless).title, read(endless).abstract) == ("A title", TEXT)
    stray = docx(paragraph("A title", inside=mark("end") + mark("separate")), paragraph(TEXT))
    assert read(stray).title == "A title"


def test_only_the_text_that_is_shown_counts() -> None:
    deleted = "<w:del><w:r><w:delText>DELETED</w:delText></w:r></w:del>"
    moved = f"<w:moveFrom>{run('MOVED')}</w:moveFrom>"
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>HIDDEN</w:t></w:r>"
    inserted = f"<w:ins>{run('put in ')}</w:ins><w:moveTo>{run('moved here ')}</w:moveTo>"
    shown = "<w:r><w:rPr><w:vanish w:val='false'/></w:rPr><w:t>shown </w:t></w:r>"
    raw = docx(
        paragraph("A ", style="Title", inside=deleted + moved + hidden + inserted + shown),
        paragraph("TOC entry of ten words that is certainly no text here", style="TOC1"),
        paragraph(TEXT),
    )
    found = read(raw)
    assert found.title == "A put in moved here shown"
    assert found.abstract == TEXT


def test_tables_text_boxes_formulas_and_links_are_text_once() -> None:
    box = f"<w:txbxContent>{paragraph('A box')}</w:txbxContent>"
    alternate = (
        f"<w:r><mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    table = f"<w:tbl><w:tr><w:tc>{paragraph('References')}</w:tc></w:tr></w:tbl>"
    formula = "<m:oMath><m:r><m:t>x+y</m:t></m:r></m:oMath>"
    raw = docx(
        paragraph("A title with ", style="Title", inside=f"{formula}{alternate}"),
        paragraph(TEXT, inside=f"<w:hyperlink>{run(' and a link')}</w:hyperlink>"),
        f"<!-- remark -->{table}",
        paragraph("[1] A. Rivers. On the measure of rivers. Water, 2001."),
    )
    found = read(raw)
    assert found.title == "A title with x+y"
    assert found.abstract == f"{TEXT} and a link"
    assert [work.title for work in found.references] == ["On the measure of rivers"]


def test_footnotes_name_works_by_identifier_or_by_field() -> None:
    notes = paragraph("See doi:10.1000/n1 for more.") + paragraph(
        "And ", inside=field(f"ADDIN ZOTERO_ITEM CSL_CITATION {ZOTERO}")
    )
    raw = docx(paragraph("A title", style="Title"), paragraph(TEXT), footnotes=notes)
    assert {work.doi for work in read(raw).references} == {"10.1000/r1", "10.1000/n1"}


def test_references_may_be_lines_of_one_paragraph_or_told_by_their_style() -> None:
    document = python_docx.Document()
    document.add_heading("A title", 0)
    document.add_heading("Bibliography", 1)
    listed = document.add_paragraph().add_run(
        "[1] A. Rivers. On the measure of rivers. Water, 2001."
    )
    listed.add_break(WD_BREAK.LINE)
    listed.add_text("[2] B. Ice. On the age of glaciers. Ice, 2002.")
    titles = ["On the measure of rivers", "On the age of glaciers"]
    assert [work.title for work in read(saved(document)).references] == titles
    styled = docx(
        paragraph("A title", style="Title"),
        paragraph("[1] A. Rivers. On the measure of rivers. Water, 2001.", style="Bib"),
        paragraph("[2] B. Ice. On the age of glaciers. Ice, 2002.", style="Bib"),
        paragraph("[3] ...", style="Bib"),
        styles=style("Bib", "EndNote Bibliography"),
    )
    found = read(styled)
    assert [work.title for work in found.references] == titles
    assert found.notes == ("1 listed reference could not be read.",)


def test_headings_are_known_by_what_their_style_rests_on() -> None:
    styles = style("A", "Own heading", base="B") + style("B", "Base", level=0)
    circle = style("C", "Circle", base="D") + style("D", "Other", base="C")
    raw = docx(
        paragraph("A title", style="Title"),
        paragraph("References", style="A"),
        paragraph("[1] A. Rivers. On the measure of rivers. Water, 2001.", style="C"),
        paragraph("Appendix", style="A"),
        paragraph("[2] B. Ice. On the age of glaciers. Ice, 2002."),
        styles=styles + circle,
    )
    assert [work.title for work in read(raw).references] == ["On the measure of rivers"]


def test_content_tells_a_document_whatever_it_is_called() -> None:
    raw = docx(paragraph("A title of sorts", style="Title"), macros=True)
    for name in ("paper.docx", "paper.docm", "paper.zip", "paper", "paper.doc"):
        assert read(raw, name).title == "A title of sorts"


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


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"PK\3\4rest", "is damaged"),
        (b"no zip at all", "is damaged"),
        (b"\xd0\xcf\x11\xe0rest", "is an old Word file, or has a password"),
        (packed({"a.txt": b"x"}), "is no document of Word"),
        (packed({"[Content_Types].xml": b"x", "xl/workbook.xml": b"x"}), "is no document of Word"),
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
    ids=range(11),
)
def test_what_is_no_document_is_one_line_with_the_next_step(raw: bytes, said: str) -> None:
    with pytest.raises(DraftError) as caught:
        read(raw)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_a_document_that_unpacks_beyond_all_measure_is_refused() -> None:
    bomb = docx(document=" " * (33 * 2**20))
    assert len(bomb) < 2**17
    with pytest.raises(DraftError, match="too large"):
        read(bomb)
    many = packed(
        {f"word/{number}.xml": bytes(16 * 2**20) for number in range(5)}
        | {"[Content_Types].xml": b"x"}
    )
    with pytest.raises(DraftError, match="too large"):
        read(many)


def test_without_python_docx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(MissingExtraError) as caught:
        read(docx(paragraph("A title")))
    assert caught.value.hint == "pip install 'recsys[serve]'"


WHOLE = docx(
    paragraph("A title", style="Title", inside=CITATIONS["Zotero"]),
    paragraph("Abstract", style="Heading1"),
    paragraph(ABSTRACT),
    styles=GERMAN,
    footnotes=paragraph("doi:10.1000/n1"),
    facts={"title": "A title"},
)


@settings(max_examples=60)
@given(place=st.integers(0, len(WHOLE) - 1), put=st.binary(max_size=6), name=st.text(max_size=10))
def test_whatever_is_damaged_is_read_or_refused(place: int, put: bytes, name: str) -> None:
    raw = WHOLE[:place] + put + WHOLE[place + len(put) :]
    try:
        assert isinstance(read(raw, f"{name}.docx"), Manuscript)
    except RecsysError as error:
        assert "\n" not in str(error)


PIECES = st.lists(
    st.one_of(
        st.text(max_size=20).map(lambda text: paragraph("".join(filter(str.isprintable, text)))),
        st.sampled_from(
            [
                *(paragraph(inside=each) for each in CITATIONS.values()),
                paragraph("References", style="Heading1"),
                paragraph("Abstract", style="Heading1"),
                paragraph(inside=mark("begin")),
                paragraph(inside=mark("end")),
                paragraph("[1] ", style="Bibliography"),
                paragraph("word " * 50),
            ]
        ),
    ),
    max_size=12,
)


@settings(max_examples=60)
@given(PIECES)
def test_whatever_is_in_it_is_read_or_says_nothing(pieces: list[str]) -> None:
    try:
        found = read(docx(*pieces))
    except DraftError as error:
        assert "neither a title nor an abstract" in str(error)
    else:
        assert "\n" not in found.title + str(found.abstract)
