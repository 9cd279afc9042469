"""Answers of sources on disk, by what was asked: nothing is asked twice, and no key is in them."""

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recsys.formats.replacing import replacing

KEPT_DAYS = 30
"""An answer that is older is asked for anew."""
_DAY = 86_400.0
_TOLD = frozenset({"last-modified-version", "total-results"})
"""Headers that are kept, being part of the answer."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer as it lies on disk. at: when it came, in seconds since 1970."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    at: float


@dataclass(frozen=True, slots=True)
class AnswerStore:
    """A folder of answers; only its owner may look into it, since it tells of a draft."""

    folder: Path
    days: float = KEPT_DAYS

    def get(self, asked: str, now: float) -> Stored | None:
        """Return the answer to what was asked; None where there is none, or none that is good."""
        try:
            raw = gzip.decompress(self._path(asked).read_bytes())
            head, _, body = raw.partition(b"\n")
            facts = json.loads(head)
            stored = Stored(facts["status"], facts["headers"], body, facts["at"])
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
            return None  # Cut short by a crash of the machine, or another's file.
        return stored if now - stored.at < self.days * _DAY else None

    def put(self, asked: str, stored: Stored) -> None:
        """Keep an answer, whole or not at all."""
        path = self._path(asked)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        headers = {name: text for name, text in stored.headers.items() if name in _TOLD}
        facts = {"asked": asked, "at": stored.at, "status": stored.status, "headers": headers}
        head = json.dumps(facts, ensure_ascii=False).encode("utf-8", "replace")
        with replacing(path) as temporary:
            temporary.write_bytes(gzip.compress(head + b"\n" + stored.body, 6, mtime=0))

    def _path(self, asked: str) -> Path:
        name = hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()
        if not self.folder.is_dir():
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
        return self.folder / name[:2] / f"{name}.gz"
