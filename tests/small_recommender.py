"""Recommenders out of a few papers, by cosine."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from recsys.recommend import Recommender
from recsys.records import Answer, Draft, Paper, Recommendation
from recsys.store.arrays import Floats
from tests.hashing_encoder import HashingEncoder
from tests.stored import store
from tests.tiny import SMALL, collect

DRAFT = Draft("Rivers measured again", "We measure rivers, with an instrument.")


@dataclass(frozen=True, slots=True)
class CosineRanker:
    """Ranks by cosine, or finds all candidates alike."""

    alike: bool = False
    feature_names: tuple[str, ...] = ("cosine",)
    first: None = None

    def score(self, features: Floats) -> Floats:
        return np.zeros(len(features), np.float32) if self.alike else features[:, 0]

    def probability(self, scores: Floats) -> Floats:
        return np.clip(scores, 0, 1)


def stored(papers: Sequence[Paper], folder: Path) -> Recommender:
    """Recommend out of papers with ascending ids by cosine; their columns go to a new folder."""
    encoder = HashingEncoder(8)
    vectors = encoder.encode([(paper.title, paper.abstract) for paper in papers])
    collection = replace(collect(papers, vectors), corpus=store(papers, folder))
    return Recommender(collection, encoder, CosineRanker(), SMALL)


def ids(answer: Answer) -> list[str]:
    return [item.paper.id for item in answer.recommendations]


def apart_from_rank(answer: Answer) -> list[Recommendation]:
    return [replace(item, rank=0) for item in answer.recommendations]
