import docx as python_docx

from tests.recsys.formats.drafts.small_docx import docx, paragraph, run, style
from tests.recsys.formats.drafts.written_docx import ABSTRACT, GERMAN, TEXT, read, saved
from tests.rows import each_row


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


@each_row(
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
