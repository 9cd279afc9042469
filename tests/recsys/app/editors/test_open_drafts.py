"""Drafts as they stand in an editor, and the keys that are being typed."""

from pathlib import Path

import pytest

from recsys.app.editors.open_drafts import NEW_BOOK, read_draft, typed_key
from recsys.formats.local_answers.filled_drafts import TYPST
from tests.rows import each_row

BIB = "@article{quill2019, title={Fine dust in rooms}, author={Quill, Ada}, year={2019}}\n"
TEX = r"""\documentclass{article}\usepackage{natbib}\title{On dust}\begin{document}
Rooms hold dust \citep{quill2019}. Nobody knows why [CITE].
\bibliography{refs}\end{document}"""


@each_row(
    ("name", "text", "typed", "sentence", "beside"),
    [
        ("a.tex", "One. Trees grow \\cite{|", "", "Trees grow", ()),
        ("a.tex", "One. Trees grow \\cite{|} and die. On", "", "Trees grow and die.", ()),
        ("a.tex", "B.\n\nTrees \\citep[see][3]{a, as|h} die.", "as", "Trees die.", ("a",)),
        ("a.tex", "Trees \\parencite{a, |, b} die.", "", "Trees die.", ("a", "b")),
        ("a.Rnw", "Trees \\cite{smith.|}.", "smith", "Trees.", ()),
        ("a.md", "One. Trees grow [@|", "", "Trees grow", ()),
        ("a.qmd", "# On\n\nTrees [see @a; @as|] die.", "as", "Trees die.", ("a",)),
        ("a.md", "As @as| show, trees grow.", "as", "As show, trees grow.", ()),
        ("a.md", "Trees grow \\cite{|}.", "", "Trees grow.", ()),
        ("a.typ", "One. Trees grow @as|.", "as", "Trees grow.", ()),
        (
            "a.typ",
            "One. \U0001f332 grow #cite(<as|>) and @b.",
            "as",
            "\U0001f332 grow and.",
            ("b",),
        ),
        ("a.typ", "Trees grow #cite(<|", "", "Trees grow", ()),
    ],
)
def test_the_sentence_of_a_key_that_is_being_typed(
    name: str, text: str, typed: str, sentence: str, beside: tuple[str, ...]
) -> None:
    at, plain = text.index("|"), text.replace("|", "", 1)
    found = typed_key(Path(name), plain, at)
    assert found is not None and found.gap is not None
    whole = plain[found.start : found.end]
    assert whole.startswith(typed) and at <= found.end
    assert (found.gap.sentence.text, found.gap.sentence.cited) == (sentence, beside)


@each_row(
    ("name", "text"),
    [
        ("a.tex", "Trees grow |"),
        ("a.tex", "\\cite{a} grow|"),
        ("a.tex", "\\nocite{|}"),
        ("a.tex", "\\section{Trees|}"),
        ("a.md", "mail ash@tree|"),
        ("a.md", "A # heading [link|](x)"),
        ("a.typ", "#figure(image(|"),
    ],
)
def test_elsewhere_no_key_is_being_typed(name: str, text: str) -> None:
    at = text.index("|")
    assert typed_key(Path(name), text.replace("|", "", 1), at) is None


def test_what_is_open_goes_before_what_is_on_the_disk(tmp_path: Path) -> None:
    paper, refs = tmp_path / "paper.tex", tmp_path / "refs.bib"
    refs.write_text("@book{old, title={Gone}}\n")
    draft = read_draft(paper, {paper: TEX, refs: BIB})
    assert [entry.key for entry in draft.entries] == ["quill2019"]
    assert [work.key for work in draft.manuscript.references] == ["quill2019"]
    assert [(book.path, book.raw) for book in draft.books] == [(refs, BIB.encode())]
    assert draft.manuscript.title == "On dust" and draft.command == "citep"
    assert [sentence.cited for sentence in draft.sentences] == [("quill2019",), ()]
    assert draft.entry("QUILL2019") == draft.entries[0] and draft.entry("gone") is None


@pytest.mark.parametrize(
    ("name", "text", "beside", "book"),
    [
        ("a.tex", TEX, (), "refs.bib"),
        ("a.md", "Trees grow.", (), NEW_BOOK),
        ("a.md", "Trees grow.", ("own.bib",), "own.bib"),
        ("a.md", "Trees grow.", ("own.bib", "other.bib"), NEW_BOOK),
        (
            "a.md",
            "---\nbibliography: mine.bib\n---\nTrees grow.",
            ("mine.bib", "x.bib"),
            "mine.bib",
        ),
        ("a.typ", '#bibliography("mine.bib")\nTrees grow.', ("mine.bib", "x.bib"), "mine.bib"),
    ],
)
def test_the_bibliography_of_a_draft(
    name: str, text: str, beside: tuple[str, ...], book: str, tmp_path: Path
) -> None:
    for each in beside:
        (tmp_path / each).write_text(BIB)
    draft = read_draft(tmp_path / name, {tmp_path / name: text})
    assert draft.books[0].path == tmp_path / book
    assert (draft.books[0].raw is not None) is (book in beside)
    assert draft.command == {".tex": "citep", ".typ": TYPST, ".md": None}[Path(name).suffix]


def test_a_chapter_is_read_with_the_whole_that_inputs_it(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    main, part = tmp_path / "main.tex", tmp_path / "parts" / "one.tex"
    main.write_text(TEX.replace("Nobody knows why [CITE].", r"\input{parts/one}"))
    (tmp_path / "refs.bib").write_text(BIB)
    part.write_text("Old words.")
    draft = read_draft(part, {part: "Walls hold none [CITE]."}, root=tmp_path)
    assert [sentence.text for sentence in draft.sentences] == ["Walls hold none."]
    assert draft.manuscript.title == "On dust" and draft.command == "citep"
    assert [entry.key for entry in draft.entries] == ["quill2019"]


@each_row("text", ["", "\\cite{", "\x00\x01", "---\na: [\n---\n", "\ud800 lone", "{" * 1000])
def test_a_draft_that_cannot_be_read_has_no_sentences_and_no_error(text: str) -> None:
    for name in ("/nowhere/a.tex", "/nowhere/a.md", "/nowhere/a.typ"):
        draft = read_draft(Path(name), {Path(name): text})
        assert not any(sentence.cited for sentence in draft.sentences)
