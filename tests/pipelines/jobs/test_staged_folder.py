"""Folders made in stages: finished stages are kept, everything else is made again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recsys.pipelines.jobs.index_writer import Stage, StagedFolder
from tests.rows import each_row


@pytest.fixture
def work(tmp_path: Path) -> StagedFolder:
    return StagedFolder(tmp_path / "thing")


def writing(text: str, **facts: object) -> Callable[[Path], dict[str, Any]]:
    def fill(folder: Path) -> dict[str, Any]:
        assert list(folder.iterdir()) == []
        (folder / "x.txt").write_text(text)
        return facts

    return fill


def never(folder: Path) -> dict[str, Any]:
    raise AssertionError("a finished stage ran again")


def test_a_stage_runs_once_for_a_key(work: StagedFolder) -> None:
    assert work.stage("one", "a", writing("first", n=1)) == Stage({"n": 1}, kept=False)
    assert work.stage("one", "a", never) == Stage({"n": 1}, kept=True)
    assert work.stage("one", "b", writing("second", n=2)) == Stage({"n": 2}, kept=False)
    assert (work.finished / "one" / "x.txt").read_text() == "second"
    # Facts are those of JSON at once.
    assert work.stage("two", "a", writing("", pair=(1, 2))).facts == {"pair": [1, 2]}
    work.remove()
    assert not work.place.exists()


@pytest.mark.parametrize("note", ["", "{", "[]", "{}", '{"key": "a"}', '{"key": "a", "facts": 1}'])
def test_a_stage_with_a_damaged_note_runs_again(work: StagedFolder, note: str) -> None:
    work.stage("one", "a", writing("first"))
    (work.place / "one.json").write_text(note)
    assert not work.stage("one", "a", writing("second")).kept


@each_row("tidied", [False, True])
def test_a_stage_that_was_noted_but_not_moved_is_finished(tmp_path: Path, tidied: bool) -> None:
    work = StagedFolder(tmp_path / f"thing-{tidied}")
    work.stage("one", "a", writing("first", n=1))
    (work.finished / "one").rename(work.place / "one.unfinished")
    if tidied:  # Its place is empty.
        work.finished.rmdir()
    assert work.stage("one", "a", never) == Stage({"n": 1}, kept=True)
    assert (work.finished / "one" / "x.txt").read_text() == "first"


def test_a_failure_leaves_no_note_of_what_was_there_before(work: StagedFolder) -> None:
    def fail(folder: Path) -> dict[str, Any]:
        (folder / "half.txt").write_text("half")
        raise ValueError

    work.stage("one", "a", writing("first"))
    with pytest.raises(ValueError):
        work.stage("one", "b", fail)
    assert not work.stage("one", "a", writing("again")).kept
    assert [path.name for path in (work.finished / "one").iterdir()] == ["x.txt"]
