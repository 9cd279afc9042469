"""All tortures: one literal table."""

from collections.abc import Mapping

from tests.torture.corruptions import CORRUPTIONS
from tests.torture.fuzz import FUZZ
from tests.torture.kills import KILLS
from tests.torture.verdicts import Torture

TORTURES: Mapping[str, Torture] = {each.name: each for each in (KILLS, CORRUPTIONS, FUZZ)}
"""In the order in which they run."""
