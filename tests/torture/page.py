"""Write what was found as the table of docs/results/torture.md."""

from collections.abc import Sequence
from pathlib import Path

from eval.report.marked_pages import rewrite_page
from pipelines.benchmarks.result_tables import table
from recsys.version import CREATED_BY
from tests.torture.runner import Tally
from tests.torture.table import TORTURES
from tests.torture.verdicts import FAILURES

BLOCK = "torture"


def write_page(folder: Path, tallies: Sequence[Tally]) -> None:
    """Put the table between the marks of its page.

    Raises:
        InputError: there is no such page, or it lacks the marks.
    """
    rewrite_page(folder, BLOCK, _block(tallies))


def _block(tallies: Sequence[Tally]) -> str:
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
    return "\n".join(
        [f"Of {CREATED_BY}.\n", table(header, rows), "\nWhat else came of them:\n", *others]
    )
