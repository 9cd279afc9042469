"""Artifacts: replaced whole or not at all, and known by what they hold."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from recsys.errors import (
    ArtifactCorrupt,
    ArtifactError,
    ArtifactMismatch,
    ArtifactMissing,
    InputError,
)
from recsys.store.artifacts import (
    LARGEST_MANIFEST,
    MANIFEST,
    aside,
    check_replaceable,
    load_manifest,
    put_in_place,
    replacing,
    restore,
    seal,
    verify,
    write_json,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sealed artifact with a folder and a sub-artifact."""
    folder = tmp_path / "thing"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_text("alpha")
    (folder / "deep" / "b.bin").write_bytes(bytes(range(256)))
    (folder / "part").mkdir()
    (folder / "part" / "c.txt").write_text("gamma")
    seal(folder / "part", "part", 1, {})
    seal(folder, "thing", 3, {"depth": 2})
    return folder


def test_a_manifest_comes_back_as_it_was_sealed(folder: Path) -> None:
    manifest = load_manifest(folder, "thing", 3)
    assert (manifest.kind, manifest.schema, manifest.config) == ("thing", 3, {"depth": 2})
    assert list(manifest.files) == ["a.txt", "deep/b.bin"]
    assert manifest.files["a.txt"]["bytes"] == 5
    assert list(load_manifest(folder / "part", "part", 1).files) == ["c.txt"]
    verify(folder, manifest)


def test_a_flipped_byte_has_the_right_size_but_does_not_verify(folder: Path) -> None:
    path = folder / "deep" / "b.bin"
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    manifest = load_manifest(folder, "thing", 3)
    with pytest.raises(ArtifactCorrupt, match=r"deep/b\.bin does not have the checksum"):
        verify(folder, manifest)


def test_a_missing_or_short_file_is_found_at_once(folder: Path) -> None:
    (folder / "a.txt").write_text("alph")
    with pytest.raises(ArtifactCorrupt, match=r"a\.txt has 4 bytes instead of 5\."):
        load_manifest(folder, "thing", 3)
    (folder / "a.txt").unlink()
    with pytest.raises(ArtifactCorrupt, match=r"a\.txt is missing\."):
        load_manifest(folder, "thing", 3)
    (folder / "a.txt").mkdir()
    with pytest.raises(ArtifactCorrupt, match=r"a\.txt is missing\."):
        load_manifest(folder, "thing", 3)


def test_another_kind_or_schema_is_a_mismatch(folder: Path) -> None:
    with pytest.raises(ArtifactMismatch, match="is of kind 'thing', not 'book'"):
        load_manifest(folder, "book", 3)
    with pytest.raises(ArtifactMismatch, match=r"schema 3 .* reads schema 4"):
        load_manifest(folder, "thing", 4)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"thing"',
        "{}",
        "[" * 100_000,
        '{"kind": "thing", "schema": 3, "created_by": "x", "config": {}}',
        '{"kind": "thing", "schema": 3, "created_by": "x", "config": {}, "files": []}',
        '{"kind": "thing", "schema": 3, "created_by": "x", "config": {}, "files": {"a": 1}}',
        '{"kind": "thing", "schema": 3, "created_by": "x", "config": {}, "files": {"a": {}}}',
        '{"kind": "thing", "schema": 3, "created_by": "x", "config": 7, "files": {}}',
    ],
)
def test_a_manifest_of_another_shape_is_corrupt(folder: Path, text: str) -> None:
    (folder / MANIFEST).write_text(text)
    with pytest.raises(ArtifactCorrupt, match="is not a readable manifest") as caught:
        load_manifest(folder, "thing", 3)
    assert len(str(caught.value)) < 400


def test_a_manifest_far_too_large_is_not_read(folder: Path) -> None:
    os.truncate(folder / MANIFEST, LARGEST_MANIFEST + 1)
    with pytest.raises(ArtifactCorrupt, match="it is too large"):
        load_manifest(folder, "thing", 3)


