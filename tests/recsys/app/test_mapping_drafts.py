"""`recsys map`, from the command line to the file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.built_index import DRAFT

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "draft.json"
    path.write_text(json.dumps(DRAFT | {"references": ["rivers-03", "nowhere"]}), encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "begin"), [("a.html", "<!doctype html>"), ("A.SVG", "<svg ")])
def test_the_ending_says_how_a_map_is_written(
    name: str, begin: str, draft: Path, built: "Built", tmp_path: Path, run_cli: "RunCli"
) -> None:
    out = tmp_path / name
    done = run_cli("map", draft, "--index", built.index, "--out", out)
    assert (done.code, done.out) == (0, "")
    text = out.read_text(encoding="utf-8")
    assert text.startswith(begin) and "your draft" in text
    assert "2 references: 1 matched" in done.err and "\nYou cite none of 12 papers on " in done.err


def test_stdout_gets_the_page_and_twice_the_same(
    draft: Path, built: "Built", run_cli: "RunCli"
) -> None:
    words = ("map", draft, "--index", built.index, "--quiet")
    first = run_cli(*words)
    assert first.code == 0 and first.err == ""
    assert first.out.startswith("<!doctype html>")
    assert run_cli(*words, "--out", "-").out == first.out


def test_filters_and_lists_count(draft: Path, built: "Built", run_cli: "RunCli") -> None:
    words = ("map", draft, "--index", built.index, "--quiet")
    assert "glaciers in survey 2<" in run_cli(*words).out
    assert "glaciers in survey 2<" not in run_cli(*words, "--min-year", 2005).out
    assert "glaciers in survey 9<" not in run_cli(*words, "--as-of", 2006).out


def test_a_map_without_a_paper_ends_with_a_word(built: "Built", run_cli: "RunCli") -> None:
    text = json.dumps(DRAFT).encode()
    done = run_cli("map", "--index", built.index, "--min-year", 2500, stdin=text)
    assert done.code == 3 and "No paper is around the draft" in done.err
