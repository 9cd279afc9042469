"""Losses of a student against its teacher's vectors of the same texts.

Only angles are learned, which is what an index compares: both have rows of length 1 here.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import log_softmax, softmax

from recsys.store.arrays import Floats

DistilName: TypeAlias = Literal["neighbours", "similarity", "regression"]


@dataclass(frozen=True, slots=True)
class DistilLoss:
    """What is minimised.

    name: "neighbours" compares, for each text, which others of the batch are near by how much;
    "similarity" compares the cosines themselves; "regression" the vectors. temperature: of
    neighbours.
    """

    name: DistilName = "neighbours"
    temperature: float = 0.05

    def of(self, own: Tensor, wanted: Tensor) -> Tensor:
        """Compute the loss of a batch.

        Args:
            own: (n, d), the student's, unit rows.
            wanted: (n, d') the teacher's, unit rows; for regression d' = d, see `Rotation`.
        """
        if self.name == "regression":
            return regression(own, wanted)
        if self.name == "similarity":
            return similarity(own, wanted)
        return neighbours(own, wanted, self.temperature)


def regression(own: Tensor, wanted: Tensor) -> Tensor:
    """Average 1 - cosine of what is and what should be."""
    return 1 - (own * wanted).sum(dim=1).mean()


def similarity(own: Tensor, wanted: Tensor) -> Tensor:
    """Average the squared differences of the cosines of every two texts (Tung & Mori 2019)."""
    return (_pairs(own) - _pairs(wanted)).square().mean()


def neighbours(own: Tensor, wanted: Tensor, temperature: float) -> Tensor:
    """Average KL(teacher | student) of the softmax of each text's cosines with the others.

    A constant that is added to all cosines changes nothing: the two may be on other scales.
    """
    target = softmax(_pairs(wanted) / temperature, dim=1)
    given = log_softmax(_pairs(own) / temperature, dim=1)
    return (target * (target.clamp_min(1e-12).log() - given)).sum(dim=1).mean()


def _pairs(unit: Tensor) -> Tensor:
    """Compare every text with each of the others: (n, n - 1)."""
    count = len(unit)
    apart = ~torch.eye(count, dtype=torch.bool, device=unit.device)
    return (unit @ unit.T)[apart].view(count, count - 1)


@dataclass(frozen=True, slots=True)
class Rotation:
    """Turns a teacher's vectors to where its student's are; nearly all angles stay.

    turn: (d', d) float32: the d directions in which the teacher's vectors are longest, and their
    rotation onto the student's (orthogonal Procrustes, Schönemann 1966).
    """

    turn: Floats

    @classmethod
    def fit(cls, wanted: Floats, own: Floats) -> "Rotation":
        """Fit it on the same texts' vectors: (n, d') by the teacher, (n, d) by the student.

        Of a teacher with fewer numbers than its student, all directions are kept.
        """
        _, found = np.linalg.eigh((wanted.T @ wanted).astype(np.float64))
        longest = found[:, ::-1][:, : own.shape[1]]
        left, _, right = np.linalg.svd((wanted @ longest).T @ own, full_matrices=False)
        return cls((longest @ left @ right).astype(np.float32))

    def of(self, wanted: Floats) -> Floats:
        """Turn vectors: (n, d') -> (n, d), unit rows."""
        turned = wanted @ self.turn
        unit: Floats = turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-9)
        return unit.astype(np.float32)
