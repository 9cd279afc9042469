"""A small index of invented papers, opened without models: for tests of what runs over indexes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from recsys.indexes.bm25 import Bm25Index, write_postings
from recsys.indexes.exact import ExactIndex
from recsys.models.encoder import SeenQueries
from recsys.models.nnrank import KIND as RANK_KIND
from recsys.models.nnrank import SCHEMA as RANK_SCHEMA
from recsys.models.nnrank import WORDS, NNRank, RankShape, bags_file
from recsys.models.nnselect import KIND, Entries, NNSelectModel, Vocabulary, words_of
from recsys.models.nnselect import SCHEMA as MODEL_SCHEMA
from recsys.pipelines.corpora.works import SCHEMA
from recsys.pipelines.index.columns import write_columns
from recsys.recommend import Recommender
from recsys.store.arrays import Floats, SortedStrings, load_array
from recsys.store.artifacts import CORPUS, NNSELECT, nnrank_folder, seal
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.graph import CitationGraph
from recsys.store.terms import TermStore
from tests.hashing_encoder import HashingEncoder

TOPICS = ("rivers", "glaciers", "volcanoes", "deserts")
YEARS = 12


@dataclass(frozen=True, slots=True)
class SumRanker:
    """Scores a candidate by the sum of its features."""

    feature_names: tuple[str, ...] = ("cosine", "votes_near", "bm25_share")
    first: None = None

    def score(self, features: Floats) -> Floats:
        return np.asarray(features.sum(axis=1))

    def probability(self, scores: Floats) -> Floats:
        return (1 / (1 + np.exp(-scores))).astype(np.float32)


def invented_papers() -> list[dict[str, object]]:
    """Four topics, one paper of each a year; each cites the two before it on its topic."""
    papers: list[dict[str, object]] = []
    for age in range(YEARS):
        for topic in TOPICS:
            references = [f"{topic}-{age - back:02}" for back in (1, 2) if age >= back]
            papers.append(
                {
                    "id": f"{topic}-{age:02}",
                    "title": f"On {topic} in survey {age}",
                    "abstract": f"We measure {topic} again, with instrument {age % 3}.",
                    "year": 2000 + age,
                    "authors": [f"Ada {topic.title()}"],
                    "references": references,
                }
            )
    papers.append({"id": "undated", "title": "On rivers", "references": ["rivers-00"]})
    papers.append({"id": "prophet", "title": "On deserts", "year": 1990, "references": ["undated"]})
    return papers


def write_small_index(folder: Path, invented: Sequence[dict[str, object]] | None = None) -> Path:
    """Write the parts that `open_small_index` reads, and a manifest."""
    folder.mkdir()
    invented = invented_papers() if invented is None else invented
    papers = [{name: paper.get(name) for name in SCHEMA.names} for paper in invented]
    (folder / CORPUS).mkdir()
    write_columns(folder / CORPUS, pa.Table.from_pylist(papers, SCHEMA).to_batches())
    corpus = Corpus.load(folder / CORPUS)
    titles = corpus.texts().to_pylist()
    texts = [(each["title"], each["abstract"]) for each in titles]
    TermStore.build(texts).save(folder)
    write_postings(folder)
    np.save(folder / "vectors.npy", HashingEncoder().encode(texts))
    write_small_nnselect(folder / NNSELECT, texts)
    for metadata in (True, False):
        write_small_nnrank(nnrank_folder(folder, metadata=metadata), corpus, metadata=metadata)
    seal(folder, "small index", 1, {})
    return folder


def write_small_nnselect(folder: Path, texts: Sequence[tuple[str, str | None]]) -> None:
    """Write a model that learned nothing and saw no query: each word has its hashed direction."""
    words = sorted({word for text in texts for part in text for word in words_of(part)})
    table = HashingEncoder().encode([(word, None) for word in words])
    model = NNSelectModel(
        SortedStrings.build(words), table, np.ones(2, np.float32), table, "invented"
    )
    folder.mkdir()
    replace(model, vectors=model.encode(texts)).save(folder)
    SeenQueries().save(folder)
    seal(folder, KIND, MODEL_SCHEMA, {"fingerprint": model.fingerprint})


def write_small_nnrank(folder: Path, corpus: Corpus, *, metadata: bool) -> None:
    """Write a model that adds up its inputs and saw no query; words have random vectors."""
    papers = [Entries.of(paper) for paper in corpus.full_papers(range(len(corpus)))]
    vocabulary = Vocabulary.build(papers)
    fields = ("title", "abstract", "authors") if metadata else ("title", "abstract")
    shape, rng = RankShape(fields=fields), np.random.default_rng(0)
    sizes = {WORDS: len(vocabulary.words), "authors": len(vocabulary.authors)}
    tables = {
        name: rng.standard_normal((sizes[name], 8)).astype(np.float32) for name in shape.tables
    }
    weights = {name: np.full(sizes[WORDS], 0.1, np.float32) for name in shape.intersected}
    layer = np.ones((1, len(shape.inputs)), np.float32), np.zeros(1, np.float32)
    model = NNRank(shape, tables, weights, (layer,))
    folder.mkdir()
    model.save(folder)
    for name in fields:
        vocabulary.bags(papers, name).save(folder, bags_file(name))
    SeenQueries().save(folder)
    seal(folder, RANK_KIND, RANK_SCHEMA, model.config())


def open_small_collection(folder: Path) -> Collection:
    terms, vectors = TermStore.load(folder), load_array(folder / "vectors.npy")
    return Collection(
        corpus=Corpus.load(folder / CORPUS),
        graph=CitationGraph.load(folder / CORPUS),
        terms=terms,
        vectors=vectors,
        vector_index=ExactIndex(vectors),
        text_index=Bm25Index.load(folder, terms),
    )


def open_small_index(folder: Path, *, metadata: bool = True) -> Recommender:
    return Recommender(
        open_small_collection(folder), HashingEncoder(), SumRanker(), metadata=metadata
    )


def write_small_split(path: Path) -> Path:
    """Test on the last three years, choose on the two before, train on the rest."""
    parts = {"train": range(2, 7), "dev": range(7, 9), "test": range(9, YEARS)}
    split = {
        part: [f"{topic}-{age:02}" for age in ages for topic in TOPICS]
        for part, ages in parts.items()
    }
    path.write_text(json.dumps({"rule": "by year", **split}), encoding="utf-8")
    return path
