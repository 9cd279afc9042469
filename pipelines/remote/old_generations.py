"""Remove from a store what no reader asks for any more."""

from collections.abc import Collection
from datetime import timedelta

from recsys.pipelines.remote.object_store import ObjectFolder, Stored
from recsys.store.generations import GENERATIONS

YOUNG = timedelta(hours=1)
"""A generation stays so long after its last file came, in force or not: it may be one that another
writer is sending, or that somebody is fetching."""


def remove_old(store: ObjectFolder, needed: Collection[str]) -> None:
    """Remove generations that are neither needed nor young, and what killed writers left of some.

    needed: the names of the one in force, and of the one before, which readers may be fetching.
    """
    generations: dict[str, dict[str, Stored]] = {}
    for name, each in store.listed(GENERATIONS).items():
        _, generation, *_ = name.split("/")
        generations.setdefault(generation, {})[name] = each
    newest = {
        name: max(each.changed for each in files.values()) for name, files in generations.items()
    }
    # By the clock of the store: the generation in force came last.
    now = max(newest.values(), default=None)
    for name, files in generations.items():
        if name not in needed and now is not None and newest[name] < now - YOUNG:
            store.remove(sorted(files))
