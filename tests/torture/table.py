"""All tortures, one literal table; and what they found as the table of docs/results/torture.md."""

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
from tests.torture.runner import FAILURES, Tally, Torture

TORTURES: Mapping[str, Torture] = {
    each.name: each for each in (KILLS, CORRUPTIONS, REPLACING, FUZZ, ENVIRONMENTS, LONG_RUN)
}
"""In the order in which they run."""
PAGE = "torture"


def write_page(folder: Path, results: Path, tally: Tally) -> None:
    """Keep what a torture found, and put all that are kept into the table of their page.

    Raises:
        InputError: there is no such page, or it lacks the marks.
    """
    found = asdict(tally) | {"counts": dict(tally.counts)}  # No Counter of pairs.
    kept = keep(results, [*TORTURES], tally.name, found).values()
    tallies = [Tally(**each | {"counts": Counter(each["counts"])}) for each in kept]
    rows = [
        (
            f"{tally.name}: {TORTURES[tally.name].meaning}",
            f"{tally.trials:,} {tally.unit}",
            str(tally.seed),
            *(str(tally.counts[kind]) for kind in FAILURES),
            f"{tally.seconds:,.0f}",
        )
        for tally in tallies
    ]
    others = [f"{tally.name}: {', '.join(tally.harmless())}" for tally in tallies]
    header = ("torture", "trials", "seed", *FAILURES, "seconds")
    show(folder, PAGE, header, rows, ("What else came of them", others))
