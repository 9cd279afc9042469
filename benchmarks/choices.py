"""Figures behind a choice: int8 as the default."""

from pathlib import Path
from typing import Any

import numpy as np

from recsys.eval.measures import summarise
from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.jobs.programs import Bench
from recsys.pipelines.ranking.fit_ranker import fit
from recsys.pipelines.ranking.ranker_trial import judge
from recsys.pipelines.ranking.training_table import collect
from recsys.progress import silent
from recsys.ranking.features import feature_names

SEEDS = (0, 1, 2)


def measure_precision(bench: Bench, corpus: str) -> dict[str, Any]:
    """Train on vectors in f32 and in int8, and compare F1@20 on the dev queries."""
    indexes = {"int8": bench.built(corpus), "f32": bench.built(corpus, precision="f32")}
    figures = {name: dev_figures(index, bench.split(corpus)) for name, index in indexes.items()}
    means = {name: float(np.mean(each)) for name, each in figures.items()}
    return {"corpus": corpus, "F1@20": figures, "cost": means["f32"] - means["int8"]}


def dev_figures(index: Path, split: Path) -> list[float]:
    """Train once per seed and return each ranker's F1@20 on dev."""
    collection = open_collection(index)
    parts, names = read_split(split, collection), feature_names(metadata=True)
    train, dev = (
        collect(collection, collection.corpus.rows(ids), names, progress=silent, stage="features")
        for ids in (parts.train, parts.dev)
    )
    found = []
    for seed in SEEDS:
        fitted = fit(train, dev, names, seed=seed)
        judged = judge(dev.scored(fitted.predict), dev)
        found.append(summarise(judged, rng=np.random.default_rng(0), samples=1)["F1@20"].value)
    return found
