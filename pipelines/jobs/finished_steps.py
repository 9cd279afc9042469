"""What is finished and kept: a step is done again only when what it depends on has changed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recsys.errors import InputError
from recsys.store.artifacts import write_json


def check_out(out: Path, mark: str, what: str) -> None:
    """Refuse to write into a folder that holds anything but what the same command wrote there.

    Args:
        out: the folder; it need not be there.
        mark: a file or folder that is always in such a folder.
        what: such a folder holds.

    Raises:
        InputError: it holds something else, is a file, or has no parent.
    """
    if not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent} to write into.", "Create it first.")
    if out.is_file():
        raise InputError(f"{out} is a file.", "Give the path of a folder to write.")
    if out.is_dir() and any(out.iterdir()) and not (out / mark).exists():
        raise InputError(
            f"{out} exists and holds no {what}.", "Give another --out, or move it away."
        )


def once(
    path: Path, key: str, work: Callable[[], dict[str, Any]], *, gives: Path | None = None
) -> dict[str, Any]:
    """Return what a step gave the last time, or do it now and keep what it gives.

    Args:
        path: the JSON file that keeps it.
        key: hash of everything that the step depends on.
        work: does the step; what it returns is JSON.
        gives: what else the step writes: it is done again where that is gone.
    """
    found = _kept(path, key) if gives is None or gives.exists() else None
    if found is None:
        found = work()
        write_json(path, {"key": key, "value": found})
    return found


def _kept(path: Path, key: str) -> dict[str, Any] | None:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return dict(kept["value"]) if kept["key"] == key else None
    except (OSError, ValueError, LookupError, TypeError):
        return None  # Not there, or cut short.
