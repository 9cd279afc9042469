import os
import pwd
import stat
import tempfile
from pathlib import Path

import pytest

from recsys.app.cache import cache_folder
from recsys.errors import InputError


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An environment that says nothing, with a folder of temporary files of its own."""
    for name in ("RECSYS_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return monkeypatch


def without_entry(uid: int) -> pwd.struct_passwd:
    raise KeyError(f"getpwuid(): uid not found: {uid}")


def test_the_first_that_is_set_counts(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "recsys"
    bare.setenv("XDG_CACHE_HOME", "/shared")
    assert cache_folder() == Path("/shared/recsys")
    bare.setenv("RECSYS_CACHE", "~/own")
    assert cache_folder() == tmp_path / "own"


def test_without_a_home_it_is_a_folder_that_nobody_else_may_read(
    bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare.setattr(pwd, "getpwuid", without_entry)
    own = tmp_path / f"recsys-{os.getuid()}"
    assert cache_folder() == cache_folder() == own
    assert stat.S_IMODE(own.stat().st_mode) == 0o700


@pytest.mark.parametrize("home", ["/proc/nowhere", "/dev/null"])
def test_a_home_that_cannot_be_written_to_is_none(
    home: str, bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare.setenv("HOME", home)
    bare.setattr(os, "access", lambda path, mode: not str(path).startswith("/proc"))
    assert cache_folder() == tmp_path / f"recsys-{os.getuid()}"


def test_what_others_prepared_among_the_temporary_files_is_not_taken(
    bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare.setattr(pwd, "getpwuid", without_entry)
    own = tmp_path / f"recsys-{os.getuid()}"
    own.mkdir()
    own.chmod(0o777)
    with pytest.raises(InputError, match="others can write to it"):
        cache_folder()
    own.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o755)
    own.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="belongs to another user"):
        cache_folder()
