"""Answer every query of a split's part and write a TREC run.

Finished answers are kept beside the run (`RUN.partial`), so a killed batch continues where it
stopped. The run itself is written whole at the end, in the split's order: it does not depend on how
many processes shared the work.
"""

import platform
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import CANDIDATE_RECALL, CANDIDATES, Interval, Judged, flag, summarise
from recsys.eval.recorded_runs import FACTS, QRELS, QUERIES, RUNS, SCHEMA
from recsys.eval.significance import sums_by_size
from recsys.eval.trec import run_lines, write_lines, write_qrels
from recsys.pipelines.evaluation.splits import gold, gold_ids, read_split
from recsys.pipelines.evaluation.system_table import SYSTEMS, check_systems
from recsys.pipelines.evaluation.systems import Ranked, SystemContext, prepare
from recsys.pipelines.jobs.engines import USUAL, Engine
from recsys.pipelines.jobs.kept_results import Entry, OpenIndex, Sidecar, asking, gather
from recsys.protocols import Progress, silent
from recsys.records import PaperId
from recsys.store.arrays import Rows
from recsys.store.artifacts import CREATED_BY, MANIFEST, fingerprint, sha256, write_json
from recsys.store.collection import Collection

WORK = ".work"
"""Folder beside a run for the indexes that some systems need beyond the built one."""
_FORMAT = "recsys.batch/6"
"""Raised when the same inputs would give other answers: unfinished runs then begin anew."""
SHOWN = 20
"""Papers of each answer whose probabilities are checked: those that a person sees."""


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """What to answer, and how.

    engine: asks the queries. seed: of the random system. candidates: what they come from; None:
    what the ranker was trained with.
    """

    part: str = "test"
    k: int = 100
    system: str = "two-stage"
    metadata: bool = True
    engine: Engine = USUAL
    seed: int = 0
    candidates: tuple[str, ...] | None = None

    @property
    def tag(self) -> str:
        """Name the system in the run."""
        return self.system if self.metadata else f"{self.system}-no-metadata"


@dataclass(frozen=True, slots=True)
class Response:
    """One query's answer.

    seconds: processor time it took. found: gold papers among its candidates. probabilities,
    outcomes: the chances of the papers that a person would see, and whether each is gold. by_size:
    sums over all candidates, as `significance.sums_by_size` adds them up.
    """

    papers: list[PaperId]
    scores: list[float]
    seconds: float
    candidates: int | None = None
    found: int | None = None
    probabilities: Sequence[float] = ()
    outcomes: Sequence[int] = ()
    by_size: Sequence[Sequence[float]] = ()


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What was answered and how good it is.

    measures: name -> figure with its bootstrap interval. continued: answers that an earlier,
    unfinished batch had left. milliseconds: median processor time of a query.
    """

    run: Path
    options: BatchOptions
    queries: int
    continued: int
    milliseconds: float
    measures: Mapping[str, Interval]

    def lines(self) -> list[str]:
        """Say it to people."""
        k = 20 if self.options.k >= 20 else 10
        names = [f"P@{k}", f"R@{k}", f"F1@{k}", "MRR"]
        shown = ", ".join(f"{name} {self.measures[name]}" for name in names)
        lines = [
            f"Answered {self.queries} {self.options.part} queries by {self.options.tag}, "
            f"{self.milliseconds:.1f} ms a query.",
            f"{shown}; 95 % intervals.",
        ]
        if CANDIDATES in self.measures:
            recall, number = self.measures[CANDIDATE_RECALL], self.measures[CANDIDATES].value
            lines.append(f"Candidate recall {recall} at {number:.0f} candidates a query.")
        if self.continued:
            lines.append(f"Continued: {self.continued} answers were there already.")
        return [*lines, f"Written to {self.run}."]


def run_batch(
    index: Path,
    split: Path,
    options: BatchOptions,
    run: Path,
    *,
    open_index: OpenIndex,
    progress: Progress = silent,
) -> BatchReport:
    """Answer the queries of `options.part`, each as of its own year, and write the run.

    Raises:
        SplitError: the split does not fit the index.
        InputError: no such system, k < 1, or ids that cannot stand in a run.
        ArtifactError: the index cannot be opened.
    """
    check_options(options)
    open_index = asking(open_index, options.candidates)
    collection = open_index(index, metadata=options.metadata).collection
    index = collection.folder  # For all processes the same generation.
    queries = read_split(split, collection).part(options.part)
    work = run.parent / WORK
    prepare([options.system], collection, work, metadata=options.metadata, progress=progress)
    sidecar = Sidecar(
        run.with_name(f"{run.name}.partial"), batch_fingerprint(index, split, options)
    )
    gathered = gather(
        f"answer {options.part}",
        partial(answerer, open_index, index, work, options),
        queries,
        sidecar=sidecar,
        engine=options.engine,
        progress=progress,
    )
    responses = {query: Response(**entry) for query, entry in gathered.entries.items()}
    write_responses(run, responses, options.tag)
    sidecar.remove()
    judged = []
    for query, answer in responses.items():
        right = set(gold_ids(collection, query))
        flags = flag(answer.papers, right)
        judged.append(Judged(flags, len(right), answer.candidates, answer.found))
    measures, took = summarise(judged, rng=np.random.default_rng(0)), milliseconds(responses)
    return BatchReport(run, options, len(queries), gathered.continued, took, measures)


def batch_fingerprint(index: Path, split: Path, options: BatchOptions) -> str:
    """Hash what answers depend on: the index's manifests, the split, the options."""
    chosen = {key: value for key, value in asdict(options).items() if key != "engine"}
    return fingerprint([_FORMAT, manifest_hashes(index), sha256(split), chosen])


