"""Fit baselines on invented papers, and print hashes of their vectors: for another process.

Run as `python -m tests.pipelines.studies.fits`.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from recsys.models.encoder import Text
from recsys.pipelines.studies.baselines import (
    BASELINES,
    Fitted,
    Material,
    fit_baseline,
)
from recsys.store.arrays import Ragged
from tests.pipelines.small_index import invented_papers

DRAFT: Text = ("Rivers and glaciers, measured again", "With an unheardof instrument for rivers.")


def invented_material(index: Path | None = None) -> Material:
    """Every paper cites the one before it; the last four are not known."""
    papers = invented_papers()
    texts = [(str(each["title"]), str(each.get("abstract") or "") or None) for each in papers]
    n = len(texts)
    owners = np.arange(1, n, dtype=np.int32)
    known = np.arange(n) < n - 4
    return Material(texts, known, Ragged.from_pairs(owners, owners - 1, n), index)


def wide_material() -> Material:
    """Of each of four topics 60 papers, in turns, of words that are rare."""
    rng = np.random.default_rng(0)
    texts: list[Text] = []
    for number in range(240):
        drawn = [f"t{number % 4}w{word}" for word in rng.integers(0, 200, 40)]
        texts.append((" ".join(drawn[:5]), " ".join(drawn[5:])))
    return Material(texts, np.arange(240) < 220)


def fit(name: str, index: Path | None, *, dim: int = 12, seed: int = 0) -> Fitted:
    return fit_baseline(name, invented_material(index), dim=dim, seed=seed)


def digest(fitted: Fitted) -> str:
    """Hash the papers' vectors, and that of a draft."""
    draft = fitted.encoder.encode([DRAFT])
    return hashlib.sha256(fitted.vectors.tobytes() + draft.tobytes()).hexdigest()


if __name__ == "__main__":
    index = Path(sys.argv[1])
    sys.stdout.write(json.dumps({name: digest(fit(name, index)) for name in BASELINES}))
