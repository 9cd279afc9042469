"""When the papers of an index came: with its build, or with which of its updates.

A build writes nothing of this: all its papers came with it. An update carries on what it finds.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactCorrupt
from recsys.store.arrays import Mask, Rows, load_array
from recsys.store.generations import content_key, pin
from recsys.store.row_remap import GONE

ARRIVALS = "arrivals"
"""The folder in a generation, and what the manifest calls the facts beside it."""
_FILE = "arrived.npy"


@dataclass(frozen=True, slots=True)
class Arrivals:
    """What brought each paper.

    built: names the build, by what it knew of its papers. updates: how many updates have brought
    papers since. arrived: (n,) int32, the number of the update that brought each; 0: the build.
    """

    built: str
    updates: int
    arrived: Rows

    @classmethod
    def load(cls, generation: Path, n: int) -> "Arrivals":
        """Read what a generation of n papers says.

        Raises:
            ArtifactError: it is missing or damaged.
        """
        facts = pin(generation).manifest().config.get(ARRIVALS)
        if facts is None:
            return cls(content_key(generation), 0, np.zeros(n, np.int32))
        path = generation / ARRIVALS / _FILE
        arrived = load_array(path)
        if arrived.shape != (n,) or arrived.dtype != np.int32:
            raise ArtifactCorrupt(f"{path} is not of {n:,} papers.", "Build it again.")
        return cls(str(facts["built"]), int(facts["updates"]), arrived)

    def updated(self, today: Rows, n: int) -> "Arrivals":
        """Say what an update makes of it.

        today: the row that has the id of each old row now, GONE where there is none. n: papers now.
        """
        stayed = today != GONE
        arrived = np.full(n, self.updates + 1, np.int32)
        arrived[today[stayed]] = self.arrived[stayed]
        more = int(np.count_nonzero(stayed) < n)
        return Arrivals(self.built, self.updates + more, arrived)

    def since(self, update: int) -> Mask:
        """Tell which papers came after an update: (n,) bool."""
        later: Mask = self.arrived > update
        return later

    def save(self, folder: Path) -> dict[str, object]:
        """Write into an empty folder; return what the manifest says of it."""
        np.save(folder / _FILE, self.arrived)
        return {"built": self.built, "updates": self.updates}
