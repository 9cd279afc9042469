from pathlib import Path

import docx as python_docx
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml.parser import parse_xml
from docx.text.paragraph import Paragraph
from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.drafts.draft_formats import parse_draft
from recsys.formats.drafts.word_draft import parse
from recsys.records import Body, Mark, Sentence, Span
from tests.recsys.formats.drafts.small_docx import docx, field, mark, paragraph, run
from tests.recsys.formats.drafts.written_docx import CITATIONS, ZOTERO, saved

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def read(raw: bytes) -> Body:
    return parse(raw, Path("paper.docx")).body(())


def put(where: Paragraph, xml: str) -> None:
    """Append runs, given as XML, to a paragraph."""
    for each in parse_xml(f"<w:x {W}>{xml}</w:x>"):
        where._p.append(each)


def texts(body: Body) -> list[str]:
    return [sentence.text for sentence in body.sentences]


def paper() -> "python_docx.document.Document":
    """Write a paper as a word processor would, up to where its text begins."""
    document = python_docx.Document()
    document.add_heading("On rivers and ice", 0)
    document.add_paragraph("Ada Rivers")
    document.add_heading("Abstract", 1)
    document.add_paragraph("We measure the length of rivers with an instrument for glaciers.")
    document.add_heading("1. Introduction", 1)
    return document


def test_a_paper_is_read_as_its_sentences_by_section() -> None:
    document = paper()
    document.add_paragraph("Rivers are long [1, 2]. Some are longer, i.e. very long.")
    document.add_paragraph("Figure 1: A river.", style="Caption")
    document.add_heading("Methods", 2)
    document.add_paragraph("  We follow Eis (2002) here (Rivers, 2001).")
    table = document.add_table(1, 1)
    table.rows[0].cells[0].text = "A cell is no sentence of the text, however long it may be here."
    document.add_paragraph("Nobody knows why [CITE].")
    document.add_heading("Acknowledgements", 1)
    document.add_paragraph("We thank everybody who measured a river.")
    document.add_heading("References", 1)
    document.add_paragraph("Rivers, A. (2001). On the measure of rivers. Water 3, 1-9.")
    document.add_paragraph("Eis, B. (2002). On the age of glaciers. Water 4, 1-9.")
    document.add_heading("Appendix", 1)
    document.add_paragraph("All rivers are listed here.")
    body = read(saved(document))
    assert body.unit == "paragraph"
    assert [work.key for work in body.references] == ["rivers2001", "eis2002"]
    assert body.sentences == (
        Sentence("Rivers are long [1, 2].", (), "Introduction", 0, "", Span(6, 1, 6, 24)),
        Sentence("Some are longer, i.e. very long.", (), "Introduction", 0, "", Span(6, 25, 6, 57)),
        Sentence(
            "We follow Eis here.",
            (
                Mark(13, ("eis2002",), False, "(2002)", Span(9, 17, 9, 23)),
                Mark(18, ("rivers2001",), False, "(Rivers, 2001)", Span(9, 29, 9, 43)),
            ),
            "Methods",
            1,
            "",
            Span(9, 3, 9, 44),
        ),
        Sentence(
            "Nobody knows why.",
            (Mark(16, (), True, "[CITE]", Span(10, 18, 10, 24)),),
            "Methods",
            2,
            "",
            Span(10, 1, 10, 25),
        ),
        Sentence("All rivers are listed here.", (), "Appendix", 3, "", Span(17, 1, 17, 28)),
    )
    assert body.notes == ("1 paragraph in tables or text boxes left out.",)


def test_word_keeps_its_own_sources() -> None:
    document = paper()
    said = document.add_paragraph("They are long ")
    put(said, field(" CITATION Riv01 \\l 1033 \\m Eis02", shown="(Rivers, 2001; Eis)") + run("."))
    part = Part(
        PackURI("/customXml/item9.xml"),
        CONTENT_TYPE.XML,
        Path(__file__).with_name("files").joinpath("sources.xml").read_bytes(),
        document.part.package,
    )
    document.part.relate_to(part, RELATIONSHIP_TYPE.CUSTOM_XML)
    raw = saved(document)
    body = read(raw)
    assert texts(body) == ["They are long."]
    assert body.sentences[0].cited == ("Riv01", "Eis02")
    assert [(work.key, work.authors, work.venue) for work in body.references] == [
        ("Riv01", ("Ada Rivers",), "Water"),
        ("Eis02", (), None),
    ]
    assert parse_draft(raw, Path("paper.docx")).manuscript.references == body.references


def test_a_comment_that_asks_for_a_citation_is_a_gap() -> None:
    document = paper()
    said = document.add_paragraph()
    claim = said.add_run("Rivers are long")
    said.add_run(", and ")
    other = said.add_run("old")
    said.add_run(".")
    document.add_comment(claim, text="Please cite somebody", author="Bo")
    document.add_comment(other, text="How old?", author="Bo")
    (sentence,) = read(saved(document)).sentences
    assert sentence.text == "Rivers are long, and old."
    gap = Mark(15, (), True, "Please cite somebody", Span(6, 16, 6, 16))
    assert sentence.marks == (gap,)


