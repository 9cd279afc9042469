"""What corpora teach a ranker that shall serve others, too.

It learns from queries of which many see but a share of the corpus's citations, or none, because
most libraries have few: see `thinned_links`. Corpora with abstracts teach twice: see TITLES_TOO.
Large ones teach again by small ones that are made of them: see `roll`.
"""

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bench import PAPERS, SPLIT, Bench
from benchmarks.thinned_links import LinkDropout, View, all_links, share_of_links
from recsys.indexes.opening import open_collection
from recsys.models.encoder import SeenQueries
from recsys.pipelines.evaluation.splits import read_parts, read_split
from recsys.pipelines.ranking.cross_fitting import Recipe, TrainedRanker, teach
from recsys.pipelines.ranking.fit_network import FEWER_UNITS
from recsys.pipelines.ranking.fit_ranker import FittedRanker
from recsys.pipelines.ranking.ranker_trial import looking_again
from recsys.pipelines.ranking.training_table import (
    Posing,
    TrainingTable,
    collect,
    concatenate,
    told_before,
)
from recsys.progress import silent
from recsys.ranking.two_pass import SECOND_NAMES
from recsys.store.arrays import Floats, Rows
from recsys.store.artifacts import replacing, write_json
from recsys.store.collection import Collection

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
    links: Callable[[Collection], View] = LinkDropout


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
            roll(bench, corpus, place / name, seed=number, abstracts=number % 2 == 1)
            forms.append(Form(corpus, inner.built(name), inner.split(name), all_links))
    return forms


def roll(bench: Bench, corpus: str, out: Path, *, seed: int, abstracts: bool) -> None:
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
    with gzip.open(bench.papers(corpus), "rt", encoding="utf-8") as lines:
        papers = [json.loads(line) for line in lines]
    cited = {each for paper in papers if paper["id"] in articles for each in paper["references"]}
    with replacing(out) as folder:
        with (folder / PAPERS).open("wb") as raw, gzip.GzipFile("", "wb", 4, raw, mtime=0) as file:
            for paper in papers:
                if paper["id"] in articles:
                    file.write(_line(paper))
                elif paper["id"] in cited:
                    text = paper.get("abstract") if abstracts else None
                    file.write(_line({**paper, "abstract": text, "references": []}))
        kept = {part: [each for each in split[part] if each in articles] for part in LEARNED}
        write_json(folder / SPLIT, kept)


def _line(paper: dict[str, Any]) -> bytes:
    return json.dumps(paper, ensure_ascii=False).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class Lessons:
    """What a ranker learns of one form: queries to train on, and to calibrate by.

    names: of the features. queries: rows of the train and of the dev queries. posings: how each are
    posed.
    """

    corpus: str
    names: tuple[str, ...]
    collection: Collection
    queries: tuple[Rows, Rows]
    posings: tuple[Posing, Posing]

    @property
    def seen(self) -> SeenQueries:
        """Digest what rankers of folds learn from: all queries."""
        nothing = self.queries[1][:0]
        return SeenQueries.of(self.collection, train=np.concatenate(self.queries), dev=nothing)

    def again(self, train: Floats, dev: Floats) -> "Lessons":
        """Pose the queries for a second look, with the chances that a first one gave: (n,)."""
        one, other = (
            replace(posing, chances=told_before(chances))
            for posing, chances in zip(self.posings, (train, dev), strict=True)
        )
        return replace(self, posings=(one, other))

    def pose(self) -> list[TrainingTable]:
        """Find the candidates of the train and of the dev queries, which takes gigabytes."""
        return [
            collect(
                self.collection,
                rows,
                self.names,
                progress=silent,
                stage="features",
                posing=posing,
            )
            for rows, posing in zip(self.queries, self.posings, strict=True)
        ]


def lessons_of(
    form: Form,
    names: tuple[str, ...],
    *,
    seed: int,
    most: int = TRAIN_QUERIES,
) -> Lessons:
    """Draw samples of the train and dev queries of a corpus.

    Args:
        form: of the corpus.
        names: of the features.
        seed: of the samples.
        most: train queries.
    """
    rng = np.random.default_rng(seed)
    collection = open_collection(form.index)
    parts = read_split(form.split, collection)
    train = sample(collection.corpus.rows(parts.train), most, rng)
    dev = sample(collection.corpus.rows(parts.dev), DEV_QUERIES, rng)
    view = form.links(collection)
    posings = Posing(seeded=True, links=view), Posing(links=view)
    return Lessons(form.corpus, names, collection, (train, dev), posings)


def teach_together(lessons: Sequence[Lessons], *, seed: int) -> TrainedRanker:
    """Train rankers of folds of all corpora's queries, and such rankers again for a second look.

    Each query is seen again with the chances that a ranker gave it which has not learned from it;
    what answers first is the mean of those.
    """
    names = lessons[0].names
    recipe = Recipe(seed, units=FEWER_UNITS)
    first, chances = _look_once(lessons, recipe)
    again = [each.again(*given) for each, given in zip(lessons, chances, strict=True)]
    posed = _pose_together(again)
    second = teach(posed.table, posed.trained, (*names, *SECOND_NAMES), recipe)
    return replace(second, ranker=replace(second.ranker, first=first))


def _look_once(
    lessons: Sequence[Lessons], recipe: Recipe
) -> tuple[FittedRanker, list[tuple[Floats, Floats]]]:
    """Train rankers of folds; return their mean, and chances of the held out: see `again`."""
    posed = _pose_together(lessons)
    taught = teach(posed.table, posed.trained, lessons[0].names, recipe)
    return taught.ranker, posed.of_each(taught.ranker.calibrated(taught.scores))


@dataclass(frozen=True, slots=True)
class _Posed:
    """Candidates of all lessons in one table: of all train queries, and then of all dev queries.

    trained: how many queries are of train. sizes: how many candidates are of each lessons' train
    queries, and then of each lessons' dev queries.
    """

    table: TrainingTable
    trained: int
    sizes: Sequence[int]

    def of_each(self, chances: Floats) -> list[tuple[Floats, Floats]]:
        """Cut the chances of all candidates, (n,), by lessons: of its train, and of its dev."""
        parts = np.split(chances, np.cumsum(self.sizes)[:-1])
        half = len(parts) // 2
        return list(zip(parts[:half], parts[half:], strict=True))


def _pose_together(lessons: Sequence[Lessons]) -> _Posed:
    train, dev = zip(*(each.pose() for each in lessons), strict=True)
    return _Posed(
        concatenate([*train, *dev]),
        sum(len(each.groups) for each in train),
        [len(each.features) for each in (*train, *dev)],
    )


def seen_by(
    collection: Collection,
    rows: Rows,
    names: tuple[str, ...],
    share: float,
    first: FittedRanker | None = None,
) -> TrainingTable:
    """Pose query rows, without seeds, to a collection that knows a share of its citations.

    first: gives the chances that a ranker reads which looks twice.
    """
    posing = looking_again(first, Posing(links=share_of_links(collection, share)))
    return collect(collection, rows, names, progress=silent, stage="features", posing=posing)


def sample(rows: Rows, most: int, rng: np.random.Generator) -> Rows:
    """Draw at most so many rows, ascending."""
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))
