"""Folders of PDFs: in the order of their paths, resumable, and no file stops the others."""

from pathlib import Path

import pytest

from recsys.errors import MissingExtraError
from recsys.formats.references.bibliography import Problem
from recsys.pipelines.corpora.pdf_folder import read_folder
from recsys.pipelines.corpora.source_files import is_pdf, source_files
from recsys.pipelines.jobs.engines import Limits
from recsys.records import Reference
from tests.recsys.formats.drafts.small_pdf import Text, down, write_pdf

LISTED = [
    "[1] A. Ash. How beetles find nests. Journal of Nests, 12(3):4-9, 2010.",
    "[2] D. Date. On honey. Journal of Nests, 13(1):3-7, 2012.",
]


class Told:
    """Notes the progress."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, int, int]] = []

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.steps.append((stage, done, total))


def paper(path: Path, title: str) -> None:
    page = [Text(title, 100, 720, 18), Text("Ada Ash", 150, 690, 12), Text("Abstract", 72, 660, 12)]
    body = down(["Beetles build nests and we look for them in gardens of all kinds."] * 5, y=640)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(write_pdf([[*page, *body], [Text("References", 72, 740, 12), *down(LISTED)]]))


def pdfs_below(folder: Path) -> list[Path]:
    return sorted(file.path for file in source_files([folder]) if is_pdf(file.path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    paper(tmp_path / "pdfs" / "b.pdf", "Nests of Beetles in Crete")
    paper(tmp_path / "pdfs" / "a" / "z.PDF", "Nests of Bees in Rhodes")
    paper(tmp_path / "pdfs" / ".hidden" / "x.pdf", "Hidden Nests of Ants")
    (tmp_path / "pdfs" / "c.pdf").write_bytes(b"%PDF-1.4 damaged")
    (tmp_path / "pdfs" / "notes.txt").write_text("No paper.", encoding="utf-8")
    return tmp_path / "pdfs"


def test_a_second_build_reads_only_what_is_new(folder: Path) -> None:
    cache = folder / ".cache"
    first = list(read_folder(pdfs_below(folder), cache, jobs=1))
    paper(folder / "a.pdf", "Nests of Wasps in Malta")
    told = Told()
    second = list(read_folder(pdfs_below(folder), cache, jobs=1, progress=told))
    assert told.steps == [("reading PDFs", 4, 4)]
    assert [each for each in second if each in first] == first
    assert len(second) == len(first) + 1


def test_what_was_read_before_a_kill_is_not_read_again(folder: Path) -> None:
    class Killed(BaseException):
        """Ends the work from outside."""

    def end(stage: str, done: int, total: int) -> None:
        raise Killed

    with pytest.raises(Killed):
        list(read_folder(pdfs_below(folder), folder / ".cache", jobs=1, progress=end))
    told = Told()
    list(read_folder(pdfs_below(folder), folder / ".cache", jobs=1, progress=told))
    assert told.steps == [("reading PDFs", 2, 3), ("reading PDFs", 3, 3)]


def test_a_cache_that_was_cut_short_is_read_again(folder: Path) -> None:
    pdfs = [folder / "b.pdf"]
    found = list(read_folder(pdfs, folder / ".cache", jobs=1))
    for kept in (folder / ".cache").rglob("*.json"):
        kept.write_text(kept.read_text(encoding="utf-8")[:40], encoding="utf-8")
    assert list(read_folder(pdfs, folder / ".cache", jobs=1)) == found


def test_a_file_over_its_limit_or_gone_is_a_problem_and_is_tried_again(folder: Path) -> None:
    pdfs = [folder / "b.pdf", folder / "gone.pdf"]
    limits = Limits(seconds=0.0)
    late, gone = read_folder(pdfs, folder / ".cache", jobs=1, limits=limits)
    assert late == [
        Problem(
            "b.pdf was left out: it takes longer than 0 s to read.", "takes longer than 0 s to read"
        )
    ]
    assert gone == [Problem("gone.pdf cannot be opened.", "cannot be opened")]
    (again,) = read_folder(pdfs[:1], folder / ".cache", jobs=1)
    assert isinstance(again[0], Reference)


def test_without_its_package_nothing_is_started(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pypdfium2", None)
    with pytest.raises(MissingExtraError, match=r"citerec\[pdf\]"):
        next(read_folder(pdfs_below(folder), folder / ".cache", jobs=1))
