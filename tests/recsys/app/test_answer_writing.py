"""Where answers go, and what their files are called."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from recsys.app.cli.recommending import AnswerWriter
from recsys.errors import InputError
from recsys.records import Answer


@pytest.mark.parametrize(
    ("draft", "name"),
    [
        (None, "draft.md"),
        ("-", "stdin.md"),
        ("10.1109/INFVIS.2004.64", "10.1109-INFVIS.2004.64.md"),
        ("../..", "draft.md"),
        ("https://arxiv.org/abs/2004.07180", "https-arxiv.org-abs-2004.07180.md"),
    ],
)
def test_files_are_called_after_what_was_asked(
    draft: str | None, name: str, answer: Answer, tmp_path: Path
) -> None:
    AnswerWriter("markdown", folder=tmp_path / "out", quiet=True).write(
        replace(answer, draft=draft)
    )
    assert [path.name for path in (tmp_path / "out").iterdir()] == [name]


def test_names_that_differ_by_case_alone_get_numbers(answer: Answer, tmp_path: Path) -> None:
    writer = AnswerWriter("json", folder=tmp_path / "out", quiet=True)
    for draft in ("paper", "Paper", "PAPER"):
        writer.write(replace(answer, draft=draft))
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"paper.json", "Paper-2.json", "PAPER-3.json"}


def test_what_is_kept_for_one_file_is_written_at_the_end(answer: Answer, tmp_path: Path) -> None:
    out = tmp_path / "all.txt"
    writer = AnswerWriter("table", out=out, several=True)
    writer.write(replace(answer, draft="a.tex"))
    writer.write(replace(answer, draft="b.tex"))
    assert not out.exists()
    writer.close()
    heads = [line for line in out.read_text(encoding="utf-8").splitlines() if line[:2] == "=="]
    assert heads == ["== a.tex ==", "== b.tex =="]


def test_keys_follow_the_library_unless_a_pattern_is_given(
    answer: Answer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = replace(answer, keys="[year]-[auth:lower]")
    for keys, start, said in (
        (None, r"@\w+\{\d+-", True), ("x[year]", r"@\w+\{x\d+", False)
    ):  # fmt: skip
        out = tmp_path / "new.bib"
        writer = AnswerWriter("bibtex", out=out, keys=keys)
        writer.check()
        writer.write(known)
        writer.close()
        assert re.match(start, out.read_text(encoding="utf-8"))
        told = "follow the pattern of your bibliography, [year]-[auth:lower]"
        assert (told in capsys.readouterr().err) is said
    AnswerWriter("table").write(known)
    assert "pattern" not in capsys.readouterr().err
    with pytest.raises(InputError, match="no pattern"):
        AnswerWriter("bibtex", keys="year").check()
