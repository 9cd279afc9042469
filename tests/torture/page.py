"""Write what was found as the table of docs/results/torture.md."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.result_tables import table
from docs.made.marked_pages import rewrite_page
from recsys.store.artifacts import write_json
from recsys.version import CREATED_BY
from tests.torture.runner import Tally
from tests.torture.table import TORTURES
from tests.torture.verdicts import FAILURES

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
    rewrite_page(folder, BLOCK, _block([_tally(found[n]) for n in TORTURES if n in found]))


def _tally(value: dict[str, Any]) -> Tally:
    counts, notes = Counter(value["counts"]), tuple(value["notes"])
    return Tally(**{**value, "counts": counts, "notes": notes})


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
