"""`recsys cite`, from the command line to the files; what the library answers is given."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest

from recsys.local.cite import LocalQuestion
from recsys.records import LocalAnswer
from tests.recsys.formats.local_answers.made_answers import SPECTER, answer_on, small_answer

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import CliResult, RunCli

Cite: TypeAlias = "Callable[..., CliResult]"

DRAFT = "\\section{A}\r\nTrees grow [CITE].\r\n"
PATCHED = "\\section{A}\r\nTrees grow~\\cite{Cohan2020Specter}.\r\n"
DIFF = (
    "--- {name}\n+++ {name}\n@@ -1,2 +1,2 @@\n \\section{{A}}\r\n"
    "-Trees grow [CITE].\r\n+Trees grow~\\cite{{Cohan2020Specter}}.\r\n"
)


@dataclass(slots=True)
class Library:
    """Stands for the library: answers what it is told, and keeps what it was asked."""

    answer: Callable[[Path | str], LocalAnswer]
    asked: list[tuple[Path | str, LocalQuestion]] = field(default_factory=list)

    def cite(self, recommender: object, draft: Path | str, asked: LocalQuestion) -> LocalAnswer:
        self.asked.append((draft, asked))
        return self.answer(draft)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    def answer(draft: Path | str) -> LocalAnswer:
        if isinstance(draft, str):
            return replace(answer_on("-", draft), draft=None, counts={"sentences": 1})
        return answer_on(draft, draft.read_bytes().decode())

    library = Library(answer)
    monkeypatch.setattr("recsys.local.cite.cite", library.cite)
    return library


@pytest.fixture
def draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("paper.tex").write_bytes(DRAFT.encode())
    return Path("paper.tex")


@pytest.fixture
def cite(library: Library, draft: Path, built: "Built", run_cli: "RunCli") -> Cite:
    def run(*words: object, stdin: bytes = b"") -> "CliResult":
        return run_cli("cite", *words, "--index", built.index, stdin=stdin)

    return run


def test_the_answer_goes_to_stdout_and_notes_to_stderr(cite: Cite, library: Library) -> None:
    told = {
        "understood": "paper.tex: 1 sentence.",
        "counts": {"sentences": 1},
        "notes": ("A note.",),
    }
    usual = library.answer
    library.answer = lambda draft: replace(usual(draft), **told)  # type: ignore[arg-type]  # Fields.
    done = cite("paper.tex")
    assert done.code == 0
    assert done.out.startswith("paper.tex:2:12: citation missing\n")
    assert done.err == "paper.tex: 1 sentence.\nSearched: 1 sentences.\nA note.\n"
    assert cite("paper.tex", "--quiet").err == ""


def test_the_options_reach_the_library(cite: Cite, library: Library) -> None:
    Path("likes.bib").write_text("@book{a, title = {Trees}}\n", encoding="utf-8")
    words = ("-k", 5, "--line", 2, "--as-of", 2010, "--most", 4, "--title", "T", "--abstract", "A")
    assert cite("paper.tex", *words, "--seeds", "likes.bib").code == 0
    [(path, asked)] = library.asked
    assert path == Path("paper.tex")
    assert asked.liked.references[0].title == "Trees"
    told = LocalQuestion(k=5, line=2, as_of=2010, most=4, title="T", abstract="A")
    assert replace(asked, liked=told.liked) == told


@pytest.mark.parametrize("form", ["json", "jsonl", "markdown", "html", "sarif", "lines", "table"])
def test_every_format_can_be_written_to_a_file(form: str, cite: Cite) -> None:
    done = cite("paper.tex", "--format", form, "--out", "answer")
    assert (done.code, done.out) == (0, "")
    assert "Cohan2020Specter" in Path("answer").read_text(encoding="utf-8")
    assert cite("paper.tex", "--format", form).out == Path("answer").read_text(encoding="utf-8")


def test_filling_writes_the_bibliography_alone(cite: Cite, draft: Path) -> None:
    done = cite(draft, "--fill", "new.bib")
    assert done.code == 0 and done.out.startswith("paper.tex:2:12: citation missing\n")
    assert f"paper.tex:2:12: Cohan2020Specter, {SPECTER.title}.\n" in done.err
    assert "Entries that were added to new.bib: 1; places: 1.\n" in done.err
    assert "new.bib is new: add it to the draft's bibliography.\n" in done.err
    assert (
        Path("new.bib").read_text(encoding="utf-8").startswith("@inproceedings{Cohan2020Specter,")
    )
    assert draft.read_bytes() == DRAFT.encode()


def test_a_patch_changes_the_draft_and_is_shown(cite: Cite, draft: Path) -> None:
    done = cite(draft, "--fill", "new.bib", "--patch", "--out", "answer.txt")
    assert done.code == 0
    assert done.out == DIFF.format(name="paper.tex")
    assert draft.read_bytes() == PATCHED.encode()
    assert Path("new.bib").is_file() and Path("answer.txt").is_file()


def test_a_dry_run_writes_nothing(cite: Cite, draft: Path) -> None:
    done = cite(draft, "--fill", "new.bib", "--patch", "--dry-run")
    assert done.out == DIFF.format(name="paper.tex")
    assert "would be added to new.bib" in done.err
    assert draft.read_bytes() == DRAFT.encode() and not Path("new.bib").exists()


def test_twice_filled_the_key_is_the_same_and_the_entry_there_once(cite: Cite, draft: Path) -> None:
    first = cite(draft, "--fill", "new.bib")
    before = Path("new.bib").read_bytes()
    again = cite(draft, "--fill", "new.bib", "--format", "json")
    assert first.code == again.code == 0
    assert Path("new.bib").read_bytes() == before
    paper = json.loads(again.out)["gaps"][0]["recommendations"][0]
    assert (paper["key"], paper["bibtex"]) == ("Cohan2020Specter", None)


def test_what_is_not_likely_enough_is_not_written(cite: Cite, draft: Path) -> None:
    done = cite(draft, "--fill", "new.bib", "--patch", "--least", 0.95)
    assert (done.code, done.out) == (0, "")
    assert "No paper has a probability of at least 0.95: nothing was written." in done.err
    assert not Path("new.bib").exists() and draft.read_bytes() == DRAFT.encode()


def test_sentences_without_marks_are_filled_when_that_is_said(cite: Cite, library: Library) -> None:
    usual = library.answer

    def unmarked(draft: Path | str) -> LocalAnswer:
        answer = usual(draft)
        return replace(answer, gaps=(replace(answer.gaps[0], mark=None, need=0.7),))

    library.answer = unmarked
    assert "nothing was written" in cite("paper.tex", "--fill", "new.bib").err
    done = cite("paper.tex", "--fill", "new.bib", "--patch", "--accept", "all")
    assert (done.code, done.out) == (0, "")
    assert "Cohan2020Specter" in Path("new.bib").read_text(encoding="utf-8")


def test_a_draft_that_cannot_be_patched_leaves_the_bibliography_alone(
    cite: Cite, library: Library
) -> None:
    library.answer = lambda draft: answer_on("paper.docx", DRAFT)
    done = cite("paper.tex", "--fill", "new.bib", "--patch")
    assert done.code == 1 and "cannot be patched" in done.err
    assert not Path("new.bib").exists()


def test_places_without_papers_end_with_a_word(cite: Cite, library: Library) -> None:
    gap = replace(small_answer().gaps[0], recommendations=())
    library.answer = lambda draft: LocalAnswer((gap,), draft="a.tex")
    done = cite("paper.tex")
    assert done.code == 3 and "No paper of the index fits any of the 1 places." in done.err
    assert "No paper of the index fits." in done.out
