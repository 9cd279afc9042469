"""Open a packed file in memory, within limits: nothing of it is ever written to the disk."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import PurePosixPath

from recsys.errors import DraftError
from recsys.formats.drafts.folder import inside
from recsys.formats.drafts.wording import short

MOST_ENTRIES = 5_000
MOST_BYTES = 64 * 2**20
"""Bytes that all entries together that are read may unpack to."""
LARGEST_ENTRY = 32 * 2**20
"""Bytes that one entry may unpack to."""

# Others may take more memory than what they hold, and nothing that packs drafts uses them.
_READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENTRY = b"PK\1\2"
_ENCRYPTED = 0x1
_CHUNK = 2**20
_HINT = "Pack only the sources, or give the draft itself."
# What zipfile raises of damage, beside its own error.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, LookupError),
    *(ArithmeticError, RuntimeError),
)


class Archive:
    """The files of a zip by normalised name; `read` unpacks one.

    What is counted is what is unpacked: sizes that the archive claims are only believed when they
    are too large.
    """

    def __init__(self, raw: bytes, name: str) -> None:
        """Open a zip.

        Raises:
            DraftError: it is damaged, or has more entries than a draft has.
        """
        self.name = name
        self._left = MOST_BYTES
        self._unpacked: dict[str, bytes] = {}
        if raw.count(_ENTRY) > 4 * MOST_ENTRIES:  # An object would be made of each of them.
            raise _too_many(name)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(raw))
            entries = self._zip.infolist()
        except _DAMAGE as error:
            raise _damaged(name) from error
        if len(entries) > MOST_ENTRIES:
            raise _too_many(name)
        self._entries = _by_name(entries)
        self.names = frozenset(self._entries)

    def check_whole(self) -> None:
        """Refuse an archive that cannot be read whole: no more is unpacked than what it claims.

        Raises:
            DraftError: an entry is encrypted, or they are too large.
        """
        entries = self._zip.infolist()
        for entry in entries:
            self._check(entry)
        largest = max(entries, key=lambda entry: entry.file_size, default=None)
        if largest and sum(entry.file_size for entry in entries) > MOST_BYTES:
            raise self._too_large(largest)

    def read(self, name: str) -> bytes:
        """Unpack a file.

        Raises:
            DraftError: it is encrypted, damaged, or too large.
        """
        if name not in self._unpacked:
            self._unpacked[name] = self._read(self._entries[name])
        return self._unpacked[name]

    def _read(self, entry: zipfile.ZipInfo) -> bytes:
        self._check(entry)
        pieces: list[bytes] = []
        size = 0
        try:
            with self._zip.open(entry) as file:
                while piece := file.read(_CHUNK):
                    size += len(piece)
                    if size > min(LARGEST_ENTRY, self._left):
                        raise self._too_large(entry)
                    pieces.append(piece)
        except _DAMAGE as error:
            raise _damaged(f"{short(entry.filename)} in {self.name}") from error
        self._left -= size
        return b"".join(pieces)

    def _check(self, entry: zipfile.ZipInfo) -> None:
        if entry.flag_bits & _ENCRYPTED:
            raise DraftError(f"{self.name} is encrypted.", "Pack it without a password.")
        if entry.compress_type not in _READABLE:
            raise DraftError(
                f"{short(entry.filename)} in {self.name} is packed in a way that is not known.",
                "Pack it again as an ordinary zip.",
            )
        if entry.file_size > min(LARGEST_ENTRY, self._left):
            raise self._too_large(entry)

    def _too_large(self, entry: zipfile.ZipInfo) -> DraftError:
        one, whole = LARGEST_ENTRY // 2**20, MOST_BYTES // 2**20
        return DraftError(
            f"{short(entry.filename)} in {self.name} is too large: what is read of an archive may "
            f"unpack to {whole} MB, and each file of it to {one} MB.",
            _HINT,
        )


def _by_name(entries: list[zipfile.ZipInfo]) -> Mapping[str, zipfile.ZipInfo]:
    """Name the entries that are files; of two with one name the first counts."""
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        path = inside(entry.filename.replace("\\", "/"))
        if path is None or path == PurePosixPath() or entry.filename.endswith("/"):
            continue
        if not any(part.startswith((".", "__MACOSX")) for part in path.parts):
            found.setdefault(str(path), entry)
    return found


def _too_many(name: str) -> DraftError:
    return DraftError(f"{name} has more than {MOST_ENTRIES:,} entries.", _HINT)


def _damaged(name: str) -> DraftError:
    return DraftError(f"{name} is damaged: it cannot be unpacked.", "Pack or save it again.")
