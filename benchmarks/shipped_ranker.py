"""Train the ranker that ships with the package, on several corpora together.

    python -m benchmarks.shipped_ranker --data DIR --work DIR
    python -m benchmarks.shipped_ranker --data DIR --work DIR --leave-out vis --out INDEX

DATA holds NAME/papers.jsonl.gz and NAME/split.json for each corpus. Indexes are built below WORK
unless they are there. With --leave-out, that corpus is not trained on; an index that is named as
--out answers by the rankers from then on. How well each of the corpora is served by such a ranker
is measured by `unseen_corpora`.

It learns from queries of which many see but a share of the corpus's citations, or none, because
most libraries have few: see `edge_dropout`. Corpora with abstracts teach twice: see TITLES_TOO.
Large ones teach again by small ones that are made of them: see `subsample_corpus`. It looks twice,
each time by the mean of rankers of folds.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from benchmarks.bench import (
    PAPERS,
    SPLIT,
    Bench,
    Data,
    Work,
    chosen,
    gzipped,
    program,
    read_papers,
)
from benchmarks.edge_dropout import EdgeDropout, View, all_links
from recsys.indexes.opening import open_collection
from recsys.models.encoder import SeenQueries
from recsys.pipelines.evaluation.splits import read_parts, read_split
from recsys.pipelines.jobs.index_writer import writing
from recsys.pipelines.ranking.cross_fitting import FOLDS, Lesson, TrainedRanker, teach_lessons
from recsys.pipelines.ranking.fit_network import FEWER_UNITS
from recsys.pipelines.ranking.train_ranker import report_on
from recsys.pipelines.ranking.training_table import Posing
from recsys.ranking.features import feature_names
from recsys.store.arrays import Rows
from recsys.store.artifacts import check_replaceable, ranker_folder, replacing, write_json
from recsys.store.collection import Collection
from recsys.store.generations import is_index

CORPORA = ("vis", "archaeology", "acl", "elife", "arxiv9196")
TRAIN_QUERIES, DEV_QUERIES = 1500, 250
"""At most so many of each corpus, so that no corpus drowns the others."""
TITLES_TOO = ("vis", "archaeology")
"""Corpora with abstracts teach again without them: many libraries have but titles."""

SNOWBALLED = ("vis", "archaeology", "acl", "arxiv9196")
"""Corpora of which snowballs are made; elife is built like one.