def test_nothing_there_names_what_is_spelt_alike(folder: Path) -> None:
    with pytest.raises(ArtifactMissing, match=r"no thing at .* Did you mean 'thing'\?"):
        load_manifest(folder.with_name("thng"), "thing", 3)
    with pytest.raises(ArtifactMissing, match="not a finished thing"):
        load_manifest(folder / "deep", "thing", 3)
    with pytest.raises(ArtifactMissing, match="no thing at"):
        load_manifest(folder / "no" / "where", "thing", 3)


def test_a_file_in_place_of_the_folder_is_an_artifact_error(tmp_path: Path) -> None:
    (tmp_path / "x.index").write_text("")
    with pytest.raises(ArtifactError, match=r"x\.index"):
        load_manifest(tmp_path / "x.index", "index", 1)


def test_replacing_puts_the_new_one_in_place_of_the_old(folder: Path) -> None:
    with replacing(folder) as new:
        assert list(new.iterdir()) == []
        (new / "z.txt").write_text("omega")
        assert (folder / "a.txt").is_file()
    assert [path.name for path in folder.iterdir()] == ["z.txt"]
    assert [path.name for path in folder.parent.iterdir()] == ["thing"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_one_and_nothing_else(
    folder: Path, error: type[BaseException]
) -> None:
    before = (folder / MANIFEST).read_bytes()
    with pytest.raises(error), replacing(folder) as new:
        (new / "z.txt").write_text("omega")
        raise error
    assert (folder / MANIFEST).read_bytes() == before
    verify(folder, load_manifest(folder, "thing", 3))
    assert [path.name for path in folder.parent.iterdir()] == ["thing"]


def test_replacing_spares_a_file_and_makes_the_folders_above(tmp_path: Path) -> None:
    with replacing(tmp_path / "a" / "b" / "c") as new:
        (new / "x").write_text("")
    assert (tmp_path / "a" / "b" / "c" / "x").is_file()
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="is a file"), replacing(tmp_path / "notes.txt"):
        pass
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "notes.txt"]
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_only_an_artifact_or_nothing_is_replaceable(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for free in (folder, other, tmp_path / "new", tmp_path / "a" / "b"):
        check_replaceable(free)
    (other / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="holds other things"):
        check_replaceable(other)
    for taken in (other / "notes.txt", other / "notes.txt" / "ranker"):
        with pytest.raises(InputError, match="is a file"):
            check_replaceable(taken)


def test_what_a_killed_replacement_left_goes_with_the_next(folder: Path) -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    for pid in (process.pid, os.getppid()):
        (folder.parent / f".thing.{pid}.new").mkdir()
    with replacing(folder) as new:
        (new / "z.txt").write_text("omega")
    left = [path.name for path in sorted(folder.parent.iterdir())]
    assert left == [f".thing.{os.getppid()}.new", "thing"]  # That process runs.


def test_a_replacement_that_was_killed_between_its_renames_is_undone(folder: Path) -> None:
    folder.rename(aside(folder))
    with pytest.raises(ArtifactMissing, match=r"process that replaced the thing .* was killed"):
        load_manifest(folder, "thing", 3)
    restore(folder)
    verify(folder, load_manifest(folder, "thing", 3))
    assert [path.name for path in folder.parent.iterdir()] == ["thing"]
    restore(folder)  # Nothing is left to do.
    verify(folder, load_manifest(folder, "thing", 3))


def test_a_new_folder_that_cannot_be_moved_leaves_the_old_one(folder: Path) -> None:
    with pytest.raises(FileNotFoundError):
        put_in_place(folder.parent / "nothing", folder)
    verify(folder, load_manifest(folder, "thing", 3))
    assert [path.name for path in folder.parent.iterdir()] == ["thing"]


def test_json_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_json(path, {"é": [1, None]})
    assert json.loads(path.read_text(encoding="utf-8")) == {"é": [1, None]}
    with pytest.raises(TypeError):
        write_json(path, object())
    assert json.loads(path.read_text(encoding="utf-8")) == {"é": [1, None]}
    assert [each.name for each in tmp_path.iterdir()] == ["x.json"]
