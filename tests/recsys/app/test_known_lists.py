"""Long lists: read and matched once, as if they were read every time, and never from another."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.app import known_lists
from recsys.app.known_lists import LONG, look_up, read_lists
from recsys.indexes.opening import open_collection
from recsys.query.question_schema import read_references
from recsys.query.resolve_draft import resolve_draft
from recsys.records import Manuscript, ReadingLists
from tests.built_index import DRAFT

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli


def never(*_: object) -> None:
    raise AssertionError("It was worked out again.")


def write_list(path: Path, built: "Built", *, size: int = LONG) -> Path:
    papers = [json.loads(line) for line in built.papers.read_text("utf-8").splitlines()]
    entries = [
        f"@article{{k{row}, title={{{each['title']}}}, year={{{each['year']}}}}}\n"
        for row, each in enumerate(papers[:20])
    ]
    filling = "".join(
        f"@article{{x{row}, title={{Unheard of number {row}}}, abstract={{{'word ' * 400}}}}}\n"
        for row in range(size // 2000)
    )
    path.write_text("".join(entries) + filling, encoding="utf-8")
    return path


def test_a_long_list_is_read_and_matched_once(
    built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, kept = write_list(tmp_path / "long.bib", built), tmp_path / "kept"
    collection = open_collection(built.index)
    told: list[str] = []

    def tell(stage: str, done: int, total: int) -> None:
        told.append(stage)

    first = look_up(collection, read_lists([str(path)], kept, tell), kept, tell)
    assert {"reading long.bib", "looking up the list"} <= set(told)
    monkeypatch.setattr(known_lists, "read_references", never)
    monkeypatch.setattr(known_lists, "match", never)
    assert look_up(collection, read_lists([str(path)], kept), kept) == first
    plain = read_references(path)
    assert first.problems == plain.problems
    draft = Manuscript(title=DRAFT["title"])
    asked, other = (
        resolve_draft(collection, draft, lists=ReadingLists(library=each))
        for each in (first, plain)
    )
    assert asked.library == other.library and len(asked.library) == 20
    assert asked.missing == other.missing


@pytest.mark.parametrize("change", ["content", "kept", "garbage"])
def test_what_does_not_fit_is_asked_anew(built: "Built", tmp_path: Path, change: str) -> None:
    path, kept = write_list(tmp_path / "long.bib", built), tmp_path / "kept"
    collection = open_collection(built.index)
    first = look_up(collection, read_lists([str(path)], kept), kept)
    if change == "content":
        path.write_text(path.read_text("utf-8") + "@misc{new, title={Newest of all}}\n", "utf-8")
    else:
        for file in kept.iterdir():
            file.write_text("[]" if change == "kept" else "\0{", encoding="utf-8")
    again = look_up(collection, read_lists([str(path)], kept), kept)
    added = 1 if change == "content" else 0
    assert len(again.references) == len(first.references) + added
    assert len(again.meant or ()) == len(again.references)


def test_a_cache_that_cannot_be_written_to_costs_time_only(built: "Built", tmp_path: Path) -> None:
    path, blocked = write_list(tmp_path / "long.bib", built), tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    read = look_up(open_collection(built.index), read_lists([str(path)], blocked), blocked)
    assert replace(read, digest="", meant=None).problems == ()
    assert sum(each is not None for each in read.meant or ()) == 20


def test_the_library_of_the_command_line_is_remembered(
    built: "Built", tmp_path: Path, run_cli: "RunCli", own_cache: Path
) -> None:
    path = write_list(tmp_path / "long.bib", built)
    answers = [
        run_cli("recommend", "--title", DRAFT["title"], "--index", built.index, "--library", path)
        for _ in range(2)
    ]
    assert "reading long.bib" in answers[0].err and "reading long.bib" not in answers[1].err
    assert answers[0].out == answers[1].out
