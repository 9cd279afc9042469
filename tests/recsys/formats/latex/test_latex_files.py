import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import DraftError
from recsys.formats.drafts import included
from recsys.formats.drafts.included import LONGEST_SOURCE, Source
from recsys.formats.files import STDIN
from recsys.formats.latex.latex_source import gather
from tests.rows import each_row


def gathered(text: str, path: Path = STDIN) -> Source:
    return gather(text.encode(), path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A draft's folder beside a file that is none of its business."""
    (tmp_path / "secret.tex").write_text("SECRET", encoding="utf-8")
    inner = tmp_path / "paper"
    (inner / "parts").mkdir(parents=True)
    return inner


@each_row(
    ("source", "text"),
    [
        ("a % b\nc", "a c"),
        ("a%\n   b", "ab"),
        (r"50\% of it", r"50\% of it"),
        ("line\\\\% gone\nnext", "line\\\\next"),
        (r"a \begin{verbatim} % \cite{x} \end{verbatim} b", "a  b"),
        (r"a \begin{comment} \end{verbatim} \end{comment} b", "a  b"),
        (r"a \verb|%x| b \verb*+y+ c", "a  b y c"),
        (r"\url{http://x.y/%20z} b", r"\url{http://x.y/%20z} b"),
        (r"a \iffalse b \else c \fi d", r"a  c \fi d"),
        (r"a \iffalse b \iftrue c \fi d \fi e", "a  e"),
        (r"\newif\ifx a \iffalse \ifx b \fi c \fi d", r"\newif\ifx a  d"),
        (r"a \iffalse \ifthenelse{x}{y}{z} \fi b", "a  b"),
        (r"a \iffalse never closed", "a "),
        (r"a \end{document} b", "a "),
        (r"a \endinput b", "a "),
        (r"a \begin{verbatim} never closed", "a "),
        (r"\includegraphics{x} \inputenc", r"\includegraphics{x} \inputenc"),
    ],
)
def test_only_what_latex_would_set_is_kept(source: str, text: str) -> None:
    assert gathered(source).text == text


def test_inputs_are_put_in_their_places(folder: Path) -> None:
    files = {
        "one.tex": "ONE % no\n",
        "parts/two.tex": r"TWO \input{three}",
        "parts/three.tex": r"THREE \endinput not this",
        "name.with.dots.tex": "DOTS",
        "list.bbl": "BBL",
    }
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    source = (
        r"\input{one} \input one.tex \include{parts/two} \import{parts/}{three} "
        r"\subfile{name.with.dots} \input{list.bbl}{kept} \input{ ./parts/../one }"
    )
    found = gathered(source, folder / "paper.tex")
    assert found.text.split() == (
        ["ONE", "ONE", "TWO", "THREE", "THREE", "DOTS", "BBL", "{kept}", "ONE"]
    )
    assert found.notes == ()


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../secret", "parts/../../secret", "link", "linked/secret", "~/x"]
)
def test_nothing_outside_the_folder_is_read(name: str, folder: Path) -> None:
    (folder / "link.tex").symlink_to(folder.parent / "secret.tex")
    (folder / "linked").symlink_to(folder.parent)
    for command in (r"\input{%s}", r"\include{%s}", r"\import{.}{%s}", r"\@input{%s}"):
        found = gathered(command % name, folder / "paper.tex")
        assert "SECRET" not in found.text
        assert "root:" not in found.text
        assert len(found.notes) == 1
        assert "was not read" in found.notes[0]


