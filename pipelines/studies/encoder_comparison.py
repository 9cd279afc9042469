"""Compare encoders: one row after the other, step by step; what is finished is not done again.

OUT/rows/ENCODER/ holds an encoder's vectors, an index built on them, its evaluation, and what each
step found out. A step that fails leaves its columns empty, and the others go on.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from recsys.errors import ArtifactError, RecsysError, check_name, need
from recsys.eval.measures import Interval, draw, interval
from recsys.eval.studies.encoders.report_encoders import (
    ACCURACY,
    AUC,
    AVERAGE,
    F1,
    MACRO_F1,
    PRECISION,
    PURITY,
    RANKING,
    RECALL,
    SIZE,
    SPEED,
    EncoderRow,
    Encoders,
    Figure,
    bounded,
    from_record,
    map_of,
    map_record,
)
from recsys.eval.studies.probes.linear import drawn_macro_f1
from recsys.eval.studies.probes.probe_results import GroupResult
from recsys.eval.studies.scidocs.scidocs_figures import Figure as Percent
from recsys.eval.studies.scidocs.scidocs_figures import Row, average
from recsys.eval.studies.scidocs.scidocs_layout import Group
from recsys.formats.embeddings.embedding_files import embedding_files
from recsys.indexes.backends import build_index, by_size
from recsys.pipelines.encoders.checkpoints import MINILM
from recsys.pipelines.evaluation.evaluate import TWO_STAGE, EvaluateOptions, evaluate
from recsys.pipelines.index.encode import link_vectors
from recsys.pipelines.index.external_vectors import take
from recsys.pipelines.jobs.engines import ProcessPool
from recsys.pipelines.jobs.index_writer import locked, writing
from recsys.pipelines.jobs.kept_results import once
from recsys.pipelines.ranking.train_ranker import TrainOptions, train_ranker
from recsys.pipelines.studies.compared_encoders import (
    PARTS,
    ROWS,
    Bench,
    Maker,
    Wanted,
)
from recsys.pipelines.studies.embedding_probes import ProbeOptions, probe
from recsys.pipelines.studies.scidocs_suite import Source, SuiteOptions, evaluate_suite
from recsys.protocols import Progress
from recsys.store.artifacts import (
    CORPUS,
    TEXT,
    VECTORS,
    WORD_SEARCH,
    fingerprint,
    ranker_folder,
    sha256,
)
from recsys.store.corpus import Corpus
from recsys.store.generations import in_force, pin

_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""
EMBEDDING = "embedding"
TESTED = "query F1@20"
CLUSTERS = 20
SAMPLES = 1000
_MEGABYTE = 1e6

_Found: TypeAlias = dict[str, Any] | None
"""What a step found out, as JSON: figures, notes and a map; None where it was not asked for."""


def compare_encoders(bench: Bench, encoders: Sequence[Wanted]) -> Encoders:
    """Measure every encoder by everything that there are papers for.

    Raises:
        InputError: OUT holds something else, or an option or file cannot be used.
        ArtifactError: the index cannot be opened.
        SplitError: the split does not fit the index, or its parts overlap.
        MissingExtraError: the page could not be written at the end.
    """
    options, labelled = bench.options, bench.labelled_file
    for package in ("jinja2", "matplotlib"):
        need(package, "The page of a comparison")
    names = [each.name for each in encoders]
    usual = MINILM if MINILM in names else names[0]
    reference = usual if options.reference is None else options.reference
    check_name(reference, names, "encoder")
    bench.check()
    with locked(bench.out):
        _ = bench.split
        (bench.out / ROWS).mkdir(parents=True, exist_ok=True)
        _ = bench.suite, bench.labelled  # What is wrong with what all share ends the comparison.
        measured = [_measured(bench, each) for each in encoders]
    # Speeds as of one machine: by the encoder that took turns with each, over the rows.
    usual = np.median([speeds[1] for _, speeds in measured if speeds] or [0.0])
    rows = (
        replace(row, figures={**row.figures, SPEED: Figure(float(speeds[0] / speeds[1] * usual))})
        if speeds
        else row
        for row, speeds in measured
    )
    return Encoders(
        rows=tuple(rows),
        reference=reference,
        index=bench.index.name.removesuffix(".index"),
        part=options.part,
        label=options.label,
        papers="" if labelled is None else labelled.name,
        seed=options.seed,
        notes=bench.suite[1],
    )


def _measured(bench: Bench, wanted: Wanted) -> tuple[EncoderRow, tuple[float, float] | None]:
    """Do all steps of a row; note those that fail.

    Returns:
        The row; papers a second, and those of the encoder beside it.
    """
    folder = bench.out / ROWS / wanted.folder
    folder.mkdir(exist_ok=True)

    def told(stage: str, done: int, total: int) -> None:
        bench.progress(f"{wanted.name}: {stage}", done, total)

    maker = Maker(wanted, bench, folder, told)
    figures: dict[str, Figure] = {}
    notes, failed, drawn, speeds = list(wanted.notes), list[str](), None, None
    try:
        vectors, facts = maker.of_index()
        key = _hash(vectors)
    except RecsysError as error:
        return EncoderRow(wanted.name, {}, tuple(notes), (str(error),), None), None
    if facts:
        speeds = facts["speed"], facts["beside"]
        figures[SIZE] = Figure(facts["size"] / _MEGABYTE)
    for name, step in STEPS.items():
        try:
            found = step(maker, vectors, key) or {}
        except RecsysError as error:
            failed.append(f"{name}: {error}")
            continue
        figures |= {
            measure: from_record(each) for measure, each in found.get("figures", {}).items()
        }
        notes += found.get("notes", [])
        if "map" in found:
            drawn = map_of(wanted.name, found["map"])
    return EncoderRow(wanted.name, figures, tuple(notes), tuple(failed), drawn), speeds


def _hash(vectors: Path) -> str:
    """Hash vectors; another revision of what measures them gives another hash."""
    return fingerprint([_REVISION, [sha256(file) for file in embedding_files(vectors)]])


def _recommend(maker: Maker, vectors: Path, key: str) -> _Found:
    """Build an index on the vectors, train its ranker, ask it the queries.

    What an earlier, interrupted call has finished is kept.
    """
    bench, options, progress = maker.bench, maker.bench.options, maker.progress
    built = fingerprint([key, bench.key, options.seed])

    def work() -> dict[str, Any]:
        index = maker.folder / "with.index"
        try:
            finished = bool(pin(index).manifest().config["recipe"] == built)
        except ArtifactError:  # Not there, or damaged.
            finished = False
        if not finished:
            _build(bench.collection.folder, vectors, index, built, progress)
        if not ranker_folder(in_force(index), metadata=True).exists():
            own = TrainOptions(seed=options.seed)
            train_ranker(index, bench.split_file, own, progress=progress)
        asked = EvaluateOptions(
            options.part,
            (EMBEDDING, TWO_STAGE),
            seed=options.seed,
            engine=ProcessPool(options.jobs),
        )
        assessment = evaluate(
            index,
            bench.split_file,
            asked,
            maker.folder / "evaluation",
            open_index=bench.open_index,
            progress=progress,
        ).assessment
        queries = fingerprint(list(assessment.queries))
        figures = {}
        # Pooled F1@20 is tested query by query.
        for name, system, tested in ((RECALL, EMBEDDING, RECALL), (F1, TWO_STAGE, TESTED)):
            found = assessment.system(system)
            values = np.array(found.per_query[tested])
            figures[name] = asdict(bounded(found.measures[name], values, queries))
        return {"figures": figures}

    return once(maker.folder / "recommendations.json", fingerprint([built, options.part]), work)


def _build(index: Path, source: Path, out: Path, key: str, progress: Progress) -> None:
    """Build an index of the same papers on other vectors; what they do not change is linked."""
    config = dict(pin(index).manifest().config)
    with writing(out, new=True) as writer:
        made, folder = writer.unfinished / "vectors.made", writer.unfinished / VECTORS
        for each in (made, folder):
            shutil.rmtree(each, ignore_errors=True)
        words = config.get(WORD_SEARCH, {})
        corpus = Corpus.load(index / CORPUS)
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


def _suit(maker: Maker, vectors: Path, key: str) -> _Found:
    """Evaluate vectors on the suite."""
    bench, options = maker.bench, maker.bench.options
    suite, _ = bench.suite
    if suite is None:
        return None

    def work() -> dict[str, Any]:
        chosen = SuiteOptions(PARTS[options.part], seed=options.seed, jobs=options.jobs)
        source = Source("vectors", dict.fromkeys(Group, vectors))
        [row] = evaluate_suite(suite, [source], chosen, progress=maker.progress).rows
        figures = {name: asdict(each) for name, each in suite_figures(row).items()}
        return {"figures": figures, "notes": [f"SciDocs, {note}" for note in row.notes]}

    asked = fingerprint([key, bench.key, options.queries, options.part, options.seed])
    return once(maker.folder / "scidocs.json", asked, work)


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


def _probe(maker: Maker, vectors: Path, key: str) -> _Found:
    """Probe vectors of the labelled papers."""
    options, labelled = maker.bench.options, maker.bench.labelled
    sample = None if labelled is None else maker.of_sample(labelled)
    if labelled is None or sample is None:
        return None

    def work() -> dict[str, Any]:
        chosen = ProbeOptions(options.label or "", least=options.least, seed=options.seed)
        found = probe(labelled.file, {"vectors": sample}, chosen, progress=maker.progress)
        [group], [drawn] = found.groups, found.maps().values()
        figures = probe_figures(group, seed=options.seed)
        return {
            "figures": {name: asdict(each) for name, each in figures},
            "notes": [f"Probes: {note}" for note in found.notes],
            "map": map_record(drawn),
        }

    asked = fingerprint([_hash(sample), labelled.key, options.least, options.seed])
    return once(maker.folder / "probes.json", asked, work)


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


STEPS: Mapping[str, Callable[[Maker, Path, str], _Found]] = {
    "probes": _probe,
    "SciDocs": _suit,
    "recommendations": _recommend,
}
"""Each measures an encoder, by (maker, vectors of the index, their hash); longest last."""
