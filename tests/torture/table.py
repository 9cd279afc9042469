"""All tortures: one literal table."""

from collections.abc import Mapping

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
