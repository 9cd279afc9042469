import json
import subprocess
import sys
from pathlib import Path

import pytest

from recsys.errors import DraftError, InputError
from recsys.formats.drafts.draft_formats import (
    LONGEST_ABSTRACT,
    open_draft,
)
from tests.recsys.formats.drafts.small_docx import docx, packed, paragraph
from tests.recsys.formats.drafts.test_opendocument import odt
from tests.recsys.formats.exports.golden_exports import ENW, NBIB, WOS
from tests.rows import each_row

JSON = '{"title": "From JSON", "abstract": "An abstract.", "references": ["p1"]}'
LATEX = r"\documentclass{article}\title{From \emph{LaTeX}}\begin{document}\end{document}"
MARKDOWN = "---\ntitle: From Markdown\n---\nSome text that goes on for a while.\n"
HEADING = "# From a heading\n\nSome text that goes on for a while.\n"
PLAIN = "From text\n\nAbstract\n\nSome text that goes on for a while.\n"
BIBTEX = "@article{a, title = {From BibTeX}, year = 2020}\n"
RIS = "TY  - JOUR\nTI  - From RIS\nER  -\n"
ODT = packed({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b"<x/>"})
NOTEBOOK = '{"cells": [{"cell_type": "markdown", "source": "# From a notebook"}]}'
WORD = docx(paragraph("From Word", style="Title"), macros=True)
MARC = "<?xml version='1.0'?>\n<collection xmlns='http://www.loc.gov/MARC21/slim'><record/>"
CSL = '[{"id": "a", "type": "book", "title": "From CSL"}]'


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@each_row(
    ("name", "content", "title"),
    [
        ("a.json", JSON, "From JSON"),
        ("a.tex", LATEX, "From LaTeX"),
        ("a.TEX", LATEX, "From LaTeX"),
        ("a.md", MARKDOWN, "From Markdown"),
        ("a.txt", PLAIN, "From text"),
        ("json", JSON, "From JSON"),
        ("latex.txt", LATEX, "From LaTeX"),
        ("markdown", MARKDOWN, "From Markdown"),
        ("heading.txt", HEADING, "From a heading"),
        ("utf-16.json", JSON.encode("utf-16"), "From JSON"),
        ("utf-16", JSON.encode("utf-16"), "From JSON"),
        ("utf-32", LATEX.encode("utf-32"), "From LaTeX"),
        ("marked", b"\xef\xbb\xbf" + JSON.encode(), "From JSON"),
        ("windows.txt", PLAIN.replace("\n", "\r\n"), "From text"),
        ("windows", MARKDOWN.replace("\n", "\r\n"), "From Markdown"),
        ("notebook", NOTEBOOK, "From a notebook"),
        ("org", b"# -*- mode: org -*-\n#+TITLE: From Org\n", "From Org"),
        ("typst", b'#set document(title: "From Typst")\nMoss.', "From Typst"),
        ("odt", odt('<text:p text:style-name="Title">From ODT</text:p>'), "From ODT"),
        *((name, WORD, "From Word") for name in ("a.docx", "a.docm", "a.zip", "word", "a.doc")),
    ],
)
def test_the_format_is_told_by_suffix_or_else_by_content(
    name: str, content: str | bytes, title: str, tmp_path: Path
) -> None:
    assert open_draft(write(tmp_path, name, content)).manuscript.title == title


@each_row(
    ("name", "content"),
    [
        ("a.bib", BIBTEX),
        ("b.txt", BIBTEX),
        ("a.ris", RIS),
        ("b.txt", RIS),
        ("a.json", CSL),
        ("c", CSL),
    ],
)
def test_a_reading_list_is_a_manuscript_of_references_alone(
    name: str, content: str, tmp_path: Path
) -> None:
    found = open_draft(write(tmp_path, name, content)).manuscript
    assert (found.title, found.abstract) == ("", None)
    assert [(work.title or "").startswith("From") for work in found.references] == [True]


@pytest.mark.parametrize(("name", "called"), [("a.tex", "LaTeX"), ("a.md", "Markdown")])
def test_json_by_another_name_is_read_as_json_and_that_is_said(
    tmp_path: Path, name: str, called: str
) -> None:
    path = tmp_path / name
    path.write_text('{"title": "Rivers of the plain"}', encoding="utf-8")
    draft = open_draft(path)
    assert draft.manuscript.title == "Rivers of the plain"
    assert draft.manuscript.notes == (f"{path} is JSON, not {called}: read as JSON.",)
    path.write_text("{braces} that are no object", encoding="utf-8")
    assert open_draft(path).kind == called


