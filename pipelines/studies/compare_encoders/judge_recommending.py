"""How good recommendations are on an encoder's vectors: alone, and with two stages."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import ArtifactError
from recsys.eval.run_figures import Assessment
from recsys.eval.studies.encoders.encoder_figures import F1, RECALL, Figure, as_record, bounded
from recsys.indexes.backends import build_index, by_size
from recsys.pipelines.evaluation.evaluate import TWO_STAGE, EvaluateOptions, evaluate
from recsys.pipelines.index.encode import link_vectors
from recsys.pipelines.index.external_vectors import take
from recsys.pipelines.jobs.engines import ProcessPool
from recsys.pipelines.jobs.index_writer import writing
from recsys.pipelines.ranking.train_options import TrainOptions
from recsys.pipelines.ranking.train_ranker import train_ranker
from recsys.pipelines.studies.compare_encoders.comparison_bench import Bench
from recsys.progress import Progress
from recsys.store.artifacts import fingerprint
from recsys.store.corpus import Corpus
from recsys.store.generations import in_force, pin
from recsys.store.layout import CORPUS, TEXT, VECTORS, WORD_SEARCH, ranker_folder

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
    if not ranker_folder(in_force(index), metadata=True).exists():
        train_ranker(index, bench.files.split, TrainOptions(seed=options.seed), progress=progress)
    asked = EvaluateOptions(
        options.part, (EMBEDDING, TWO_STAGE), seed=options.seed, engine=ProcessPool(options.jobs)
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
        return bool(pin(index).manifest().config["recipe"] == key)
    except ArtifactError:  # Not there, or damaged.
        return False


def _build(index: Path, source: Path, out: Path, key: str, progress: Progress) -> None:
    """Build an index of the same papers on other vectors; what they do not change is linked."""
    config = dict(pin(index).manifest().config)
    with writing(out, new=True) as writer:
        made, folder = writer.unfinished / "vectors.made", writer.unfinished / VECTORS
        for each in (made, folder):
            shutil.rmtree(each, ignore_errors=True)
        corpus, words = Corpus.load(index / CORPUS), config.get(WORD_SEARCH, {})
        vectors, facts = take(
            source, corpus, made, encoder=None, text=index / TEXT, words=words, progress=progress
        )
        folder.mkdir()
        config |= {"recipe": key, "dim": int(vectors.shape[1]), **facts}
        config["options"] = {"encoder": None, "pooling": None, "precision": "f32"}
        name = by_size(len(vectors))
        config["ann"] = build_index(name, vectors, folder, years=corpus.years)
        link_vectors(made, folder, config["ann"])
        writer.commit({CORPUS: index / CORPUS, TEXT: index / TEXT, VECTORS: folder}, config)
        for each in (made, folder):
            shutil.rmtree(each)
