"""Answer every query of a split's part and write a TREC run.

Finished answers are kept beside the run (`RUN.partial`), so a killed batch continues where it
stopped. The run itself is written whole at the end, in the split's order: it does not depend on how
many processes shared the work.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from eval.measures import CANDIDATE_RECALL, CANDIDATES, Interval, Judged, flag, summarise
from eval.trec import run_lines, write_lines
from pipelines.sidecar import Sidecar
from pipelines.splits import gold, read_split
from pipelines.workers import processors, shared
from recsys.artifacts import MANIFEST, fingerprint, sha256
from recsys.candidates import propose
from recsys.collection import Collection
from recsys.errors import InputError, near_miss
from recsys.progress import Progress, silent
from recsys.protocols import Floats, Rows
from recsys.query import Query
from recsys.records import PaperId
from recsys.selection import best

if TYPE_CHECKING:
    from recsys.recommend import Recommender

OpenIndex: TypeAlias = Callable[..., "Recommender"]
"""Opens an index: `open_index(path, metadata=bool)`. A function of a module, for the workers."""

_FORMAT = "recsys.batch/1"


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """What to answer, and how. jobs: processes; None: one per processor."""

    part: str = "test"
    k: int = 100
    system: str = "two-stage"
    metadata: bool = True
    jobs: int | None = None

    @property
    def tag(self) -> str:
        """Name the system in the run."""
        return self.system if self.metadata else f"{self.system}-no-metadata"


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a system answers: rows best first, their scores, and the candidates' rows if any."""

    rows: Rows
    scores: Floats
    candidates: Rows | None = None


def _two_stage(recommender: "Recommender", query: Query, k: int) -> Ranked:
    ranking = recommender.rank(query)
    return Ranked(ranking.rows[:k], ranking.scores[:k], ranking.candidates.rows)


def _stage_one(recommender: "Recommender", query: Query, k: int) -> Ranked:
    candidates = propose(recommender.collection, query, recommender.stage_one)
    top = best(candidates.prior, k)
    return Ranked(candidates.rows[top], candidates.prior[top], candidates.rows)


def _embedding(recommender: "Recommender", query: Query, k: int) -> Ranked:
    index = recommender.collection.vector_index
    return Ranked(*index.search(query.vector, k, allowed=query.allowed))


def _bm25(recommender: "Recommender", query: Query, k: int) -> Ranked:
    index = recommender.collection.text_index
    return Ranked(*index.search(query.text, k, allowed=query.allowed))


SYSTEMS: Mapping[str, Callable[["Recommender", Query, int], Ranked]] = {
    "two-stage": _two_stage,
    "stage-one": _stage_one,
    "embedding": _embedding,
    "bm25": _bm25,
}


@dataclass(frozen=True, slots=True)
class Response:
    """One query's answer. found: gold papers among its candidates. seconds: time it took."""

    papers: list[PaperId]
    scores: list[float]
    seconds: float
    candidates: int | None = None
    found: int | None = None


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What was answered and how good it is.

    measures: name -> figure with its bootstrap interval. continued: answers that an earlier,
    unfinished batch had left. milliseconds: median time of a query on one thread.
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
    _check(options)
    collection = open_index(index, metadata=options.metadata).collection
    queries = read_split(split, collection).part(options.part)
    sidecar = Sidecar(
        run.with_name(f"{run.name}.partial"), batch_fingerprint(index, split, options)
    )
    entries = sidecar.read()
    continued = len(entries)
    left = [query for query in queries if query not in entries]
    start = partial(_answerer, open_index, index, options)
    with sidecar.appending(entries) as append:
        progress(f"answer {options.part}", continued, len(queries))
        with closing(shared(start, left, jobs=options.jobs or processors())) as results:
            for at, response in results:
                entries[left[at]] = asdict(response)
                append(left[at], entries[left[at]])
                progress(f"answer {options.part}", len(entries), len(queries))
    responses = {query: Response(**entries[query]) for query in queries}
    write_lines(run, _run_lines(responses, options.tag))
    sidecar.remove()
    return BatchReport(
        run,
        options,
        len(queries),
        continued,
        1000 * float(np.median([response.seconds for response in responses.values()])),
        summarise(_judged(collection, responses), rng=np.random.default_rng(0)),
    )


def batch_fingerprint(index: Path, split: Path, options: BatchOptions) -> str:
    """Hash what answers depend on: every manifest of the index, the split, the options."""
    manifests = [
        [path.relative_to(index).as_posix(), sha256(path)] for path in sorted(index.rglob(MANIFEST))
    ]
    chosen = {key: value for key, value in asdict(options).items() if key != "jobs"}
    return fingerprint([_FORMAT, manifests, sha256(split), chosen])


def _check(options: BatchOptions) -> None:
    if options.system not in SYSTEMS:
        raise InputError(
            f"There is no system {options.system!r}.{near_miss(options.system, SYSTEMS)}",
            f"The systems are {', '.join(SYSTEMS)}.",
        )
    if options.k < 1:
        raise InputError(f"k is {options.k}.", "Ask for at least one paper a query.")


def _answerer(
    open_index: OpenIndex, index: Path, options: BatchOptions
) -> Callable[[PaperId], Response]:
    """Open the index in a worker; return what answers one query there."""
    recommender = open_index(index, metadata=options.metadata)
    return partial(_respond, recommender, options)


def _respond(recommender: "Recommender", options: BatchOptions, paper: PaperId) -> Response:
    corpus = recommender.collection.corpus
    row = int(corpus.rows([paper])[0])
    begun = time.perf_counter()
    ranked = SYSTEMS[options.system](recommender, recommender.query_of(row), options.k)
    seconds = time.perf_counter() - begun
    papers = [corpus.ids[row] for row in ranked.rows.tolist()]
    scores = ranked.scores.astype(np.float64).tolist()  # Exact, as JSON is.
    if ranked.candidates is None:
        return Response(papers, scores, seconds)
    right = gold(recommender.collection, row)
    found = int(np.isin(right, ranked.candidates).sum())
    return Response(papers, scores, seconds, len(ranked.candidates), found)


def _run_lines(responses: Mapping[PaperId, Response], tag: str) -> Iterator[str]:
    for query, response in responses.items():
        scores = np.array(response.scores, np.float32)
        yield from run_lines(query, response.papers, scores, tag=tag)


def _judged(collection: Collection, responses: Mapping[PaperId, Response]) -> list[Judged]:
    judged = []
    for query, response in responses.items():
        row = int(collection.corpus.rows([query])[0])
        right = {collection.corpus.ids[each] for each in gold(collection, row).tolist()}
        flags = flag(response.papers, right)
        judged.append(Judged(flags, len(right), response.candidates, response.found))
    return judged
