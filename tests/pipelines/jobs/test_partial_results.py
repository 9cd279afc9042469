"""Finished parts of unfinished work: they count for the same work, and only whole."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.jobs.kept_results import Sidecar


@pytest.fixture
def sidecar(tmp_path: Path) -> Sidecar:
    return Sidecar(tmp_path / "x.partial", "abc")


def fill(sidecar: Sidecar, *names: str) -> None:
    with sidecar.appending(sidecar.read()) as append:
        for name in names:
            append(name, {"score": 0.1, "papers": [name]})


def test_nothing_is_there_at_first(sidecar: Sidecar) -> None:
    assert sidecar.read() == {}


def test_entries_are_kept_over_several_starts(sidecar: Sidecar) -> None:
    fill(sidecar, "é")
    fill(sidecar, "b")
    assert sidecar.read() == {n: {"score": 0.1, "papers": [n]} for n in ("é", "b")}


def test_an_entry_is_on_disk_as_soon_as_it_is_appended(sidecar: Sidecar) -> None:
    with sidecar.appending({}) as append:
        append("a", {})
        assert list(sidecar.read()) == ["a"]


def test_other_work_is_thrown_away(sidecar: Sidecar) -> None:
    fill(sidecar, "a")
    other = Sidecar(sidecar.path, "def")
    assert other.read() == {}
    fill(other, "b")
    assert list(other.read()) == ["b"]


@given(st.data())
def test_a_file_cut_anywhere_loses_at_most_the_last_entry(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    sidecar = Sidecar(tmp_path_factory.mktemp("cut") / "x.partial", "abc")
    fill(sidecar, "a", "b", "c")
    whole = sidecar.path.read_bytes()
    kept = data.draw(st.integers(0, len(whole)))
    sidecar.path.write_bytes(whole[:kept])
    expected = ["a", "b", "c"][: max(whole[:kept].count(b"\n") - 1, 0)]
    assert list(sidecar.read()) == expected
    fill(sidecar, "d")
    assert list(sidecar.read()) == [*expected, "d"]


@pytest.mark.parametrize("line", ["", "{", "[]", "3", '["a"]', '["a", 3]', "[1, {}]"])
def test_a_line_of_another_shape_is_left_out(line: str, sidecar: Sidecar) -> None:
    fill(sidecar, "a")
    with sidecar.path.open("a") as file:
        file.write(f"{line}\n")
    assert list(sidecar.read()) == ["a"]


def test_finished_work_leaves_nothing(sidecar: Sidecar) -> None:
    fill(sidecar, "a")
    sidecar.remove()
    sidecar.remove()
    assert not sidecar.path.exists()
