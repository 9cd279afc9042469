"""Write small drafts in the ways in which people write them, read them back, and fill the page.

Run as `python -m benchmarks.written_drafts --docs docs/results`. With `--before DIR` the
reader of another checkout is tried as well, and what it gets wrong is kept beside today's verdict.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.written_drafts.read_drafts import verdicts, written_drafts
from benchmarks.written_drafts.verdict_tables import verdict_tables
from recsys.eval.report.marked_pages import check_page, rewrite_page
from recsys.pipelines.jobs.programs import ending
from recsys.store.artifacts import write_json

PAGE = "drafts"
BEFORE, NOW = "before", "now"


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and run; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.written_drafts", description=__doc__
    )
    parser.add_argument("--docs", type=Path, help="folder of drafts.md; else verdicts are printed")
    parser.add_argument(
        "--before", type=Path, metavar="DIR", help="another checkout to compare with"
    )
    parser.add_argument("--results", type=Path, default=Path("benchmarks/drafts.json"))
    given = parser.parse_args(arguments)
    if given.docs is None:
        sys.stdout.write(json.dumps(verdicts(written_drafts())) + "\n")
    else:
        run(given.docs, given.results, given.before)


def run(docs: Path, results: Path, before: Path | None) -> None:
    """Read all drafts, keep the verdicts, and rewrite the tables of the page."""
    check_page(docs, PAGE)
    kept = json.loads(results.read_text(encoding="utf-8")) if results.is_file() else {}
    kept[NOW] = verdicts(written_drafts())
    if before is not None:
        kept[BEFORE] = _of_checkout(before)
    write_json(results, {BEFORE: kept.get(BEFORE, {}), NOW: kept[NOW]})
    rewrite_page(docs, PAGE, verdict_tables(kept.get(BEFORE, {}), kept[NOW]))


def _of_checkout(folder: Path) -> Mapping[str, str]:
    """Read today's drafts with the reader of another checkout: its folder goes first in the path."""
    program = (
        "import sys; sys.path[:0] = sys.argv[1:2]; import recsys; sys.path.insert(0, sys.argv[2]);"
        "from importlib import import_module;"
        "sys.exit(import_module('benchmarks.written_drafts.__main__').main([]))"
    )
    here = Path(__file__).resolve().parents[2]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", program, str(folder.resolve()), str(here)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    found: dict[str, str] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    sys.exit(main())
