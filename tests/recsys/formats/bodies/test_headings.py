from recsys.formats.bodies.headings import bare, ends_text, is_caption, is_heading
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
