import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.drafts.plain import PlainDraft, split_list
from recsys.formats.drafts.wording import LONGEST_TEXT, OPENING_WORDS
from recsys.formats.references.reference_formats import parse_bibliography
from recsys.records import Reference
from tests.rows import each_row

TYPED = json.loads(Path(__file__).with_name("files").joinpath("typed_lists.json").read_bytes())
"""Lists of references as people type or paste them, and the works in each."""
LONG = "Dust is everywhere and nobody knows why. " * 20


def test_a_text_without_a_title_is_read_by_its_first_words() -> None:
    found = PlainDraft(LONG * 5).manuscript()
    assert found.title == ""
    assert len((found.abstract or "").split()) == OPENING_WORDS
    assert found.notes[0] == (
        "The first paragraph is too long for a title; the draft is read without one."
    )
    assert found.notes[1].startswith(f"No abstract is marked; the first {OPENING_WORDS} words")


@each_row(
    "items",
    [
        "[1] A. Quill, Dust, doi:10.1000/ONE.\n[2] B. Reed,\n   arXiv:2004.07180v1\n[3] None",
        "1. A. Quill. https://doi.org/10.1000/one\n2. B. Reed. arxiv.org/abs/2004.07180\n3. None",
        "- A. Quill 10.1000/one\n- B. Reed arXiv:2004.07180\n- None",
        "A. Quill\nDust 10.1000/one\n\nB. Reed\narXiv:2004.07180\n\nNone",
        "A. Quill 10.1000/one\nB. Reed arXiv:2004.07180\nNone",
    ],
)
@each_row("heading", ["References", "REFERENCES:", "7. Bibliography", "## Works cited"])
def test_listed_references_are_read_by_their_identifiers(items: str, heading: str) -> None:
    before, works, notes = split_list(f"Text.\n\n{heading}\n\n{items}\n")
    assert before == "Text.\n\n"
    assert [(work.doi, work.arxiv) for work in works] == [
        ("10.1000/one", None),
        (None, "2004.07180"),
    ]
    assert notes == ("1 listed reference not understood and left out.",)


def told(works: tuple[Reference, ...]) -> list[list[object]]:
    return [[work.key, work.title, *work.authors, work.year, work.doi] for work in works]


@each_row(("name", "text", "works"), TYPED)
def test_typed_references_keep_title_author_year_and_doi(
    name: str, text: str, works: list[list[object]]
) -> None:
    """At the end of a draft, as a draft of their own, and as a reading list."""
    _, listed, notes = split_list(f"Text.\n\nReferences\n\n{text}")
    assert (told(listed), notes) == (works, ())
    for whole in (text, f"References\n\n{text}"):
        assert told(parse_bibliography(whole, "refs.txt").references) == works
        assert told(PlainDraft(whole).manuscript().references) == works


def test_what_stands_beside_an_identifier_is_a_title_unless_it_may_be_names() -> None:
    text = (
        "Nests of wrens and rooks 10.1000/one\nA. Quill 10.1000/two\nJournal of Nests 10.1000/3\n"
    )
    for works in (split_list(f"References\n\n{text}")[1], parse_bibliography(text, "").references):
        assert [work.title for work in works] == ["Nests of wrens and rooks", None, None]


def test_a_wrapped_line_that_begins_with_a_number_marks_no_work() -> None:
    text = (
        "Moss, A. 2020 Nests of wrens. Journal of Nests\n12. Twig.\nReed, B. 2021 Eggs of rooks.\n"
    )
    _, works, notes = split_list(f"References\n\n{text}")
    assert [(work.title, work.year) for work in works] == [
        ("Nests of wrens", 2020),
        ("Eggs of rooks", 2021),
    ]
    assert notes == ()


def test_titles_stay_titles_in_a_reading_list() -> None:
    titles = [
        "Deep Nests, Wide Nests. A survey",
        "Wrens: 1990 to 2010",
        "Rivers, Lakes. A map of 2010",
    ]
    works = parse_bibliography("\n".join(titles), "titles.txt").references
    assert [work.title for work in works] == titles


def test_a_text_of_identifiers_alone_is_a_reading_list() -> None:
    found = PlainDraft(
        "10.1000/one\n\n- https://doi.org/10.1000/TWO\narXiv:2004.07180\nP18-1001\n"
    ).manuscript()
    assert (found.title, found.abstract) == ("", None)
    assert [work.doi or work.arxiv or work.acl for work in found.references] == [
        "10.1000/one",
        "10.1000/two",
        "2004.07180",
        "P18-1001",
    ]


def test_a_text_beyond_all_measure_is_cut_with_a_note() -> None:
    found = PlainDraft("T\n\n" + "word " * LONGEST_TEXT).manuscript()
    assert found.notes[0] == "Only the first 4,194,304 characters are read."


@given(
    st.lists(st.text("abcdefg", min_size=1), min_size=1, max_size=8), st.text("xyz ", min_size=9)
)
def test_a_short_first_paragraph_is_the_title(words: list[str], rest: str) -> None:
    title = " ".join(words)
    assert PlainDraft(f"{title}\n\n{rest}\n").manuscript().title == title


@each_row(
    ("text", "title", "abstract"),
    [
        ("Rinden\n\nAda Moss\n\nZusammenfassung\n\nRinde ist rau.\n\n1 Einleitung\n\nText.",
         "Rinden", "Rinde ist rau."),
        ("Rinden\n\nZusammenfassung\n\nRinde ist rau.\n\nAbstract\n\nBark is rough.\n\n"
         "Einleitung\n\nText.", "Rinden", "Bark is rough."),
        ("Nidos\n\nResumen: Los nidos son altos.\n\nPalabras clave: nidos\n\nText.",
         "Nidos", "Los nidos son altos."),
        ("Title: Nests\nAuthors: Ada Moss; Bo Reed\nAbstract: Nests are high.\nKeywords: nests\n",
         "Nests", "Nests are high."),
    ],
)  # fmt: skip
def test_abstracts_are_found_in_other_languages_and_behind_labels(
    text: str, title: str, abstract: str
) -> None:
    found = PlainDraft(text).manuscript()
    assert (found.title, found.abstract) == (title, abstract)


def test_a_list_without_works_is_empty() -> None:
    assert split_list("Text.\n\nReferences\n\n") == ("Text.\n\n", (), ())
