"""The leakage guard: nothing is evaluated on what it was made from, and no run knows the future."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from recsys.errors import InputError, LeakageError, RecsysError
from recsys.models.encoder import SeenQueries, digests
from recsys.pipelines.corpora.query_years import PARTS
from recsys.protocols import Ranker
from recsys.ranking.ranker import KIND, SCHEMA, TreeRanker
from recsys.records import PaperId
from recsys.store.artifacts import ENCODER, MANIFEST, load_manifest, sha256
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR

TRAIN, DEV, TEST = PARTS
RANKER = "ranker"


def folder_of(ranker: Ranker) -> Path | None:
    """Name the folder that a ranker was loaded from, if it was."""
    return ranker.folder if isinstance(ranker, TreeRanker) else None


def ranker_facts(ranker: Ranker, collection: Collection) -> dict[str, Any] | None:
    """Name the ranker that answers: whose it is, its hash, and what it learned from.

    None for one that was not loaded from a folder.
    """
    folder = folder_of(ranker)
    if folder is None:
        return None
    config = load_manifest(folder, KIND, SCHEMA).config
    seen = SeenQueries.load(folder)
    own = folder.parent == collection.folder
    learned = [f"{len(seen.train):,} train queries"] if seen else []
    if corpora := config.get("corpora"):
        learned.append(f"of {', '.join(corpora)}")
    elif own:
        learned.append(f"of {collection.name}")
    return {
        "name": f"{'own' if own else 'shipped'} ({folder.name})",
        "sha256": sha256(folder / MANIFEST),
        "learned_from": " ".join(learned),
        "options": config.get("options"),
    }


def check_ranker(
    folder: Path | None,
    collection: Collection,
    part: str,
    queries: Sequence[PaperId],
    *,
    what: str = RANKER,
    command: str | None = None,
) -> str | None:
    """Refuse to evaluate a model on queries that it has seen; return a warning, if any is due.

    A model may be looked at on dev queries that it was only stopped and calibrated on, as people
    who choose between models do; the warning says that it flatters.

    Args:
        folder: of the model; None: it tells nothing.
        collection: whose papers the queries are.
        part: what the queries are: train, dev or test.
        queries: ids of the papers that are asked.
        what: how people call the model.
        command: how `recsys train` calls it; None: just so.

    Raises:
        LeakageError: with the number of queries and the first one.
    """
    seen = None if folder is None else SeenQueries.load(folder)
    if folder is None or seen is None:
        return (
            f"Leakage unknown: the {what} does not tell which queries it was trained on. Train it "
            "again to be sure."
        )
    hint = (
        f"Train the index's own {what} on this split (`recsys train {command or what}`), or "
        f"evaluate systems without a {what}."
    )
    if what == RANKER and part == DEV:
        hint = "Ask the test queries; `recsys train ranker --folds 1` keeps those of dev unseen."
    names = f"The {what} in {folder}", f"The {what} in {folder.name}"
    return _check(seen, collection, part, queries, *names, "calibrated", hint)


def check_encoder(collection: Collection, part: str, queries: Sequence[PaperId]) -> str | None:
    """Refuse vectors whose encoder has learned what the queries cite; see `check_ranker`.

    An encoder from elsewhere does not tell, and nothing is said of it.

    Raises:
        LeakageError: with the number of queries and the first one.
    """
    if (seen := SeenQueries.load(collection.folder / ENCODER)) is None:
        return None
    hint = (
        "Build the index with an encoder that has learned from other queries (`recsys train "
        "encoder --split`), or with minilm."
    )
    model = "The encoder of this index"
    return _check(seen, collection, part, queries, model, model, "stopped", hint)


def learned_by_encoder(collection: Collection, queries: Sequence[PaperId]) -> str | None:
    """Say that a ranker, which learns from queries or what they say, trusts the encoder too much.

    Cosines of a query with what it cites are higher where the encoder has learned just that.
    """
    seen = SeenQueries.load(collection.folder / ENCODER) or SeenQueries()
    if not (trained := _known(seen, collection, queries)[0]):
        return None
    return (
        f"The encoder of this index has learned from {len(trained):,} of the {len(queries):,} "
        "papers of train and dev: the ranker takes its cosines for better than they are of a new "
        "draft. Train the encoder on some papers of train, and the ranker on others."
    )


def _known(
    seen: SeenQueries, collection: Collection, queries: Sequence[PaperId]
) -> tuple[list[PaperId], list[PaperId]]:
    """Find the queries that a model was trained on, and stopped and calibrated on."""
    rows = collection.corpus.rows(queries)
    made = list(zip(rows.tolist(), digests(collection, rows), strict=True))
    trained = [collection.corpus.ids[row] for row, each in made if each in seen.train]
    return trained, [collection.corpus.ids[row] for row, each in made if each in seen.dev]


def _check(
    seen: SeenQueries,
    collection: Collection,
    part: str,
    queries: Sequence[PaperId],
    model: str,
    short: str,
    tuned_how: str,
    hint: str,
) -> str | None:
    """Refuse a model that was trained on queries; warn of one that was tuned on those of dev.

    model, short: how it is called in errors and in warnings. tuned_how: what dev did to it.
    """
    trained, tuned = _known(seen, collection, queries)
    for papers, how in ((trained, "trained"), (tuned if part != DEV else [], tuned_how)):
        if papers:
            raise LeakageError(
                f"{model} was {how} on {len(papers)} of these {len(queries)} {part} queries "
                f"(first: {papers[0]!r}).",
                hint,
            )
    if tuned:
        return (
            f"{short} was {tuned_how} on {len(tuned)} of these {len(queries)} queries: the "
            "figures flatter it."
        )
    return None


_FAULTS: Mapping[str, tuple[type[RecsysError], str, str]] = {
    "unknown": (
        InputError,
        "papers that the index does not hold",
        "Give a run over the papers of this corpus.",
    ),
    "itself": (
        LeakageError,
        "a query to itself",
        "Leave the query out of what its answer may hold.",
    ),
    "newer": (
        LeakageError,
        "papers newer than the query, or of unknown year,",
        "Leave them out: the query's authors could not know them.",
    ),
}


def check_run(name: str, run: Mapping[PaperId, Iterable[PaperId]], collection: Collection) -> None:
    """Refuse a run that recommends unknown papers, the query itself, or papers newer than it.

    A paper of unknown year might be newer. Every query must be in the collection.

    Raises:
        InputError: papers that the collection does not hold.
        LeakageError: the other two; with the number of recommendations and the first one.
    """
    faults: dict[str, list[str]] = {fault: [] for fault in _FAULTS}
    ids = collection.corpus.ids  # Looking each id up would take ten times as long.
    years = {ids[row]: year for row, year in enumerate(collection.graph.years.tolist())}
    for query, papers in run.items():
        for paper in papers:
            if paper == query:
                fault = "itself"
            elif paper not in years:
                fault = "unknown"
            elif UNKNOWN_YEAR < years[paper] <= years[query]:
                continue
            else:
                fault = "newer"
            faults[fault].append(f"{paper!r} to {query!r} of {years[query]}")
    for fault, (error, what, hint) in _FAULTS.items():
        if found := faults[fault]:
            times = f"{len(found)} {'time' if len(found) == 1 else 'times'} (first: {found[0]})"
            raise error(f"The run {name} recommends {what} {times}.", hint)
