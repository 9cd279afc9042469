"""A folder that is made in stages: what is finished survives a kill until all of it is in place.

x.index/unfinished/build/
├── purpose.json        of `index_writer`
├── finished/
│   └── corpus/         a finished stage
├── corpus.json         what that stage depended on, and what it has to say
├── text.unfinished/    a stage under way
└── ...                 what a stage keeps for itself, such as vectors encoded so far

All of it stays until the index has it, too: a process killed at any moment finds every finished
stage again.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recsys.store.artifacts import tree_to_disk, write_json


@dataclass(frozen=True, slots=True)
class Stage:
    """facts: what a stage has to say, as JSON. kept: whether an earlier process finished it."""

    facts: dict[str, Any]
    kept: bool


@dataclass(frozen=True, slots=True)
class StagedFolder:
    """place: where the work lies; one process at a time may write there."""

    place: Path

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
                folder.parent.mkdir(exist_ok=True)  # Empty, it may have been tidied away.
                unfinished.rename(folder)  # Killed between the two last lines below.
            if folder.is_dir():
                return Stage(facts, kept=True)
        note.unlink(missing_ok=True)  # First of all: no note of a folder that is half removed.
        for old in (folder, unfinished):
            shutil.rmtree(old, ignore_errors=True)
        self.finished.mkdir(parents=True, exist_ok=True)
        unfinished.mkdir()
        try:
            facts = fill(unfinished)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        tree_to_disk(unfinished)  # Before the note that says so.
        write_json(note, {"key": key, "facts": facts})
        unfinished.rename(folder)
        return Stage(_noted(note, key) or {}, kept=False)

    def remove(self) -> None:
        """Forget the work."""
        shutil.rmtree(self.place, ignore_errors=True)


def _noted(note: Path, key: str) -> dict[str, Any] | None:
    try:
        noted = json.loads(note.read_text(encoding="utf-8"))
        return dict(noted["facts"]) if noted["key"] == key else None
    except (OSError, ValueError, LookupError, TypeError):
        return None  # Not there, or damaged: the stage runs again.
