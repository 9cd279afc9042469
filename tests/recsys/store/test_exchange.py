"""Two folders take each other's place, or nothing happens."""

from pathlib import Path

import pytest

from recsys.store import artifacts as module
from recsys.store.artifacts import atomic_swap


def named(folder: Path, name: str) -> Path:
    path = folder / name
    path.mkdir()
    (path / name).touch()
    return path


def test_two_folders_are_exchanged_on_linux(tmp_path: Path) -> None:
    one, other = named(tmp_path, "one"), named(tmp_path, "other")
    assert atomic_swap(one, other)
    assert [path.name for path in (*one.iterdir(), *other.iterdir())] == ["other", "one"]


def test_what_is_missing_is_exchanged_with_nothing(tmp_path: Path) -> None:
    one = named(tmp_path, "one")
    for pair in ((one, tmp_path / "none"), (tmp_path / "none", one)):
        assert not atomic_swap(*pair)
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


def test_where_it_cannot_be_done_nothing_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_renameat2", lambda: None)
    one, other = named(tmp_path, "one"), named(tmp_path, "other")
    assert not atomic_swap(one, other)
    assert [path.name for path in (*one.iterdir(), *other.iterdir())] == ["one", "other"]
