"""Generations of an index: readers keep theirs, writers leave the old one or the new one."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from recsys.errors import ArtifactCorrupt, ArtifactError, ArtifactMissing, InputError
from recsys.pipelines.jobs.index_writer import writing
from recsys.store.artifacts import MANIFEST, verify
from recsys.store.generations import content_key, in_force, pin, root_of
from tests.ended import left_behind
from tests.pipelines.jobs.started import started
from tests.rows import each_row

READ = """
import sys
from pathlib import Path
from recsys.store.generations import pin
generation = pin(Path(sys.argv[1]))
print(generation.folder.name, flush=True)
sys.stdin.readline()
print((generation.folder / "corpus" / "text").read_text(), flush=True)
"""


def member(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "text").write_text(text)
    return folder


def replaced(index: Path, text: str) -> Path:
    """Commit a generation that holds nothing but a text."""
    with writing(index, new=True) as writer:
        work = writer.unfinished / "work"
        folder = writer.commit({"corpus": member(work, text)}, {"text": text})
        shutil.rmtree(work)
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def read(index: Path) -> str:
    with pin(index) as folder:
        return (folder / "corpus" / "text").read_text()


@pytest.fixture
def index(tmp_path: Path) -> Path:
    path = tmp_path / "x.index"
    replaced(path, "one")
    return path


@pytest.fixture
def reader(index: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that holds the first generation."""
    process = started(READ, index, said="1")
    yield process
    process.kill()
    process.communicate()


def test_an_index_is_a_pointer_a_lock_and_one_generation_which_is_one_too(index: Path) -> None:
    assert names(index) == ["generations", "lock", "manifest.json"]
    assert names(index / "generations") == ["1"]
    assert read(index) == "one"
    assert root_of(in_force(index)) == index == root_of(index)
    replaced(index, "two")
    assert (read(index), names(index / "generations")) == ("two", ["2"])
    folder = in_force(index)
    assert in_force(folder) == folder
    with writing(folder) as writer:
        assert writer.index == index


def test_a_reader_keeps_its_generation_until_it_ends(
    index: Path, reader: "subprocess.Popen[str]"
) -> None:
    replaced(index, "two")
    replaced(index, "three")
    assert names(index / "generations") == ["1", "3"]  # Nobody read the second.
    assert read(index) == "three"
    assert reader.communicate("\n")[0] == "one\n"
    replaced(index, "four")
    assert names(index / "generations") == ["4"]


def test_a_reader_that_is_killed_holds_nothing(
    index: Path, reader: "subprocess.Popen[str]"
) -> None:
    reader.send_signal(signal.SIGKILL)
    reader.wait()
    replaced(index, "two")
    assert names(index / "generations") == ["2"]


def test_a_generation_stays_as_long_as_the_value(index: Path) -> None:
    generation = pin(index)
    replaced(index, "two")
    assert names(index / "generations") == ["1", "2"]
    del generation
    with writing(index):
        pass
    assert names(index / "generations") == ["2"]


def test_a_member_is_added_without_copying_the_others(index: Path) -> None:
    before = (in_force(index) / "corpus" / "text").stat().st_ino
    with writing(index) as writer, writer.member("ranker") as new:
        (new / "model").write_text("trees")
    folder = in_force(index)
    assert names(folder) == ["corpus", "manifest.json", "ranker"]
    assert (folder / "corpus" / "text").stat().st_ino == before
    assert (folder / "ranker" / "model").read_text() == "trees"
    manifest = pin(index).manifest()
    assert list(manifest.files) == ["corpus/text", "ranker/model"]
    assert manifest.config == {"text": "one"}
    verify(folder, manifest)
    assert names(index) == ["generations", "lock", "manifest.json"]
    with pytest.raises(ValueError), writing(index) as writer, writer.member("nnselect") as new:
        (new / "model").write_text("half")
        raise ValueError
    assert in_force(index) == folder and names(index) == ["generations", "lock", "manifest.json"]


def test_models_do_not_count_as_content(index: Path) -> None:
    before = content_key(index)
    with writing(index) as writer, writer.member("ranker") as new:
        (new / "model").write_text("trees")
    assert content_key(index) == before
    replaced(index, "two")
    assert content_key(index) != before


