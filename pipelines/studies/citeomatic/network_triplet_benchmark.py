"""How fast NNSelect trains, beside a plain implementation that pads, in one process.

Run as `python -m recsys.pipelines.studies.citeomatic.network_triplet_benchmark INDEX SPLIT`;
writes JSON to stdout. Both compute on one thread and on the same batches, without dropout; rates
count processor time.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.jobs.programs import ending
from recsys.pipelines.studies.citeomatic.bags import known_by, read_bags
from recsys.pipelines.studies.citeomatic.padded import measure_speeds
from recsys.pipelines.studies.citeomatic.select_task import SelectOptions, SelectTask

BATCHES = (128, 512)
"""Triplets in a batch; padded ones of more need gigabytes."""
_REPEATED = 11


def measure_triplets(index: Path, split: Path) -> dict[str, Any]:
    """Train both for some batches of each size: triplets per second, and their ratio."""
    collection = open_collection(index)
    parts = read_split(split, collection)
    train, dev = (collection.corpus.rows(parts.part(name)) for name in ("train", "dev"))
    _, bags = read_bags(collection, known_by(collection, train))
    rates = {}
    for batch in BATCHES:
        options = SelectOptions(dropout=0.0)
        task = SelectTask.build(collection, bags, (train, dev), options, seed=0)
        speeds = measure_speeds(task, batches=_REPEATED, batch=batch)
        rates[str(batch)] = {
            "bags": round(speeds.bags),
            "padded": round(speeds.padded),
            "ratio": round(speeds.ratio, 1),
        }
    return {"words": bags.sizes["title"], "dim": SelectOptions().dim, "rates": rates}


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("split", type=Path)
    chosen = parser.parse_args(arguments)
    json.dump(measure_triplets(chosen.index, chosen.split), sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
