"""A folder that is made in stages: what is finished survives a kill until all of it is in place.

x.index.partial/
├── finished/           what will be renamed to x.index, and nothing else
│   └── corpus/         a finished stage
├── corpus.json         what that stage depended on, and what it has to say
├── text.unfinished/    a stage under way
└── ...                 what a stage keeps for itself, such as vectors encoded so far

Notes lie beside the finished folder, never in it: the last step is one rename, and a process killed
at any moment before it finds every finished stage again.
"""

import json
import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recsys.store.artifacts import aside, put_in_place, restore, write_json


@dataclass(frozen=True, slots=True)
class Stage:
    """facts: what a stage has to say, as JSON. kept: whether an earlier process finished it."""

    facts: dict[str, Any]
    kept: bool


@dataclass(frozen=True, slots=True)
class StagedFolder:
    """target: what is written; one process at a time may write it, see `locks.locked`."""

    target: Path

    @property
    def place(self) -> Path:
        """Where the work lies until it is finished."""
        return self.target.with_name(f"{self.target.name}.partial")

    @property
    def finished(self) -> Path:
        """The folders of finished stages."""
        return self.place / "finished"

    def stage(self, name: str, key: str, fill: Callable[[Path], dict[str, Any]]) -> Stage:
        """Run a stage unless it was finished before.

        Args:
            name: of the folder that it fills.
            key: hash of everything that it depends on.
            fill: fills an empty folder and returns its facts.
        """
        folder, unfinished = self.finished / name, self.place / f"{name}.unfinished"
        note = self.place / f"{name}.json"
        if (facts := _noted(note, key)) is not None:
            if unfinished.is_dir() and not folder.exists():
                unfinished.rename(folder)  # Killed between the two last lines below.
            if folder.is_dir():
                return Stage(facts, kept=True)
        note.unlink(missing_ok=True)  # First of all: no note of a folder that is half removed.
        for old in (folder, unfinished):
            shutil.rmtree(old, ignore_errors=True)
        self.finished.mkdir(parents=True, exist_ok=True)
        unfinished.mkdir()
        write_json(note, {"key": key, "facts": fill(unfinished)})
        unfinished.rename(folder)
        return Stage(_noted(note, key) or {}, kept=False)

    def keep_only(self, names: Collection[str]) -> None:
        """Remove all but these stages from the finished folder: also what a killed sealing left."""
        for path in self.finished.iterdir():
            if path.name not in names:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def finish(self) -> None:
        """Put the folder in place of the old one, and forget the work."""
        put_in_place(self.finished, self.target)
        shutil.rmtree(self.place, ignore_errors=True)

    def interrupted(self) -> bool:
        """Tell whether a process was killed while it put the folder in place."""
        return self._only_notes() or aside(self.target).exists()

    def tidy(self) -> None:
        """Bring to its end, or back to its beginning, what a killed `finish` left."""
        restore(self.target)
        if self._only_notes():
            shutil.rmtree(self.place, ignore_errors=True)

    def _only_notes(self) -> bool:
        return self.place.is_dir() and not self.finished.exists()


def _noted(note: Path, key: str) -> dict[str, Any] | None:
    try:
        noted = json.loads(note.read_text(encoding="utf-8"))
        return dict(noted["facts"]) if noted["key"] == key else None
    except (OSError, ValueError, LookupError, TypeError):
        return None  # Not there, or damaged: the stage runs again.
