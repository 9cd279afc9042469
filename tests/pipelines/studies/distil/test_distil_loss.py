"""What a student is told of its teacher's vectors."""

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from recsys.pipelines.studies.distil.distil_loss import DistilLoss, Rotation, neighbours, similarity
from tests.rows import each_row


def unit(count: int, dim: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return normalize(torch.randn(count, dim, generator=generator), dim=1)


def test_neighbours_are_compared_as_by_hand() -> None:
    own = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    wanted = torch.tensor([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    expected = 0.0
    pairs = {0: (1, 2), 1: (0, 2), 2: (0, 1)}
    for row, others in pairs.items():
        target, given = (
            np.exp([float(each[row] @ each[other]) / 0.5 for other in others])
            for each in (wanted, own)
        )
        target, given = target / target.sum(), given / given.sum()
        expected += float((target * np.log(target / given)).sum()) / 3
    assert float(neighbours(own, wanted, 0.5)) == pytest.approx(expected, abs=1e-6)


def test_similarity_is_the_mean_squared_difference_of_cosines() -> None:
    own = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    wanted = torch.tensor([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    # Cosines of the pairs 01, 02, 12: 0, .6, .8 and .8, 0, .6.
    expected = ((0 - 0.8) ** 2 + (0.6 - 0) ** 2 + (0.8 - 0.6) ** 2) / 3
    assert float(similarity(own, wanted)) == pytest.approx(expected, abs=1e-6)


@each_row("name", ["neighbours", "similarity"])
def test_only_angles_count(name: str) -> None:
    wanted = unit(9, 12)
    turn = torch.linalg.qr(torch.randn(12, 12, generator=torch.Generator().manual_seed(1)))[0]
    loss = DistilLoss(name)  # type: ignore[arg-type] # one of the names
    assert float(loss.of(wanted @ turn, wanted)) == pytest.approx(0.0, abs=1e-5)
    assert float(loss.of(unit(9, 6, seed=3), wanted)) > 1e-3


def test_the_teacher_is_turned_to_its_student() -> None:
    rng = np.random.default_rng(0)
    own = unit(200, 5).numpy()
    into = np.linalg.qr(rng.normal(size=(8, 8)))[0][:5].astype(np.float32)
    wanted = own @ into  # Eight numbers, of which five say all.
    turned = Rotation.fit(wanted, own).of(wanted)
    assert np.allclose(turned, own, atol=1e-4)


def test_turning_keeps_cosines() -> None:
    wanted, own = unit(50, 6, seed=4).numpy(), unit(50, 6, seed=5).numpy()
    turned = Rotation.fit(wanted, own).of(wanted)
    assert np.allclose(turned @ turned.T, wanted @ wanted.T, atol=1e-4)
