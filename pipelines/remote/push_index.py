"""Bring an index to a store: all its files first, and then the small file that names them.

Readers see the former index until then, whatever happens. A push that was killed sends, when it is
run again, only what is not there; nothing of it is in force before.
"""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from recsys.errors import ArtifactCorrupt, ArtifactError, InputError
from recsys.pipelines.remote.object_store import ObjectFolder, Stored
from recsys.pipelines.remote.pull_index import MEGABYTE, Counted, at_once
from recsys.pipelines.remote.store_pointer import (
    StorePointer,
    find_pointer,
    new_pointer,
    read_generation,
)
from recsys.protocols import Progress, silent
from recsys.store.artifacts import INDEX_KIND, INDEX_SCHEMA, MANIFEST, load_manifest, sha256
from recsys.store.generations import GENERATIONS, pin

YOUNG = timedelta(hours=1)
"""A generation stays so long after its last file came, in force or not: it may be one that another
writer is sending, or that somebody is fetching."""


@dataclass(frozen=True, slots=True)
class PushReport:
    """What a push did.

    files: how many were sent, copied on the store, and there already; bytes: of each of the three.
    """

    address: str
    unchanged: bool = False
    sent: tuple[int, int] = (0, 0)
    copied: tuple[int, int] = (0, 0)
    kept: tuple[int, int] = (0, 0)

    def lines(self) -> list[str]:
        """Say it to people."""
        if self.unchanged:
            return [f"{self.address} holds this index already. Nothing was sent."]
        return [
            f"Sent {_said(self.sent)}, copied {_said(self.copied)} on the store, and found "
            f"{_said(self.kept)} there.",
            f"In force at {self.address}.",
        ]


def push_index(
    store: ObjectFolder,
    index: Path,
    former: StorePointer | None,
    *,
    anew: bool = False,
    progress: Progress = silent,
) -> PushReport:
    """Put an index of this machine in force on a store.

    Args:
        store: where.
        index: what.
        former: what was in force there when this index was begun; only that is replaced.
        anew: whether to send also what is there already: it may be damaged.
        progress: told of the megabytes that are sent.

    Raises:
        InputError: another has been put in force meanwhile: that one stays.
        ArtifactError: the index here is damaged.
        OnlineError: the store does not answer; the same call continues.
    """
    with pin(index) as folder:
        pointer = new_pointer((folder / MANIFEST).read_bytes(), former)
        now = find_pointer(store)
        if now is not None and now.sha256 == pointer.sha256 and not anew:
            return PushReport(str(store.address), unchanged=True)
        if (former and former.seen) != (now and now.seen):
            raise _lost(store)
        there = {} if anew else _sizes(store, pointer)
        copies = {} if anew or former is None else _lying(store, former)
        files = load_manifest(folder, INDEX_KIND, INDEX_SCHEMA).files
        count = Counted(
            f"push {store.address}, MB", sum(facts["bytes"] for facts in files.values()), progress
        )

        def bring(name: str) -> str:
            facts, also = files[name], f"{pointer.folder}/{name}"
            before = copies.get((facts["sha256"], facts["bytes"]))
            if there.get(name) == facts["bytes"]:
                how = "kept"
            elif before is not None and store.copy(before, also):
                how = "copied"
            else:
                if sha256(folder / name) != facts["sha256"]:
                    raise ArtifactCorrupt(
                        f"{folder / name} does not have the checksum in its manifest.",
                        "Build it again with --force.",
                    )
                store.send(also, folder / name)
                how = "sent"
            count(facts["bytes"])
            return how

        names = sorted(files, key=lambda name: (-int(files[name]["bytes"]), name))
        done = dict(zip(names, at_once(bring, names, count), strict=True))
        store.send(f"{pointer.folder}/{MANIFEST}", (folder / MANIFEST).read_bytes())

        def told(how: str) -> tuple[int, int]:
            sizes = [int(files[name]["bytes"]) for name in names if done[name] == how]
            return len(sizes), sum(sizes)

    seen = None if former is None else former.seen
    if not store.replace(MANIFEST, pointer.seen.content, seen):
        now = find_pointer(store)
        # An answer that was lost has us try again, and fail at what we did.
        if now is None or now.value != pointer.value:
            raise _lost(store)
    remove_old(store, {pointer.generation} | ({former.generation} if former else set()))
    return PushReport(
        str(store.address), sent=told("sent"), copied=told("copied"), kept=told("kept")
    )


def _sizes(store: ObjectFolder, pointer: StorePointer) -> dict[str, int]:
    """Return the sizes of the files of a generation that lie on a store, by name."""
    listed = store.listed(pointer.folder)
    return {name.removeprefix(f"{pointer.folder}/"): each.size for name, each in listed.items()}


def _lying(store: ObjectFolder, former: StorePointer) -> dict[tuple[str, int], str]:
    """Return where contents, by hash and size, lie in the generation that is replaced."""
    with suppress(ArtifactError):  # Damaged: nothing of it is used.
        stored = read_generation(store, former)
        sizes = _sizes(store, former)
        return {
            (facts["sha256"], facts["bytes"]): f"{former.folder}/{name}"
            for name, facts in (stored.files if stored else {}).items()
            if sizes.get(name) == facts["bytes"]
        }
    return {}


def _lost(store: ObjectFolder) -> InputError:
    return InputError(
        f"Another index was put in force at {store.address} meanwhile; it stays, and this one is "
        "not in force.",
        "Run the same command again: it starts from that one.",
    )


def _said(part: tuple[int, int]) -> str:
    files, size = part
    return f"{files} file{'' if files == 1 else 's'} ({size / MEGABYTE:,.1f} MB)"


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
