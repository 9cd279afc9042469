"""How good recommendations are on an encoder's vectors: alone, and with two stages."""

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from eval.run_figures import Assessment
from eval.studies.encoders.encoder_figures import F1, RECALL, Figure, as_record, bounded
from indexes.backends import DEFAULT, build_index
from pipelines.evaluation.evaluate import TWO_STAGE, EvaluateOptions, evaluate
from pipelines.index.external_vectors import Built, take
from pipelines.ranking.train_ranker import TrainOptions, train_ranker
from pipelines.studies.compare_encoders.comparison_bench import Bench
from recsys.errors import ArtifactError
from recsys.progress import Progress
from recsys.store.artifacts import fingerprint, load_manifest, replacing, seal
from recsys.store.corpus import Corpus
from recsys.store.layout import (
    CORPUS,
    INDEX_KIND,
    INDEX_SCHEMA,
    TEXT,
    VECTORS,
    ranker_folder,
)

EMBEDDING = "embedding"
TESTED = "query F1@20"


def recommended(
    bench: Bench, vectors: Path, folder: Path, key: str, progress: Progress
) -> dict[str, Any]:
    """Build an index on the vectors, train its ranker, ask it the queries: figures as JSON.

    What an earlier, interrupted call has finished is kept.

    Raises:
        InputError: the vectors are not of the index's papers.
    """
    index, options = folder / "with.index", bench.options
    if not _is_built(index, key):
        _build(bench.files.index, vectors, index, key, progress)
    if not ranker_folder(index, metadata=True).exists():
        train_ranker(index, bench.files.split, TrainOptions(seed=options.seed), progress=progress)
    asked = EvaluateOptions(
        options.part, (EMBEDDING, TWO_STAGE), seed=options.seed, jobs=options.jobs
    )
    report = evaluate(
        index,
        bench.files.split,
        asked,
        folder / "evaluation",
        open_index=bench.around.open_index,
        progress=progress,
    )
    found = figures(report.assessment)
    return {"figures": {name: as_record(figure) for name, figure in found.items()}}


def figures(assessment: Assessment) -> dict[str, Figure]:
    """Take what the table shows out of an evaluation; pooled F1@20 is tested query by query."""
    asked = fingerprint(list(assessment.queries))
    return {
        name: bounded(
            assessment.system(system).measures[name],
            np.array(assessment.system(system).per_query[tested]),
            asked,
        )
        for name, system, tested in ((RECALL, EMBEDDING, RECALL), (F1, TWO_STAGE, TESTED))
    }


def _is_built(index: Path, key: str) -> bool:
    try:
        return bool(load_manifest(index, INDEX_KIND, INDEX_SCHEMA).config["recipe"] == key)
    except ArtifactError:  # Not there, or damaged.
        return False


def _build(index: Path, source: Path, out: Path, key: str, progress: Progress) -> None:
    """Build an index of the same papers on other vectors; what they do not change is linked."""
    config = dict(load_manifest(index, INDEX_KIND, INDEX_SCHEMA).config)
    with replacing(out) as new:
        for name in (CORPUS, TEXT):
            shutil.copytree(index / name, new / name, copy_function=_link)
        corpus, folder = Corpus.load(new / CORPUS), new / VECTORS
        vectors, facts = take(source, Built(corpus, new / TEXT, None), folder, progress=progress)
        config |= {"recipe": key, "dim": int(vectors.shape[1]), **facts}
        config["options"] = {"encoder": None, "pooling": None, "precision": "f32"}
        config["ann"] = build_index(DEFAULT, vectors, folder)
        seal(new, INDEX_KIND, INDEX_SCHEMA, config)


def _link(source: str, target: str) -> None:
    """Give a file another name, or copy it to where that cannot be."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
