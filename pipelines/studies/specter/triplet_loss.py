"""Losses over triplets of vectors. A batch's distinct texts are encoded once: `vectors` (n, d).

`places` (3, b) int64 says where the query, positive and negative of each of b triplets are.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, normalize, triplet_margin_loss

LossName: TypeAlias = Literal["triplet", "unit-triplet", "in-batch"]
MARGIN, UNIT_MARGIN = 1.0, 0.1
"""The paper's, and one that suits vectors of length 1, no two of which are more than 2 apart."""


@dataclass(frozen=True, slots=True)
class LossOptions:
    """What is minimised.

    name: "triplet" is SPECTER's, of the vectors as they come; "unit-triplet" of vectors of length
    1, which is what an index compares; "in-batch" tells each positive from all other texts of the
    batch. margin: of triplets; None: MARGIN or UNIT_MARGIN. temperature: of in-batch.
    """

    name: LossName = "triplet"
    margin: float | None = None
    temperature: float = 0.05

    def of(self, vectors: Tensor, places: Tensor, apart: Tensor) -> Tensor:
        """Compute the mean loss of the triplets.

        Args:
            vectors: (n, d).
            places: (3, b).
            apart: (b, n) bool, texts that each triplet's query may be told from, for in-batch.
        """
        if self.name == "triplet":
            return triplet(vectors, places, MARGIN if self.margin is None else self.margin)
        unit = normalize(vectors, dim=1)
        if self.name == "unit-triplet":
            return triplet(unit, places, UNIT_MARGIN if self.margin is None else self.margin)
        return in_batch(unit, places, apart, self.temperature)


def triplet(vectors: Tensor, places: Tensor, margin: float) -> Tensor:
    """Average max(|q - p| - |q - n| + margin, 0) in L2 distances (Cohan et al. 2020, eq. 2)."""
    query, positive, negative = vectors[places]
    return triplet_margin_loss(query, positive, negative, margin=margin)


def in_batch(vectors: Tensor, places: Tensor, apart: Tensor, temperature: float) -> Tensor:
    """Average -log of the softmax of cosines / temperature at the positive.

    It is over the positive, the triplet's own negative and the texts in `apart` (van den Oord et
    al. 2018, eq. 4).
    """
    query, positive, negative = places
    own = torch.arange(len(query), device=vectors.device)
    seen = apart.clone()
    seen[own, positive] = seen[own, negative] = True
    cosines = vectors[query] @ vectors.T / temperature
    return cross_entropy(cosines.masked_fill(~seen, -torch.inf), positive)