def manifest_hashes(index: Path) -> list[list[str]]:
    """Hash the manifests of an index and of all its parts."""
    found = sorted(index.rglob(MANIFEST))
    return [[path.relative_to(index).as_posix(), sha256(path)] for path in found]


def check_options(options: BatchOptions) -> None:
    """Refuse a system that does not exist, and k < 1.

    Raises:
        InputError: either.
    """
    check_systems([options.system])
    if options.k < 1:
        raise InputError(f"k is {options.k}.", "Ask for at least one paper a query.")


def answerer(
    open_index: OpenIndex, index: Path, work: Path, options: BatchOptions
) -> Callable[[PaperId], Entry]:
    """Open the index in a worker; return what answers one query there."""
    recommender = open_index(index, metadata=options.metadata)
    rank = SYSTEMS[options.system].open(SystemContext(recommender, work, options.seed))
    collection = recommender.collection

    def respond(paper: PaperId) -> Entry:
        row = int(collection.corpus.rows([paper])[0])
        begun = time.process_time()  # Other processes share the machine.
        ranked = rank(recommender.query_of(row), row, options.k)
        seconds = time.process_time() - begun
        return entry_of(collection, ranked, seconds, gold(collection, row), SHOWN)

    return respond


def entry_of(
    collection: Collection, ranked: Ranked, seconds: float, right: Rows, shown: int
) -> Entry:
    """Keep an answer; right: gold rows. shown: so many papers' probabilities are kept."""
    papers = [collection.corpus.ids[row] for row in ranked.rows.tolist()]
    scores = ranked.scores.astype(np.float64).tolist()  # Exact, as JSON is.
    entry = asdict(Response(papers, scores, seconds))
    if ranked.candidates is not None:
        found = int(np.isin(ranked.candidates, right).sum())
        entry |= {"candidates": len(ranked.candidates), "found": found}
        if ranked.probabilities is not None:
            entry["probabilities"] = ranked.probabilities[:shown].tolist()
            entry["outcomes"] = np.isin(ranked.rows[:shown], right).astype(int).tolist()
            if len(ranked.probabilities) == len(ranked.candidates):
                hits = np.isin(ranked.candidates, right)
                sums = enumerate(sums_by_size(ranked.probabilities, hits))
                entry["by_size"] = [(size, *added) for size, added in sums if added[0]]
    return entry


def write_responses(run: Path, responses: Mapping[PaperId, Response], tag: str) -> None:
    """Write a run."""
    lines = (
        run_lines(query, answer.papers, np.array(answer.scores, np.float32), tag=tag)
        for query, answer in responses.items()
    )
    write_lines(run, chain.from_iterable(lines))


def milliseconds(responses: Mapping[PaperId, Response]) -> float:
    """Return the median processor time of a query."""
    return 1000 * float(np.median([response.seconds for response in responses.values()]))


MOST_PAIRS = 20_000
"""Probabilities that are kept for the reliability diagram of a system."""
_LIBRARIES = ("citerec", "numpy", "annoy", "lightgbm", "onnxruntime", "whoosh-reloaded")


