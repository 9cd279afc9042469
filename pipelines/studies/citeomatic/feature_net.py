"""Our features in Citeomatic's ranker: tells apart what features bring and what the model brings.

The network is NNRank's (two ELU layers, sigmoid) and learns by its loss, over the table of features
that LightGBM reads. Negatives are candidates of the same query: half of them drawn from all, half
from those that the network, as it is now, ranks highest.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import elu

from eval.measures import Judged, per_query, summarise
from eval.significance import randomisation_test
from indexes.opening import open_collection
from pipelines.evaluation.splits import PARTS, read_split
from pipelines.ranking.fit_ranker import CUTOFF, fit
from pipelines.ranking.train_ranker import judge
from pipelines.ranking.training_table import TrainingTable, collect
from pipelines.studies.citeomatic.margin_loss import Kind, Margins, triplet_loss
from recsys.progress import Progress, silent
from recsys.stage_two.features import feature_names
from recsys.store.arrays import Floats, Longs

EPOCHS = "epochs at most"
PAPER_FEATURES = ("cosine", "title_in_title", "text_in_text", "citations")
"""Those of our features that are like NNRank's: cosine, shared words, citations."""
OURS, PAPERS = "our", "the paper's"
NETWORK, TREES = "network", "LightGBM"
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
class Compared:
    """One cell: what a model makes of some features, on a part of the split."""

    part: str
    features: str
    model: str
    f1: float
    mrr: float


@dataclass(frozen=True, slots=True)
class FeatureNetReport:
    """cells: both models on both sets of features. p: (part, features) -> that models are alike."""

    cells: tuple[Compared, ...]
    p: Mapping[tuple[str, str], float]

    def lines(self) -> list[str]:
        """Say it to people."""
        cells = (
            f"{each.part}, {each.features} features, {each.model}: F1@{CUTOFF} {each.f1:.4f}, "
            f"MRR {each.mrr:.4f}"
            for each in self.cells
        )
        tests = (
            f"{part}, {features} features: p of the difference in {_TESTED} {p:.4f}"
            for (part, features), p in self.p.items()
        )
        return [*cells, *tests]


def compare_models(
    index: Path, split: Path, options: FeatureNetOptions, *, progress: Progress = silent
) -> FeatureNetReport:
    """Fit LightGBM and the network on the same tables; report both on dev and test.

    Both learn twice: from all our features, and from those that are like the paper's.

    Raises:
        ArtifactError: the index cannot be opened.
        SplitError: the split does not fit the index, or its parts overlap.
    """
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
        for part in PARTS
    }
    cells: list[Compared] = []
    p: dict[tuple[str, str], float] = {}
    for features, chosen in ((OURS, names), (PAPERS, PAPER_FEATURES)):
        some = {part: _columns(table, names, chosen) for part, table in tables.items()}
        net = fit_feature_net(some["train"], some["dev"], options, progress=progress)
        trees = fit(some["train"], some["dev"], chosen, seed=options.seed, progress=progress)
        for part in PARTS[1:]:
            judged = {
                NETWORK: judge(net.scores(some[part].features), some[part]),
                TREES: judge(trees.predict(some[part].features), some[part]),
            }
            cells += [_cell(part, features, model, each) for model, each in judged.items()]
            pair = [per_query(each)[_TESTED] for each in judged.values()]
            p[part, features] = randomisation_test(*pair, rng=np.random.default_rng(0))
    return FeatureNetReport(tuple(cells), p)


def _columns(
    table: TrainingTable, names: tuple[str, ...], chosen: tuple[str, ...]
) -> TrainingTable:
    features = np.ascontiguousarray(table.features[:, [names.index(name) for name in chosen]])
    return replace(table, features=features)


def _cell(part: str, features: str, model: str, judged: list[Judged]) -> Compared:
    return Compared(part, features, model, _figure(judged, f"F1@{CUTOFF}"), _figure(judged, "MRR"))
