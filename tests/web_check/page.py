"""Write what was found as the table of docs/results/web.md."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.result_tables import table
from docs.made.marked_pages import rewrite_page
from recsys.store.artifacts import write_json
from recsys.version import CREATED_BY
from tests.web_check.browser import BROWSER
from tests.web_check.findings import Check, Report
from tests.web_check.forms import FORMS
from tests.web_check.hostile import HOSTILE
from tests.web_check.load import LOAD
from tests.web_check.schema import SCHEMA

# All checks: one literal table.

CHECKS: Mapping[str, Check] = {each.name: each for each in (HOSTILE, FORMS, SCHEMA, BROWSER, LOAD)}
"""In the order in which they run."""


BLOCK = "web"


def write_page(folder: Path, results: Path, name: str, report: Report) -> None:
    """Keep what a check found, and put all that are kept into the table of their page.

    Raises:
        InputError: there is no such page, or it lacks the marks.
    """
    found = json.loads(results.read_text(encoding="utf-8")) if results.is_file() else {}
    found[name] = {
        "cases": report.cases,
        "findings": len(report.findings),
        "seconds": round(report.seconds),
        "counts": dict(sorted(report.counts.items())),
        "figures": report.figures,
    }
    results.parent.mkdir(parents=True, exist_ok=True)
    kept = {each: found[each] for each in CHECKS if each in found}
    write_json(results, kept)
    rewrite_page(folder, BLOCK, _block(kept))


def _block(kept: Mapping[str, Any]) -> str:
    rows = [
        (
            f"{name}: {CHECKS[name].meaning}",
            f"{found['cases']:,} {CHECKS[name].unit}",
            str(found["findings"]),
            f"{found['seconds']:,}",
        )
        for name, found in kept.items()
    ]
    more = [f"- {name}: {', '.join(_told(found))}." for name, found in kept.items()]
    shown = table(("check", "cases", "findings", "seconds"), rows)
    return "\n".join([f"Of {CREATED_BY}.\n", shown, "\nWhat came of them:\n", *more])


def _told(found: Mapping[str, Any]) -> list[str]:
    return [*(f"{n:,} {kind}" for kind, n in found["counts"].items()), *found["figures"]]
