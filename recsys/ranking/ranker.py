"""Stage two's model at answering time: trees, a network beside them, calibration, two passes."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from math import log, log1p
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from recsys.errors import ArtifactCorrupt, ArtifactMismatch
from recsys.protocols import Ranker
from recsys.ranking.feature_context import FeatureContext, divide, references_lately
from recsys.ranking.features import (
    BY_NAME,
    Columns,
    Feature,
    compute,
    descending_rank,
    log_of,
    per_citation,
    table_of,
)
from recsys.retrieval.propose import USUAL, share
from recsys.store.arrays import Floats, Rows, find_rows, load_arrays, number, top_k, totals
from recsys.store.artifacts import load_manifest
from recsys.store.kernels.dispatch import LEAVES, Trees, interpolate, score_trees
from recsys.store.vectors import row_dots

# The trees of a model on disk: the arrays of `recsys.store.kernels.dispatch.Trees` in one file.

TREES = "trees.npz"
_TREE_ARRAYS: Mapping[str, DTypeLike] = {
    "feature": np.int32,
    "threshold": np.float32,
    "tree": np.int32,
    "left": np.uint32,
    "values": np.float32,
}
"""The fields of `Trees`, and the type of each."""


@dataclass(frozen=True, slots=True)
class StoredTrees:
    """Trees and how many features they read."""

    trees: Trees
    width: int

    def score(self, features: Floats) -> Floats:
        """Score (n, width) float32 features: (n,) float32."""
        return score_trees(self.trees, features)

    def save(self, folder: Path) -> None:
        """Write them into a folder."""
        arrays = {name: getattr(self.trees, name) for name in _TREE_ARRAYS}
        np.savez(folder / TREES, allow_pickle=False, width=np.array(self.width), **arrays)

    @classmethod
    def load(cls, folder: Path) -> "StoredTrees":
        """Read what `save` wrote.

        Raises:
            ArtifactCorrupt: it is no such file, or its arrays do not fit each other.
        """
        path = folder / TREES
        *stored, width = load_arrays(path, [*_TREE_ARRAYS, "width"])
        try:
            typed = zip(stored, _TREE_ARRAYS.values(), strict=True)
            trees = Trees(*(np.ascontiguousarray(array, kind) for array, kind in typed))
            found = cls(trees, int(width))
        except (ValueError, TypeError) as error:
            raise ArtifactCorrupt(f"{path} cannot be read ({error}).", "Build it again.") from error
        flat = trees.feature, trees.threshold, trees.tree, trees.left
        if not (
            trees.feature.ndim == 1
            and trees.values.shape[1:] == (LEAVES,)
            and all(column.shape == trees.feature.shape for column in flat)
            and _within(trees.feature, found.width)
            and _within(trees.tree, len(trees.values))
            and np.all(np.diff(trees.tree) >= 0)
        ):
            raise ArtifactCorrupt(f"The arrays of {path} do not fit.", "Build it again.")
        return found


def _within(numbers: Rows, below: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < below)


# A neural network that answers beside the trees of a ranker.
#
# Trees cut each feature into steps. A network draws smooth lines through them, and reads where a
# candidate stands among the others of its query: what it learns from a few queries holds for more
# of the others. Both say more together than either does.

NETWORK = "network.npz"
FARTHEST = np.float32(6)
"""Standard deviations from the mean of the candidates; beyond them, all is the same."""
_LEAST_SPREAD = np.float32(1e-6)
_SHORT = ("first", "first_bias", "second", "second_bias")
"""Arrays that are stored in 16 bits."""
_NETWORK_ARRAYS = ("knots", "quantiles", *_SHORT, "last", "bias")


@dataclass(frozen=True, slots=True)
class Scale:
    """Which values of features are common: they are read as normal quantiles.

    knots: (f, k) float32, values of each feature, ascending; the last one may come again.
    quantiles: (f, k) float32, those of the standard normal distribution there.
    """

    knots: Floats
    quantiles: Floats

    def read(self, features: Floats) -> Floats:
        """Place (n, f) features on the scale, with lines between knots: (n, f) float32."""
        return interpolate(features, self.knots, self.quantiles)


@dataclass(frozen=True, slots=True)
class Network:
    """Perceptrons with two hidden layers of rectified units, p of them, whose mean answers.

    scale: of f features. first: (p, 2 * f, g), first_bias: (p, 1, g). second: (p, g, h),
    second_bias: (p, 1, h). last: (p, h, 1), bias: (p, 1, 1). All float32.
    """

    scale: Scale
    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    last: Floats
    bias: Floats

    @property
    def width(self) -> int:
        """How many features it reads."""
        return len(self.scale.knots)

    def score(self, features: Floats) -> Floats:
        """Score (n, f) float32 features of all candidates of one query: (n,) float32."""
        if not len(features):
            return np.empty(0, np.float32)
        features = np.asfortranarray(features)  # Sums are the same to the last bit.
        mean, spread = mean_and_spread(features)
        read = self.scale.read(features), standing(features, mean, spread)
        inputs, members = np.concatenate(read, axis=1), len(self.first)
        scores = np.zeros(len(features), np.float32)
        for at in range(members):  # One by one: what they make stays in the cache.
            hidden = rectified(inputs @ self.first[at], self.first_bias[at])
            hidden = rectified(hidden @ self.second[at], self.second_bias[at])
            scores += (hidden @ self.last[at] + self.bias[at])[:, 0]
        return scores / np.float32(members)

    def rounded(self) -> "Network":
        """Round weights to what a file keeps: 11 binary digits of those below the last layer."""
        short = {name: getattr(self, name).astype(np.float16) for name in _SHORT}
        return replace(self, **{name: each.astype(np.float32) for name, each in short.items()})

    def save(self, folder: Path) -> None:
        """Write it into a folder, with rounded weights."""
        arrays = {name: getattr(self, name) for name in _NETWORK_ARRAYS[2:]}
        arrays |= {name: arrays[name].astype(np.float16) for name in _SHORT}
        scale = {"knots": self.scale.knots, "quantiles": self.scale.quantiles}
        np.savez(folder / NETWORK, allow_pickle=False, **scale, **arrays)

    @classmethod
    def load(cls, folder: Path) -> "Network":
        """Read what `save` wrote.

        Raises:
            ArtifactCorrupt: it is no such file, or its arrays do not fit each other.
        """
        path = folder / NETWORK
        stored = load_arrays(path, _NETWORK_ARRAYS)
        arrays = [each.astype(np.float32) if each.dtype == np.float16 else each for each in stored]
        found = cls(Scale(*arrays[:2]), *arrays[2:])
        facts = [(each.dtype.str, each.ndim) for each in arrays]
        typed = facts == [("<f4", 2)] * 2 + [("<f4", 3)] * 6
        if typed:
            f, (p, _, g), h = found.width, found.first.shape, found.second.shape[2]
            shapes = [(p, 2 * f, g), (p, 1, g), (p, g, h), (p, 1, h), (p, h, 1), (p, 1, 1)]
            typed = arrays[0].shape == arrays[1].shape and arrays[0].size > 0 < p
            typed = typed and [each.shape for each in arrays[2:]] == shapes
        if not typed or not all(np.isfinite(each).all() for each in arrays[2:]):
            raise ArtifactCorrupt(f"The arrays of {path} do not fit.", "Build it again.")
        return found


def mean_and_spread(features: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each of (n, f) features, n >= 1: (f,) float32 each.

    In float32, the mean of equal numbers is seldom that number, and all would stand beside it.
    """
    mean, spread = (of(axis=0, dtype=np.float64) for of in (features.mean, features.std))
    return mean.astype(np.float32), np.maximum(spread.astype(np.float32), _LEAST_SPREAD)


