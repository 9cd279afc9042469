"""Our features in Citeomatic's ranker: tells apart what features bring and what the model brings.

The network is NNRank's (two ELU layers, sigmoid) and learns by its loss, over the table of features
that LightGBM reads. Negatives are candidates of the same query: half of them drawn from all, half
from those that the network, as it is now, ranks highest.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import elu

from eval.measures import Judged, per_query, summarise
from eval.significance import randomisation_test
from indexes.opening import open_collection
from pipelines.citeomatic.loss import Kind, Margins, triplet_loss
from pipelines.fit_ranker import CUTOFF, fit
from pipelines.splits import read_split
from pipelines.train_ranker import judge
from pipelines.training_table import TrainingTable, collect
from recsys.arrays import Floats, Longs
from recsys.features import feature_names
from recsys.progress import Progress, silent

EPOCHS = "epochs at most"
_TESTED = f"query F1@{CUTOFF}"
_FARTHEST = 8.0
"""Standardised features are cut there: a new corpus may hold anything."""
_LEAST_SPREAD = 1e-6


@dataclass(frozen=True, slots=True)
class FeatureNetOptions:
    """metadata: whether authors and venue may be read. patience: epochs without a better dev.

    top: how many of the highest ranked candidates are hard. per_kind: negatives a positive.
    """

    metadata: bool = True
    hidden: int = 20
    rate: float = 0.003
    batch: int = 512
    per_kind: int = 3
    top: int = 50
    epochs: int = 60
    patience: int = 8
    gamma: float = 1.0
    seed: int = 0


class FeatureNet(nn.Module):
    """Scores rows of features in (0, 1)."""

    def __init__(self, features: Floats, hidden: int, generator: torch.Generator) -> None:
        """Standardise by the (n, f) features of training."""
        super().__init__()
        self.mean: Tensor
        self.spread: Tensor
        spread = features.std(axis=0)
        spread[spread < _LEAST_SPREAD] = np.inf  # A constant tells nothing.
        self.register_buffer("mean", torch.from_numpy(features.mean(axis=0)))
        self.register_buffer("spread", torch.from_numpy(spread))
        self.first = nn.Linear(features.shape[1], hidden)
        self.second = nn.Linear(hidden, hidden)
        self.last = nn.Linear(hidden, 1)
        for layer in (self.first, self.second, self.last):
            nn.init.xavier_uniform_(layer.weight, generator=generator)
            nn.init.zeros_(layer.bias)

    def forward(self, features: Tensor) -> Tensor:
        """Score (n, f) features: (n,)."""
        scaled = ((features - self.mean) / self.spread).clamp(-_FARTHEST, _FARTHEST)
        hidden = elu(self.second(elu(self.first(scaled))))
        return torch.sigmoid(self.last(hidden).squeeze(1))

    def scores(self, features: Floats) -> Floats:
        """Score without gradients: (n,) float32."""
        with torch.no_grad():
            scores: Floats = self(torch.from_numpy(features)).numpy()
        return scores


def fit_feature_net(
    train: TrainingTable,
    dev: TrainingTable,
    options: FeatureNetOptions,
    *,
    progress: Progress = silent,
) -> FeatureNet:
    """Train on train; keep the epoch with the best F1@20 on dev."""
    rng = np.random.default_rng(options.seed)
    generator = torch.Generator().manual_seed(options.seed)
    net = FeatureNet(train.features, options.hidden, generator)
    optimiser = torch.optim.Adam(net.parameters(), options.rate)
    features = torch.from_numpy(train.features)
    best, kept, since = -1.0, _state(net), 0
    for epoch in range(options.epochs):
        progress(EPOCHS, epoch, options.epochs)
        for positive, negative, margins in _triplets(net, train, options, rng):
            better, worse = net(features[torch.cat([positive, negative])]).chunk(2)
            optimiser.zero_grad()
            torch.autograd.backward(triplet_loss(better, worse, margins))
            optimiser.step()
        found = _figure(judge(net.scores(dev.features), dev), f"F1@{CUTOFF}")
        since = 0 if found > best else since + 1
        if since == 0:
            best, kept = found, _state(net)
        if since >= options.patience:
            break
    progress(EPOCHS, options.epochs, options.epochs)
    net.load_state_dict(kept)
    return net


def _triplets(
    net: FeatureNet, table: TrainingTable, options: FeatureNetOptions, rng: np.random.Generator
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Give batches of (positive, negative) places in the table with margins."""
    pools = {
        Kind.RANDOM: _pools(table, np.full(len(table.features), True)),
        Kind.NEIGHBOUR: _pools(table, ranks(net.scores(table.features), table) < options.top),
    }
    query = np.repeat(np.arange(len(table.groups)), table.groups)
    positives = np.repeat(np.flatnonzero(table.relevant), options.per_kind)
    drawn = []
    for kind, (starts, places) in pools.items():
        lengths = np.diff(starts)[query[positives]]
        good = positives[lengths > 0]
        at = starts[query[good]] + (rng.random(len(good)) * lengths[lengths > 0]).astype(np.int64)
        drawn.append((good, places[at], np.full(len(good), kind, np.int8)))
    positive, negative, kinds = (np.concatenate(each) for each in zip(*drawn, strict=True))
    none = np.zeros(len(kinds), np.int64)
    margins = Margins(options.gamma, boost=0).of(kinds, none, none)
    order = rng.permutation(len(kinds))
    for begin in range(0, len(order), options.batch):
        chosen = order[begin : begin + options.batch]
        yield (
            torch.from_numpy(positive[chosen]),
            torch.from_numpy(negative[chosen]),
            torch.from_numpy(margins[chosen]),
        )


