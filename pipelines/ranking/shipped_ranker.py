"""Train the ranker that ships with the package, on several corpora together.

    python -m pipelines.ranking.shipped_ranker --data DIR --work DIR
    python -m pipelines.ranking.shipped_ranker --data DIR --work DIR --leave-out vis --out INDEX

DATA holds NAME/papers.jsonl.gz and NAME/split.json for each corpus. Indexes are built below WORK
unless they are there. With --leave-out, that corpus is not trained on; an index that is named as
--out answers by the rankers from then on. How well each of the corpora is served by such a ranker
is measured by `pipelines.benchmarks.left_out`.

It learns from queries of which many see but a share of the corpus's citations, or none, because
most libraries have few: see `thinned_links`. Corpora with abstracts teach twice: see TITLES_TOO.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path

import numpy as np

from indexes.opening import open_collection
from pipelines.evaluation.leakage import SeenQueries
from pipelines.evaluation.splits import read_split
from pipelines.jobs.bench import Bench
from pipelines.jobs.index_writer import writing
from pipelines.ranking.cross_fitting import Taught
from pipelines.ranking.fit_ranker import FittedRanker, fit
from pipelines.ranking.thinned_links import LinkDropout, View, share_of_links
from pipelines.ranking.train_report import report_on
from pipelines.ranking.training_table import Posing, TrainingTable, collect, concatenate
from recsys.progress import silent
from recsys.stage_two.features import feature_names
from recsys.store.arrays import Rows
from recsys.store.artifacts import replacing
from recsys.store.collection import Collection
from recsys.store.generations import is_index
from recsys.store.layout import ranker_folder

CORPORA = ("vis", "archaeology", "acl", "elife", "arxiv9196")
TRAIN_QUERIES, DEV_QUERIES = 1500, 250
"""At most so many of each corpus, so that no corpus drowns the others."""
TITLES_TOO = ("vis", "archaeology")
"""Corpora with abstracts teach again without them: many libraries have but titles."""
SHIPPED = Path(__file__).resolve().parents[2] / "recsys" / "data"


def main(arguments: Sequence[str] | None = None) -> int:
    """Train with and without metadata, and say how good the rankers are on the dev queries."""
    parser = argparse.ArgumentParser(description="Train the ranker that ships with the package.")
    parser.add_argument("--data", type=Path, required=True, help="Folder of the corpora.")
    parser.add_argument("--work", type=Path, required=True, help="Folder for their indexes.")
    parser.add_argument(
        "--out", type=Path, default=SHIPPED, help="Folder, or an index. Default: %(default)s."
    )
    parser.add_argument("--leave-out", choices=CORPORA, help="Do not train on this corpus.")
    parser.add_argument("--seed", type=int, default=0, help="Default: %(default)s.")
    chosen = parser.parse_args(arguments)
    bench = Bench(chosen.data, chosen.work)
    taught = [name for name in CORPORA if name != chosen.leave_out]
    indexes = [index for name in taught for index in taught_from(bench, name)]
    for metadata in (True, False):
        told = train_together(chosen.data, indexes, chosen.out, metadata=metadata, seed=chosen.seed)
        note("\n".join(told))
    return 0


def taught_from(bench: Bench, corpus: str) -> list[Path]:
    """Build the indexes that a corpus teaches from: as it is, and perhaps its titles alone."""
    forms = (False, True) if corpus in TITLES_TOO else (False,)
    return [bench.built(corpus, titles_only=form) for form in forms]


@dataclass(frozen=True, slots=True)
class Lessons:
    """What a ranker learns of one index: queries to train on and to stop and calibrate by.

    names: of the features, one a column of both tables.
    """

    corpus: str
    names: tuple[str, ...]
    train: TrainingTable
    dev: TrainingTable
    seen: SeenQueries


def lessons_of(
    data: Path,
    index: Path,
    names: tuple[str, ...],
    *,
    seed: int,
    links: Callable[[Collection], View] = LinkDropout,
    most: int = TRAIN_QUERIES,
) -> Lessons:
    """Pose samples of the train and dev queries of a corpus.

    Args:
        data: folder of the corpora.
        index: of the corpus, as `Bench` names it.
        names: of the features.
        seed: of the samples.
        links: says which citations the queries of a collection see.
        most: train queries.
    """
    rng = np.random.default_rng(seed)
    collection = open_collection(index)
    corpus = Bench.corpus_of(index)
    parts = read_split(data / corpus / "split.json", collection)
    train = sample(collection.corpus.rows(parts.train), most, rng)
    dev = sample(collection.corpus.rows(parts.dev), DEV_QUERIES, rng)
    view = links(collection)
    tables = [
        collect(
            collection,
            rows,
            names,
            progress=silent,
            stage=index.stem,
            posing=Posing(seeded=rows is train, links=view),
        )
        for rows in (train, dev)
    ]
    seen = SeenQueries.of(collection, train=train, dev=dev)
    return Lessons(corpus, names, tables[0], tables[1], seen)


def fit_on(
    lessons: Sequence[Lessons], *, seed: int
) -> tuple[FittedRanker, TrainingTable, TrainingTable]:
    """Train on the lessons of several corpora, stop and calibrate on their dev queries.

    Returns:
        The ranker, and the tables of all train and of all dev queries.
    """
    train = concatenate([each.train for each in lessons])
    dev = concatenate([each.dev for each in lessons])
    return fit(train, dev, lessons[0].names, seed=seed), train, dev


def train_together(
    data: Path, indexes: Sequence[Path], out: Path, *, metadata: bool, seed: int
) -> list[str]:
    """Train on a sample of the train queries of each corpus, stop and calibrate on dev samples.

    Args:
        data: folder of the corpora.
        indexes: of the corpora, as `Bench` names them.
        out: gets the ranker's folder; an index gets it as its own ranker.
        metadata: whether authors and venues are read.
        seed: of the samples and the training.
    """
    names = feature_names(metadata=metadata, any_corpus=True)
    lessons = [lessons_of(data, index, names, seed=seed) for index in indexes]
    fitted, train, dev = fit_on(lessons, seed=seed)
    seen = reduce(or_, (each.seen for each in lessons))
    facts = {"corpora": list(dict.fromkeys(each.corpus for each in lessons))}
    folder = ranker_folder(out, metadata=metadata)
    with _place(out, folder.name) as new:
        fitted.save(new, seen, origin="the ranker shipped with recsys", facts=facts, text=False)
    taught = Taught(fitted, train, dev, fitted.predict(dev.features))
    return report_on(taught, folder).lines()


@contextmanager
def _place(out: Path, name: str) -> Iterator[Path]:
    """Give a folder to fill, which then lies below `out`, or in the next generation of an index."""
    if not is_index(out):
        with replacing(out / name) as new:
            yield new
        return
    with writing(out) as writer, writer.member(name) as new:
        yield new


def seen_by(
    collection: Collection, rows: Rows, names: tuple[str, ...], share: float
) -> TrainingTable:
    """Pose query rows, without seeds, to a collection that knows a share of its citations."""
    posing = Posing(links=share_of_links(collection, share))
    return collect(collection, rows, names, progress=silent, stage="features", posing=posing)


def sample(rows: Rows, most: int, rng: np.random.Generator) -> Rows:
    """Draw at most so many rows, ascending."""
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def note(line: str) -> None:
    """Tell the person who trains."""
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
