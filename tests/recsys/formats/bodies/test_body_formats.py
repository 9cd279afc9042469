"""Bodies of drafts of all formats."""

import io
import zipfile
from pathlib import Path

import pytest

from recsys.errors import DraftError, InputError
from recsys.formats.drafts.draft_formats import FORMATS, open_draft, parse_draft
from tests.rows import each_row

BIB = "@article{Quill2019, title={Fine dust in rooms}, author={Quill, Ada}, year={2019}}"
TEX = r"""\documentclass{article}\begin{document}\section{One}
We map \cite{quill2019,nobody,?}. It works.
\bibliography{refs}\end{document}"""


def zipped(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def test_text_is_read_of_these_formats() -> None:
    with_text = {row.name for row in FORMATS if row.reader.endswith(":parse")}
    assert with_text == {"LaTeX", "Markdown", "Typst", "plain text", "Word", "PDF", "ZIP"}


def test_keys_are_spelt_as_in_the_bibliography_and_missing_ones_noted(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(BIB)
    paper = tmp_path / "paper.tex"
    paper.write_text(TEX)
    draft = open_draft(paper)
    body = draft.body
    assert body.sentences[0].cited == ("Quill2019", "nobody")
    assert [work.key for work in body.references] == ["Quill2019"]
    assert body.notes == ("1 cited key not found in the bibliography: 'nobody'.",)
    assert draft.body_citing(draft.manuscript.references) == body


def test_a_packed_project_is_read_by_its_main_file() -> None:
    files = {
        "p/main.tex": TEX.replace("It works.", r"\input{s/a}"),
        "p/s/a.tex": "Inner.",
        "p/refs.bib": BIB,
    }
    body = parse_draft(zipped(files), Path("paper.zip")).body
    assert [(each.file, each.text) for each in body.sentences] == [
        ("p/main.tex", "We map."),
        ("p/s/a.tex", "Inner."),
    ]
    assert [work.key for work in body.references] == ["Quill2019"]


@each_row(
    ("name", "raw"),
    [
        ("a.bib", BIB.encode()),
        ("a.ris", b"TY  - JOUR\nTI  - Dust\nER  - \n"),
        ("a.json", b'{"title": "Dust"}'),
        ("a.csv", b"title\nDust\n"),
        ("a.tex", b""),
        ("a.tex", b"\\title{Only a title}"),
        ("a.md", b"# Only a heading\n"),
        ("a.zip", b"PK\x03\x04 broken"),
        ("a.rtf", b"{\\rtf1 text}"),
        ("a.tex", b"\x00\x01"),
    ],
)
def test_what_has_no_running_text_is_an_error_with_a_next_step(name: str, raw: bytes) -> None:
    with pytest.raises(InputError) as error:
        assert parse_draft(raw, Path(name)).body.sentences
    assert error.value.hint


def test_a_list_of_references_is_said_to_have_no_text() -> None:
    with pytest.raises(DraftError, match="no running text to look for gaps in"):
        assert parse_draft(BIB.encode(), Path("refs.bib")).body.sentences
