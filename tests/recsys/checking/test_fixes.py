from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.checking.check import Source, check, index_source
from recsys.checking.fixes import fixes
from recsys.checking.listed import read_listed
from recsys.formats.references.bibtex_entries import entry_lines, entry_spans, with_fields
from recsys.formats.references.reference_formats import parse_bibliography
from tests.recsys.checking.test_check import PAPERS
from tests.recsys.query.test_matching import collect

BOOK = r"""% My references, in my order.
@string{jbs = "Journal of Barn Science"}

@article{ash15,
  title   = "Nests of Swallows: a survey of twelve old barns", % a remark
  author  = {Ash, Ann and Birch, Bo and Cedar, Cy},
  journal = jbs,
  year    = 2051,
  note = {Read {this} one first @home}
}
@inproceedings{larch18, title={Learning to tell larches from firs at night},
	author={Eve Elm and Fay Fir}, booktitle={arXiv}, year={2018}}
@misc{ponds, author = {Kim Kapok}, title = {{Ponds} as mirrors of the winter sky}, year = 2010}
@comment{ @article{no, title={No entry}} }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return index_source(collect(PAPERS, tmp_path_factory.mktemp("fixes")), "library")


def test_what_differs_is_corrected_and_every_other_byte_stays(library: Source) -> None:
    references = parse_bibliography(BOOK, "book.bib").references
    report = check(references, [library], this_year=2026)
    fixed = with_fields(BOOK, fixes(report, BOOK))
    expected = BOOK.replace("2051", "{2015}")
    expected = expected.replace("first @home}", "first @home},\n  doi = {10.5555/swallows}")
    expected = expected.replace("booktitle={arXiv}, year={2018}}", (
        "booktitle={Conference on Larches}, year={2019},\n\tdoi = {10.5555/larches}}"
    ))  # fmt: skip
    expected = expected.replace("{Kim Kapok}", "{Dee Date}").replace(
        "year = 2010}", "year = 2010, doi = {10.5555/ponds}}"
    )
    assert fixed == expected
    again = check(parse_bibliography(fixed, "book.bib").references, [library], this_year=2026)
    assert again.summary == "3 references: 3 confirmed."
    assert fixes(again, fixed) == {}


def test_lines_end_as_those_of_the_file() -> None:
    book = BOOK.replace("\n", "\r\n")
    fixed = with_fields(book, {"ash15": {"doi": "10.5555/swallows", "year": "2015"}})
    assert fixed.count("\n") == fixed.count("\r\n") == book.count("\n") + 1


def test_a_field_after_a_missing_comma_stays() -> None:
    fixed = with_fields("@misc{a, title={x = 1}\n year=3}", {"a": {"title": "y"}})
    assert fixed == "@misc{a, title={y}\n year=3}"


def test_a_key_that_occurs_twice_is_left_alone(library: Source) -> None:
    book = BOOK + BOOK.replace("2051", "2052")
    report = check(parse_bibliography(book, "b.bib").references, [library], this_year=2026)
    assert fixes(report, book) == {}


@given(st.text(alphabet='@{}"#,=% \nabt\\1', max_size=60))
def test_any_text_stays_as_it_is_where_nothing_changes(text: str) -> None:
    assert with_fields(text, {}) == text
    for span in entry_spans(text):
        assert all(0 <= begin <= end <= len(text) for begin, end in span.fields.values())


def test_lines_of_entries_are_told() -> None:
    assert entry_lines(BOOK) == {"ash15": 4, "larch18": 11, "ponds": 13}


def test_a_draft_lists_what_it_cites_and_what_it_never_does(tmp_path: Path) -> None:
    (tmp_path / "book.bib").write_text(BOOK, encoding="utf-8")
    draft = tmp_path / "paper.tex"
    draft.write_text(
        r"\documentclass{article}\title{On barns}\begin{document}\maketitle"
        r"As \cite{ash15} and \cite{lost20} say.\cite{?}\bibliography{book}\end{document}",
        encoding="utf-8",
    )
    listed = read_listed(draft)
    assert [each.key for each in listed.references] == ["ash15", "larch18", "ponds"]
    assert listed.never_cited == {"larch18", "ponds"}
    assert listed.unlisted == ("lost20",)
