"""The peer answers as the program does, by the libraries that trained its models."""

from typing import TYPE_CHECKING

import numpy as np

import recsys
from benchmarks.peer import open_peer
from recsys.records import Draft

if TYPE_CHECKING:
    from tests.built_index import Built


def test_the_peer_gives_nearly_the_same_answer(built: "Built") -> None:
    ours, peer = recsys.load(built.index), open_peer(built.index)
    draft = Draft("Glaciers and what they carry", "We measure how fast ice moves in valleys.")
    vectors = [each.encoder.encode([(draft.title, draft.abstract)])[0] for each in (ours, peer)]
    assert vectors[0] @ vectors[1] > 0.98, "one is rounded to 8 bits"
    features = np.random.default_rng(0).random((9, len(ours.ranker.feature_names)), np.float32)
    np.testing.assert_allclose(ours.ranker.score(features), peer.ranker.score(features), atol=1e-4)
    answers = [each.recommend(draft, 10).recommendations for each in (ours, peer)]
    one, other = ({item.paper.id for item in each} for each in answers)
    assert len(one & other) >= 8
