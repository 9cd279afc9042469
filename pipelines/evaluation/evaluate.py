"""Evaluate systems on a split's part: runs, judgements and facts in one folder, then assessed.

Answers are kept in OUT/.work until the end, so that a killed evaluation continues where it stopped.
The runs are the same for the same seed, whatever the number of processes.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recsys.errors import InputError
from recsys.eval.recorded_runs import RUNS
from recsys.eval.trec import ordered, read_run, write_run
from recsys.pipelines.evaluation.batch import (
    SHOWN,
    WORK,
    BatchOptions,
    Response,
    answer_facts,
    answerer,
    batch_fingerprint,
    check_folder,
    check_options,
    query_facts,
    write_folder,
    write_responses,
)
from recsys.pipelines.evaluation.leakage import (
    check_encoder,
    check_ranker,
    check_run,
    folder_of,
    ranker_facts,
)
from recsys.pipelines.evaluation.query_studies import (
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
from recsys.protocols import Progress, silent
from recsys.records import PaperId
from recsys.store.arrays import Floats
from recsys.store.artifacts import NNSELECT, sha256
from recsys.store.collection import Collection

if TYPE_CHECKING:
    from recsys.eval.run_figures import Assessment
    from recsys.recommend import Recommender


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class External:
    """A run of the evaluated queries: (query, papers best first, scores), at most k papers each.

    facts: where it came from, and how many queries of the file the part does not hold.
    """

    rankings: Sequence[tuple[PaperId, list[PaperId], Floats]]
    facts: Mapping[str, str | int]


def read_external(
    runs: Mapping[str, Path], collection: Collection, queries: Sequence[PaperId], *, k: int
) -> dict[str, External]:
    """Read runs of systems from elsewhere, checked before they are compared with ours.

    They are cut to the queries and to k papers each. Scores may be on any scale: only their order
    counts, ties break by ascending id.

    Raises:
        InputError: a name that cannot be used, an unreadable run, unknown papers, or no line for
            any of the queries.
        LeakageError: it recommends papers newer than the query, or the query itself.
    """
    for name in runs:
        if not _NAME.fullmatch(name):
            raise InputError(
                f"{name!r} cannot name a run.", "Use letters, digits, dots, dashes and underscores."
            )
        if name in SYSTEMS:
            raise InputError(
                f"{name!r} is a system of recsys.", "Give the run from elsewhere another name."
            )
    external = {}
    for name, path in runs.items():
        run = read_run(path)
        answered = {query: run[query] for query in queries if query in run}
        if not answered:
            raise InputError(
                f"The run {name} in {path} answers none of the {len(queries)} queries.",
                "Give a run over the same part of the split (--part).",
            )
        check_run(name, answered, collection)
        best = {query: ordered(scores)[:k] for query, scores in answered.items()}
        rankings = [
            (query, papers, np.arange(len(papers), 0, -1, dtype=np.float32))
            for query, papers in best.items()
        ]
        counts = {"answered": len(answered), "other_queries": len(run) - len(answered)}
        external[name] = External(rankings, {"sha256": sha256(path), **counts})
    return external


DEFAULT_SYSTEMS = ("bm25", "embedding", "stage-one", "two-stage")
TWO_STAGE = "two-stage"
_HEADLINES = ("F1@20", "MRR", "R@100")
"""What the terminal shows: with their intervals they fit in 80 columns."""


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

    def batch(self, system: str, *, metadata: bool) -> BatchOptions:
        """Say how to ask one system."""
        asked = BatchOptions(self.part, self.k, system, metadata, self.engine, self.seed)
        return replace(asked, candidates=self.candidates)


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

    def table(self) -> str:
        """Write the systems by their main measures, for a terminal."""
        from recsys.eval.report.system_tables import brief_table

        caption = f"{self.queries:,} {self.part} queries; 95 % intervals; processor time per query."
        return brief_table(self.assessment, caption, _HEADLINES, self.timing)

    def lines(self) -> list[str]:
        """Say to people what the table does not show."""
        lines = []
        for name, found in self.assessment.reliability.items():
            every = found.error_of_all
            beside = "" if every is None else f", of all candidates {every:.4f}"
            lines.append(
                f"{name}: calibration error of the top {SHOWN} is {found.error:.4f}{beside}."
            )
        if self.continued:
            lines.append(f"Continued: {self.continued:,} answers were there already.")
        folder = shlex.quote(str(self.folder))
        return [*lines, *self.warnings, f"Written to {self.folder}. Next: recsys report {folder}"]


@dataclass(slots=True)
class _Evaluation:
    """An evaluation under way. done: sidecars to remove at the end."""

    index: Path
    split: Path
    options: EvaluateOptions
    folder: Path
    open_index: OpenIndex
    progress: Progress
    queries: tuple[PaperId, ...]
    continued: int = 0
    done: list[Sidecar] = field(default_factory=list)

    def answers(self, system: str, *, metadata: bool) -> dict[PaperId, Response]:
        """Ask a system every query, or take what was answered before."""
        asked = self.options.batch(system, metadata=metadata)
        start = partial(answerer, self.open_index, self.index, self.folder, asked)
        entries = self.entries(asked.tag, start, asked)
        return {query: Response(**entry) for query, entry in entries.items()}

    def study(self, name: str, start: Start) -> list[Entry]:
        """Ask every query in the ways of a study."""
        asked = self.options.batch(name, metadata=self.options.metadata)
        return list(self.entries(name, start, asked).values())

    def entries(self, name: str, start: Start, asked: BatchOptions) -> Mapping[PaperId, Entry]:
        """Make an entry for every query, or take what was made before."""
        key = batch_fingerprint(self.index, self.split, asked)
        sidecar = Sidecar(self.folder / f"{name}.partial", key)
        gathered = gather(
            f"asking {name}",
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

    def warnings(self, recommender: "Recommender") -> list[str]:
        """Refuse models that have seen the queries; return what is to be said of the others."""
        options, collection = self.options, recommender.collection
        studied = options.k_study or options.self_citation or options.seed_study
        needs = needs_of(options.names)
        asked = {options.metadata: recommender} if studied or RANKER in needs else {}
        if options.self_citation:
            other = not options.metadata
            asked[other] = self.open_index(self.index, metadata=other)
        warnings = []
        for each in asked.values():
            folder = folder_of(each.ranker)
            warnings.append(check_ranker(folder, each.collection, options.part, self.queries))
        if studied or VECTORS in needs:
            warnings.append(check_encoder(collection, options.part, self.queries))
        models = needs.intersection(MODELS)
        if collection.nnselect is not None:  # Then candidates or features are NNSelect's.
            models |= {NNSELECT}
        for name in sorted(models):
            folder = model_folder(collection, name, options.metadata)
            part = options.part
            warnings.append(check_ranker(folder, collection, part, self.queries, what=name))
        return [warning for warning in warnings if warning is not None]

    def studies(self, collection: Collection) -> dict[str, Any]:
        """Make the studies that are asked for; None for the others."""
        options, metadata = self.options, self.options.metadata
        made: dict[str, Any] = dict.fromkeys(("k_study", "self_citation", "seed_study"))
        if options.k_study:
            start = partial(k_answerer, self.open_index, self.index, metadata)
            made["k_study"] = k_rows(self.study("k-study", start))
        if options.self_citation:
            lists = {
                named: {
                    query: answer.papers
                    for query, answer in self.answers(TWO_STAGE, metadata=named).items()
                }
                for named in (True, False)
            }
            made["self_citation"] = self_citation_rows(collection, lists, options.k)
        if options.seed_study:
            start = partial(seed_answerer, self.open_index, self.index, metadata, options.seed)
            made["seed_study"] = seed_rows(self.study("seed-study", start), seed=options.seed)
        return made


def evaluate(
    index: Path,
    split: Path | None,
    options: EvaluateOptions,
    out: Path,
    *,
    open_index: OpenIndex,
    progress: Progress = silent,
) -> EvaluationReport:
    """Ask the systems, write the folder, assess it; no split: see `splits.split_to_evaluate`.

    Raises:
        SplitError: the split does not fit the index, or its parts overlap.
        NothingFound: there is no split, and none can be made.
        LeakageError: a model has seen the queries, or a run recommends the future.
        InputError: no such system, k < 1, or a run or folder that cannot be used.
        ArtifactError: the index cannot be opened.
    """
    from recsys.eval.judge_runs import assess

    check_systems(options.systems)
    check_options(BatchOptions(k=options.k))
    if not (options.systems or options.runs):
        raise InputError("There is nothing to evaluate.", f"Some systems: {', '.join(SYSTEMS)}.")
    open_index = asking(open_index, options.candidates)
    recommender = open_index(index, metadata=options.metadata)
    collection = recommender.collection
    index = collection.folder  # For all processes the same generation.
    chosen = split_to_evaluate(split, collection, metadata=options.metadata)
    queries = chosen.split.part(options.part)
    external = read_external(options.runs, collection, queries, k=options.k)
    place, work = split or out / SPLIT_FILE, out / WORK
    under_way = _Evaluation(index, place, options, work, open_index, progress, queries)
    warnings = [*chosen.told, *under_way.warnings(recommender)]
    check_folder(out)
    work.mkdir(exist_ok=True)
    if split is None:
        chosen.save(place)
    prepare(options.names, collection, work, metadata=options.metadata, progress=progress)
    answers = {name: under_way.answers(name, metadata=options.metadata) for name in options.names}
    studies = under_way.studies(collection)
    for name, responses in answers.items():
        check_run(name, {query: each.papers for query, each in responses.items()}, collection)
        tag = options.batch(name, metadata=options.metadata).tag
        write_responses(out / RUNS / f"{name}.trec", responses, tag)
    for name, run in external.items():
        write_run(out / RUNS / f"{name}.trec", run.rankings, tag=name)
    theirs = {name: run.facts for name, run in external.items()}
    asked = {
        "command": options.command,
        "part": options.part,
        "k": options.k,
        "seed": options.seed,
        "metadata": options.metadata,
        "systems": [*answers, *theirs],
        "external": theirs,
        "split_sha256": sha256(place),
        "split": chosen.rule,
        "ranker": ranker_facts(recommender.ranker, collection),
    }
    facts = answer_facts(collection, asked, answers) | studies | {"warnings": warnings}
    write_folder(out, {each: query_facts(collection, each) for each in queries}, facts)
    assessment = assess(out, seed=options.seed)
    for sidecar in under_way.done:
        sidecar.remove()
    count, continued, timing = len(queries), under_way.continued, facts["timing"]
    return EvaluationReport(out, options.part, count, timing, continued, warnings, assessment)
