"""All tortures, one literal table; and what they found as a table of docs/results."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from tests.harness import keep, show
from tests.torture.corruptions import CORRUPTIONS
from tests.torture.environments import ENVIRONMENTS
from tests.torture.fuzz import FUZZ
from tests.torture.kills import KILLS
from tests.torture.long_run import LONG_RUN
from tests.torture.replacing import REPLACING
from tests.torture.runner import Tally, Torture

TORTURES: Mapping[str, Torture] = {
    each.name: each for each in (KILLS, CORRUPTIONS, REPLACING, FUZZ, ENVIRONMENTS, LONG_RUN)
}
"""In the order in which they run."""
BLOCK = "torture"


def write_page(folder: Path, results: Path, tally: Tally) -> None:
    """Keep what a torture found, and put all that are kept into the table of the results.

    Raises:
        InputError: no page has the marks of the block.
    """
    found = asdict(tally) | {"counts": dict(tally.counts)}  # No Counter of pairs.
    kept = keep(results, [*TORTURES], tally.name, found).values()
    tallies = [Tally(**each | {"counts": Counter(each["counts"])}) for each in kept]
    rows = [
        (
            f"`{tally.name}`: {TORTURES[tally.name].meaning}",
            f"{tally.trials:,} {tally.unit}",
            str(tally.failed),
            f"{tally.seconds:,.0f}",
        )
        for tally in tallies
    ]
    show(folder, BLOCK, ("torture", "trials", "failures", "seconds"), rows)
