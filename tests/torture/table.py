"""All tortures, one literal table; and what they found as the table of docs/results/torture.md."""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.result_tables import table
from docs.made.marked_pages import rewrite_page
from recsys.store.artifacts import CREATED_BY, write_json
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


def chosen(names: Sequence[str]) -> list[Torture]:
    """Give the tortures that are named, all without a name; ends the program at an unknown one."""
    unknown = [name for name in names if name not in TORTURES]
    if unknown:
        sys.exit(f"There is no torture {unknown[0]!r}; there are {', '.join(TORTURES)}.")
    return [TORTURES[name] for name in names or TORTURES]


BLOCK = "torture"


def write_page(folder: Path, results: Path, tally: Tally) -> None:
    """Keep what a torture found, and put all that are kept into the table of their page.

    Raises:
        InputError: there is no such page, or it lacks the marks.
    """
    found = json.loads(results.read_text(encoding="utf-8")) if results.is_file() else {}
    found[tally.name] = asdict(tally) | {"counts": dict(tally.counts)}  # No Counter of pairs.
    results.parent.mkdir(parents=True, exist_ok=True)
    write_json(results, {name: found[name] for name in TORTURES if name in found})
    tallies = [
        Tally(**found[name] | {"counts": Counter(found[name]["counts"])})
        for name in TORTURES
        if name in found
    ]
    header = ("torture", "trials", "seed", *FAILURES, "seconds")
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
    others = [f"- {tally.name}: {', '.join(tally.harmless())}." for tally in tallies]
    lines = [f"Of {CREATED_BY}.\n", table(header, rows), "\nWhat else came of them:\n", *others]
    rewrite_page(folder, BLOCK, "\n".join(lines))
