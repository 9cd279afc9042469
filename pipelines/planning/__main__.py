"""Write the numbers of the rates anew: `python -m recsys.pipelines.planning`, in a checkout.

`make docs` then writes the plans of the guide with them. Results are JSON, or a page whose tables
have a header: there, the path of a number is the first cell of its row / the header of its column.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from recsys.pipelines.planning.measured_rates import NUMBERS, RATES, numbers_of
from recsys.store.artifacts import write_json

CHECKOUT = Path(__file__).parents[2]
_NUMBER = re.compile(r"[-+]?[0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+")


def results() -> dict[str, Any]:
    """Read the results that are committed."""
    files = sorted({row.file for row in RATES.values()})
    there = [name for name in files if (CHECKOUT / name).is_file()]
    return {name: read_results(CHECKOUT / name) for name in there}


def read_results(path: Path) -> Any:  # noqa: ANN401 - JSON, or the rows of a page.
    """Read a file of results."""
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else rows_of(text)


def rows_of(page: str) -> dict[str, dict[str, float]]:
    """Read the tables of a page: row -> column -> its number. The first row of a name counts."""
    found: dict[str, dict[str, float]] = {}
    header: list[str] = []
    for line in page.splitlines():
        if not line.startswith("|"):
            header = []
            continue
        first, *cells = (cell.strip() for cell in line.strip().strip("|").split("|"))
        if not header:
            header = cells
            continue
        told = zip(header, map(_NUMBER.search, cells), strict=False)
        numbers = {name: float(number[0].replace(",", "")) for name, number in told if number}
        found.setdefault(first, numbers)
    return found


def main() -> int:
    """Write the file of numbers; return the exit code."""
    write_json(NUMBERS, numbers_of(results()))
    sys.stderr.write(f"written: {NUMBERS.relative_to(CHECKOUT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