def check_folder(out: Path) -> None:
    """Make the folder, unless something else is there.

    Raises:
        InputError: it is a file, or holds files of which none tells of an evaluation.
    """
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file.", "Give the path of a folder to write.")
    told = (out / FACTS).exists() or (out / WORK).exists()
    # Folders alone are nobody's: an evaluation that was killed at once leaves such.
    if out.is_dir() and not told and any(not path.is_dir() for path in out.rglob("*")):
        raise InputError(
            f"{out} is not empty and holds no evaluation.", "Give another folder, or a new one."
        )
    (out / RUNS).mkdir(parents=True, exist_ok=True)


def write_folder(
    out: Path, queries: Mapping[str, Mapping[str, Any]], facts: Mapping[str, Any]
) -> None:
    """Write all but the runs, and remove the runs of an earlier evaluation.

    queries: what `query_facts` tells of each, with its gold papers.
    """
    kept = {f"{name}.trec" for name in facts["systems"]}
    for path in (out / RUNS).glob("*.trec"):
        if path.name not in kept:
            path.unlink()
    write_qrels(out / QRELS, {name: list(query["gold"]) for name, query in queries.items()})
    write_json(out / QUERIES, queries)
    write_json(out / FACTS, facts)


def query_facts(collection: Collection, query: PaperId) -> dict[str, Any]:
    """Tell what slices and readers want to know of a query and its gold papers."""
    row = int(collection.corpus.rows([query])[0])
    paper = collection.corpus.full_papers([row])[0]
    return {
        "title": paper.title,
        "year": paper.year,
        "venue": paper.venue,
        "has_abstract": bool((paper.abstract or "").strip()),
        "authors": len(paper.authors),
        "gold": gold_facts(collection, gold(collection, row), int(collection.graph.years[row])),
    }


def gold_facts(collection: Collection, right: Rows, year: int) -> dict[PaperId, dict[str, Any]]:
    """Tell of gold papers how often they had been cited by a year."""
    cited = collection.graph.in_counts(right, year).tolist()
    return {
        each.id: {"in_citations": count, "title": each.title}
        for each, count in zip(collection.corpus.papers(right), cited, strict=True)
    }


def corpus_facts(collection: Collection) -> dict[str, Any]:
    """Name the corpus, and what it is by the hash of its papers."""
    return {
        "name": collection.name,
        "sha256": collection.corpus.stored.sha256(),
        "papers": len(collection.corpus),
        "links": len(collection.graph.cites.values),
    }


def versions() -> dict[str, str]:
    """Tell with which software the runs were made."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # Run from a source tree.
            found[name] = "unknown"
    return found


def answer_facts(
    collection: Collection,
    asked: Mapping[str, Any],
    answers: Mapping[str, Mapping[PaperId, Response]],
) -> dict[str, Any]:
    """Tell of the answers of systems: by what they were made, and what is known beside the runs.

    asked: what was asked; its seed samples the probabilities.
    """
    chosen = {
        name: responses
        for name, responses in answers.items()
        if any(each.candidates is not None for each in responses.values())
    }
    return {
        "schema": SCHEMA,
        **asked,
        "created_by": CREATED_BY,
        "versions": versions(),
        "corpus": corpus_facts(collection),
        "timing": {name: milliseconds(responses) for name, responses in answers.items()},
        "candidates": {
            name: {
                "count": {query: each.candidates for query, each in responses.items()},
                "found": {query: each.found for query, each in responses.items()},
            }
            for name, responses in chosen.items()
        },
        "calibration": {
            name: calibration_facts(responses, asked["seed"])
            for name, responses in answers.items()
            if any(each.probabilities for each in responses.values())
        },
    }


def calibration_facts(responses: Mapping[PaperId, Response], seed: int) -> dict[str, Any]:
    """Collect the probabilities shown and whether they came true, at most MOST_PAIRS."""
    chances = np.array([p for each in responses.values() for p in each.probabilities], np.float64)
    outcomes = np.array([o for each in responses.values() for o in each.outcomes], np.int64)
    kept = np.arange(len(chances))
    if len(kept) > MOST_PAIRS:
        kept = np.sort(np.random.default_rng(seed).choice(kept, MOST_PAIRS, replace=False))
    every: dict[int, list[float]] = defaultdict(lambda: [0, 0, 0.0])
    for size, *added in chain.from_iterable(each.by_size for each in responses.values()):
        every[int(size)] = [a + b for a, b in zip(every[int(size)], added, strict=True)]
    return {
        "probability": chances[kept].round(6).tolist(),
        "outcome": outcomes[kept].tolist(),
        "all_candidates": [every[size] for size in sorted(every)],
    }
