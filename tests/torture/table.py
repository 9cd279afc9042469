"""All tortures: one literal table."""

import sys
from collections.abc import Mapping, Sequence

from tests.torture.corruptions import CORRUPTIONS
from tests.torture.environments import ENVIRONMENTS
from tests.torture.fuzz import FUZZ
from tests.torture.kills import KILLS
from tests.torture.long_run import LONG_RUN
from tests.torture.replacing import REPLACING
from tests.torture.verdicts import Torture

TORTURES: Mapping[str, Torture] = {
    each.name: each for each in (KILLS, CORRUPTIONS, REPLACING, FUZZ, ENVIRONMENTS, LONG_RUN)
}
"""In the order in which they run."""


def chosen(names: Sequence[str]) -> list[Torture]:
    """Give the tortures that are named, all without a name; ends the program at an unknown one."""
    unknown = [name for name in names if name not in TORTURES]
    if unknown:
        sys.exit(f"There is no torture {unknown[0]!r}; there are {', '.join(TORTURES)}.")
    return [TORTURES[name] for name in names or TORTURES]
