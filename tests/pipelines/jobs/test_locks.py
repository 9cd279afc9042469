"""Locks: one writer at a time, between threads of one process and between processes."""

import signal
from pathlib import Path

import pytest

from recsys.errors import InputError
from recsys.pipelines.jobs.index_writer import locked
from tests.pipelines.jobs.started import started

HOLD = """
import sys
from pathlib import Path
from recsys.pipelines.jobs.index_writer import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""
COUNT = """
import os, sys
from pathlib import Path
from recsys.pipelines.jobs.index_writer import locked
from recsys.errors import InputError
out, inside = Path(sys.argv[1]), Path(sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
met = done = 0
while done < 300:
    try:
        with locked(out):
            done += 1
            try:
                os.close(os.open(inside, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                met += 1  # Somebody else is in here.
            else:
                os.unlink(inside)
    except InputError:
        pass
print(met)
"""


def test_a_second_writer_is_refused_within_a_process_and_from_another(tmp_path: Path) -> None:
    with locked(tmp_path / "x"):
        with pytest.raises(InputError, match=r"Another process is writing .*x\."):
            with locked(tmp_path / "x"):
                pass
        with locked(tmp_path / "y"):
            pass
    other = started(HOLD, tmp_path / "x")
    with pytest.raises(InputError, match="Another process is writing"), locked(tmp_path / "x"):
        pass
    assert (tmp_path / ".x.lock").exists()  # Who was refused removes nothing.
    other.communicate("\n")
    with locked(tmp_path / "x"):
        pass


def test_a_killed_holder_blocks_nobody(tmp_path: Path) -> None:
    other = started(HOLD, tmp_path / "x")
    other.send_signal(signal.SIGKILL)
    other.communicate()
    assert (tmp_path / ".x.lock").exists()
    with locked(tmp_path / "x"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_not_taken_for_held(tmp_path: Path) -> None:
    with pytest.raises(OSError) as caught, locked(tmp_path / "nowhere" / "x"):
        pass
    assert caught.value.filename


def test_no_two_processes_are_inside_while_the_lock_file_comes_and_goes(tmp_path: Path) -> None:
    # Three: one may hold a lock file that is gone already while two others meet at a new one.
    racing = [started(COUNT, tmp_path / "x", tmp_path / "inside") for _ in range(3)]
    for each in racing:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    assert [each.communicate()[0].strip() for each in racing] == ["0", "0", "0"]
