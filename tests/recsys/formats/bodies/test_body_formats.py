"""Bodies of drafts of all formats."""

import io
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from recsys.errors import DraftError, InputError
from recsys.formats.bodies.body_formats import BODIES, parse_body, read_body
from recsys.formats.drafts.draft_formats import FORMATS, read_manuscript
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


def test_every_row_is_a_format_of_drafts() -> None:
    assert {row.name for row in BODIES} <= {row.name for row in FORMATS}
    assert find_spec(BODIES[0].module) is not None


def test_keys_are_spelt_as_in_the_bibliography_and_missing_ones_noted(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(BIB)
    paper = tmp_path / "paper.tex"
    paper.write_text(TEX)
    body = read_body(paper)
    assert body.sentences[0].cited == ("Quill2019", "nobody")
    assert [work.key for work in body.references] == ["Quill2019"]
    assert body.notes == ("1 cited key not found in the bibliography: 'nobody'.",)
    assert read_body(paper, manuscript=read_manuscript(paper)) == body


def test_a_packed_project_is_read_by_its_main_file() -> None:
    files = {
        "p/main.tex": TEX.replace("It works.", r"\input{s/a}"),
        "p/s/a.tex": "Inner.",
        "p/refs.bib": BIB,
    }
    body = parse_body(zipped(files), Path("paper.zip"))
    assert [(each.file, each.text) for each in body.sentences] == [
        ("p/main.tex", "We map."),
        ("p/s/a.tex", "Inner."),
    ]
    assert [work.key for work in body.references] == ["Quill2019"]


def test_a_packed_markdown_draft_is_named() -> None:
    packed = zipped({"draft.md": "# A title\n\nWe map dust [@a]. It works.\n", "refs.bib": BIB})
    assert {each.file for each in parse_body(packed, Path("p.zip")).sentences} == {"draft.md"}


def test_a_part_of_a_draft_is_enough() -> None:
    assert parse_body(b"We map \\cite{a}.", Path("part.tex")).sentences[0].cited == ("a",)


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
        parse_body(raw, Path(name))
    assert error.value.hint


def test_a_list_of_references_is_said_to_have_no_text() -> None:
    with pytest.raises(DraftError, match="no running text to look for gaps in"):
        parse_body(BIB.encode(), Path("refs.bib"))
