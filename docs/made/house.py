"""Read the house off the imports: which rooms there are, and which imports which."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import grimp

PACKAGES = ("recsys", "pipelines", "indexes", "eval")
WORDS = "words"
"""The modules that lie flat in `recsys`: what everyone speaks."""
WAY = "recommend"
"""The one module there that calls the rooms one after the other."""
ENTRANCE = frozenset({"recsys", "recsys.public", f"recsys.{WAY}"})
"""Where programs come in, and are led through the rooms."""
ASKED = ("recsys.records", "recsys.formats.")
"""An answer writes itself in any format, when it is asked to: no way down the house."""


@dataclass(frozen=True, slots=True)
class House:
    """rooms: how many modules each has. imports: (room, imported room): how many imports."""

    rooms: Mapping[str, int]
    imports: Mapping[tuple[str, str], int]

    def of(self, names: Iterable[str]) -> "House":
        """Keep some of the rooms."""
        kept = [name for name in self.rooms if name in set(names)]
        inner = {pair: n for pair, n in self.imports.items() if set(pair) <= set(kept)}
        return House({name: self.rooms[name] for name in kept}, inner)

    def below(self, room: str) -> frozenset[str]:
        """Name all rooms that a room reaches by imports."""
        found: set[str] = set()
        waiting = [room]
        while waiting:
            here = waiting.pop()
            reached = {to for source, to in self.imports if source == here} - found
            found |= reached
            waiting += reached
        return frozenset(found)

    def levels(self) -> dict[str, int]:
        """Give each room the length of the longest way down from it; rooms of a circle share it."""
        below = {room: self.below(room) for room in self.rooms}
        level: dict[str, int] = {}
        for room in sorted(self.rooms, key=lambda each: (len(below[each] - {each}), each)):
            under = [level[each] + 1 for each in below[room] if room not in below[each]]
            level[room] = max(under, default=0)
        return level

    def steps(self) -> list[tuple[str, str]]:
        """List the imports that do not follow from others: A imports B, and nothing in between."""
        below = {room: self.below(room) for room in self.rooms}
        return sorted(
            (room, to)
            for room, to in self.imports
            if not any(
                to in below[other] and other not in below[to] and room not in below[other]
                for other in below[room] - {to, room}
            )
        )


def read_house() -> House:
    """Read all packages; imports for the type checker alone do not count."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)
    inner = {child for name in PACKAGES for child in graph.find_children(name)}
    packages = {name for name in inner if graph.find_children(name)}
    room = {name: _room(name, packages) for name in graph.modules if name not in PACKAGES[1:]}
    imports = Counter(
        (room[name], room[to])
        for name in room
        for to in graph.find_modules_directly_imported_by(name)
        if to in room and room[name] != room[to]
        if not (name == ASKED[0] and to.startswith(ASKED[1]))
    )
    return House(dict(sorted(Counter(room.values()).items())), imports)


def _room(module: str, packages: set[str]) -> str:
    """Name the folder below a root that a module lies in, else the root."""
    folder = ".".join(module.split(".")[:2])
    if folder in packages:
        return folder
    root = module.partition(".")[0]
    if root != "recsys":
        return root
    return f"recsys.{WAY if module in ENTRANCE else WORDS}"
