import builtins
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import DraftError, RecsysError
from recsys.formats.drafts.bundle import LONGEST_NAME, label, labelled, read_bundle
from recsys.formats.drafts.draft_files import Bundle, inside
from recsys.formats.drafts.draft_formats import parse_draft
from recsys.records import Manuscript
from tests.recsys.formats.drafts.small_docx import docx, packed, paragraph
from tests.rows import each_row
from tests.torture.samples import pdf

BIB = b"@article{a, title = {The first work}, year = 2001}\n@book{b, title = {The second work}}\n"
RIS = b"TY  - JOUR\nTI  - A work in RIS\nER  -\n"
MARKDOWN = b"# From Markdown\n\n## Abstract\n\nWords of an abstract, as [@a] has it.\n"
WORD = docx(paragraph("From Word", style="Title"), paragraph("Words of a text " * 5))


def parse_bundle(files: dict[str, bytes]) -> Manuscript:
    return read_bundle(files).manuscript()


def tex(title: str, body: str = "", *, whole: bool = True) -> bytes:
    head = r"\documentclass{article}" if whole else ""
    return (
        rf"{head}\title{{{title}}}\begin{{document}}\begin{{abstract}}Words of an abstract."
        rf"\end{{abstract}}{body}\end{{document}}"
    ).encode()


def zipped(files: Mapping[str, bytes], name: str = "paper.zip") -> Manuscript:
    return parse_draft(packed(files), Path(name)).manuscript


def titles(found: Manuscript) -> list[str | None]:
    return [work.title for work in found.references]