Their queries see all links: with fewer, they teach what is wrong of large corpora with few links.
"""
ARTICLES = 200
"""Of a snowball, at most; with what they cite, some two thousand papers."""
SNOWBALLS = 2
"""Of a corpus. In every second one, titles are all that is known of what is cited."""
LEARNED = ("train", "dev")
"""The parts of a split whose queries become articles."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form in which a corpus teaches.

    split: of its queries. links: says which citations the queries of a collection see.
    """

    corpus: str
    index: Path
    split: Path
    links: Callable[[Collection], View] = EdgeDropout


def forms_of(bench: Bench, corpus: str) -> list[Form]:
    """Build the forms of a corpus: as it is, and perhaps its titles alone, and its snowballs."""
    split = bench.split(corpus)
    forms = [Form(corpus, bench.built(corpus), split)]
    if corpus in TITLES_TOO:
        forms.append(Form(corpus, bench.built(corpus, titles_only=True), split))
    if corpus in SNOWBALLED:
        place = bench.work / "snowballs"
        inner = Bench(place, place)
        for number in range(SNOWBALLS):
            name = f"{corpus}-{number}"
            subsample_corpus(bench, corpus, place / name, seed=number, abstracts=number % 2 == 1)
            forms.append(Form(corpus, inner.built(name), inner.split(name), all_links))
    return forms


def subsample_corpus(bench: Bench, corpus: str, out: Path, *, seed: int, abstracts: bool) -> None:
    """Write a snowball as the folder of a corpus; the same seed writes the same bytes.

    Many libraries were collected for a few articles. Only these have reference lists there; what
    they cite cites nothing, is mostly cited once, and often its title is all that is known of it.
    So to be cited says less than elsewhere, and not to be cited says nothing. One round of backward
    snowballing (Wohlin 2014) makes such a library of any corpus.

    Args:
        bench: has the corpus.
        corpus: its name.
        out: the folder.
        seed: of the articles.
        abstracts: whether those of cited papers are kept.
    """
    split = read_parts(bench.split(corpus))
    queries = [paper for part in LEARNED for paper in split[part]]
    drawn = np.random.default_rng(seed).permutation(len(queries))[:ARTICLES]
    articles = {queries[each] for each in drawn.tolist()}
    papers = read_papers(bench.papers(corpus))
    cited = {each for paper in papers if paper["id"] in articles for each in paper["references"]}
    with replacing(out) as folder:
        with gzipped(folder / PAPERS) as file:
            for paper in papers:
                if paper["id"] in articles | cited:
                    if paper["id"] not in articles:
                        paper |= {"references": []} | ({} if abstracts else {"abstract": None})
                    file.write(json.dumps(paper, ensure_ascii=False).encode() + b"\n")
        parts = {part: [each for each in split[part] if each in articles] for part in LEARNED}
        write_json(folder / SPLIT, parts)


@dataclass(frozen=True, slots=True)
class TrainingSet(Lesson):
    """What a ranker learns of one form of a corpus. names: of the features."""

    corpus: str
    names: tuple[str, ...]

    @property
    def seen(self) -> SeenQueries:
        """Digest what rankers of folds learn from: all queries."""
        nothing = self.queries[1][:0]
        return SeenQueries.of(self.collection, train=np.concatenate(self.queries), dev=nothing)


def training_set_of(
    form: Form,
    names: tuple[str, ...],
    *,
    seed: int,
    most: int = TRAIN_QUERIES,
    tuned: int = DEV_QUERIES,
) -> TrainingSet:
    """Draw samples of the train and dev queries of a corpus.

    Args:
        form: of the corpus.
        names: of the features.
        seed: of the samples.
        most: train queries.
        tuned: dev queries at most.
    """
    rng = np.random.default_rng(seed)
    collection = open_collection(form.index)
    parts = read_split(form.split, collection)
    train = sample(collection.corpus.rows(parts.train), most, rng)
    dev = sample(collection.corpus.rows(parts.dev), tuned, rng)
    view = form.links(collection)
    posings = Posing(seeded=True, links=view), Posing(links=view)
    return TrainingSet(collection, (train, dev), posings, form.corpus, names)


def teach_together(sets: Sequence[TrainingSet], *, seed: int, folds: int = FOLDS) -> TrainedRanker:
    """Train rankers of folds of all corpora's queries, which look twice."""
    return teach_lessons(sets, sets[0].names, seed=seed, folds=folds, units=FEWER_UNITS)


def sample(rows: Rows, most: int, rng: np.random.Generator) -> Rows:
    """Draw at most so many rows, ascending."""
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


SHIPPED = Path(__file__).resolve().parents[1] / "recsys" / "data"


def train(
    data: Data,
    work: Work,
    out: Annotated[Path, typer.Option(help="Folder, or an index.")] = SHIPPED,
    leave_out: Annotated[str, typer.Option(help="Do not train on this corpus.")] = "",
    seed: int = 0,
) -> None:
    """Train with and without metadata, and say how good the rankers are on the dev queries."""
    for metadata in (True, False):
        check_replaceable(ranker_folder(out, metadata=metadata))
    left = chosen(leave_out, CORPORA) if leave_out else []
    taught = [name for name in CORPORA if name not in left]
    forms = [form for name in taught for form in forms_of(Bench(data, work), name)]
    for metadata in (True, False):
        for line in train_together(forms, out, metadata=metadata, seed=seed):
            sys.stderr.write(f"{line}\n")


def train_together(forms: Sequence[Form], out: Path, *, metadata: bool, seed: int) -> list[str]:
    """Train on samples of the train and dev queries of each form, calibrate on those of dev.

    Args:
        forms: of the corpora.
        out: gets the ranker's folder; an index gets it as its own ranker.
        metadata: whether authors and venues are read.
        seed: of the samples and the training.
    """
    names = feature_names(metadata=metadata, any_corpus=True)
    sets = [training_set_of(form, names, seed=seed) for form in forms]
    taught = teach_together(sets, seed=seed)
    seen = reduce(or_, (each.seen for each in sets))
    facts = {
        "corpora": list(dict.fromkeys(each.corpus for each in sets)),
        "options": {"metadata": metadata, "seed": seed, "folds": FOLDS, "passes": 2},
    }
    folder = ranker_folder(out, metadata=metadata)
    with _place(out, folder.name) as new:
        origin = "the ranker shipped with recsys"
        taught.ranker.save(new, seen, origin=origin, facts=facts, text=False)
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


main = program("benchmarks.shipped_ranker", train)
if __name__ == "__main__":
    sys.exit(main())
