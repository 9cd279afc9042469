"""Train an index's own ranker on the train queries of a split."""

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from eval.calibration import expected_calibration_error
from eval.measures import CANDIDATE_RECALL, Judged, summarise
from indexes.opening import open_collection
from pipelines.fit_ranker import CUTOFF, FittedRanker, calibrate, fit
from pipelines.leakage import SeenQueries
from pipelines.splits import read_split
from pipelines.training_table import TrainingTable, collect
from recsys.arrays import Floats
from recsys.artifacts import fingerprint
from recsys.features import feature_names
from recsys.layout import ranker_folder
from recsys.progress import Progress, silent
from recsys.selection import best


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """metadata: whether authors and venue may be read."""

    metadata: bool = True
    seed: int = 0


@dataclass(frozen=True, slots=True)
class TrainReport:
    """What was trained and how good it is on dev, without seeds.

    queries: a query that was posed twice counts twice.
    """

    folder: Path
    queries: int
    examples: int
    trees: int
    recall: float
    f1: float
    mrr: float
    calibration_error: float

    def lines(self) -> list[str]:
        """Say it to people."""
        return [
            f"Trained {self.trees} trees on {self.queries} queries, {self.examples:,} examples.",
            f"On dev: F1@{CUTOFF} {self.f1:.4f}, MRR {self.mrr:.4f}, candidate recall "
            f"{self.recall:.3f}, calibration error {self.calibration_error:.4f} (cross-fitted).",
            f"Saved in {self.folder}.",
        ]


def train_ranker(
    index: Path, split: Path, options: TrainOptions, *, progress: Progress = silent
) -> TrainReport:
    """Train on the split's train queries, stop and calibrate on its dev queries, save, report.

    Raises:
        ArtifactError: the index cannot be opened.
        SplitError: the split does not fit the index, or its parts overlap.
    """
    collection = open_collection(index)
    parts = read_split(split, collection)
    names = feature_names(metadata=options.metadata)
    tables = [
        collect(
            collection,
            collection.corpus.rows(parts.part(part)),
            names,
            progress=progress,
            stage=f"features of {part}",
            seeded=part == "train",
        )
        for part in ("train", "dev")
    ]
    fitted = fit(tables[0], tables[1], names, seed=options.seed, progress=progress)
    folder = ranker_folder(index, metadata=options.metadata)
    report = report_on(fitted, folder, *tables)
    facts = {
        "options": asdict(options),
        "train_queries": fingerprint(sorted(parts.train)),
        "dev": {"f1": report.f1, "mrr": report.mrr, "ece": report.calibration_error},
    }
    seen = SeenQueries.of(
        collection, train=collection.corpus.rows(parts.train), dev=collection.corpus.rows(parts.dev)
    )
    fitted.save(folder, seen, origin="its own ranker", facts=facts, text=True)
    return report


def report_on(
    fitted: FittedRanker, folder: Path, train: TrainingTable, dev: TrainingTable
) -> TrainReport:
    """Measure a ranker on dev."""
    scores = fitted.predict(dev.features)
    figures = summarise(judge(scores, dev), rng=np.random.default_rng(0), samples=1)
    return TrainReport(
        folder=folder,
        queries=len(train.groups),
        examples=len(train.features),
        trees=fitted.booster.num_trees(),
        recall=figures[CANDIDATE_RECALL].value,
        f1=figures[f"F1@{CUTOFF}"].value,
        mrr=figures["MRR"].value,
        calibration_error=cross_fitted_error(scores, dev),
    )


def cross_fitted_error(scores: Floats, dev: TrainingTable) -> float:
    """Fit the calibration on every other query, measure its error on the rest, both ways."""
    odd = np.repeat(np.arange(len(dev.groups)) % 2 == 1, dev.groups)
    probabilities = np.empty(len(scores))
    for held_out in (odd, ~odd):
        knots = calibrate(scores[~held_out], dev.relevant[~held_out])
        probabilities[held_out] = np.interp(scores[held_out], *knots)
    return expected_calibration_error(probabilities, dev.relevant)


def judge(scores: Floats, table: TrainingTable) -> list[Judged]:
    """Order each query's candidates by (n,) scores and compare them with its gold papers."""
    ends = np.cumsum(table.groups)
    judged = []
    for start, end, gold in zip(ends - table.groups, ends, table.gold, strict=True):
        relevant = table.relevant[start:end].astype(bool)
        flags = relevant[best(scores[start:end], end - start)]
        judged.append(Judged(flags, int(gold), end - start, int(relevant.sum())))
    return judged
