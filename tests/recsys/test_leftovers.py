"""What killed processes left beside what they wrote goes with the next writer, and only that."""

import os
from pathlib import Path

from recsys.formats.replacing import write_whole
from recsys.machine import is_running, remove_leftovers, temporary_name
from recsys.store.artifacts import write_json
from tests.ended import left_behind


def test_what_a_killed_process_left_is_removed_by_the_next_writer(tmp_path: Path) -> None:
    left_behind(tmp_path).write_text("half")
    write_whole(tmp_path / "file", "new")
    assert os.listdir(tmp_path) == ["file"]
    left_behind(tmp_path).write_text("half")
    write_json(tmp_path / "file", 1)
    assert os.listdir(tmp_path) == ["file"]


def test_what_others_are_writing_or_may_be_stays(tmp_path: Path) -> None:
    ended = left_behind(tmp_path).name
    host, _, rest = ended.removeprefix(".").partition(".")
    elsewhere = f".{(int(host, 16) + 1) % 2**32:08x}.{rest}"
    kept = {temporary_name(), elsewhere, ended.removesuffix("tmp"), "mine.tmp", f"mine{ended}"}
    for name in kept:
        (tmp_path / name).write_text("mine")
    remove_leftovers(tmp_path)
    assert {*os.listdir(tmp_path)} == kept


def test_what_cannot_be_removed_or_listed_harms_nobody(tmp_path: Path) -> None:
    left_behind(tmp_path).mkdir()
    remove_leftovers(tmp_path)
    remove_leftovers(tmp_path / "nothing")
    assert len(os.listdir(tmp_path)) == 1


def test_a_process_is_told_from_one_that_ended(tmp_path: Path) -> None:
    assert is_running(str(os.getpid()))
    assert is_running(str(os.getppid()))
    assert not is_running(left_behind(tmp_path).name.split(".")[2])
    assert not is_running("9" * 30)
    assert not is_running("no number")
