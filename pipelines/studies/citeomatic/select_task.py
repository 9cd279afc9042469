"""NNSelect as something to train: mined triplets, their loss, and recall on dev."""

from dataclasses import asdict, dataclass, field

import numpy as np
import torch
from torch import Tensor

from recsys.eval.measures import Judged, summarise
from recsys.models.nnselect import NEIGHBOURS, select
from recsys.pipelines.evaluation.splits import gold
from recsys.pipelines.studies.citeomatic.bags import TokenBags, distinct_words, drop_words, to_torch
from recsys.pipelines.studies.citeomatic.negatives import (
    Kind,
    Margins,
    Miner,
    Mining,
    Sampling,
    Triplets,
    TripletSampler,
    triplet_loss,
)
from recsys.pipelines.studies.citeomatic.towers import NNSelect, Penalty, embed, word_bags
from recsys.query.query import Query, draft_of, make_query
from recsys.store.arrays import Floats, Rows
from recsys.store.collection import Collection

CUTOFF = 20
DEV_MEASURE = f"R@{CUTOFF}"
SHOWN = (f"F1@{CUTOFF}", "MRR", DEV_MEASURE, "R@100")


@dataclass(frozen=True, slots=True)
class SelectOptions:
    """The model and how it learns; the defaults were chosen on dev queries of visualization papers.

    dim: length of a vector. dropout: share of words left out in training. mining: None learns
    without neighbours as negatives.
    """

    dim: int = 150
    dropout: float = 0.5
    penalty: Penalty = field(default_factory=Penalty)
    margins: Margins = field(default_factory=lambda: Margins(gamma=1.5))
    mining: Mining | None = field(default_factory=lambda: Mining(percentile=50))
    sampling: Sampling = field(default_factory=Sampling)


@dataclass(frozen=True, slots=True)
class Dev:
    """The dev queries: rows, what each may see, and its gold papers."""

    rows: Rows
    queries: list[Query]
    gold: list[Rows]

    @classmethod
    def of(cls, collection: Collection, rows: Rows) -> "Dev":
        """Pose the papers in these rows as queries."""
        papers = collection.corpus.full_papers(rows)
        queries = [
            make_query(collection, draft_of(paper), collection.vectors[row])
            for row, paper in zip(rows.tolist(), papers, strict=True)
        ]
        return cls(rows, queries, [gold(collection, row) for row in rows.tolist()])


@dataclass(frozen=True, slots=True)
class SelectTask:
    """Implements `training.Task`."""

    network: NNSelect
    collection: Collection
    bags: TokenBags
    sampler: TripletSampler
    miner: Miner | None
    dev: Dev
    options: SelectOptions

    @classmethod
    def build(
        cls,
        collection: Collection,
        bags: TokenBags,
        queries: tuple[Rows, Rows],
        options: SelectOptions,
        seed: int,
    ) -> "SelectTask":
        """Lay everything out; queries: rows of train and dev."""
        sampler = TripletSampler.build(collection, queries[0], options.sampling)
        size = bags.sizes["title"]
        miner = None
        if options.mining is not None and Kind.NEIGHBOUR in options.sampling.kinds:
            miner = Miner.build(sampler, distinct_words(bags), size, options.mining)
        generator = torch.Generator().manual_seed(seed)
        network = NNSelect(size, options.dim, generator)
        return cls(
            network, collection, bags, sampler, miner, Dev.of(collection, queries[1]), options
        )

    def triplets(self, rng: np.random.Generator) -> Triplets:
        """Draw an epoch; neighbours are those of the network as it is."""
        near = None
        if self.miner is not None:
            near = self.miner.neighbours(embed(self.network, self.bags))
        return self.sampler.epoch(rng, near)

    def loss(self, triplets: Triplets, rng: np.random.Generator) -> Tensor:
        """Embed each paper of the batch once, and compare."""
        device = self.network.scales.device.type
        three = np.stack([triplets.query, triplets.positive, triplets.negative])
        rows, places = np.unique(three, return_inverse=True)
        inputs = drop_words(word_bags(self.bags, rows), self.options.dropout, rng)
        vectors, cost = self.network.penalised(*to_torch(inputs, device), self.options.penalty)
        query, positive, negative = vectors[torch.from_numpy(places.reshape(3, -1)).to(device)]
        margins = triplets.margins(self.collection.graph, self.options.margins)
        s_pos, s_neg = (query * positive).sum(dim=1), (query * negative).sum(dim=1)
        return triplet_loss(s_pos, s_neg, torch.from_numpy(margins).to(device)) + cost

    def measure(self) -> float:
        """Compute R@20 of the dev queries, selected as in evaluations."""
        return self.figures()[DEV_MEASURE]

    def figures(self, neighbours: int = NEIGHBOURS) -> dict[str, float]:
        """Compute the measures SHOWN on dev."""
        vectors = embed(self.network, self.bags)
        return dev_figures(self.collection, vectors, self.dev, neighbours)


def dev_figures(
    collection: Collection, vectors: Floats, dev: Dev, neighbours: int
) -> dict[str, float]:
    """Select for each query and compare with gold: measure -> mean."""
    judged = []
    for row, query, right in zip(dev.rows.tolist(), dev.queries, dev.gold, strict=True):
        rows, _ = select(collection.graph, vectors, query, vectors[row], neighbours)
        judged.append(Judged(np.isin(rows, right), len(right)))
    figures = summarise(judged, rng=np.random.default_rng(0), samples=1)
    return {name: figures[name].value for name in SHOWN}


def facts_of(options: SelectOptions) -> dict[str, object]:
    """Write the options as JSON holds them."""
    facts = asdict(options)
    facts["sampling"]["kinds"] = [kind.name.lower() for kind in options.sampling.kinds]
    return facts
