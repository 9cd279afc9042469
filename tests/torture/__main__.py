"""The command line: `python -m tests.torture [NAME ...] --count N --seed S`."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.torture.warm import warm

warm()  # Before numpy is imported: it reads there how many threads it may start.

from tests.harness import chosen, parser_of  # noqa: E402
from tests.torture.runner import repeat, run  # noqa: E402
from tests.torture.table import BLOCK, TORTURES, write_page  # noqa: E402


def main(words: Sequence[str] | None = None) -> int:
    """Run the tortures that are named, all without a name; 1 when anything failed."""
    meanings = {name: row.meaning for name, row in TORTURES.items()}
    parser = parser_of(
        "tests.torture", __doc__, meanings, block=BLOCK, seed=0, out=Path("torture-failures")
    )
    parser.add_argument("--count", type=int, default=0, help="Trials of each torture.")
    parser.add_argument("--jobs", type=int, default=1, help="Processes that share the trials.")
    parser.add_argument("--repeat", type=Path, metavar="FOLDER", help="Repeat one failure.")
    asked = parser.parse_args(words)
    if asked.repeat:
        case = json.loads((asked.repeat / "case.json").read_text(encoding="utf-8"))
        verdict = repeat(TORTURES[case["torture"]], asked.repeat)
        for failure in verdict.failures:
            sys.stdout.write(f"{failure.kind}: {failure.said}\n")
        if not verdict.failures:
            sys.stdout.write(f"No failure this time: {', '.join(verdict.counts)}.\n")
        return int(bool(verdict.failures))
    failed = False
    for torture in chosen(asked.names, TORTURES, "torture"):
        count = asked.count or max(1, round(torture.count * asked.share))
        tally = run(torture, count=count, seed=asked.seed, out=asked.out, jobs=asked.jobs)
        sys.stdout.write(tally.line() + "\n")
        sys.stdout.flush()
        failed |= bool(tally.failed)
        if asked.docs:
            write_page(asked.docs, asked.results, tally)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
