"""What stands where an index is to be built: that very one, its beginnings, or something else."""

import os
from pathlib import Path
from typing import Any

from recsys.errors import ArtifactError, InputError
from recsys.leftovers import is_temporary
from recsys.pipelines.jobs.index_writer import LOCK, UNFINISHED
from recsys.store.artifacts import CORPUS
from recsys.store.generations import GENERATIONS, is_index, pin


def config_if_built(out: Path, recipe: str, *, force: bool) -> dict[str, Any] | None:
    """Return what the manifest of an index says that is up to date; None where one is to be built.

    Raises:
        InputError: anything else is in the way.
    """
    if not out.exists() or _is_unfinished(out):
        return None
    if not (is_index(out) and any((out / name).is_dir() for name in (GENERATIONS, CORPUS))):
        raise InputError(  # Not even with --force: it may be somebody's work.
            f"{out} exists and is no index.", "Give another --out, or move it away."
        )
    if force:
        return None
    try:
        config = dict(pin(out).manifest().config)
    except ArtifactError as error:
        raise InputError(
            f"{out} exists and cannot be read: {error.what}", "Build it again with --force."
        ) from error
    if config["recipe"] != recipe:
        raise InputError(
            f"{out} holds an index of other papers or options.",
            "Give another --out, or replace it with --force.",
        )
    return config


def _is_unfinished(out: Path) -> bool:
    """Recognise what the first build of an index leaves when it is killed, at the least nothing."""
    known = {LOCK, UNFINISHED, GENERATIONS}
    return out.is_dir() and {n for n in os.listdir(out) if not is_temporary(n)} <= known


def check_parent(out: Path) -> None:
    """Refuse to write into a folder that is not there."""
    if not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent} to write into.", "Create it first.")
