"""What SciDocs' tasks and probes tell of an encoder's vectors."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from recsys.eval.measures import Interval, draw, interval
from recsys.eval.studies.encoders.encoder_figures import (
    ACCURACY,
    AUC,
    AVERAGE,
    MACRO_F1,
    PRECISION,
    PURITY,
    RANKING,
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
from recsys.pipelines.studies.compare_encoders.comparison_bench import PARTS, Bench
from recsys.pipelines.studies.compare_encoders.labelled_papers import Labelled
from recsys.pipelines.studies.probes.probe import ProbeOptions, probe
from recsys.pipelines.studies.scidocs.suite import SuiteOptions, evaluate_suite
from recsys.pipelines.studies.scidocs.suite_vectors import Source
from recsys.progress import Progress
from recsys.store.artifacts import fingerprint

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