def test_a_draft_reached_by_a_link_is_read_in_the_folder_of_the_link(folder: Path) -> None:
    (folder.parent / "link").symlink_to(folder)
    (folder / "one.tex").write_text("ONE", encoding="utf-8")
    (folder / "alias.tex").symlink_to("one.tex")
    source = r"\input{one}\input{../secret}\input{alias}"
    found = gathered(source, folder.parent / "link" / "paper.tex")
    assert found.text.split() == ["ONE", "ONE"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing", "'missing' was not read: the draft's folder has no such file."),
        ("parts", "has no such file"),
        ("x" * 499, "has no such file"),
        (r"\dir/x", "has no such file"),
        ("loop", "has no such file"),
        ("pipe", "has no such file"),
        ("binary", "has a NUL byte"),
    ],
)
def test_an_input_that_cannot_be_read_is_a_note(name: str, said: str, folder: Path) -> None:
    (folder / "loop.tex").symlink_to("loop.tex")
    (folder / "binary.tex").write_bytes(b"\0\1\2")
    os.mkfifo(folder / "pipe.tex")
    found = gathered(f"a \\input{{{name}}} b", folder / "paper.tex")
    assert found.text.split() == ["a", "b"] or name.startswith("\\")
    assert [said in note for note in found.notes] == [True]


def test_a_file_that_inputs_itself_is_read_once(folder: Path) -> None:
    draft = folder / "paper.tex"
    (folder / "one.tex").write_text(r"ONE \input{two} \input{paper}", encoding="utf-8")
    (folder / "two.tex").write_text(r"TWO \input{one}", encoding="utf-8")
    draft.write_text(r"\input{one} END", encoding="utf-8")
    found = gather(draft.read_bytes(), draft)
    assert found.text.split() == ["ONE", "TWO", "END"]
    assert found.notes == (
        "'one' was not read again: it inputs itself.",
        "'paper' was not read again: it inputs itself.",
    )


def test_files_that_multiply_are_bounded(folder: Path) -> None:
    for number in range(15):  # 2^15 copies of the last.
        twice = f"\\input{{f{number + 1}}}" * 2
        (folder / f"f{number}.tex").write_text(twice, encoding="utf-8")
    (folder / "f15.tex").write_text("x", encoding="utf-8")
    found = gathered(r"\input{f0}", folder / "paper.tex")
    assert found.text.count("x") < 1_000
    assert found.notes[-1] == "Only the first 1,000 inputs are followed."


def test_inputs_too_deep_within_one_another_are_a_note(folder: Path) -> None:
    for number in range(40):
        (folder / f"f{number}.tex").write_text(f"{number} \\input{{f{number + 1}}}", "utf-8")
    found = gathered(r"\input{f0}", folder / "paper.tex")
    assert found.text.split() == [str(number) for number in range(20)]
    assert found.notes == ("'f20' was not read: too many files input one another.",)


def test_too_much_latex_is_refused(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    with pytest.raises(DraftError, match="more than 8 MB of LaTeX"):
        gathered("x" * (LONGEST_SOURCE + 1))
    monkeypatch.setattr(included, "LONGEST_SOURCE", 2**20)
    (folder / "part.tex").write_text("x" * 2**19, encoding="utf-8")
    with pytest.raises(DraftError, match="more than 1 MB of LaTeX"):
        gathered(r"\input{part}" * 3, folder / "paper.tex")


def test_the_files_within_a_draft_are_kept_as_they_are() -> None:
    source = (
        r"\begin{filecontents}{a.bib}100 % @a{}\end{filecontents}"
        "\\begin{filecontents*}[overwrite,nosearch]{b.bib}B\\end{filecontents*}"
        r"\begin{filecontents}no name\end{filecontents}"
    )
    found = gathered(source)
    assert found.enclosed == {"a.bib": "100 % @a{}", "b.bib": "B"}
    assert found.text == ""


PIECES = (
    r"% \ { } a \input{ paper} \iffalse \fi \else \verb| \begin{verbatim} \end{verbatim} "
    r"\begin{filecontents}{x} \end{document} \import{ \newif \ifx | \url{ \%"
).split()


@given(st.lists(st.sampled_from([*PIECES, "\n", " "]), max_size=30).map("".join))
def test_any_source_is_gathered(source: str) -> None:
    found = gathered(source)
    assert len(found.text) <= len(source) + source.count(r"\i")
    assert r"\iffalse " not in found.text
    assert gathered("a\n" + source).text.startswith("a\n")


@given(st.text(st.characters(exclude_characters="\\%\0\r", codec="utf-8")))
def test_text_without_commands_and_comments_stays_as_it_is(text: str) -> None:
    assert gathered(text).text == text.removeprefix("\ufeff")
