"""The mean of boosters, as one booster."""

import lightgbm
import numpy as np

from recsys.pipelines.ranking.cross_fitting import mean_booster
from recsys.ranking.quickscorer import trees_of
from tests.rows import each_row


def grown(seed: int, rounds: int) -> "lightgbm.Booster":
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(400, 3))
    right = features[:, seed % 3] > rng.normal(size=400)
    data = lightgbm.Dataset(features, right.astype(int), group=[100] * 4)
    parameters = {"objective": "lambdarank", "num_leaves": 7, "verbosity": -1, "seed": seed}
    return lightgbm.train(parameters, data, rounds)


@each_row("rounds", [(3,), (4, 9), (5, 1, 12, 2)])
def test_it_scores_their_mean(rounds: tuple[int, ...]) -> None:
    boosters = [grown(seed, each) for seed, each in enumerate(rounds)]
    features = np.random.default_rng(9).normal(size=(200, 3)).astype(np.float32)
    mean = np.mean([each.predict(features) for each in boosters], axis=0)
    one = mean_booster(boosters)
    again = lightgbm.Booster(model_str=one.model_to_string())
    for each in (one, again):
        assert each.num_trees() == sum(rounds)
        assert np.allclose(each.predict(features), mean, rtol=0, atol=1e-12)
    roots = (tree["tree_structure"] for tree in again.dump_model()["tree_info"])
    assert np.allclose(trees_of(roots, 3).score(features), mean, rtol=0, atol=1e-6)