def standing(features: Floats, mean: Floats, spread: Floats) -> Floats:
    """Say how far (n, f) features are from means, in standard deviations: (n, f) float32."""
    told: Floats = np.clip((features - mean) / spread, -FARTHEST, FARTHEST)
    return told


def rectified(values: Floats, bias: Floats) -> Floats:
    """Add a bias and put zeros in the place of what is negative; the values themselves change."""
    values += bias
    return np.maximum(values, 0, out=values)


# Two-pass reranking: what the first ranker's favourites tell of the other candidates.
#
# The first ranker sees each candidate by itself. Where its favourites agree (they are cited by the
# same papers, cite each other, say alike things), that speaks for what stands among them. Chances
# have to be those of a ranker that has not learned from the query: see
# `recsys.pipelines.ranking.held_out_chances`.

FAVOURITES = 20
"""How many candidates of the highest chances the others are compared with."""
RESTART, STEPS = 0.5, 6
"""Of the random walk: the share that begins anew at each step, and how often it steps."""
TWO_PASS = "second pass"

# fmt: off
SECOND_FEATURES: tuple[Feature, ...] = (
    Feature("chance", "what the first ranker gives it", "probability", TWO_PASS),
    Feature("chance_rank", "position by this chance", "rank", TWO_PASS),
    Feature("chance_share", "this chance relative to the best candidate's", "share", TWO_PASS),
    Feature("chances", "all candidates' chances together", "log count", TWO_PASS),
    Feature("walk_share", "random walk from the chances, relative to the best", "share", TWO_PASS),
    Feature("walk_rank", "position by this walk", "rank", TWO_PASS),
    Feature("walk_ratio", "what the walk brings per chance", "ratio", TWO_PASS),
    Feature("favourite_cosine", "favourites, on average by their chances", "cosine", TWO_PASS),
    Feature("favourite_cosine_rank", "position by this", "rank", TWO_PASS),
    Feature("favourite_cosine_best", "closest favourite", "cosine", TWO_PASS),
    Feature("favourite_company", "co-citations with favourites, by their chances", "log sum",
            TWO_PASS),
    Feature("favourite_company_ratio", "the same per citation", "ratio", TWO_PASS),
    Feature("favourite_company_rank", "position by these co-citations", "rank", TWO_PASS),
    Feature("favourite_votes", "share of the favourites' chances that cite it", "share", TWO_PASS),
    Feature("favourites_cited", "chances of the candidates that it cites", "log sum", TWO_PASS),
    Feature("favourites_cited_mean", "the same, on average over its references", "chance",
            TWO_PASS),
)
# fmt: on
SECOND_NAMES = tuple(feature.name for feature in SECOND_FEATURES)


