"""What building and answering cost, in a process of its own: JSON on stdout.

Run as a file, `python -P timed_programs.py PROGRAM ARGUMENTS`, with PYTHONPATH naming the checkout
whose code shall be measured: these programs import nothing but what versions to compare have in
common. Drafts are papers of the corpus, their stored vectors given, so that nothing is encoded.
Times of answers are CPU milliseconds; run them on one thread.
"""

import json
import os
import resource
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from threading import Event, Thread
from typing import Any

import numpy as np

import recsys
from recsys.query.query import draft_of
from recsys.recommend import Recommender
from recsys.records import Draft
from recsys.store.arrays import Floats
from recsys.store.generations import pin

SHOWN, REFERENCES, MANY_REFERENCES = 20, 31, 40
WARM_UP, TIMED, TIMED_CITING = 8, 40, 16
ASKED, NEIGHBOURS = 200, 200
"""Papers whose nearest are searched for, and how many these are."""
PARTS: Sequence[tuple[str, Callable[[str], bool]]] = (
    ("vectors", lambda path: path in ("vectors/vectors.npy", "vectors/rests.npy")),
    ("their search", lambda path: path.startswith("vectors/")),
    ("text", lambda path: path.startswith("text/")),
    ("Parquet", lambda path: path.endswith(".parquet")),
    ("columns and links", lambda path: path.startswith("corpus/")),
    ("others", lambda path: True),
)
"""Files of an index, by what they are for: the first that fits."""

Figures = dict[str, Any]
Text = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class StoredVector:
    """An encoder that knows its one answer: for timing everything but encoding."""

    vector: Floats
    fingerprint: str = "stored"

    @property
    def dim(self) -> int:
        """Length of the vector."""
        return len(self.vector)

    def encode(self, texts: Sequence[Text]) -> Floats:
        """Return the stored vector for each text."""
        return np.tile(self.vector, (len(texts), 1))


def build(papers: str, vectors: str, out: str, backend: str | None = None) -> Figures:
    """Build an index with given vectors: what each stage took, and what each part weighs.

    CPU seconds, those of child processes included. See `taken` for the rest.
    """
    import recsys.pipelines.index.build as module

    spent: dict[str, Figures] = {}

    def timed(name: str, run: Callable[..., Figures], *given: Any) -> Figures:  # noqa: ANN401
        with taken() as spent[name]:
            return run(*given)

    module.STAGES = {
        name: replace(stage, run=partial(timed, name, stage.run))
        for name, stage in module.STAGES.items()
    }
    options = module.BuildOptions(encoder=None, embeddings=Path(vectors), force=True)
    options = replace(options, vectors=backend) if backend else options
    with taken(Path(out)) as whole:
        report = module.build([Path(papers)], Path(out), options, cache=Path(out).parent / "cache")
    return {
        **{name: report.config[name] for name in ("papers", "links", "terms")},
        "backend": report.config["ann"].get("backend", "annoy"),
        "kept": list(report.kept),
        "stages": spent,
        **whole,
        "bytes": weigh(pin(Path(out)).folder),
    }


def update(papers: str, vectors: str, index: str) -> Figures:
    """Add papers with given vectors to an index: what that took."""
    from recsys.pipelines.index.update import UpdateOptions
    from recsys.pipelines.index.update import update as run

    with taken(Path(index)) as whole:
        run(Path(index), [Path(papers)], UpdateOptions(embeddings=Path(vectors)))
    return {"papers": pin(Path(index)).manifest().config["papers"], **whole}


@contextmanager
def taken(folder: Path | None = None) -> Iterator[Figures]:
    """Note what a `with` block takes: time, and memory and disk at most, looked at now and then.

    own_mib: memory that no file backs. mapped_mib: pages of files, which the system takes back
    where it needs them. peak_mib: both together, of this process or a child of it, since it began.
    bytes_at_most: in the files below a folder, each counted once.
    """
    found: Figures = {"own_mib": 0.0, "mapped_mib": 0.0}
    begun, begun_wall, done = _cpu(), time.perf_counter(), Event()

    def look() -> None:
        number = 0
        while not done.wait(0.05 if number else 0.0):
            for name, value in memory().items():
                found[name] = max(found[name], value)
            if folder is not None and number % 40 == 0:
                found["bytes_at_most"] = max(found.get("bytes_at_most", 0), weigh_all(folder))
            number += 1

    watcher = Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        done.set()
        watcher.join()
        found |= {"cpu_seconds": _cpu() - begun, "seconds": time.perf_counter() - begun_wall}
        if folder is not None:  # It may have taken less than until the second look.
            found["bytes_at_most"] = max(found.get("bytes_at_most", 0), weigh_all(folder))
        found["peak_mib"] = _peak()


