"""Finished parts of unfinished work, kept beside its target: JSON lines under a header.

The header says what they belong to. When a killed job starts again, parts with the same header
count; those of other work are thrown away, and so is a line that was cut short.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from recsys.eval.trec import write_lines

Entry: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sidecar:
    """A file `path` of entries by name, for the work that `fingerprint` describes."""

    path: Path
    fingerprint: str

    @property
    def header(self) -> str:
        """The first line."""
        return json.dumps({"unfinished": self.fingerprint})

    def read(self) -> dict[str, Entry]:
        """Return the entries of the same work, by name; none when there is no such file."""
        try:
            lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        except FileNotFoundError:
            return {}
        if lines[0] != self.header:
            return {}
        # What follows the last line end is a line that was cut short.
        return dict(entry for line in lines[1:-1] if (entry := _parse(line)) is not None)

    @contextmanager
    def appending(self, entries: Mapping[str, Entry]) -> Iterator[Callable[[str, Entry], None]]:
        """Write the file anew with these entries, and give a function that appends one more."""
        write_lines(self.path, [self.header, *(_line(*item) for item in entries.items())])
        with self.path.open("a", encoding="utf-8", newline="\n") as file:

            def append(name: str, entry: Entry) -> None:
                file.write(f"{_line(name, entry)}\n")
                file.flush()

            yield append

    def remove(self) -> None:
        """The work is finished: forget its parts."""
        self.path.unlink(missing_ok=True)


def _line(name: str, entry: Entry) -> str:
    return json.dumps([name, entry])


def _parse(line: str) -> tuple[str, Entry] | None:
    try:
        name, entry = json.loads(line)
    except (ValueError, TypeError):
        return None
    return (name, entry) if isinstance(name, str) and isinstance(entry, dict) else None
