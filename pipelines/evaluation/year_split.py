"""The split of those who give none: made by year, kept beside the ranker that learned by it."""

from dataclasses import dataclass
from pathlib import Path

from recsys.errors import NothingFound
from recsys.pipelines.corpora.query_years import ENOUGH_REFERENCES, PARTS, divide
from recsys.pipelines.evaluation.leakage import TEST
from recsys.pipelines.evaluation.splits import Split, gold, read_parts, read_rule, read_split
from recsys.records import PaperId
from recsys.store.artifacts import write_json
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.layout import ranker_folder

SPLIT_FILE = "split.json"
FEW = 30
"""Test queries below which an interval of F1@20 is wider than what any two systems differ by."""


@dataclass(frozen=True, slots=True)
class ChosenSplit:
    """A split and where it is from.

    rule: how it was made, in words. told: what is to be said of it.
    """

    split: Split
    rule: str
    told: tuple[str, ...] = ()

    def save(self, path: Path) -> None:
        """Write what `read_split` reads."""
        parts = {part: list(getattr(self.split, part)) for part in PARTS}
        write_json(path, {"rule": self.rule, **parts})

    def sizes(self) -> str:
        """Count the queries of each part."""
        return ", ".join(f"{len(getattr(self.split, part)):,} {part}" for part in PARTS)


def given_or_made(path: Path | None, collection: Collection) -> ChosenSplit:
    """Read a split, or make one by year where none is given.

    Raises:
        SplitError: the given one does not fit.
        NothingFound: no paper can be asked as a query.
    """
    if path is None:
        return make_split(collection)
    rule = read_rule(path) or f"given as {path.name}"
    return ChosenSplit(read_split(path, collection), rule)


def split_to_evaluate(path: Path | None, collection: Collection, *, metadata: bool) -> ChosenSplit:
    """Read a split; or take that of the index's own ranker; or make one by year.

    A ranker that does not tell its split may have learned from queries of the one that is made:
    `leakage.check_ranker` refuses that.

    Raises:
        SplitError: the given one does not fit.
        NothingFound: no paper can be asked as a query.
    """
    if path is not None:
        return given_or_made(path, collection)
    own = ranker_folder(collection.folder, metadata=metadata) / SPLIT_FILE
    return _beside(own, collection) or make_split(collection)


def make_split(collection: Collection) -> ChosenSplit:
    """Divide all papers that can be asked as queries, see `query_years.divide`.

    Raises:
        NothingFound: there are none: no years, or no paper with enough references.
    """
    corpus, graph = collection.corpus, collection.graph
    if not (graph.years != UNKNOWN_YEAR).any():
        raise NothingFound(
            f"None of the {len(corpus):,} papers has a year: nothing tells what it could cite.",
            "Give papers with years, or ask without a ranker of one's own.",
        )
    found = divide(graph, corpus.ids)
    if not len(found):
        raise NothingFound(
            f"None of the {len(corpus):,} papers cites {ENOUGH_REFERENCES} others of the index "
            "that are not newer: there are no queries to learn from or to test on.",
            "Add the papers that they cite (`recsys update`), or give a split by --split.",
        )
    parts = (found.train, found.dev, found.test)
    split = Split(*(tuple(corpus.ids[row] for row in rows.tolist()) for rows in parts))
    chosen = ChosenSplit(split, found.rule())
    said = f"No split was given; one was made by year, {chosen.sizes()} queries: {chosen.rule}."
    return ChosenSplit(split, chosen.rule, (said, *_few(split)))


def _beside(path: Path, collection: Collection) -> ChosenSplit | None:
    """Read the split of a ranker, without queries that updates have taken away.

    None where that leaves nothing to test on.
    """
    if not path.is_file():
        return None
    named = read_parts(path)
    kept = {
        part: tuple(paper for paper in ids if _stands(collection, paper))
        for part, ids in named.items()
    }
    if not kept[TEST]:
        return None
    gone = sum(map(len, named.values())) - sum(map(len, kept.values()))
    split = Split(**kept)
    rule = read_rule(path)
    said = f"No split was given; that of the index's own {path.parent.name} was taken: {rule}."
    left = (f"{gone:,} of its queries are gone from the index.",) if gone else ()
    return ChosenSplit(split, rule, (said, *left, *_few(split)))


def _stands(collection: Collection, paper: PaperId) -> bool:
    row = collection.corpus.row(paper)
    return row is not None and len(gold(collection, row)) > 0


def _few(split: Split) -> tuple[str, ...]:
    count = len(split.test)
    return (f"Only {count} test queries: mind the intervals.",) if count < FEW else ()
