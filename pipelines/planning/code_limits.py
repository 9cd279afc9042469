"""What breaks first: limits of the code and of machines, by the papers that it takes to reach them.

One literal table; a row says where in the code a limit is, so that tests hold it against that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recsys.indexes.backends import SMALL
from recsys.pipelines.planning.answering_plan import answer_figures, memory_to_answer
from recsys.pipelines.planning.building_plan import (
    WITHIN,
    disk_figures,
    encoding_hours,
    memory_figures,
)
from recsys.pipelines.planning.figure_sources import Rates
from recsys.pipelines.planning.growth_laws import LISTS, MOST_LISTS
from recsys.pipelines.planning.machine_kinds import FREE, GB, MachineKind
from recsys.pipelines.planning.measured_rates import Rate
from recsys.pipelines.planning.plan_values import Reached, Workload

ROWS = 2**31 - 1
"""Papers that an int32 tells apart."""
SLOW_ANSWER, SLOW_OPENING = 1000.0, 10_000.0
"""Milliseconds."""
SEALING = 3600.0
LARGEST_OBJECT, LARGEST_COPY = 5 * 2**40, 5 * 2**30
"""Bytes of one object of S3, and of one that it copies in a step."""
_MOST = 1 << 40


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Where a plan is looked at for limits: builder, answerer: the machines it chose."""

    rates: Mapping[str, Rate]
    workload: Workload
    builder: MachineKind
    answerer: MachineKind

    def of(self, papers: int) -> Rates:
        """Return the rates for another number of papers."""
        asked = self.workload
        return Rates(
            self.rates, Workload(papers, asked.dim, asked.queries, asked.gpu, asked.network)
        )


@dataclass(frozen=True, slots=True)
class LimitRow:
    """A limit. papers: how many reach it. effect, remedy, where: see `Reached`."""

    papers: Callable[[Circumstances], float]
    effect: str
    remedy: str
    where: str


def first_above(value: Callable[[int], float], bound: float) -> float:
    """Find the fewest papers for which an ascending value is above a bound."""
    low, high = 0, 1
    while value(high) <= bound:
        low, high = high, 2 * high
        if high > _MOST:
            return float("inf")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if value(middle) <= bound else (low, middle)
    return float(high)


def reading_memory(given: Circumstances) -> float:
    """Count the papers whose reading fits into the memory of the machine that builds."""
    return first_above(
        lambda n: memory_figures(given.of(n))[0].value or 0, FREE * given.builder.memory
    )


def answering_memory(given: Circumstances) -> float:
    """Count the papers of which the machine that answers holds all that is read."""

    def needed(papers: int) -> float:
        # Of `ivf` alone: that of the few papers before it is larger, and would not ascend.
        return memory_to_answer(disk_figures(given.of(max(papers, SMALL)))).value or 0

    return first_above(needed, FREE * given.answerer.memory)


def slow_answers(given: Circumstances) -> float:
    """Count the papers from which on an answer takes a second."""
    return first_above(
        lambda n: answer_figures(given.of(max(n, SMALL)))[-2].value or 0, SLOW_ANSWER
    )


def slow_encoding(given: Circumstances) -> float:
    """Count the papers that the machine that builds encodes in a day."""
    hours = encoding_hours(given.of(SMALL))
    if hours is None:
        return float("inf")
    return WITHIN * given.builder.processors * SMALL / hours


LIMITS: Mapping[str, LimitRow] = {
    "lists of `ivf`": LimitRow(
        lambda given: (MOST_LISTS / LISTS) ** 2,
        "there are no more lists: each grows, and a search takes longer as the papers do",
        "the search measures itself and scans more of the lists; answers stay as good",
        "recsys.indexes.ivf_index:MOST_LISTS",
    ),
    "a forest of Annoy": LimitRow(
        lambda given: first_above(
            lambda n: given.rates["forest"].at(n) * given.workload.dim / 384,
            FREE * given.builder.memory * GB,
        ),
        "it is planted in memory, and no longer fits",
        "it is never chosen by itself: `ivf` is, from 40,000 papers on",
        "recsys.indexes.backends:by_size",
    ),
    "memory to read papers": LimitRow(
        reading_memory,
        "what is compared of all papers no longer fits into the memory of the machine that builds",
        "a machine with more memory; `recsys corpus` may do it elsewhere",
        "recsys.pipelines.corpora.collect:collect",
    ),
    "memory to answer": LimitRow(
        answering_memory,
        "what answers read no longer fits into memory: they wait for the disk",
        "files are mapped, so that answers stay right; `--vectors lance` reads from the disk by "
        "design",
        "recsys.store.arrays:load_array",
    ),
    "a day of encoding": LimitRow(
        slow_encoding,
        "one machine encodes for more than a day",
        "`--engine ray` shares it; what is encoded is kept when a build is killed",
        "recsys.pipelines.index.encode:encode_corpus",
    ),
    "answers in a second": LimitRow(
        slow_answers,
        "an answer takes a second of a processor",
        "nothing: more machines answer more people, none of them sooner",
        "recsys.recommend:Recommender",
    ),
    "opening in ten seconds": LimitRow(
        lambda given: first_above(given.rates["opening"].at, SLOW_OPENING),
        "every array is checked when an index is opened: a command waits for that",
        "`recsys serve` opens it once",
        "recsys.store.soundness:check_corpus",
    ),
    "an hour of checksums": LimitRow(
        lambda given: first_above(given.rates["sealing"].at, SEALING),
        "the SHA-256 of every file in the manifest takes an hour",
        "an update takes those of changed files alone",
        "recsys.store.artifacts:sha256",
    ),
    "rows": LimitRow(
        lambda given: ROWS,
        "papers are numbered by int32",
        "nothing: divide the corpus",
        "recsys.store.arrays:Rows",
    ),
    "pairs of rows": LimitRow(
        lambda given: float(int(2**31.5)),
        "a link is one int64 while links are sorted: citing row times papers plus cited row",
        "rows end before",
        "recsys.store.graph:_grouped",
    ),
    "copies on a store": LimitRow(
        lambda given: LARGEST_COPY / (2 * given.workload.dim),
        "S3 copies no object of more than 5 GiB in one step: the exact part of the vectors is one",
        "it is sent again, even where another ranker is all that changed",
        "recsys.pipelines.remote.object_store:ObjectFolder",
    ),
    "one file on a store": LimitRow(
        lambda given: LARGEST_OBJECT / (2 * given.workload.dim),
        "the largest file, the exact part of the vectors, is larger than an object of S3 may be",
        "rows end before",
        "recsys.indexes.rounded:write_split",
    ),
    "places of postings": LimitRow(
        lambda given: float("inf"),
        "where the papers of a word begin is an int64: no corpus reaches its end",
        "nothing needs to be done",
        "recsys.indexes.postings:STARTS",
    ),
}
"""Every limit by its name."""


def limits(given: Circumstances) -> tuple[Reached, ...]:
    """List the limits, the nearest first, and tell which the workload has reached."""
    found = ((name, row.papers(given), row) for name, row in LIMITS.items())
    return tuple(
        Reached(name, papers, row.effect, row.remedy, row.where, given.workload.papers >= papers)
        for name, papers, row in sorted(found, key=lambda each: (each[1], each[0]))
    )
