"""Patches: marks become citations, and nothing else changes."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.formats.drafts.draft_formats import open_draft
from recsys.formats.local_answers.filled_drafts import (
    FilePatch,
    accepted,
    patches,
    told,
    write_patches,
)
from recsys.formats.local_answers.shown_gaps import keys_of
from recsys.records import Gap, LocalAnswer, Mark, Sentence, Span
from tests.recsys.formats.local_answers.made_answers import (
    ITEMS,
    answer_on,
    empty_answer,
    small_answer,
)
from tests.rows import each_row

KEY = "Cohan2020Specter"
DRAFT = r"""\documentclass{article}
\usepackage{natbib}
Trees grow \citep{?}, and so do shrubs [CITE].  % é
Both are known \citep{ash04,?}.
"""
FILLED = rf"""\documentclass{{article}}
\usepackage{{natbib}}
Trees grow \citep{{{KEY}}}, and so do shrubs~\citep{{{KEY}}}.  % é
Both are known \citep{{ash04,{KEY}}}.
"""


def patched(answer: LocalAnswer) -> tuple[FilePatch, ...]:
    return patches(answer, accepted(answer, keys_of(answer)))


def written(path: Path, raw: bytes, text: str) -> tuple[FilePatch, ...]:
    path.write_bytes(raw)
    return patched(answer_on(path, text))


@each_row("line_end", ["\n", "\r\n", "\r"])
@each_row("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_marks_are_filled_in_any_encoding(codec: str, line_end: str, tmp_path: Path) -> None:
    path = tmp_path / "paper.tex"
    text = DRAFT.replace("\n", line_end)
    [found] = written(path, text.encode(codec), text)
    assert found.new.decode(codec) == FILLED.replace("\n", line_end)
    write_patches([found])
    assert path.read_bytes() == FILLED.replace("\n", line_end).encode(codec)


def run(*words: str, folder: Path, diff: bytes) -> None:
    done = subprocess.run(words, input=diff, cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout, done.stderr, diff)


PATCHERS: list[Callable[[Path, bytes], None]] = [
    lambda folder, diff: run("git", "apply", "-p0", "--check", folder=folder, diff=diff),
    lambda folder, diff: run("git", "apply", "-p0", folder=folder, diff=diff),
    lambda folder, diff: run("patch", "-p0", "--dry-run", "--binary", folder=folder, diff=diff),
    lambda folder, diff: run("patch", "-p0", "--binary", folder=folder, diff=diff),
]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("paper.tex", DRAFT),
        ("paper.tex", DRAFT.replace("\n", "\r\n")),
        ("my paper.tex", DRAFT.rstrip("\n")),
        ("deep/paper.md", "A [@?]\n" + "line\n" * 30 + "\fB\u2028 [CITE]"),
    ],
)
def test_other_programs_apply_the_diff(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shutil.which("git") and shutil.which("patch")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    [found] = written(path, text.encode(), text)
    for apply in PATCHERS:
        path.write_bytes(text.encode())
        apply(tmp_path, found.diff())
    assert path.read_bytes() == found.new != found.old


def test_a_project_is_patched_file_by_file(tmp_path: Path) -> None:
    main, part = tmp_path / "main.tex", tmp_path / "parts" / "one.tex"
    part.parent.mkdir()
    main.write_text("\\citep{a} \\citep{b}\n\\input{parts/one}\n", encoding="utf-8")
    part.write_text("Trees [CITE]\n", encoding="utf-8")
    answer = answer_on(main, "Trees [CITE]\n")
    gap = replace(answer.gaps[0], sentence=Sentence("Trees.", file="parts/one.tex"))
    [found] = patched(replace(answer, gaps=(gap,)))
    assert (found.name, found.new) == (str(part), f"Trees~\\citep{{{KEY}}}\n".encode())


TEXT = st.lists(
    st.sampled_from(
        ["a", "é", " ", "~", "\n", "\r\n", "\r", "\f", "\u2028", "\\", "{", "}", "%", "$"]
    ),
    max_size=12,
).map("".join)
MARKS = st.sampled_from(
    [r"\cite{?}", r"\citep[p.~3]{a,?}", "[CITE]", "(REF)", r"\todo{cite}", "[@?]", "[@a; @?]"]
)


@given(
    st.lists(st.tuples(TEXT, MARKS), min_size=1, max_size=4), TEXT, st.sampled_from([".tex", ".md"])
)
def test_nothing_but_the_marks_changes(
    tmp_path_factory: pytest.TempPathFactory,
    parts: list[tuple[str, str]],
    last: str,
    suffix: str,
) -> None:
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    text = "".join(f"{before}{mark}" for before, mark in parts) + last
    [found] = written(path, text.encode(), text)
    new, at = found.new.decode(), 0
    for before, _ in parts:  # A tie may take the place of the spaces before a mark.
        words = before.rstrip(" ~\t") if suffix == ".tex" else before
        assert new.startswith(words, at)
        at = new.index(KEY, at + len(words)) + len(KEY) + 1  # And a bracket.
    assert new.endswith(last)
    assert new.count(KEY) == len(parts)


@each_row(
    ("now", "message"),
    [
        (b"Trees grow \\citep{fir}.\n" * 4, "has .* and not .*: it changed"),
        (b"Short.\n", "is no place of the file: it changed"),
        (b"", "is no place of the file: it changed"),
    ],
)
def test_a_file_that_changed_meanwhile_is_not_patched(
    now: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "paper.tex"
    path.write_bytes(now)
    with pytest.raises(InputError, match=message):
        patched(answer_on(path, DRAFT))
    assert path.read_bytes() == now


def test_no_file_is_written_when_one_changed_after_the_diff(tmp_path: Path) -> None:
    found: list[FilePatch] = []
    for name in ("a.tex", "b.tex"):
        found += written(tmp_path / name, DRAFT.encode(), DRAFT)
    (tmp_path / "b.tex").write_bytes(b"Anew.\n")
    with pytest.raises(InputError, match="it changed since"):
        write_patches(found)
    assert (tmp_path / "a.tex").read_bytes() == DRAFT.encode()


@each_row(
    ("change", "message"),
    [
        ({"draft": None}, "A passage has no file"),
        ({"draft": "a.docx", "unit": "paragraph"}, "cannot be patched"),
        ({"draft": "a.ipynb"}, "cannot be patched"),
        ({"draft": "missing.tex"}, "There is no file"),
        ({"draft": "a.zip"}, "cannot be patched"),
    ],
)
def test_what_has_no_lines_is_refused(change: dict[str, str | None], message: str) -> None:
    answer = answer_on("a.tex", DRAFT)
    with pytest.raises(InputError, match=message):
        patched(LocalAnswer(answer.gaps, draft=change["draft"], unit=change.get("unit") or "line"))


def test_marks_that_overlap_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    path.write_text("ab[CITE]\n", encoding="utf-8")
    gap = answer_on(path, "ab[CITE]\n").gaps[0]
    inner = replace(gap, mark=Mark(0, (), True, "[CI", Span(1, 3, 1, 6)))
    with pytest.raises(InputError, match="overlap"):
        patched(LocalAnswer((gap, inner), draft=str(path)))


def test_a_key_that_the_encoding_cannot_hold_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    path.write_bytes("é [CITE]".encode("cp1252"))
    answer = answer_on(path, "é [CITE]")
    [taken] = accepted(answer, keys_of(answer))
    with pytest.raises(InputError, match="cannot hold 'ł'"):
        patches(answer, [replace(taken, key="ł")])


def test_the_best_paper_of_marked_gaps_is_accepted() -> None:
    answer = small_answer()
    unmarked = replace(answer.gaps[1], recommendations=ITEMS[:1])
    answer, keys = replace(answer, gaps=(answer.gaps[0], unmarked)), keys_of(answer)
    assert [each.key for each in accepted(answer, keys)] == [KEY]
    assert len(accepted(answer, keys, unmarked=True)) == 2
    assert accepted(answer, keys, least=0.94) == ()
    assert list(told(answer, accepted(answer, keys))) == [
        f"draft/intro.tex:12:20: {KEY}, SPECTER: Document-level Representation Learning."
    ]
    assert patched(empty_answer()) == ()


def test_the_marks_that_the_reader_finds_are_filled(tmp_path: Path) -> None:
    example = Path(__file__).parents[4] / "examples" / "unfinished.tex"
    path = tmp_path / "paper.tex"
    text = example.read_text(encoding="utf-8").replace("\n", "\r\n")
    path.write_bytes(text.encode())
    marks = [mark for each in open_draft(path).body.sentences for mark in each.marks if mark.gap]
    gaps = tuple(Gap(Sentence("A."), 1, mark, None, ITEMS) for mark in marks)
    [found] = patched(LocalAnswer(gaps, draft=str(path)))
    write_patches([found])
    body = open_draft(path).body
    assert not any(mark.gap for each in body.sentences for mark in each.marks)
    assert [each.cited for each in body.sentences][:2] == [(KEY,), ("strohman2007", KEY)]
    assert found.new.decode().count("\r\n") == text.count("\r\n")
    assert found.new.decode() == (
        text.replace("{?}", f"{{{KEY}}}")
        .replace(",?", f",{KEY}")
        .replace(" [CITE]", f"~\\citep{{{KEY}}}")
        .replace(" \\todo{cite}", f"~\\citep{{{KEY}}}")
    )
