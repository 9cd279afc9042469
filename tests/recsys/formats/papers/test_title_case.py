from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.papers.title_case import sentence_case
from tests.rows import each_row


@each_row(
    ("title", "sentence"),
    [
        ("SCIENTIFIC VISUALIZATION OF ICE", "Scientific visualization of ice"),
        ("STRUCTURE OF DNA AND X-RAY DATA IN 3D", "Structure of DNA and X-ray data in 3D"),
        ("HIV-1 AND ALZHEIMER'S DISEASE", "HIV-1 and Alzheimer's disease"),
        ("GLACIERS IN THE 19TH CENTURY. PART II", "Glaciers in the 19th century. Part II"),
        ("LAKES OF GREECE: AN OVERVIEW", "Lakes of Greece: An overview"),
        ("VITAMIN A IN E. COLI, MAY 1990", "Vitamin A in E. coli, May 1990"),
        ("MAY A BAYESIAN MARCH? ON MRNA AND PH", "May a Bayesian march? On mRNA and pH"),
        ("MRNA OF SNAILS IN WINTER", "mRNA of snails in winter"),
        ("A METHOD VS. ANOTHER METHOD", "A method vs. another method"),
        ("NMR OF WATER (H2O) IN CLAYS", "NMR of water (H2O) in clays"),
        ("ÜBER DIE ÄLTESTEN GLETSCHER", "Über die ältesten gletscher"),
        ("О ПРОИСХОЖДЕНИИ ВИДОВ", "О происхождении видов"),  # noqa: RUF001
        ("THE mTOR PATHWAY OF RIVER SNAILS", "The mTOR pathway of river snails"),
        *(
            (text, text)
            for text in [
                "Title Case Stays as It Is",
                "A sentence on DNA, RNA, MRI, NMR, and PCR",
                "IEEE VIS",
                "GLACIERS",
                "DNA RNA HIV",
                "冰川的研究方法 GIS",
                "",
                "1990 - 2000 (3)",
            ]
        ),
    ],
)
def test_capitals_become_a_sentence_and_other_titles_stay(title: str, sentence: str) -> None:
    assert sentence_case(title) == sentence


@given(st.text("ABCDEÉÜSTИ aio'\u2019-:.?!12 IVX", max_size=60))
def test_it_is_done_once_and_no_letter_is_lost(title: str) -> None:
    once = sentence_case(title)
    assert sentence_case(once) == once
    assert once.casefold() == title.casefold()
