"""The papers of a corpus as bags of numbers, and batches of them for torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from recsys.models.nnselect import FIELDS, Entries, Vocabulary
from recsys.store.arrays import Mask, Ragged, Rows
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class TokenBags:
    """Each field of every paper: row -> numbers in order, words with multiplicity.

    sizes: how many different numbers a field has; title and abstract share theirs.
    """

    title: Ragged
    abstract: Ragged
    authors: Ragged
    venue: Ragged
    keyphrases: Ragged
    sizes: Mapping[str, int]

    def of(self, field: str) -> Ragged:
        """Return a field's bags."""
        bags: Ragged = getattr(self, field)
        return bags

    def __len__(self) -> int:
        """Count the papers."""
        return len(self.title)


def read_bags(collection: Collection, known: Mask) -> tuple[Vocabulary, TokenBags]:
    """Make the vocabulary of the known papers, and the bags of all papers by it."""
    papers = [Entries.of(paper) for paper in collection.corpus.full_papers(range(len(known)))]
    vocabulary = Vocabulary.build(papers[row] for row in np.flatnonzero(known))
    bags = {field: vocabulary.bags(papers, field) for field in FIELDS}
    return vocabulary, TokenBags(
        **bags, sizes={field: len(vocabulary.of(field)) for field in FIELDS}
    )


def known_by(collection: Collection, train: Rows) -> Mask:
    """Tell which papers are of a known year, and not newer than the newest train query: (n,)."""
    years = collection.graph.years
    known: Mask = (years != UNKNOWN_YEAR) & (years <= years[train].max(initial=0))
    return known


def drop_words(bags: Ragged, share: float, rng: np.random.Generator) -> Ragged:
    """Leave out every entry with the given chance: the paper's word dropout.

    Nothing is scaled up in return, since sums are normalised.
    """
    if share <= 0:
        return bags
    kept = rng.random(len(bags.values), np.float32) >= share
    before = np.concatenate([[0], np.cumsum(kept)])
    return Ragged(before[bags.starts], bags.values[kept])


def rows_of(bags: Ragged, rows: Rows) -> Ragged:
    """Gather some rows."""
    starts = np.concatenate([[0], np.cumsum(bags.lengths(rows))])
    return Ragged(starts, bags.take(rows)[1])


def to_torch(bags: Ragged, device: str = "cpu") -> "tuple[torch.Tensor, torch.Tensor]":
    """Give (values: (nnz,), offsets: (n + 1,)), both int64, as MagDirBag reads them."""
    import torch

    return (
        torch.from_numpy(bags.values.astype(np.int64)).to(device),
        torch.from_numpy(bags.starts.astype(np.int64)).to(device),
    )


def distinct_words(bags: TokenBags) -> Ragged:
    """Put title and abstract together: row -> distinct words, ascending."""
    rows = np.arange(len(bags), dtype=np.int32)
    owners, words = (
        np.concatenate(parts)
        for parts in zip(bags.title.take(rows), bags.abstract.take(rows), strict=True)
    )
    pairs = np.unique(np.stack([owners, words]), axis=1)
    return Ragged.from_pairs(pairs[0], pairs[1], len(bags))
