"""What is written for somebody: whole or not at all, and never in the place of what is no file."""

import errno
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from recsys.eval.studies.clicks.click_log import ClickLog, Impression, write_clicks
from recsys.eval.trec import write_lines
from recsys.formats.embeddings.embedding_files import Embeddings, write_embeddings
from recsys.formats.replacing import replacing, write_whole

VECTORS = Embeddings(("a", "b"), np.eye(2, dtype=np.float32))
CLICKS = ClickLog.of([Impression("q", ("a", "b"), ("b",))])
WRITERS = {
    "answer.json": lambda path: write_whole(path, "new\n"),
    "run.trec": lambda path: write_lines(path, ["new"]),
    "clicks.jsonl.gz": lambda path: write_clicks(path, CLICKS),
    "vectors.jsonl": lambda path: write_embeddings(path, VECTORS),
    "vectors.npy": lambda path: write_embeddings(path, VECTORS),
    "vectors.parquet": lambda path: write_embeddings(path, VECTORS),
}
"""Everything that writes a file which somebody named."""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def open_umask() -> Iterator[None]:
    old = os.umask(0o027)
    yield
    os.umask(old)


@pytest.mark.parametrize("name", WRITERS)
def test_a_link_stays_and_what_it_leads_to_keeps_its_mode(name: str, tmp_path: Path) -> None:
    kept, link = tmp_path / "kept" / "file", tmp_path / name
    kept.parent.mkdir()
    kept.write_text("old", encoding="utf-8")
    kept.chmod(0o600)
    link.symlink_to(Path("kept", "file"))
    WRITERS[name](link)
    assert link.readlink() == Path("kept", "file")
    assert kept.read_bytes() not in (b"", b"old")
    assert mode(kept) == 0o600
    assert os.listdir(kept.parent) == ["file"]


@pytest.mark.parametrize("name", WRITERS)
def test_a_new_file_has_the_mode_of_the_umask(name: str, tmp_path: Path, open_umask: None) -> None:
    WRITERS[name](tmp_path / name)
    assert mode(tmp_path / name) == 0o640
    beside = {"vectors.ids.txt"} if name.endswith(".npy") else set()
    assert set(os.listdir(tmp_path)) == {name} | beside


@pytest.mark.parametrize("old", [0o600, 0o604, 0o444, 0o755])
def test_an_old_file_keeps_its_mode_and_is_never_more_open(
    old: int, tmp_path: Path, open_umask: None
) -> None:
    path = tmp_path / "answer.json"
    path.write_text("old", encoding="utf-8")
    path.chmod(old)
    with replacing(path) as temporary:
        assert mode(temporary) == 0o600
        temporary.write_text("new", encoding="utf-8")
    assert (mode(path), path.read_text(encoding="utf-8")) == (old, "new")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_an_old_file_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text("old", encoding="utf-8")
    os.chown(path, 1234, 4321)
    write_whole(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 4321)


@pytest.mark.parametrize("name", WRITERS)
def test_a_pipe_is_written_through(name: str, tmp_path: Path) -> None:
    pipe, copy = tmp_path / name, tmp_path / "copy"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: copy.write_bytes(pipe.read_bytes()))
    reader.start()
    WRITERS[name](pipe)
    reader.join(10)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    plain = tmp_path / "plain" / name
    plain.parent.mkdir()
    WRITERS[name](plain)
    assert copy.read_bytes() == plain.read_bytes()


def test_a_device_stays_a_device() -> None:
    write_whole(Path("/dev/null"), "gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write_whole(Path("/dev/full"), "too much")


def test_a_link_that_leads_nowhere_yet_stays(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("later")
    write_whole(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "later").read_text(encoding="utf-8") == "new"


def test_links_in_a_circle_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        write_whole(tmp_path / "a", "new")


def test_a_name_may_be_as_long_as_names_can_be(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 255)
    write_whole(path, "new")
    assert path.read_text(encoding="utf-8") == "new"


def test_standard_output_by_name_keeps_what_was_there(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n", encoding="utf-8")
    code = (
        "from pathlib import Path; from recsys.formats.replacing import write_whole\n"
        f"print('printed'); write_whole(Path('/dev/stdout'), 'one\\n')\n"
        f"write_whole(Path({str(log)!r}), 'two\\n'); print('after')"
    )
    with log.open("ab") as appended:
        subprocess.run([sys.executable, "-c", code], stdout=appended, check=True)
    assert log.read_text(encoding="utf-8") == "before\nprinted\none\ntwo\nafter\n"


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_old_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_text("old", encoding="utf-8")
    full = tmp_path / "full"
    full.symlink_to("/dev/full")

    def on_a_full_disk(temporary: Path, mode: int = 0, exist_ok: bool = True) -> None:
        temporary.symlink_to(full)

    monkeypatch.setattr(Path, "touch", on_a_full_disk)
    with pytest.raises(OSError, match="No space left") as caught:
        WRITERS[name](path)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(path))
    assert path.read_text(encoding="utf-8") == "old"
    assert set(os.listdir(tmp_path)) == {name, "full"}


def test_a_file_that_may_not_grow_is_an_error_and_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text("old", encoding="utf-8")
    code = (
        "import resource, signal; from pathlib import Path\n"
        "from recsys.formats.replacing import write_whole\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9))\n"
        f"write_whole(Path({str(path)!r}), 'x' * 100000)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert f"File too large: {str(path)!r}" in done.stderr
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["answer.json"]


def test_errors_of_what_is_read_meanwhile_keep_their_names(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="source") as caught, replacing(tmp_path / "a"):
        (tmp_path / "source").read_text(encoding="utf-8")
    assert caught.value.filename == str(tmp_path / "source")
    assert os.listdir(tmp_path) == []
