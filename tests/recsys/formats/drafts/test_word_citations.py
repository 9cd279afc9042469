from pathlib import Path

import docx as python_docx
from docx.enum.text import WD_BREAK

from recsys.formats.drafts.word_draft import parse
from tests.recsys.formats.drafts.small_docx import docx, field, mark, paragraph, run, style
from tests.recsys.formats.drafts.written_docx import CITATIONS, TEXT, ZOTERO, read, saved
from tests.rows import each_row


@each_row("manager", CITATIONS)
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
    sentences = parse(raw, Path("a.docx")).body(()).sentences
    assert [len(mark.keys) for sentence in sentences for mark in sentence.marks] == [1]
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
