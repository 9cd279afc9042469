"""What is measured of an encoder's vectors: recommendations on them, SciDocs' tasks, and probes."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import ArtifactError
from recsys.eval.measures import Interval, draw, interval
from recsys.eval.run_figures import Assessment
from recsys.eval.studies.encoders.encoder_figures import (
    ACCURACY,
    AUC,
    AVERAGE,
    F1,
    MACRO_F1,
    PRECISION,
    PURITY,
    RANKING,
    RECALL,
    Figure,
    as_record,
    bounded,
    map_record,
)
from recsys.eval.studies.probes.linear import drawn_macro_f1
from recsys.eval.studies.probes.probe_results import GroupResult
from recsys.eval.studies.scidocs.scidocs_figures import Figure as Percent
from recsys.eval.studies.scidocs.scidocs_figures import Row, average
from recsys.eval.studies.scidocs.scidocs_layout import Group
from recsys.indexes.backends import build_index, by_size
from recsys.pipelines.evaluation.evaluate import TWO_STAGE, EvaluateOptions, evaluate
from recsys.pipelines.index.encode import link_vectors
from recsys.pipelines.index.external_vectors import Built, take
from recsys.pipelines.jobs.engines.process_pool import ProcessPool
from recsys.pipelines.jobs.index_writer import writing
from recsys.pipelines.ranking.train_ranker import TrainOptions, train_ranker
from recsys.pipelines.studies.compare_encoders.comparison_bench import PARTS, Bench, Labelled
from recsys.pipelines.studies.probes.probe import ProbeOptions, probe
from recsys.pipelines.studies.scidocs.suite import Source, SuiteOptions, evaluate_suite
from recsys.progress import Progress
from recsys.store.artifacts import CORPUS, TEXT, VECTORS, WORD_SEARCH, fingerprint, ranker_folder
from recsys.store.corpus import Corpus
from recsys.store.generations import in_force, pin

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
    try:
        built = bool(pin(index).manifest().config["recipe"] == key)
    except ArtifactError:  # Not there, or damaged.
        built = False
    if not built:
        _build(bench.collection.folder, vectors, index, key, progress)
    if not ranker_folder(in_force(index), metadata=True).exists():
        train_ranker(index, bench.split_file, TrainOptions(seed=options.seed), progress=progress)
    asked = EvaluateOptions(
        options.part, (EMBEDDING, TWO_STAGE), seed=options.seed, engine=ProcessPool(options.jobs)
    )
    report = evaluate(
        index,
        bench.split_file,
        asked,
        folder / "evaluation",
        open_index=bench.open_index,
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


def _build(index: Path, source: Path, out: Path, key: str, progress: Progress) -> None:
    """Build an index of the same papers on other vectors; what they do not change is linked."""
    config = dict(pin(index).manifest().config)
    with writing(out, new=True) as writer:
        made, folder = writer.unfinished / "vectors.made", writer.unfinished / VECTORS
        for each in (made, folder):
            shutil.rmtree(each, ignore_errors=True)
        words = config.get(WORD_SEARCH, {})
        built = Built(Corpus.load(index / CORPUS), index / TEXT, None, words=words)
        vectors, facts = take(source, built, made, progress=progress)
        folder.mkdir()
        config |= {"recipe": key, "dim": int(vectors.shape[1]), **facts}
        config["options"] = {"encoder": None, "pooling": None, "precision": "f32"}
        name, years = by_size(len(vectors)), built.corpus.years
        config["ann"] = build_index(name, vectors, folder, years=years)
        link_vectors(made, folder, config["ann"])
        writer.commit({CORPUS: index / CORPUS, TEXT: index / TEXT, VECTORS: folder}, config)
        for each in (made, folder):
            shutil.rmtree(each)


CLUSTERS = 20
SAMPLES = 1000


def suited(bench: Bench, vectors: Path, suite: Path, progress: Progress) -> dict[str, Any]:
    """Evaluate vectors on a suite: figures as JSON, and notes."""
    options = bench.options
    chosen = SuiteOptions(PARTS[options.part], seed=options.seed, jobs=options.jobs)
    source = Source("vectors", dict.fromkeys(Group, vectors))
    [row] = evaluate_suite(suite, [source], chosen, progress=progress).rows
    found = suite_figures(row)
    notes = [f"SciDocs, {note}" for note in row.notes]
    return {"figures": {name: as_record(each) for name, each in found.items()}, "notes": notes}


def suite_figures(row: Row) -> dict[str, Figure]:
    """Average a suite's figures, and those of its ranking tasks, in [0, 1].

    In the test of the ranking tasks each query counts such that tasks count alike.
    """
    found = {AVERAGE: bounded(_share(average(row.figures.values())))}
    if row.queries:
        queries, values = sum(len(each.queries) for each in row.queries.values()), []
        for each in row.queries.values():
            own = (each.average_precision + each.ndcg) / 2
            values.append(own * queries / len(own) / len(row.queries))
        asked = fingerprint([[task, each.queries] for task, each in row.queries.items()])
        ranking = average(row.figures[column] for column in row.figures if column[0] in row.queries)
        found[RANKING] = bounded(_share(ranking), np.concatenate(values), asked)
    return found


def _share(figure: Percent) -> Interval:
    return Interval(figure.value / 100, figure.low / 100, figure.high / 100)


def probed(bench: Bench, vectors: Path, labelled: Labelled, progress: Progress) -> dict[str, Any]:
    """Probe vectors of the labelled papers: figures as JSON, notes, and a map.

    Raises:
        InputError: too few papers have the label and a vector.
    """
    options = bench.options
    chosen = ProbeOptions(options.label or "", least=options.least, seed=options.seed)
    found = probe(labelled.file, {"vectors": vectors}, chosen, progress=progress)
    [group] = found.groups
    [drawn] = found.maps().values()
    figures = dict(probe_figures(group, seed=options.seed))
    return {
        "figures": {name: as_record(each) for name, each in figures.items()},
        "notes": [f"Probes: {note}" for note in found.notes],
        "map": map_record(drawn),
    }


def probe_figures(found: GroupResult, *, seed: int) -> Iterator[tuple[str, Figure]]:
    """Take what the table shows out of the probes of one embedding."""
    asked, labels = fingerprint([found.group.ids, found.group.labels.tolist()]), found.group.labels
    [linear], [purity], [pairs] = found.linear.values(), found.purity.values(), found.pairs.values()
    drawn = draw(len(labels), rng=np.random.default_rng(seed), samples=SAMPLES)
    correct = linear.correct(labels)
    yield ACCURACY, bounded(interval(drawn @ correct / len(labels)), correct, asked)
    yield MACRO_F1, bounded(interval(drawn_macro_f1(linear.told, labels, drawn)))
    estimates = {PRECISION: pairs.average_precision, AUC: pairs.auc}
    if CLUSTERS in purity:
        estimates = {PURITY: purity[CLUSTERS], **estimates}
    for name, each in estimates.items():
        yield name, bounded(each.interval, each.values, asked)