def second_columns(context: FeatureContext, chances: Floats) -> Floats:
    """Compute the columns of SECOND_FEATURES: (m, len(SECOND_FEATURES)) float32.

    chances: (m,) float32, what a first ranker gives each candidate, in [0, 1].
    """
    m, citers, references = len(context), context.citers, context.references
    favourites = top_k(chances, FAVOURITES)
    weights = np.zeros_like(chances)  # Chances of the favourites, 0 of all others.
    weights[favourites] = chances[favourites]
    total = np.float32(max(float(weights.sum()), 1e-9))
    # Chances of the favourites that each citer of a candidate cites with it, in all.
    papers, numbers = number(citers.rows)
    beside = totals(numbers, weights[citers.owner], len(papers))
    company = np.maximum(citers.total(beside[numbers]) - weights * citers.counts, 0)
    # Citations of candidates by candidates: positions of who cites, and of what is cited.
    at = find_rows(context.rows, references.rows)
    citing, cited = references.owner[at >= 0], at[at >= 0]
    cited_chances = totals(citing, chances[cited], m)
    # Cosine of each candidate with each favourite, as (m, f); 0 with itself.
    vectors = context.collection.vectors
    theirs = vectors[context.rows[favourites]]
    cosines: Floats = row_dots(vectors, context.rows, theirs).T.copy()
    cosines[favourites, np.arange(len(favourites))] = 0
    others = np.maximum(total - weights, np.float32(1e-9))
    cosine = (cosines @ chances[favourites]) / others
    begin = chances / np.float32(max(float(chances.sum()), 1e-9))
    walk = _walked(citers.owner, numbers, len(papers), begin)
    columns: Columns = {
        "chance": chances,
        "chance_rank": descending_rank(chances),
        "chance_share": share(chances),
        "chances": np.log1p(chances.sum()),
        "walk_share": share(walk),
        "walk_rank": descending_rank(walk),
        "walk_ratio": (walk - np.float32(RESTART) * begin) / (begin + np.float32(1e-4)),
        "favourite_cosine": cosine,
        "favourite_cosine_rank": descending_rank(cosine),
        "favourite_cosine_best": cosines.max(axis=1, initial=-1),
        "favourite_company": log_of(company),
        "favourite_company_ratio": per_citation(company, context),
        "favourite_company_rank": descending_rank(company),
        "favourite_votes": totals(cited, weights[citing], m) / total,
        "favourites_cited": log_of(cited_chances),
        "favourites_cited_mean": divide(cited_chances, references.counts, least=1),
    }
    return table_of(columns, SECOND_NAMES, m)