def _pools(table: TrainingTable, kept: np.typing.NDArray[np.bool_]) -> tuple[Longs, Longs]:
    """Give each query's places of candidates that are kept and not gold: (starts, places)."""
    places = np.flatnonzero(kept & (table.relevant == 0))
    query = np.repeat(np.arange(len(table.groups)), table.groups)
    counts = np.bincount(query[places], minlength=len(table.groups))
    return np.concatenate([[0], np.cumsum(counts)]), places


def ranks(scores: Floats, table: TrainingTable) -> Longs:
    """Number each query's candidates, best first, from 0: (n,)."""
    query = np.repeat(np.arange(len(table.groups)), table.groups)
    order = np.lexsort((-scores, query))
    found = np.empty(len(scores), np.int64)
    found[order] = np.arange(len(scores)) - (np.cumsum(table.groups) - table.groups)[query]
    return found


def _state(net: FeatureNet) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in net.state_dict().items()}


def _figure(judged: list[Judged], name: str) -> float:
    return summarise(judged, rng=np.random.default_rng(0), samples=1)[name].value


@dataclass(frozen=True, slots=True)
class FeatureNetReport:
    """figures: (model, part) -> (F1@20, MRR). p: part -> that both models are alike."""

    figures: dict[tuple[str, str], tuple[float, float]]
    p: dict[str, float]

    def lines(self) -> list[str]:
        """Say it to people."""
        lines = [
            f"{part}, {model}: F1@{CUTOFF} {f1:.4f}, MRR {mrr:.4f}"
            for (model, part), (f1, mrr) in self.figures.items()
        ]
        tests = (f"{part}: p of the difference in {_TESTED} {p:.4f}" for part, p in self.p.items())
        return [*lines, *tests]


def compare_models(
    index: Path, split: Path, options: FeatureNetOptions, *, progress: Progress = silent
) -> FeatureNetReport:
    """Fit LightGBM and the network on the same table; report both on dev and test."""
    collection = open_collection(index)
    parts = read_split(split, collection)
    names = feature_names(metadata=options.metadata)
    tables = {
        part: collect(
            collection,
            collection.corpus.rows(parts.part(part)),
            names,
            progress=progress,
            stage=f"features of {part}",
        )
        for part in ("train", "dev", "test")
    }
    net = fit_feature_net(tables["train"], tables["dev"], options, progress=progress)
    trees = fit(tables["train"], tables["dev"], names, seed=options.seed, progress=progress)
    figures, p = {}, {}
    for part in ("dev", "test"):
        judged = {
            "network": judge(net.scores(tables[part].features), tables[part]),
            "LightGBM": judge(trees.predict(tables[part].features), tables[part]),
        }
        for model, each in judged.items():
            figures[model, part] = _figure(each, f"F1@{CUTOFF}"), _figure(each, "MRR")
        pair = [per_query(each)[_TESTED] for each in judged.values()]
        p[part] = randomisation_test(*pair, rng=np.random.default_rng(0))
    return FeatureNetReport(figures, p)