@pytest.fixture
def no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no file be looked for or opened by a name: what modules need is imported before."""
    zipped({"main.tex": tex("x", r"\cite{a}\bibliography{r}"), "r.bib": BIB})
    parse_bundle({"a.docx": WORD, "r.ris": RIS})

    def refused(path: object, *arguments: object, **options: object) -> object:
        raise AssertionError(f"The disk was asked for {path!r}.")

    monkeypatch.setattr(builtins, "open", refused)
    for name in ("stat", "lstat", "open", "readlink", "scandir"):
        monkeypatch.setattr(os, name, refused)


@pytest.mark.usefixtures("no_disk")
def test_a_project_is_read_without_the_disk() -> None:
    body = (
        r"\input{parts/one} \input{/etc/passwd} \input{../../etc/passwd} \input{parts/../../x}"
        r"\bibliography{lists/refs} \cite{b}"
    )
    found = zipped(
        {
            "project/main.tex": tex("Mine", body),
            "project/parts/one.tex": rb"\cite{a} \input{two}",
            "project/parts/two.tex": rb"\cite{c}",
            "project/lists/refs.bib": BIB,
            "project/figure.png": b"\0",
        }
    )
    assert (found.title, found.abstract) == ("Mine", "Words of an abstract.")
    assert titles(found) == ["The first work", "The second work"]
    said = " ".join(found.notes)
    assert "'/etc/passwd' was not read: it is outside" in said
    assert "'../../etc/passwd' was not read: it is outside" in said
    assert "'c'" in said


@each_row(
    ("files", "title"),
    [
        ({"main.tex": tex("A"), "other.tex": tex("B", "long " * 50)}, "A"),
        ({"p/ms.tex": tex("A"), "p/response.tex": tex("B", "long " * 50)}, "A"),
        ({"p/a.tex": tex("A", r"\input{b}"), "p/b.tex": tex("B", "long " * 50)}, "A"),
        ({"x.tex": tex("A", "long " * 50), "y.tex": tex("B")}, "A"),
        ({"x.tex": tex("A", r"\input{s}\include{t}"), "y.tex": tex("B", "long " * 50)}, "A"),
        ({"deep/er/main.tex": tex("B"), "x.tex": tex("A")}, "A"),
        ({"main.tex": tex("B", whole=False), "x.tex": tex("A")}, "A"),
        ({"x.tex": b"% \\documentclass\n" + tex("B", whole=False), "y.tex": tex("A")}, "A"),
        ({"paper.tex": tex("A"), "README.md": MARKDOWN, "fig.pdf": b"%PDF-"}, "A"),
        ({"x.tex": tex("A", whole=False)}, "A"),
    ],
)
def test_the_main_file_of_a_project_is_found(files: dict[str, bytes], title: str) -> None:
    assert zipped(files).title == title


def test_a_choice_among_main_files_is_said() -> None:
    found = zipped({"main.tex": tex("A"), "b.tex": tex("B"), "c.tex": tex("C")})
    assert found.notes[0] == (
        "Of paper.zip, 'main.tex' is read as the main file, not 'b.tex' and 'c.tex'."
    )
    assert not zipped({"main.tex": tex("A"), "b.tex": b"text"}).notes


@each_row(
    ("name", "content", "title"),
    [
        ("x/paper.md", MARKDOWN, "From Markdown"),
        ("paper.docx", WORD, "From Word"),
        ("paper.txt", b"From text\n\nAbstract\n\nSome words.", "From text"),
        ("paper.json", b'{"title": "From JSON"}', "From JSON"),
        ("paper.pdf", pdf(), "On rivers"),
        ("refs.bib", BIB, ""),
    ],
)
def test_the_one_draft_of_an_archive_is_the_draft(name: str, content: bytes, title: str) -> None:
    found = zipped({name: content, "LICENSE.txt": b"May be copied", "a.png": b"\0"})
    assert found.title == title
    assert found == parse_bundle({name: content})


def test_an_archive_with_nothing_to_read_says_so() -> None:
    for files in ({"a.png": b"x"}, {"inner.zip": packed({"main.tex": tex("A")})}, {".x.tex": b""}):
        with pytest.raises(DraftError, match=r"paper\.zip holds no draft"):
            zipped(files)
    with pytest.raises(DraftError, match=r"'a\.md' and 'b\.md' are 2 drafts"):
        zipped({"a.md": MARKDOWN, "b.md": MARKDOWN})
    for name in ("mimetype", "[Content_Types].xml"):
        with pytest.raises(DraftError, match="is a Word or OpenDocument file"):
            zipped({name: b"application/vnd.oasis.opendocument.chart", "content.xml": b"<x/>"})


def test_one_file_is_read_as_it_is_alone() -> None:
    assert parse_bundle({"a.md": MARKDOWN}).title == "From Markdown"
    assert parse_bundle({"a.zip": packed({"main.tex": tex("A")})}).title == "A"
    assert titles(parse_bundle({"refs.bib": BIB})) == ["The first work", "The second work"]
    with pytest.raises(DraftError, match="is empty"):
        parse_bundle({"a.md": b" "})
    with pytest.raises(DraftError, match="No file was given"):
        parse_bundle({})


def test_one_file_finds_nothing_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("secret.tex").write_text("SECRET", encoding="utf-8")
    Path("refs.bib").write_bytes(BIB)
    for name in ("paper.tex", "-", "", "../paper.tex", str(tmp_path / "paper.tex")):
        found = parse_bundle({name: tex("A", r"\input{secret}\cite{a}\bibliography{refs}")})
        assert (found.references, found.title) == ((), "A")
        assert "no such file" in " ".join(found.notes)
    front = b"---\ntitle: T\nbibliography: refs.bib\n---\n[@a]\n"
    assert parse_bundle({"paper.md": front}).references == ()


CITES_B = tex("A", r"\cite{b}\bibliography{mine}")
NAMED = tex("A", r"\input{chapters/one}\bibliography{lists/refs}")
FRONT = b"---\ntitle: T\nbibliography: refs.bib\n---\nAs [@b] says.\n"


@each_row(
    ("files", "cited", "note"),
    [
        # What is given with a draft is found without its folders.
        ({"a.tex": NAMED, "one.tex": rb"\cite{b}", "refs.bib": BIB}, ["The second work"], ""),
        (
            {"a.tex": CITES_B, "export.bib": BIB},
            ["The second work"],
            "'export.bib' stands in for 'mine', which is missing.",
        ),
        (
            {"a.tex": tex("A", r"\cite{b}"), "export.bib": BIB},
            ["The second work"],
            "'export.bib' stands in for a bibliography, for none is named.",
        ),
        ({"a.tex": CITES_B, "export.bib": b"\0"}, [], "NUL byte"),
        (
            {"a.tex": tex("A", r"\cite{b}"), "x.bib": BIB, "y.bib": BIB},
            ["The first work", "The second work"],
            "2 works of 'x.bib' added.",
        ),
        ({"a.md": FRONT, "refs.bib": BIB}, ["The second work"], ""),
        ({"a.md": MARKDOWN, "b.ris": b"\0"}, [], "NUL byte"),
    ],
)
def test_a_draft_finds_the_lists_that_are_given_with_it(
    files: dict[str, bytes], cited: list[str], note: str
) -> None:
    found = parse_bundle(files)
    assert titles(found) == cited
    assert note in " ".join(found.notes)
    assert note or not any("added" in each or "not read" in each for each in found.notes)


@each_row(
    ("name", "content", "own"), [("a.docx", WORD, 0), ("a.pdf", pdf(), 1), ("a.md", MARKDOWN, 0)]
)
@each_row(("book", "works", "number"), [("b.bib", BIB, 2), ("b.ris", RIS, 1)])
def test_a_list_beside_a_draft_is_what_it_cites(
    name: str, content: bytes, own: int, book: str, works: bytes, number: int
) -> None:
    found = parse_bundle({book: works, name: content})
    assert len(found.references) == own + number
    assert f"{number} work{'s'[: number > 1]} of '{book}' added." in found.notes
    assert found.title == parse_bundle({name: content}).title


def test_lists_alone_are_one_list() -> None:
    found = parse_bundle(
        {"a.bib": BIB, "b.ris": RIS, "c.json": b'[{"type": "book", "title": "J"}]'}
    )
    assert titles(found) == ["The first work", "The second work", "A work in RIS", "J"]
    with pytest.raises(DraftError, match="holds no references"):
        parse_bundle({"a.bib": b"x", "b.ris": b"x"})


def test_two_drafts_are_named() -> None:
    with pytest.raises(DraftError, match=r"'a\.tex' and 'b\.docx' are 2 drafts"):
        parse_bundle({"a.tex": tex("A"), "b.docx": WORD, "c.bib": BIB})
    with pytest.raises(DraftError, match=r"'a\.tex' and 'b\.tex' are 2 drafts"):
        parse_bundle({"a.tex": tex("A"), "b.tex": tex("B")})
    with pytest.raises(DraftError, match="None of the 2 files is a draft"):
        parse_bundle({"a.png": b"x", "b.sty": b"x"})


def test_names_are_labels() -> None:
    names = ["../../etc/passwd.tex", "C:\\x\\y.tex", "a\0b\x1b[2J\u202e.tex", "", "-", "/", "."]
    shown = [label(name) for name in names]
    assert shown[:2] == ["passwd.tex", "C:/x/y.tex"]
    assert all(name.isprintable() and name for name in shown)
    assert len(label("x" * 10_000 + ".docx")) == LONGEST_NAME
    assert label("x" * 10_000 + ".docx").endswith(".docx")
    assert list(labelled([("a.bib", b""), ("./a.bib", b""), ("a.bib", b"")])) == [
        "a.bib",
        "a (2).bib",
        "a (3).bib",
    ]


def test_a_bundle_finds_by_folder_first() -> None:
    files = {"a/x.tex": b"1", "b/x.tex": b"2", "y.tex": b"3"}
    draft = inside("b/main.tex")
    assert draft is not None
    bundle = Bundle(draft, frozenset(files), files.__getitem__, loose=True)
    assert str(bundle.find("x", (".tex",))) == "b/x.tex"
    assert str(bundle.find("x", (".tex",), near=inside("a"))) == "b/x.tex"
    assert str(bundle.find("../y", (".tex",))) == "y.tex"
    assert str(bundle.find("gone/y", (".tex",))) == "y.tex"
    with pytest.raises(DraftError, match="no such file"):
        bundle.find("c/x", (".tex",))  # There are two of that name.
    with pytest.raises(DraftError, match="outside"):
        bundle.find("../../z", (".tex",))


SOME = st.sampled_from([BIB, RIS, MARKDOWN, WORD, tex("A"), packed({"main.tex": tex("A")}), pdf()])
ENDINGS = ("", ".tex", ".zip", ".docx", ".bib", ".md", ".pdf", ".json", ".txt", ".ris", ".odt")
NAMES = st.builds(str.__add__, st.text(max_size=8), st.sampled_from(ENDINGS))


@given(st.dictionaries(NAMES, st.one_of(st.binary(max_size=200), SOME), max_size=4))
def test_whatever_is_given_is_read_or_refused(files: dict[str, bytes]) -> None:
    try:
        assert isinstance(parse_bundle(files), Manuscript)
    except RecsysError as error:
        assert str(error).isprintable()
        assert error.hint