def _walked(owner: Rows, number: Rows, papers: int, begin: Floats) -> Floats:
    """Find out where a random walk over candidates and what cites them is: (m,) float32.

    It begins at a candidate by its chance, goes to one of its latest older citers, from there to a
    candidate that this cites, and begins anew with the probability RESTART (Page et al. 1999,
    personalised). In float64.

    Args:
        owner: (e,) candidate of each edge.
        number: (e,) its citing paper, from 0 to below `papers`.
        papers: how many cite candidates.
        begin: (m,) chances that sum to 1.
    """
    m = len(begin)
    # As `bincount` wants them, which would convert them at each step.
    owner, number = owner.astype(np.intp), number.astype(np.intp)
    leaving = 1 / np.maximum(np.bincount(owner, minlength=m), 1)
    coming = 1 / np.maximum(np.bincount(number, minlength=papers), 1)
    place = begin.astype(np.float64)
    for _ in range(STEPS):
        above = np.bincount(number, (place * leaving)[owner], minlength=papers) * coming
        below = np.bincount(owner, above[number], minlength=m)
        place = RESTART * begin + (1 - RESTART) * below
    return place.astype(np.float32)


def score(ranker: Ranker, context: FeatureContext) -> Floats:
    """Score the candidates: (m,) float32, higher is better.

    A ranker of two passes reads the features that its first one has read, and what the chances
    which that gives tell of each candidate.
    """
    first = ranker.first
    if first is None:
        return ranker.score(compute(context, ranker.feature_names))
    features = compute(context, first.feature_names)
    chances = first.probability(first.score(features))
    second = second_columns(context, chances)
    return ranker.score(np.concatenate([features, second], axis=1))


# What a chance is worth on a corpus that the ranker has never seen.
#
# Drafts of one corpus cite more of it than those of another. How much its latest papers cite of it
# tells that best of all that is known when a draft is answered.

FEWEST_REFERENCES = 3.0
"""Papers of the corpus that one cites on average; from fewer, most citations are just not known."""


def _references(context: FeatureContext) -> float:
    """Return the logarithm of the references that the latest papers have here, 0 if unknown."""
    graph, before = context.graph, context.query.before
    lately = graph.once((references_lately, before), lambda: references_lately(graph, before))
    return log(lately) if lately is not None and lately >= FEWEST_REFERENCES else 0.0


EVIDENCE: Mapping[str, Callable[[FeatureContext], float]] = {
    "references": _references,
    "references unknown": lambda context: float(not _references(context)),
    "references unknown, words": lambda context: (
        0.0 if _references(context) else log1p(len(context.query.text.codes))
    ),
    "references given": lambda context: float(context.seeds is not None),
}
"""The numbers that a transfer may read, and how they are read of a query and its candidates."""
SUREST = 1e-4
"""Chances are taken to be that far from 0 and 1 at least."""


def evidence_of(context: FeatureContext) -> dict[str, float]:
    """Read all EVIDENCE of a query and its candidates."""
    return {name: read(context) for name, read in EVIDENCE.items()}


@dataclass(frozen=True, slots=True)
class Transfer:
    """Corrects chances where a ranker has not seen the corpus: logit p' = a + b logit p + w z.

    Platt scaling (Platt 1999) that also reads evidence z, a number of the query each. Fitted on
    answers of rankers that had not seen the corpus, see `benchmarks.chances`.

    bias: a. slope: b > 0, so that the order of papers stays. evidence: name in EVIDENCE -> (weight,
    lowest, highest); beyond what was seen when it was fitted, z counts as the lowest or highest.
    """

    bias: float
    slope: float
    evidence: Mapping[str, tuple[float, float, float]]

    def apply(self, chances: Floats, evidence: Mapping[str, float | NDArray[np.float64]]) -> Floats:
        """Correct (n,) chances by evidence of all of them, or of each: (n,) float32."""
        told = sum(
            weight * np.clip(evidence[name], low, high)
            for name, (weight, low, high) in self.evidence.items()
        )
        sure = np.clip(chances.astype(np.float64), SUREST, 1 - SUREST)
        odds = self.bias + told + self.slope * np.log(sure / (1 - sure))
        return (1 / (1 + np.exp(-odds))).astype(np.float32)


# Both together, calibrated.

KIND = "ranker"
FIRST = "first"
"""The folder inside a ranker's of the one whose chances it reads."""
SCHEMA = 3
TRANSFER = "transfer"
"""What a manifest calls the correction of chances on corpora that a ranker has not seen."""
_AGAIN = "Train it again with `recsys train ranker`."


