"""What harnesses share: the words of their command lines, and pages of what all runs found."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.result_tables import table
from docs.made.marked_pages import rewrite_block
from recsys.store.artifacts import CREATED_BY, write_json

Row = TypeVar("Row")


def parser_of(
    module: str, about: str | None, meanings: Mapping[str, str], *, block: str, seed: int, out: Path
) -> argparse.ArgumentParser:
    """Make a parser with what every harness asks for; its block is that of a page of results."""
    parser = argparse.ArgumentParser(f"python -m {module}", description=about)
    names = ", ".join(f"{name} ({meaning})" for name, meaning in meanings.items())
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"Some of: {names}.")
    parser.add_argument("--share", type=float, default=1.0, help="Of the usual cases; 0.01: 1 %%.")
    parser.add_argument("--seed", type=int, default=seed, help="What chooses random cases.")
    parser.add_argument("--out", type=Path, default=out, help="For what shows the failures.")
    parser.add_argument("--docs", type=Path, help="Folder of the pages to rewrite.")
    kept = Path(f"benchmarks/{block}.json")
    told = "What earlier runs found, which the table keeps."
    parser.add_argument("--results", type=Path, default=kept, help=told)
    return parser


def chosen(names: Sequence[str], known: Mapping[str, Row], kind: str) -> list[Row]:
    """Give the rows that are named, all without a name; ends the program at an unknown one."""
    for name in names:
        if name not in known:
            sys.exit(f"There is no {kind} {name!r}; there are {', '.join(known)}.")
    return [known[name] for name in names or known]


def keep(results: Path, known: Sequence[str], name: str, found: object) -> dict[str, Any]:
    """Keep what one row found in a file, and return what all rows found, in their order."""
    every = json.loads(results.read_text(encoding="utf-8")) if results.is_file() else {}
    every[name] = found
    results.parent.mkdir(parents=True, exist_ok=True)
    kept = {each: every[each] for each in known if each in every}
    write_json(results, kept)
    return kept


def show(
    folder: Path, block: str, header: tuple[str, ...], rows: Sequence[tuple[str, ...]]
) -> None:
    """Write the table of a block.

    Raises:
        InputError: no page has the marks of the block.
    """
    rewrite_block(folder, block, f"Measured with {CREATED_BY}.\n\n{table(header, rows)}")