def test_a_note_that_cites_is_a_mark_where_its_number_stands() -> None:
    note = field("ADDIN ZOTERO_ITEM CSL_CITATION " + ZOTERO)
    body = read(
        docx(
            paragraph("A title", style="Title"),
            paragraph(
                "Rivers are long.",
                inside=f'<w:r><w:footnoteReference w:id="1"/></w:r>{run(" Ice is old.")}',
            ),
            footnotes=paragraph("See ", inside=note),
        )
    )
    assert texts(body) == ["Rivers are long.", "Ice is old."]
    assert [(each.at, each.keys) for each in body.sentences[0].marks] == [(16, ("7",))]


def test_deleted_moved_and_boxed_words_and_made_lists_are_left_out() -> None:
    deleted = (
        f'<w:del w:id="1"><w:r><w:delText>never </w:delText></w:r>{run("gone ")}</w:del>'
        f"<w:moveFrom>{run('away ')}</w:moveFrom>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden </w:t></w:r>"
    )
    added = (
        f'<w:ins w:id="2">{run("indeed ")}</w:ins><w:moveTo>{run("very ")}</w:moveTo>'
        "<w:r><w:rPr><w:vanish w:val='false'/></w:rPr><w:t>shown </w:t></w:r>"
    )
    box = f"<w:r><w:txbxContent>{paragraph('In a box, words stand apart.')}</w:txbxContent></w:r>"
    listed = (
        f"{mark('begin')}<w:r><w:instrText>ADDIN ZOTERO_BIBL</w:instrText></w:r>{mark('separate')}"
    )
    body = read(
        docx(
            paragraph("A title", style="Title"),
            paragraph("Rivers are ", inside=f"{deleted}{added}{run('long.')}{box}"),
            paragraph("", inside=f"{listed}{run('Rivers, A. On the measure of rivers. 2001.')}"),
            paragraph("Eis, B. On the age of glaciers. 2002.", inside=mark("end")),
            paragraph("That is the end of it."),
        )
    )
    assert texts(body) == ["Rivers are indeed very shown long.", "That is the end of it."]
    assert [sentence.span.line for sentence in body.sentences if sentence.span] == [2, 5]


def test_a_list_that_word_numbers_is_cited_by_number() -> None:
    document = paper()
    document.add_paragraph("Rivers are long [1]. Ice is old [2], and [1]-[2] agree.")
    document.add_paragraph("It is said again [2].")
    document.add_heading("References", 1)
    for text in (
        "Rivers, A. (2001). On the measure of rivers. Water 3.",
        "Eis, B. (2002). On the age of ice. Water 4.",
    ):
        document.add_paragraph(text, style="List Number")
    body = read(saved(document))
    assert [sentence.cited for sentence in body.sentences] == [("1",), ("2", "1"), ("2",)]
    assert texts(body)[1] == "Ice is old, and agree."


def test_without_styles_words_tell_the_headings() -> None:
    body = read(
        docx(
            paragraph("On the measure of rivers"),
            paragraph("Ada Rivers"),
            paragraph("Abstract: We measure rivers."),
            paragraph("Keywords: rivers, ice"),
            paragraph("1. Introduction"),
            paragraph("Rivers are long."),
            paragraph("2 What we did"),
            paragraph("We measured them."),
            paragraph("Funding"),
            paragraph("Nobody paid us."),
        )
    )
    assert [(each.section, each.text) for each in body.sentences] == [
        ("Introduction", "Rivers are long."),
        ("What we did", "We measured them."),
    ]


PIECES = st.sampled_from(
    [
        *(mark("begin"), mark("separate"), mark("end"), field("CITATION"), run("[CITE]")),
        *(run("Rivers are long [3]. "), run("(Rivers, 2001) "), run("word " * 50)),
        "<w:r><w:instrText>ADDIN ZOTERO_ITEM CSL_CITATION {</w:instrText></w:r>",
        '<w:r><w:footnoteReference w:id="1"/></w:r>',
        '<w:r><w:commentReference w:id="9"/></w:r>',
        *("<w:sdt><w:sdtContent/></w:sdt>", "</w:p><w:p>", "<w:del/>", *CITATIONS.values()),
        *(
            f"</w:p>{paragraph(title, style='Heading1')}<w:p>"
            for title in ("References", "Abstract")
        ),
    ]
)


@given(st.lists(PIECES, max_size=12))
def test_whatever_is_in_a_document_every_place_is_true(pieces: list[str]) -> None:
    body = read(docx(paragraph("A title", style="Title"), f"<w:p>{''.join(pieces)}</w:p>"))
    keys = {work.key for work in body.references}
    for sentence in body.sentences:
        assert sentence.text == " ".join(sentence.text.split())
        assert {*sentence.cited} <= keys
        for each in sentence.marks:
            assert 0 <= each.at <= len(sentence.text)