def test_one_process_writes_at_a_time(index: Path) -> None:
    with writing(index):
        with pytest.raises(InputError, match="Another process is writing"), writing(index):
            pass
        with writing(index, again=True):  # A step of the same job.
            pass
        with pytest.raises(InputError, match="Another process is writing"), writing(index):
            pass


def test_who_waits_writes_after_the_other(index: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from recsys.pipelines.jobs.index_writer import writing\n"
        "with writing(Path(sys.argv[1])): print('held', flush=True); sys.stdin.readline()"
    )
    other = started(script, index)
    told: list[tuple[str, int]] = []

    def progress(stage: str, done: int, total: int) -> None:
        told.append((stage, done))
        if not done:
            assert other.stdin is not None
            other.stdin.write("\n")
            other.stdin.flush()

    with writing(index, wait=True, progress=progress):
        other.communicate()
    stage = f"waiting for the process that writes {index}"
    assert told == [(stage, 0), (stage, 1)]


def test_nothing_stays_of_a_first_build_that_fails(tmp_path: Path) -> None:
    with pytest.raises(ValueError), writing(tmp_path / "x.index", new=True):
        raise ValueError
    with pytest.raises(ArtifactMissing), writing(tmp_path / "x.index"):
        pass  # Only a new one is made where nothing is.
    assert names(tmp_path) == []


def test_a_first_build_that_was_killed_before_the_pointer_is_made_again(tmp_path: Path) -> None:
    index = tmp_path / "x.index"
    member(index / "generations" / "1.new" / "corpus", "half")
    replaced(index, "one")
    assert (read(index), names(index / "generations")) == ("one", ["1"])


def test_unfinished_work_stays(tmp_path: Path) -> None:
    index = tmp_path / "x.index"
    with pytest.raises(ValueError), writing(index, new=True) as writer:
        (writer.unfinished / "part").write_text("hours of work")
        raise ValueError
    assert names(index) == ["lock", "unfinished"]
    with pytest.raises(ArtifactMissing, match="not a finished index"):
        pin(index)
    replaced(index, "one")
    assert names(index) == ["generations", "lock", "manifest.json", "unfinished"]


def test_leftovers_of_killed_writers_are_swept(index: Path) -> None:
    member(index / "generations" / "2.new" / "corpus", "half")
    member(index / "generations" / "3" / "corpus", "never in force")
    member(index / "unfinished" / "ranker.new", "half")
    left_behind(index).write_text("{")
    with writing(index):
        assert names(index) == ["generations", "lock", "manifest.json"]
        assert names(index / "generations") == ["1"]
    assert read(index) == "one"


def test_a_flipped_bit_of_the_pointer_is_found(index: Path) -> None:
    path = index / MANIFEST
    content = path.read_bytes()
    for at in range(0, 190, 7):
        flipped = bytearray(content)
        flipped[at % len(content)] ^= 1
        path.write_bytes(flipped)
        with pytest.raises(ArtifactError) as caught:
            pin(index).manifest()
        assert str(index) in caught.value.what, at


def test_a_generation_of_another_manifest_or_without_one_is_damage(index: Path) -> None:
    path = in_force(index) / MANIFEST
    path.write_bytes(path.read_bytes().replace(b'"one"', b'"two"'))
    with pytest.raises(ArtifactCorrupt, match="does not have the checksum"):
        pin(index)
    path.unlink()
    path.mkdir()
    with pytest.raises(ArtifactCorrupt, match="does not have the checksum"):
        pin(index)
    shutil.rmtree(path.parent)
    with pytest.raises(ArtifactCorrupt, match="missing"):
        pin(index)


@each_row("name", ["../../elsewhere", "1/../1", "", None, 3])
def test_a_pointer_leads_nowhere_else(index: Path, name: object) -> None:
    pointer = json.loads((index / MANIFEST).read_text()) | {"generation": name}
    (index / MANIFEST).write_text(json.dumps(pointer, indent=1) + "\n")
    with pytest.raises(ArtifactCorrupt, match="names no generation"):
        pin(index)


def test_without_links_files_are_copied(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: object, target: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    with writing(index) as writer, writer.member("ranker") as new:
        (new / "model").write_text("trees")
    verify(in_force(index), pin(index).manifest())
    assert read(index) == "one"
