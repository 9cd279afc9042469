"""Token bags drawn at random, for tests of networks."""

import numpy as np

from recsys.models.nnselect import FIELDS
from recsys.pipelines.studies.citeomatic.cross_fit import FoldVectors
from recsys.pipelines.studies.citeomatic.nnrank import RankData
from recsys.pipelines.studies.citeomatic.nnselect import TokenBags
from recsys.store.arrays import Ragged
from recsys.store.graph import CitationGraph
from tests.tiny import unit

SIZES = {"title": 7, "abstract": 7, "authors": 4, "venue": 2, "keyphrases": 3}
PAPERS = 9


def random_bags(rng: np.random.Generator, most: int = 5) -> TokenBags:
    """Draw bags of up to `most` numbers for PAPERS papers, some of them empty."""
    bags = {}
    for field in FIELDS:
        lengths = rng.integers(0, most + 1, PAPERS)
        values = rng.integers(0, SIZES[field], int(lengths.sum())).astype(np.int32)
        bags[field] = Ragged(np.concatenate([[0], np.cumsum(lengths)]), values)
    return TokenBags(**bags, sizes=SIZES)


def random_data(seed: int) -> RankData:
    """Draw bags, years, citations and NNSelect's vectors."""
    rng = np.random.default_rng(seed)
    years = rng.integers(2000, 2004, PAPERS).astype(np.int16)
    links = np.argwhere(rng.random((PAPERS, PAPERS)) < 0.3).astype(np.int32)
    links = links[links[:, 0] != links[:, 1]]
    graph = CitationGraph.build(links[:, 0], links[:, 1], years)
    vectors = unit(rng.standard_normal((PAPERS, 4)))
    folds = FoldVectors(
        unit(rng.standard_normal((2, PAPERS, 4))), np.arange(PAPERS, dtype=np.int32) % 2
    )
    return RankData.of(random_bags(rng), graph, vectors, folds)