def memory() -> dict[str, float]:
    """Tell what the process holds now, see `taken`; nothing where the system does not say."""
    path = Path("/proc/self/status")
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    told = {
        name: rest.split()[0]
        for name, _, rest in (line.partition(":") for line in lines)
        if name in ("RssAnon", "RssFile")
    }
    return {
        name: int(told.get(key, 0)) / 1024
        for name, key in (("own_mib", "RssAnon"), ("mapped_mib", "RssFile"))
    }


def weigh_all(folder: Path) -> int:
    """Add up the bytes of all files below a folder; one with several names counts once."""
    sizes = {}
    for path in folder.rglob("*"):
        with suppress(OSError):  # It may be gone by now.
            status = path.lstat()
            sizes[status.st_ino] = status.st_size * S_ISREG(status.st_mode)
    return sum(sizes.values())


def weigh(folder: Path) -> dict[str, int]:
    """Add up the bytes of an index's files by part."""
    total: Counter[str] = Counter()
    for path in folder.rglob("*"):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            total[next(part for part, fits in PARTS if fits(name))] += path.stat().st_size
    return dict(total)


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _peak() -> float:
    own, children = (
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return max(own, children) / (1 << (20 if sys.platform == "darwin" else 10))


def answers(index: str, drafts: str) -> Figures:
    """Time opening, the first answer, warm ones, and their parts."""
    begun = time.process_time()
    recommender = recsys.load(index)
    opening = 1000 * (time.process_time() - begun)
    with Path(drafts).open(encoding="utf-8") as file:
        ids = [json.loads(line)["id"] for line in islice(file, TIMED + WARM_UP)]
    rows = [int(row) for row in recommender.collection.corpus.rows(ids)]
    plain = posed(recommender, rows)
    first = time_answers(recommender, rows[:1], plain[:1])
    citing = posed(recommender, rows[:TIMED_CITING], REFERENCES)
    time_answers(recommender, rows[-WARM_UP:], plain[-WARM_UP:])
    warm, cited = list[float](), list[float]()
    for at in range(0, TIMED, 8):  # Taking turns: a machine that is busy for a while slows all.
        warm += time_answers(recommender, rows[at : at + 8], plain[at : at + 8])
        half = slice(at // 2, at // 2 + 4)
        cited += time_answers(recommender, rows[half], citing[half])
    return {
        "papers": len(recommender.collection.corpus),
        "opening": opening,
        "first": first[0],
        "memory": memory(),
        "warm": statistics.median(warm),
        "with references": statistics.median(cited),
        "parts": time_parts(recommender, rows[:TIMED], plain),
    }


def posed(recommender: Recommender, rows: Sequence[int], references: int = 0) -> list[Draft]:
    """Pose papers as drafts; references: so many of the older papers nearest to each are cited."""
    collection = recommender.collection
    drafts = [draft_of(collection.corpus.full_papers([row])[0]) for row in rows]
    if not references:
        return drafts
    citing = []
    for row, draft in zip(rows, drafts, strict=True):
        older = collection.corpus.years < (draft.as_of or 0)
        vector = np.array(collection.vectors[row])
        near, _ = collection.vector_index.search(vector, references, allowed=older)
        ids = tuple(collection.corpus.ids[int(each)] for each in near)
        citing.append(replace(draft, references=ids))
    return citing


def milliseconds(call: Callable[..., object], *given: object) -> float:
    """Take the processor time of a call."""
    begun = time.process_time()
    call(*given)
    return 1000 * (time.process_time() - begun)


def time_answers(
    recommender: Recommender, rows: Sequence[int], drafts: Sequence[Draft]
) -> list[float]:
    """Answer drafts whose vectors are those of rows: milliseconds of each."""
    encoders = (StoredVector(recommender.collection.vectors[row]) for row in rows)
    return [
        milliseconds(replace(recommender, encoder=encoder).recommend, draft, SHOWN)
        for encoder, draft in zip(encoders, drafts, strict=False)
    ]


def time_parts(
    recommender: Recommender, rows: Sequence[int], drafts: Sequence[Draft]
) -> dict[str, float]:
    """Answer drafts while the calls inside are timed: the median of what each part takes.

    `trees` are all scores, also by networks, and `ranking` holds all before it. `candidates` counts
    what is ranked, and `features` are the microseconds per candidate of all that is neither a
    search nor scores between a query and its ranking.
    """
    import recsys.recommend as module

    collection = recommender.collection
    calls: Sequence[tuple[str, Any, str]] = (
        ("vectors", type(collection.vector_index), "search"),
        ("vectors", type(collection.vector_index), "search_many"),
        ("bm25", type(collection.text_index), "search"),
        ("trees", type(recommender.ranker), "score"),
        ("stage one", module, "propose"),
        ("ranking", Recommender, "rank"),
        ("columns", type(collection.corpus), "papers"),
    )
    every = []
    with watched(calls) as spent:
        for row, draft in zip(rows, drafts, strict=False):
            spent.clear()
            whole = time_answers(recommender, [row], [draft])[0]
            none = dict.fromkeys([*(part for part, _, _ in calls), "candidates"], 0.0)
            every.append(none | spent | {"answer": whole})
    medians = {name: statistics.median(each[name] for each in every) for name in every[0]}
    between = medians["ranking"] - medians["stage one"] - medians["trees"]
    return medians | {"features": 1000 * between / max(medians["candidates"], 1)}


@contextmanager
def watched(calls: Sequence[tuple[str, Any, str]]) -> Iterator[dict[str, float]]:
    """Time calls in a `with` block, each a part's, its owner and its name: milliseconds by part."""
    spent: dict[str, float] = defaultdict(float)

    def timed(usual: Callable[..., Any], part: str) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever it wraps.
            begun = time.process_time()
            found = usual(*arguments, **named)
            spent[part] += 1000 * (time.process_time() - begun)
            if part == "trees":
                spent["candidates"] = len(found)  # A ranker that looks twice scores them twice.
            return found

        return call

    before = [(owner, name, getattr(owner, name)) for _, owner, name in calls]
    try:
        for part, owner, name in calls:
            setattr(owner, name, timed(getattr(owner, name), part))
        yield spent
    finally:
        for owner, name, usual in before:
            setattr(owner, name, usual)


def drafts(index: str, split: str) -> Figures:
    """Time the dev queries of a split, as they are and with references: milliseconds."""
    from recsys.pipelines.evaluation.splits import read_split

    recommender = recsys.load(index)
    queries = read_split(Path(split), recommender.collection).part("dev")
    rows = recommender.collection.corpus.rows(queries).tolist()
    plain = posed(recommender, rows)
    time_answers(recommender, rows[:WARM_UP], plain)
    taken = time_answers(recommender, rows, plain)
    cited = time_answers(recommender, rows, posed(recommender, rows, MANY_REFERENCES))
    return {"median": statistics.median(taken), "with_references": statistics.median(cited)}


def top_papers(recommender: Recommender, rows: Iterable[int]) -> dict[str, dict[str, list[str]]]:
    """Answer papers posed as drafts, by their stored vectors: the papers shown, and the gold."""
    from recsys.pipelines.evaluation.splits import gold_ids

    ids, found = recommender.collection.corpus.ids, {}
    for row in rows:
        shown = recommender.rank(recommender.query_of(row)).rows[:SHOWN].tolist()
        gold = list(gold_ids(recommender.collection, ids[row]))
        found[ids[row]] = {"top": [ids[each] for each in shown], "gold": gold}
    return found


def nearest(index: str) -> Figures:
    """Tell which share of the papers nearest to some papers a search finds that an exact one does.

    Papers are asked one by one, as drafts are.
    """
    from recsys.indexes.exact import recall, sampled

    collection = recsys.load(index).collection
    queries, near = sampled(collection.vectors, ASKED, NEIGHBOURS, np.random.default_rng(1))
    found = [collection.vector_index.search(query, NEIGHBOURS + 1) for query in queries]
    return {"recall": recall(found, near), "queries": len(queries), "neighbours": NEIGHBOURS}


PROGRAMS: Mapping[str, Callable[..., Any]] = {
    each.__name__: each for each in (build, update, answers, drafts, nearest)
}

if __name__ == "__main__":
    json.dump(PROGRAMS[sys.argv[1]](*sys.argv[2:]), sys.stdout)
