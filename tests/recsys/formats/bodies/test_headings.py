from recsys.formats.bodies.headings import (
    bare,
    ends_text,
    is_beside_title,
    is_caption,
    is_heading,
    is_section_name,
)
from tests.rows import each_row


@each_row(
    "title", ["1 Introduction", "2.1. What we did", "IV. Results", "CONCLUSIONS", "A.1 More rivers"]
)
def test_numbers_and_usual_names_make_headings(title: str) -> None:
    assert is_heading(title)


@each_row(
    "text",
    [
        "",
        "Rivers are long.",
        "12 rivers are long",
        "3.",
        "1 = 2",
        "Rivers of ice",
        "2. We stop here.",
    ],
)
def test_other_lines_are_none(text: str) -> None:
    assert not is_heading(text)


def test_thanks_and_lists_are_no_running_text() -> None:
    assert ends_text("Acknowledgements")
    assert ends_text("7. Data Availability")
    assert not ends_text("Discussion")
    assert bare("2.1  What we   did") == "What we did"


def test_captions_are_told_from_sentences_about_figures() -> None:
    captions = ["Figure 1: A river.", "Table IV. Lengths", "Fig. S2. More", "Tab. 3"]
    assert all(map(is_caption, captions))
    sentences = [
        "Figure 1 shows a river.",
        "Table 2 (left) and Table 3 agree.",
        "Figures are nice: x",
    ]
    assert not any(map(is_caption, sentences))


def test_lines_of_covers_and_heads_of_pages_are_told_from_titles() -> None:
    beside = """Main Supervisor | Supervisor: Dr. Mia Reed | Journal of Bells 12 (2020)
    International Journal of Bells | Proceedings of the 3rd Workshop on Bells | Doctoral thesis
    A thesis submitted in partial fulfilment of the requirements | Master\u2019s Thesis | by | ----
    University of Bells | Tower University | Department of Rope Science | Cover letter
    Draft 3, May 2020 | Preprint | May 16, 2023 | 12 March 2020 | doi: 10.5555/x | Title page
    https://bells.example/y | Under review at BELLS 2024 | Working Paper No. 12
    Submitted to Journal of Bells | Supervised by Ivy Moss | Bell Journal, Vol. 3 | Chapter 1"""
    titles = """Accepted wisdom and its discontents | Written in bone | Division of labor in ants
    Students, teachers and schools | Dear enemies | Teaching statistics at university | Marching
    Version control in the humanities | A review of bells | A review 10 years on | arXiv as a corpus
    Supervised learning of ringing | May the force ring | Thesis writing for all | The bell
    Published work of Ivy Moss | Received pronunciation in decline | Making rules under review
    The university as a place of bells | Institute for all | Journalism about bells"""
    rows = beside.replace("\n", "|").split("|"), titles.replace("\n", "|").split("|")
    assert [line.strip() for line in rows[0] if not is_beside_title(line)] == []
    assert [line.strip() for line in rows[1] if is_beside_title(line)] == []
    assert is_section_name("1 Introduction") and is_section_name("Related work")
    assert not is_section_name("Introduction to bells")