def test_a_given_title_and_abstract_go_before_those_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "a.json", JSON)
    found = open_draft(path, title="Mine", abstract="My  words.").manuscript
    assert (found.title, found.abstract) == ("Mine", "My words.")
    assert found.references[0].id == "p1"
    assert open_draft(path, title="Mine").manuscript.abstract == "An abstract."
    path = write(tmp_path, "b.json", "{}")  # A title is enough for a file that says nothing.
    with pytest.raises(DraftError, match="neither a title nor an abstract"):
        _ = open_draft(path).manuscript
    assert open_draft(path, title="Mine").manuscript.title == "Mine"


@each_row(
    ("name", "content", "said"),
    [
        ("a.tex", "", "is empty"),
        ("a.json", " \n", "is empty"),
        ("a.docx", b"PK\x03\x04rest", "is damaged"),
        ("a.zip", b"PK\x03\x04rest", "is damaged"),
        ("a.odt", ODT, "has neither a title nor an abstract"),
        ("a.odt", b"PK\x03\x04rest", "is damaged"),
        ("a.doc", b"\xd0\xcf\x11\xe0rest", "is an old Word file"),
        ("a.rtf", r"{\rtf1 text}", "is RTF"),
        ("a.html", "<!DOCTYPE html><p>", "is HTML"),
        ("a", b"<HTML>", "is HTML"),
        ("a.txt", "words\0words", "NUL byte"),
        ("a.md", b"# caf\xe9", "is not UTF-8"),
        ("a.json", "title: x", "is not JSON"),
        ("a", '{"title": ', "is not JSON"),
        ("a.tex", "%\n", "neither a title nor an abstract"),
        ("a.md", "---\ntitle: [\n---\n", "is not YAML"),
        ("works.xml", MARC, "MARC"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line_with_the_next_step(
    name: str, content: str | bytes, said: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        _ = open_draft(write(tmp_path, name, content)).manuscript
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.hint.endswith((".", "?"))


def test_a_missing_draft_names_its_neighbour(tmp_path: Path) -> None:
    write(tmp_path, "paper.tex", LATEX)
    with pytest.raises(InputError, match=r"Did you mean 'paper\.tex'\?"):
        _ = open_draft(tmp_path / "papr.tex").manuscript


def test_an_abstract_beyond_all_measure_is_cut_with_a_note(tmp_path: Path) -> None:
    content = json.dumps({"title": "T", "abstract": "word " * LONGEST_ABSTRACT})
    found = open_draft(write(tmp_path, "a.json", content)).manuscript
    assert len(found.abstract or "") == LONGEST_ABSTRACT - 1  # It ended in a space.
    assert found.notes == ("Only the first 100,000 characters of the abstract are read.",)


def test_nothing_read_can_steer_a_terminal(tmp_path: Path) -> None:
    content = "\\title{Red \x1b[31m title}\\begin{abstract}a\x07b\\end{abstract}\\input{x\x1b[2Jy}"
    found = open_draft(write(tmp_path, "a.tex", content)).manuscript
    assert not any(ord(c) < 32 for c in "".join((found.title, found.abstract or "", *found.notes)))


def test_plain_json_needs_no_library(tmp_path: Path) -> None:
    path = write(tmp_path, "a.json", JSON)
    code = (
        "import sys, pathlib; from recsys.formats.drafts.draft_formats import open_draft;"
        f"open_draft(pathlib.Path({str(path)!r})).manuscript;"
        "heavy = {'yaml', 'pylatexenc', 'bibtexparser', 'rispy', 'pypdfium2', 'numpy'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@each_row("text", [WOS, NBIB, ENW])
@each_row("name", ["download(3).txt", "draft", "a.xml"])
def test_an_export_is_a_list_of_works_whatever_it_is_called(
    tmp_path: Path, text: str, name: str
) -> None:
    manuscript = open_draft(write(tmp_path, name, text)).manuscript
    assert not manuscript.title
    assert len(manuscript.references) >= 2
    assert all(each.title and len(each.title) < 200 for each in manuscript.references)
