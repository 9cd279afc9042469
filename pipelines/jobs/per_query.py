"""Do something for every query by an engine, and survive being killed.

What is done is kept in a sidecar, one entry per query; when the same work starts again, only the
rest is done.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from recsys.pipelines.jobs.engines.engine_contract import Engine, Stage
from recsys.pipelines.jobs.partial_results import Entry, Sidecar
from recsys.progress import Progress, silent
from recsys.records import PaperId

if TYPE_CHECKING:
    from recsys.recommend import Recommender

OpenIndex: TypeAlias = Callable[..., "Recommender"]
"""Opens an index: `open_index(path, metadata=bool)`. A function of a module, for the workers."""
Start: TypeAlias = Callable[[], Callable[[PaperId], Entry]]
"""Called in every process; gives what makes the entry of a query, of values that JSON can hold."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """An entry per query, in the order of the queries. continued: how many were there already."""

    entries: Mapping[PaperId, Entry]
    continued: int


def asking(open_index: OpenIndex, candidates: tuple[str, ...] | None) -> OpenIndex:
    """Open indexes with candidates from these searches; None: from those of the ranker."""
    return open_index if candidates is None else partial(open_index, candidates=candidates)


def gather(
    stage: str,
    start: Start,
    queries: Sequence[PaperId],
    *,
    sidecar: Sidecar,
    engine: Engine,
    progress: Progress = silent,
) -> Gathered:
    """Make the missing entries. The sidecar stays: who uses the entries removes it.

    Args:
        stage: the name of the work, for `progress`.
        start: importable in another process; see `Stage`.
        queries: distinct ids.
        sidecar: where entries are kept.
        engine: makes them.
        progress: told after every entry.
    """
    kept = sidecar.read()
    entries = {query: kept[query] for query in queries if query in kept}
    continued = len(entries)
    left = [query for query in queries if query not in entries]
    work = Stage(stage, start)
    with sidecar.appending(entries) as append:
        progress(stage, continued, len(queries))
        with closing(engine.map(work, left)) as results:
            for at, entry in results:
                entries[left[at]] = entry
                append(left[at], entry)
                progress(stage, len(entries), len(queries))
    return Gathered({query: entries[query] for query in queries}, continued)