@dataclass(frozen=True, slots=True)
class TreeRanker:
    """Scores candidates; trained by `recsys.pipelines.ranking.train_ranker`.

    knots: (2, j) float64: ascending scores and the probabilities there (isotonic regression on the
    dev queries); in between, probabilities are interpolated. folder: where it was loaded from.
    searches: those whose candidates it was trained on. nnselect: fingerprint of the NNSelect that
    it was trained with, if it was. first: the ranker whose chances this one reads, see
    SECOND_FEATURES; None: it ranks in one pass. network: whose scores are added to those
    of the trees; None: there is none. transfer: corrects chances on corpora that it has not seen;
    None: it serves the one that it was calibrated on.
    """

    trees: StoredTrees
    feature_names: tuple[str, ...]
    knots: np.typing.NDArray[np.float64]
    origin: str
    folder: Path | None = None
    searches: tuple[str, ...] = USUAL
    nnselect: str | None = None
    first: "TreeRanker | None" = None
    network: Network | None = None
    transfer: Transfer | None = None

    def score(self, features: Floats) -> Floats:
        """Score (n, f) float32 features of one query: (n,) float32, higher is better."""
        scores = self.trees.score(features)
        return scores if self.network is None else scores + self.network.score(features)

    def probability(self, scores: Floats) -> Floats:
        """Calibrate (n,) scores into chances of being cited, in [0, 1]."""
        return np.interp(scores, *self.knots).astype(np.float32)

    def chances(self, features: Floats) -> Floats:
        """Give (n, f) float32 features of one query chances of being cited: (n,) float32."""
        return self.probability(self.score(features))

    @classmethod
    def load(
        cls,
        folder: Path,
        *,
        kind: str = KIND,
        known: Collection[str] = BY_NAME,
    ) -> "TreeRanker":
        """Open a ranker folder.

        Args:
            folder: where it lies.
            kind: of the artifact.
            known: names of the features that can be computed for it.

        Raises:
            ArtifactError: the folder is missing, damaged, of another kind or schema, or was
                trained with features that this version does not have.
        """
        manifest = load_manifest(folder, kind, SCHEMA)
        config = manifest.config
        try:
            names = tuple(config["feature_names"])
            curve, origin = config["calibration"], config["origin"]
            knots = centred(np.array([curve["scores"], curve["probabilities"]]))
            searches = tuple(config.get("candidates", USUAL))
            transfer = transfer_of(config.get(TRANSFER))
        except (KeyError, TypeError) as error:
            raise ArtifactCorrupt(
                f"The manifest of the ranker in {folder} lacks {error}.", _AGAIN
            ) from error
        second = SECOND_NAMES if (folder / FIRST).is_dir() else ()
        if unknown := [name for name in names if name not in known and name not in second]:
            what = f"The ranker {folder} needs the feature {unknown[0]!r}, which this version does"
            raise ArtifactMismatch(f"{what} not have.", _AGAIN)
        trees = StoredTrees.load(folder)
        network = Network.load(folder) if NETWORK in manifest.files else None
        for file, model in ((TREES, trees), (NETWORK, network)):
            if model is not None and model.width != len(names):
                what = f"reads {model.width} features, its manifest names {len(names)}."
                raise ArtifactCorrupt(f"{folder / file} {what}", _AGAIN)
        first = None
        if (folder / FIRST).is_dir():
            if (folder / FIRST / FIRST).exists():  # A chain, or a link to itself.
                raise ArtifactMismatch(f"The ranker {folder} looks more than twice.", _AGAIN)
            first = cls.load(folder / FIRST, kind=kind, known=known)
            if names != (*first.feature_names, *SECOND_NAMES):
                what = f"The ranker {folder} does not read what {folder / FIRST} gives it."
                raise ArtifactMismatch(what, _AGAIN)
        nnselect = config.get("nnselect")
        return cls(
            trees, names, knots, origin, folder, searches, nnselect, first, network, transfer
        )


def transfer_of(stored: Mapping[str, Any] | None) -> Transfer | None:
    """Read a transfer of a manifest, if there is one.

    Raises:
        KeyError: it lacks something, or reads evidence that this version does not have.
    """
    if stored is None:
        return None
    evidence = {}
    for name, (weight, low, high) in stored["evidence"].items():
        if name not in EVIDENCE:
            raise KeyError(name)
        evidence[name] = float(weight), float(low), float(high)
    return Transfer(float(stored["bias"]), float(stored["slope"]), evidence)


def centred(knots: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.float64]:
    """Draw an isotonic curve through the middles of its steps: another score, another chance.

    Centred isotonic regression (Oron & Flournoy 2017); ends as far as its first and last step do.

    Args:
        knots: (2, j) float64, ascending scores and probabilities; a step is a run of equal ones.

    Returns:
        (2, i) float64 with i <= j.
    """
    scores, chances = knots
    begins = np.flatnonzero(np.diff(chances, prepend=-1.0))
    ends = np.append(begins[1:], len(chances)) - 1
    return np.stack([(scores[begins] + scores[ends]) / 2, chances[begins]])
