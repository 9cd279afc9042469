"""Evaluate systems on a split's part: runs, judgements and facts in one folder, then assessed.

Answers are kept in OUT/.work until the end, so that a killed evaluation continues where it stopped.
The runs are the same for the same seed, whatever the number of processes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recsys.errors import InputError
from recsys.eval.recorded_runs import RUNS, SCHEMA
from recsys.eval.trec import Run, ordered, read_run, write_run
from recsys.pipelines.evaluation.batch import (
    MOST_PAIRS,
    WORK,
    BatchOptions,
    Response,
    answerer,
    batch_fingerprint,
    calibration_facts,
    candidate_facts,
    check_folder,
    check_options,
    corpus_facts,
    milliseconds,
    responses_of,
    versions,
    write_folder,
    write_responses,
)
from recsys.pipelines.evaluation.leakage import check_encoder, check_ranker, check_run
from recsys.pipelines.evaluation.query_studies import (
    SeedRow,
    StudyRow,
    k_answerer,
    k_rows,
    seed_answerer,
    seed_rows,
    self_citation_rows,
)
from recsys.pipelines.evaluation.splits import SPLIT_FILE, split_to_evaluate
from recsys.pipelines.evaluation.system_table import (
    RANKER,
    SYSTEMS,
    VECTORS,
    check_systems,
    needs_of,
)
from recsys.pipelines.evaluation.systems import MODELS, model_folder, prepare
from recsys.pipelines.jobs.engines import USUAL, Engine
from recsys.pipelines.jobs.kept_results import Entry, OpenIndex, Sidecar, Start, asking, gather
from recsys.progress import Progress, silent
from recsys.ranking.ranker import TreeRanker
from recsys.records import PaperId
from recsys.store.arrays import Floats
from recsys.store.artifacts import NNSELECT, sha256
from recsys.store.collection import Collection
from recsys.version import CREATED_BY

if TYPE_CHECKING:
    from recsys.eval.run_figures import Assessment
    from recsys.recommend import Recommender


# Runs of systems from elsewhere, checked before they are compared with ours.

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class External:
    """A run of the evaluated queries: (query, papers best first, scores), at most k papers each.

    other_queries: how many queries of the file were left out, since the part does not hold them.
    """

    rankings: Sequence[tuple[PaperId, list[PaperId], Floats]]
    sha256: str
    other_queries: int

    @property
    def facts(self) -> dict[str, object]:
        """Say where it came from."""
        return {
            "sha256": self.sha256,
            "answered": len(self.rankings),
            "other_queries": self.other_queries,
        }


def read_external(
    runs: Mapping[str, Path], collection: Collection, queries: Sequence[PaperId], *, k: int
) -> dict[str, External]:
    """Read runs, cut them to the queries and to k papers each, and check them for leakage.

    Scores may be on any scale: only their order counts, ties break by ascending id.

    Raises:
        InputError: a name that cannot be used, an unreadable run, unknown papers, or no line for
            any of the queries.
        LeakageError: it recommends papers newer than the query, or the query itself.
    """
    for name in runs:
        _check_name(name)
    return {name: _read(name, path, collection, queries, k) for name, path in runs.items()}


def _read(
    name: str, path: Path, collection: Collection, queries: Sequence[PaperId], k: int
) -> External:
    found = read_run(path)
    kept = {query: found[query] for query in queries if query in found}
    if not kept:
        raise InputError(
            f"The run {name} in {path} answers none of the {len(queries)} queries.",
            "Give a run over the same part of the split (--part).",
        )
    check_run(name, kept, collection)
    cut: Run = {
        query: {paper: scores[paper] for paper in ordered(scores)[:k]}
        for query, scores in kept.items()
    }
    rankings = [
        (query, list(scores), np.arange(len(scores), 0, -1, dtype=np.float32))
        for query, scores in cut.items()
    ]
    return External(rankings, sha256(path), len(found) - len(kept))


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} cannot name a run.", "Use letters, digits, dots, dashes and underscores."
        )
    if name in SYSTEMS:
        raise InputError(
            f"{name!r} is a system of recsys.", "Give the run from elsewhere another name."
        )


DEFAULT_SYSTEMS = ("bm25", "embedding", "stage-one", "two-stage")
TWO_STAGE = "two-stage"
_HEADLINES = ("F1@20", "MRR", "R@20", "R@100")


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """What to evaluate, and how.

    runs: name -> TREC run of a system from elsewhere. engine: asks the queries.
    k_study, self_citation, seed_study: whether to make these studies. candidates: what they come
    from; None: what the ranker was trained with. command: what the user typed.
    """

    part: str = "test"
    systems: Sequence[str] = DEFAULT_SYSTEMS
    runs: Mapping[str, Path] = field(default_factory=dict)
    k: int = 100
    seed: int = 0
    engine: Engine = USUAL
    metadata: bool = True
    k_study: bool = False
    self_citation: bool = False
    seed_study: bool = False
    candidates: tuple[str, ...] | None = None
    command: str = ""

    @property
    def names(self) -> list[str]:
        """The systems in the order of the table, each once."""
        return [name for name in SYSTEMS if name in self.systems]

    def batch(self, system: str, *, metadata: bool, calibration: float) -> BatchOptions:
        """Say how to ask one system."""
        return BatchOptions(
            self.part,
            self.k,
            system,
            metadata,
            self.engine,
            self.seed,
            calibration,
            self.candidates,
        )


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """What was evaluated.

    timing: median milliseconds of processor time a query. continued: answers that an earlier,
    unfinished evaluation had left.
    """

    folder: Path
    part: str
    queries: int
    timing: Mapping[str, float]
    continued: int
    warnings: Sequence[str]
    assessment: "Assessment"

    def lines(self) -> list[str]:
        """Say it to people."""
        lines = [f"Evaluated {self.queries} {self.part} queries; 95 % intervals."]
        for system in self.assessment.systems:
            shown = ", ".join(f"{name} {system.measures[name]}" for name in _HEADLINES)
            speed = self.timing.get(system.name)
            lines.append(f"{system.name}: {shown}" + (f", {speed:.1f} ms" if speed else ""))
        if self.continued:
            lines.append(f"Continued: {self.continued} answers were there already.")
        return [*lines, *self.warnings, f"Written to {self.folder}."]


@dataclass(slots=True)
class _Work:
    """An evaluation under way. done: sidecars to remove at the end."""

    index: Path
    split: Path
    options: EvaluateOptions
    folder: Path
    open_index: OpenIndex
    progress: Progress
    queries: tuple[PaperId, ...] = ()
    calibration: float = 0.0
    continued: int = 0
    done: list[Sidecar] = field(default_factory=list)

    def answers(self, system: str, *, metadata: bool) -> dict[PaperId, Response]:
        """Ask a system every query, or take what was answered before."""
        options = self.options.batch(system, metadata=metadata, calibration=self.calibration)
        start = partial(answerer, self.open_index, self.index, self.folder, options)
        key = batch_fingerprint(self.index, self.split, options)
        return responses_of(self.gather(options.tag, start, key))

    def gather(self, name: str, start: Start, key: str) -> Mapping[PaperId, Entry]:
        """Make an entry for every query."""
        sidecar = Sidecar(self.folder / f"{name}.partial", key)
        gathered = gather(
            f"ask {name}",
            start,
            self.queries,
            sidecar=sidecar,
            engine=self.options.engine,
            progress=self.progress,
        )
        if sidecar not in self.done:  # Else it continued what this same evaluation did.
            self.continued += gathered.continued
            self.done.append(sidecar)
        return gathered.entries


def evaluate(
    index: Path,
    split: Path | None,
    options: EvaluateOptions,
    out: Path,
    *,
    open_index: OpenIndex,
    progress: Progress = silent,
) -> EvaluationReport:
    """Ask the systems, write the folder, assess it; see `year_split` for a split that is None.

    Raises:
        SplitError: the split does not fit the index, or its parts overlap.
        NothingFound: there is no split, and none can be made.
        LeakageError: a model has seen the queries, or a run recommends the future.
        InputError: no such system, k < 1, or a run or folder that cannot be used.
        ArtifactError: the index cannot be opened.
    """
    from recsys.eval.judge_runs import assess

    _check(options)
    open_index = asking(open_index, options.candidates)
    recommender = open_index(index, metadata=options.metadata)
    collection = recommender.collection
    index = collection.folder  # For all processes the same generation.
    chosen = split_to_evaluate(split, collection, metadata=options.metadata)
    queries = chosen.split.part(options.part)
    external = read_external(options.runs, collection, queries, k=options.k)
    place = split or out / SPLIT_FILE
    work = _Work(index, place, options, out / WORK, open_index, progress, queries)
    work.calibration = min(1.0, MOST_PAIRS / (len(queries) * recommender.stage_one.candidates))
    warnings = [*chosen.told, *_guard_rankers(work, recommender)]
    warnings += [*_guard_encoder(work, collection), *_guard_models(work, collection)]
    check_folder(out)
    work.folder.mkdir(exist_ok=True)
    if split is None:
        chosen.save(place)
    prepare(options.names, collection, work.folder, metadata=options.metadata, progress=progress)
    answers = {name: work.answers(name, metadata=options.metadata) for name in options.names}
    studies = {
        "k_study": _k_study(work),
        "self_citation": _self_citation(work, collection),
        "seed_study": _seed_study(work),
    }
    for name, responses in answers.items():
        check_run(name, {query: each.papers for query, each in responses.items()}, collection)
        write_responses(out / RUNS / f"{name}.trec", responses, _tag(options, name))
    for name, run in external.items():
        write_run(out / RUNS / f"{name}.trec", run.rankings, tag=name)
    facts = _facts(work, collection, answers, external) | studies | {"warnings": warnings}
    write_folder(out, collection, queries, facts)
    assessment = assess(out, seed=options.seed)
    for sidecar in work.done:
        sidecar.remove()
    return EvaluationReport(
        out, options.part, len(queries), facts["timing"], work.continued, warnings, assessment
    )


def _check(options: EvaluateOptions) -> None:
    check_systems(options.systems)
    check_options(BatchOptions(k=options.k))
    if not (options.systems or options.runs):
        raise InputError("There is nothing to evaluate.", f"Some systems: {', '.join(SYSTEMS)}.")


def _guard_rankers(work: _Work, recommender: "Recommender") -> list[str]:
    """Check every ranker that will be asked; return the warnings."""
    options = work.options
    asked = {options.metadata: recommender}
    if options.self_citation:
        other = not options.metadata
        asked[other] = work.open_index(work.index, metadata=other)
    elif not (options.k_study or options.seed_study or RANKER in needs_of(options.names)):
        return []
    warnings = []
    for each in asked.values():
        folder = each.ranker.folder if isinstance(each.ranker, TreeRanker) else None
        warning = check_ranker(folder, each.collection, options.part, work.queries)
        warnings += [] if warning is None else [warning]
    return warnings


def _guard_encoder(work: _Work, collection: Collection) -> list[str]:
    """Check the encoder, where its vectors take part; return the warnings."""
    options = work.options
    studies = options.k_study or options.self_citation or options.seed_study
    if not studies and VECTORS not in needs_of(options.names):
        return []
    warning = check_encoder(collection, options.part, work.queries)
    return [] if warning is None else [warning]


def _guard_models(work: _Work, collection: Collection) -> list[str]:
    """Check every other model that will be asked; return the warnings."""
    warnings = []
    asked = needs_of(work.options.names).intersection(MODELS)
    if collection.nnselect is not None:  # Then candidates or features are NNSelect's.
        asked |= {NNSELECT}
    for name in sorted(asked):
        folder = model_folder(collection, name, work.options.metadata)
        part, queries = work.options.part, work.queries
        warning = check_ranker(folder, collection, part, queries, what=name)
        warnings += [] if warning is None else [warning]
    return warnings


def _tag(options: EvaluateOptions, name: str) -> str:
    return options.batch(name, metadata=options.metadata, calibration=0).tag


def _k_study(work: _Work) -> list[StudyRow] | None:
    if not work.options.k_study:
        return None
    start = partial(k_answerer, work.open_index, work.index, work.options.metadata)
    options = work.options.batch("k-study", metadata=work.options.metadata, calibration=0)
    key = batch_fingerprint(work.index, work.split, options)
    return k_rows(list(work.gather("k-study", start, key).values()))


def _seed_study(work: _Work) -> list[SeedRow] | None:
    if not work.options.seed_study:
        return None
    chosen = work.options
    start = partial(seed_answerer, work.open_index, work.index, chosen.metadata, chosen.seed)
    options = chosen.batch("seed-study", metadata=chosen.metadata, calibration=0)
    key = batch_fingerprint(work.index, work.split, options)
    entries = list(work.gather("seed-study", start, key).values())
    return seed_rows(entries, seed=chosen.seed)


def _self_citation(work: _Work, collection: Collection) -> list[StudyRow] | None:
    if not work.options.self_citation:
        return None
    lists = {
        metadata: {
            query: response.papers
            for query, response in work.answers(TWO_STAGE, metadata=metadata).items()
        }
        for metadata in (True, False)
    }
    return self_citation_rows(collection, lists, work.options.k)


def _facts(
    work: _Work,
    collection: Collection,
    answers: Mapping[str, Mapping[PaperId, Response]],
    external: Mapping[str, External],
) -> dict[str, Any]:
    options = work.options
    return {
        "schema": SCHEMA,
        "command": options.command,
        "part": options.part,
        "k": options.k,
        "seed": options.seed,
        "metadata": options.metadata,
        "systems": [*answers, *external],
        "external": {name: run.facts for name, run in external.items()},
        "created_by": CREATED_BY,
        "versions": versions(),
        "corpus": corpus_facts(work.index, collection),
        "split_sha256": sha256(work.split),
        "timing": {name: milliseconds(responses) for name, responses in answers.items()},
        "candidates": {
            name: candidate_facts(responses)
            for name, responses in answers.items()
            if all(each.candidates is not None for each in responses.values())
        },
        "calibration": {
            name: calibration_facts(responses, options.seed)
            for name, responses in answers.items()
            if any(each.probabilities for each in responses.values())
        },
    }
