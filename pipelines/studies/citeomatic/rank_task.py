"""NNRank as something to train: triplets, their loss, and F1 on dev over NNSelect's candidates."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from recsys.eval.measures import Judged, summarise
from recsys.models.nnrank import NNRank, RankShape
from recsys.models.nnselect import NEIGHBOURS, select
from recsys.models.pairs import Pairs, stacked
from recsys.pipelines.studies.citeomatic.bags import TokenBags, distinct_words
from recsys.pipelines.studies.citeomatic.negatives import (
    Kind,
    Margins,
    Miner,
    Mining,
    Sampling,
    Triplets,
    TripletSampler,
    ragged,
    triplet_loss,
)
from recsys.pipelines.studies.citeomatic.rank_net import (
    Batcher,
    RankData,
    RankNet,
    RankSize,
    rarity,
)
from recsys.pipelines.studies.citeomatic.select_task import Dev
from recsys.store.arrays import Floats, Ragged, Rows, top_k
from recsys.store.collection import Collection

CUTOFF = 20
DEV_MEASURE = f"F1@{CUTOFF}"


@dataclass(frozen=True, slots=True)
class RankOptions:
    """The model and how it learns; the defaults were chosen on dev queries of visualization papers.

    dropout: share of words left out in training. mining: None learns without neighbours as
    negatives; here the filter by common words does harm (F1@20 0.238 instead of 0.248 on dev of
    visualization research), so all neighbours that the query does not cite are taken. neighbours:
    how many nearest papers NNSelect takes for the dev queries.
    """

    shape: RankShape = field(default_factory=RankShape)
    size: RankSize = field(default_factory=RankSize)
    dropout: float = 0.5
    margins: Margins = field(default_factory=Margins)
    mining: Mining | None = field(default_factory=lambda: Mining(percentile=100))
    sampling: Sampling = field(default_factory=Sampling)
    neighbours: int = NEIGHBOURS


@dataclass(frozen=True, slots=True)
class Shortlists:
    """NNSelect's candidates of several queries, one query after the other.

    pairs: each query beside each of its candidates. counts: (q,) candidates a query. relevant:
    (p,) bool, whether the candidate is gold. gold: (q,) gold papers, proposed or not.
    """

    pairs: Pairs
    counts: Rows
    relevant: np.typing.NDArray[np.bool_]
    gold: Rows

    @classmethod
    def of(cls, collection: Collection, data: RankData, dev: Dev, neighbours: int) -> "Shortlists":
        """Select for each query."""
        parts, counts, relevant = [], [], []
        for row, query, right in zip(dev.rows.tolist(), dev.queries, dev.gold, strict=True):
            vector = data.vectors[row]
            rows = np.sort(select(collection.graph, data.vectors, query, vector, neighbours)[0])
            parts.append(data.pairs(np.full(len(rows), row, np.int32), rows))
            counts.append(len(rows))
            relevant.append(np.isin(rows, right))
        return cls(
            stacked(parts),
            np.array(counts, np.int32),
            np.concatenate(relevant),
            np.array([len(right) for right in dev.gold], np.int32),
        )

    def judge(self, scores: Floats) -> list[Judged]:
        """Order each query's candidates by (p,) scores and compare them with its gold papers."""
        judged, ends = [], np.cumsum(self.counts)
        for end, count, gold in zip(ends, self.counts, self.gold, strict=True):
            flags = self.relevant[end - count : end]
            order = top_k(scores[end - count : end], count)
            judged.append(Judged(flags[order], int(gold), int(count), int(flags.sum())))
        return judged


@dataclass(frozen=True)
class RankTask:
    """Implements `training.Task`. neighbours: place of the query -> negatives near it."""

    network: RankNet
    data: RankData
    sampler: TripletSampler
    neighbours: Ragged | None
    dev: Shortlists
    options: RankOptions

    @classmethod
    def build(
        cls,
        collection: Collection,
        data: RankData,
        queries: tuple[Rows, Rows],
        options: RankOptions,
        *,
        seed: int,
    ) -> "RankTask":
        """Lay everything out; queries: rows of train and dev."""
        sampler = TripletSampler.build(collection, queries[0], options.sampling)
        near = None
        if options.mining is not None and Kind.NEIGHBOUR in options.sampling.kinds:
            near = _mine(sampler, data, options.mining)
        generator = torch.Generator().manual_seed(seed)
        network = RankNet(options.shape, options.size, rarity(data.bags), generator)
        dev = Dev.of(collection, queries[1])
        shortlists = Shortlists.of(collection, data, dev, options.neighbours)
        return cls(network, data, sampler, near, shortlists, options)

    def triplets(self, rng: np.random.Generator) -> Triplets:
        """Draw an epoch."""
        return self.sampler.epoch(rng, self.neighbours)

    def loss(self, triplets: Triplets, rng: np.random.Generator) -> Tensor:
        """Score both papers of each triplet beside the query, and compare."""
        batch = self._batcher.batch(
            np.concatenate([triplets.query, triplets.query]),
            np.concatenate([triplets.positive, triplets.negative]),
            rng,
        )
        scores: Tensor
        penalty: Tensor
        scores, penalty = self.network(batch)
        margins = triplets.margins(self.data.graph, self.options.margins)
        s_pos, s_neg = scores.chunk(2)
        return triplet_loss(s_pos, s_neg, torch.from_numpy(margins).to(scores.device)) + penalty

    @cached_property
    def _batcher(self) -> Batcher:
        device = next(self.network.parameters()).device.type
        return Batcher(self.data, self.options.shape, self.options.dropout, device)

    def measure(self) -> float:
        """Compute F1@20 of the dev queries."""
        return self.figures()[DEV_MEASURE]

    def figures(self) -> dict[str, float]:
        """Compute every measure on dev."""
        judged = self.dev.judge(score_all(self.network.export(), self.data.bags, self.dev.pairs))
        figures = summarise(judged, rng=np.random.default_rng(0), samples=1)
        return {name: interval.value for name, interval in figures.items()}


def _mine(sampler: TripletSampler, data: RankData, options: Mining) -> Ragged:
    """Find the negatives near each query by vectors that have not learned from it."""
    words, size = distinct_words(data.bags), data.bags.sizes["title"]
    miner = Miner.build(sampler, words, size, options)
    found = [miner.neighbours(vectors) for vectors in data.folds.vectors]
    folds = data.folds.folds[sampler.queries].tolist()
    return ragged([found[fold][place] for place, fold in enumerate(folds)])


def score_all(model: NNRank, bags: TokenBags, pairs: Pairs) -> Floats:
    """Score pairs of rows of the corpus: (p,) float32."""
    fields = {name: bags.of(name) for name in model.shape.fields}
    queries = model.embed(fields, candidate=False)
    candidates = model.embed(fields, candidate=True) if model.shape.separate else queries
    return model.score(queries, candidates, pairs)


def facts_of(options: RankOptions) -> Mapping[str, object]:
    """Write the options as JSON holds them."""
    facts = asdict(options)
    facts["sampling"]["kinds"] = [kind.name.lower() for kind in options.sampling.kinds]
    return facts
