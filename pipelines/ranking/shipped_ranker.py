"""Train the ranker that ships with the package, on several corpora together.

    python -m pipelines.ranking.shipped_ranker --data DIR --work DIR
    python -m pipelines.ranking.shipped_ranker --data DIR --work DIR --leave-out vis --out DIR

DATA holds NAME/papers.jsonl.gz and NAME/split.json for each corpus. Indexes are built below WORK
unless they are there. With --leave-out, that corpus is not trained on, so that its test queries
show how well the ranker carries over to a corpus it has never seen.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from eval.measures import Interval, summarise
from indexes.opening import open_collection
from pipelines.evaluation.leakage import SeenQueries
from pipelines.evaluation.splits import read_split
from pipelines.jobs.bench import Bench
from pipelines.ranking.fit_ranker import fit
from pipelines.ranking.ranker_trial import judge
from pipelines.ranking.train_ranker import report_on
from pipelines.ranking.training_table import Posing, TrainingTable, collect, concatenate
from recsys.progress import silent
from recsys.stage_two.features import feature_names
from recsys.stage_two.ranker import TreeRanker
from recsys.store.arrays import Rows
from recsys.store.artifacts import replacing
from recsys.store.layout import ranker_folder

CORPORA = ("vis", "archaeology", "acl", "elife", "arxiv9196")
TRAIN_QUERIES, DEV_QUERIES = 1500, 250
"""At most so many of each corpus, so that no corpus drowns the others."""
SHIPPED = Path(__file__).resolve().parents[2] / "recsys" / "data"


def main(arguments: Sequence[str] | None = None) -> int:
    """Train with and without metadata, and say how good the rankers are on the dev queries."""
    parser = argparse.ArgumentParser(description="Train the ranker that ships with the package.")
    parser.add_argument("--data", type=Path, required=True, help="Folder of the corpora.")
    parser.add_argument("--work", type=Path, required=True, help="Folder for their indexes.")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="Default: %(default)s.")
    parser.add_argument("--leave-out", choices=CORPORA, help="Do not train on this corpus.")
    parser.add_argument("--seed", type=int, default=0, help="Default: %(default)s.")
    chosen = parser.parse_args(arguments)
    names = [name for name in CORPORA if name != chosen.leave_out]
    bench = Bench(chosen.data, chosen.work)
    indexes = [bench.built(name) for name in names]
    for metadata in (True, False):
        folder = ranker_folder(chosen.out, metadata=metadata)
        for line in train_together(
            chosen.data, indexes, folder, metadata=metadata, seed=chosen.seed
        ):
            note(line)
        if chosen.leave_out:
            left_out, ranker = bench.built(chosen.leave_out), {"trained without it": folder}
            found = compare(chosen.data, left_out, ranker, metadata=metadata)
            for name, figures in found.items():
                measured = ", ".join(f"{measure} {figure}" for measure, figure in figures.items())
                note(f"{chosen.leave_out} test, {name}: {measured}")
    return 0


def train_together(
    data: Path, indexes: Sequence[Path], folder: Path, *, metadata: bool, seed: int
) -> list[str]:
    """Train on a sample of the train queries of each corpus, stop and calibrate on dev samples."""
    features = feature_names(metadata=metadata)
    rng = np.random.default_rng(seed)
    train: list[TrainingTable] = []
    dev: list[TrainingTable] = []
    seen = SeenQueries()
    for index in indexes:
        collection = open_collection(index)
        parts = read_split(data / index.stem / "split.json", collection)
        train_rows = sample(collection.corpus.rows(parts.train), TRAIN_QUERIES, rng)
        dev_rows = sample(collection.corpus.rows(parts.dev), DEV_QUERIES, rng)
        for rows, tables in ((train_rows, train), (dev_rows, dev)):
            tables.append(
                collect(
                    collection,
                    rows,
                    features,
                    progress=silent,
                    stage=index.stem,
                    posing=Posing(seeded=tables is train),
                )
            )
        seen |= SeenQueries.of(collection, train=train_rows, dev=dev_rows)
    pooled = concatenate(dev)
    fitted = fit(concatenate(train), pooled, features, seed=seed)
    facts = {"corpora": [index.stem for index in indexes]}
    with replacing(folder) as new:
        fitted.save(new, seen, origin="the ranker shipped with recsys", facts=facts, text=False)
    return report_on(fitted, folder, concatenate(train), pooled).lines()


def compare(
    data: Path, index: Path, rankers: Mapping[str, Path], *, metadata: bool
) -> dict[str, dict[str, Interval]]:
    """Measure ranker folders on the test queries of one corpus: name -> measure -> figure."""
    collection = open_collection(index)
    rows = collection.corpus.rows(read_split(data / index.stem / "split.json", collection).test)
    names = feature_names(metadata=metadata)
    table = collect(collection, rows, names, progress=silent, stage=index.stem)
    found = {}
    for name, folder in rankers.items():
        scores = TreeRanker.load(folder).score(table.features)
        figures = summarise(judge(scores, table), rng=np.random.default_rng(0))
        found[name] = {measure: figures[measure] for measure in ("F1@20", "MRR")}
    return found


def sample(rows: Rows, most: int, rng: np.random.Generator) -> Rows:
    """Draw at most so many rows, ascending."""
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def note(line: str) -> None:
    """Tell the person who trains."""
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
