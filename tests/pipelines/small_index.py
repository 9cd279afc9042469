"""A small index of invented papers, opened without models: for tests of what runs over indexes."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from indexes.bm25 import Bm25Index
from indexes.exact import ExactIndex
from pipelines.columns import SCHEMA, write_columns
from recsys.arrays import Floats, load_array
from recsys.artifacts import seal
from recsys.collection import Collection
from recsys.corpus import Corpus
from recsys.graph import CitationGraph
from recsys.recommend import Recommender
from recsys.terms import TermStore
from tests.hashing_encoder import HashingEncoder

TOPICS = ("rivers", "glaciers", "volcanoes", "deserts")
YEARS = 12


@dataclass(frozen=True, slots=True)
class SumRanker:
    """Scores a candidate by the sum of its features."""

    feature_names: tuple[str, ...] = ("cosine", "votes_near", "bm25_share")

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


def write_small_index(folder: Path) -> Path:
    """Write the parts that `open_small_index` reads, and a manifest."""
    folder.mkdir()
    papers = [{name: paper.get(name) for name in SCHEMA.names} for paper in invented_papers()]
    write_columns(folder, pa.Table.from_pylist(papers, SCHEMA))
    corpus = Corpus.load(folder)
    titles = corpus.texts().to_pylist()
    texts = [(each["title"], each["abstract"]) for each in titles]
    TermStore.build(texts).save(folder)
    Bm25Index.build(TermStore.load(folder)).save(folder)
    np.save(folder / "vectors.npy", HashingEncoder().encode(texts))
    seal(folder, "small index", 1, {})
    return folder


def open_small_collection(folder: Path) -> Collection:
    terms = TermStore.load(folder)
    return Collection(
        corpus=Corpus.load(folder),
        graph=CitationGraph.load(folder),
        terms=terms,
        vectors=load_array(folder / "vectors.npy"),
        vector_index=ExactIndex.load(folder / "vectors.npy"),
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
