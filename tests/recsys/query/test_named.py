"""What a word or a text is taken for."""

from pathlib import Path

import pytest

from recsys.errors import DraftError, InputError
from recsys.query.question_schema import is_file, read_draft, read_references
from recsys.records import Bibliography, Reference
from tests.rows import each_row


@each_row(
    "word", ["-", "paper.tex", "../a b/Paper.PDF", "refs.bib", "list.csv", "a study of robots.txt"]
)
def test_suffixes_and_the_dash_name_files(word: str) -> None:
    assert is_file(word)


@each_row(
    "word",
    [
        "rivers-07",
        "10.1000/a.bib",  # A DOI that ends like a file.
        "https://arxiv.org/abs/2004.07180",
        "A title",
        "One.\n\nTwo paragraphs.txt",
        "x" * 10_000,
        "a\0b.tex",
    ],
)
def test_other_words_and_texts_are_no_files(word: str) -> None:
    assert not is_file(word)


def test_what_exists_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "rivers-07").write_text("A title", encoding="utf-8")
    assert is_file(str(tmp_path / "rivers-07"))
    assert read_draft(str(tmp_path / "rivers-07")).title == "A title"


@each_row(
    "text",
    [
        "A title\n\nWe measure rivers, with an instrument.",
        "# A title\n\n## Abstract\n\nWe measure rivers, with an instrument.\n",
        '{"title": "A title", "abstract": "We measure rivers, with an instrument."}',
        r"\title{A title}\begin{document}\begin{abstract}"
        r"We measure rivers, with an instrument.\end{abstract}\end{document}",
    ],
)
def test_a_draft_is_read_from_its_text(text: str) -> None:
    draft = read_draft(text)
    assert (draft.title, draft.abstract) == ("A title", "We measure rivers, with an instrument.")


def test_words_of_the_caller_go_before_those_of_the_draft(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A title\n\nAn abstract.", encoding="utf-8")
    for given in (tmp_path / "a.txt", "A title\n\nAn abstract."):
        draft = read_draft(given, title="Another", abstract="")
        assert (draft.title, draft.abstract) == ("Another", None)


def test_a_draft_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DraftError, match="the text of the draft is empty"):
        read_draft(" \n")
    with pytest.raises(InputError, match="There is no file"):
        read_draft(tmp_path / "A title")  # A Path is a file, whatever it looks like.


def test_papers_are_named_by_file_identifier_or_id(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text("@misc{k, title = {One}, year = 2001}", encoding="utf-8")
    found = read_references(tmp_path / "refs.bib", "10.1000/X", "rivers-07")
    assert [each.title for each in found.references] == ["One", None, None]
    assert found.references[1].doi == "10.1000/x"
    assert found.references[2] == Reference(key="rivers-07", id="rivers-07")
    assert found.problems == ()
    assert read_references() == Bibliography()
    with pytest.raises(InputError, match="There is no file"):
        read_references("gone.bib")
