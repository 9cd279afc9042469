"""`recsys check`, from the command line to what is written."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.checking.verdicts import Checked, CheckReport, Verdict
from recsys.formats.check_formats import FORMATS
from recsys.records import Reference

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli

TITLE, YEAR = "On deserts in survey {}", 2000
"""Of the papers that the index of the tests holds: one a year."""
LOST = "Whales that sing to lighthouses in autumn"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A bibliography of three: one true, one of another year, one that nobody knows."""
    path = tmp_path / "refs.bib"
    path.write_text(
        f"@article{{a, title={{{TITLE.format(0)}}}, year={{{YEAR}}}}}\n"
        f"@article{{b, title={{{TITLE.format(1)}}}, author={{Ada Deserts}},\n"
        f"  year={{{YEAR + 4}}}}}\n"
        f"@article{{c, title={{{LOST}}}, author={{Kim Kapok}}, year={{{YEAR}}}}}\n",
        encoding="utf-8",
    )
    return path


def test_what_is_wrong_comes_first_and_the_sum_before(
    built: "Built", book: Path, run_cli: "RunCli"
) -> None:
    done = run_cli("check", book, "--index", built.index)
    assert done.code == 0
    first, differs, missing = done.out.split("\n\n")
    assert first == "3 references: 1 confirmed, 1 differs, 1 not found."
    assert differs.startswith("differs: [b]") and "year: given" in differs
    assert missing.startswith(f"not found: [c] {LOST}")
    assert "Asked: small.index" in done.err
    assert run_cli("check", book, "--index", built.index, "--strict").code == 1


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_format_names_what_is_wrong(
    form: str, built: "Built", book: Path, run_cli: "RunCli", tmp_path: Path
) -> None:
    out = tmp_path / "report"
    done = run_cli("check", book, "--index", built.index, "--format", form, "--out", out)
    text = out.read_text(encoding="utf-8")
    assert (done.code, done.out) == (0, "") and LOST in text
    if form in ("json", "sarif"):
        json.loads(text)
    if form == "lines":
        assert [line.split(" ")[0] for line in text.splitlines()] == [f"{book}:2:", f"{book}:4:"]
    if form == "sarif":
        (run,) = json.loads(text)["runs"]
        lines = [
            result["locations"][0]["physicalLocation"]["region"]["startLine"]
            for result in run["results"]
        ]
        assert lines == [2, 4]


def test_a_fix_goes_to_its_file_and_a_patch_to_stdout(
    built: "Built", book: Path, run_cli: "RunCli", tmp_path: Path
) -> None:
    before, fixed = book.read_bytes(), tmp_path / "fixed.bib"
    done = run_cli("check", book, "--index", built.index, "--fix", fixed, "--patch")
    assert done.out.startswith(f"--- {book}\n+++ {book}\n@@")
    assert fixed.read_bytes() == before.replace(b"2004", b"2001")
    assert book.read_bytes() == before


def test_a_library_may_suggest_what_is_missing(
    built: "Built", book: Path, run_cli: "RunCli"
) -> None:
    done = run_cli("check", book, "--index", built.index, "--suggest", 2, "--format", "json")
    assert len(json.loads(done.out)["suggested"]) == 2


def test_what_cannot_be_checked_is_refused_in_one_line(
    built: "Built", book: Path, run_cli: "RunCli", tmp_path: Path
) -> None:
    empty, draft = tmp_path / "empty.bib", tmp_path / "draft.md"
    empty.write_text("", encoding="utf-8")
    draft.write_text("# A draft\n\nIt cites nothing.\n", encoding="utf-8")
    rows = (
        (("check", tmp_path / "none.bib"), "no file"),
        (("check", empty), "holds no references"),
        (("check", draft), "no references that could be checked"),
        (("check", draft, "--patch"), "it is for a .bib file"),
        (("check", book, "--source", "openalex"), "it goes with --online"),
        (("check", book, "--online"), "No request was sent"),
        (("check", book, "--online", "--yes", "--source", "nowhere"), "nowhere"),
        (("check", book, "--retractions", empty), "no column"),
    )
    for words, said in rows:
        done = run_cli(*words, "--index", built.index)
        assert done.code in (1, 2) and said in done.err, (words, done.err)
        assert done.out == "" and "Traceback" not in done.err


def test_what_could_not_be_asked_for_one_reason_is_said_once() -> None:
    why = "OpenAlex: the connection failed."
    items = tuple(
        Checked(Reference(key=key, title="Nests"), Verdict.NOT_CHECKED, why) for key in "ab"
    )
    told = FORMATS["table"](CheckReport(items))
    assert told == (
        "2 references: 2 could not be checked.\n\n"
        f"could not check: {why}\n    [a] Nests\n    [b] Nests\n"
    )
