"""The learning study, in worlds where position misleads and where it does not."""

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.studies.clicks.recommendation_task import RelatedPaper
from recsys.eval.studies.clicks.simulation import World
from recsys.eval.studies.clicks.studies import UNWEIGHTED, LearningStudy, System, graded_ndcg
from recsys.formats.embeddings import Embeddings
from recsys.pipelines.studies.clicks.click_study import (
    EXPERIMENTS,
    RELEVANCE,
    TRUE,
    LearningOptions,
    study_learning,
)
from recsys.pipelines.studies.clicks.corpus_world import PRODUCTION, CorpusWorld
from recsys.pipelines.studies.clicks.rankers import BASELINES, LEARNERS

QUERIES = {"train": 60, "validation": 20, "test": 40}
POOL = 10
SMALL = LearningOptions(seeds=2, impressions=500, trials=5000, etas=(1.0,))


def misleading_world(rng: np.random.Generator) -> CorpusWorld:
    """Readers want what is near by its embedding, production shows what is cited most."""
    count = sum(QUERIES.values())
    vectors = rng.normal(size=(count * (1 + POOL), 3)).astype(np.float32)
    queries = [f"q{i:03}" for i in range(count)]
    papers = [f"r{i:04}" for i in range(count * POOL)]
    ids = (*queries, *papers)
    citations = rng.integers(20, size=len(ids)).tolist()
    records = {
        name: RelatedPaper("", 2010, frozenset(), frozenset(), frozenset(map(str, range(cited))))
        for name, cited in zip(ids, citations, strict=True)
    }
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    parts, begin = {}, 0
    for part, size in QUERIES.items():
        rows = np.arange(begin, begin + size)
        pool = count + rows[:, None] * POOL + np.arange(POOL)
        cosine = (units[rows][:, None] * units[pool]).sum(2)
        shown = np.argsort(-np.array(citations)[pool], axis=1, kind="stable")
        parts[part] = World(
            tuple(ids[row] for row in rows),
            ids,
            pool.astype(np.int32),
            0.3 + 0.2 * cosine.astype(np.float64),
            {
                PRODUCTION: shown,
                "embedding": np.argsort(-cosine, axis=1, kind="stable"),
                "links": np.argsort(rng.random(pool.shape), axis=1),
            },
        )
        begin += size
    return CorpusWorld(2018, parts, records, Embeddings(ids, vectors))


@pytest.fixture(scope="module")
def world() -> CorpusWorld:
    return misleading_world(np.random.default_rng(0))


@pytest.fixture(scope="module")
def found(world: CorpusWorld) -> LearningStudy:
    return study_learning(world, SMALL, rng=np.random.default_rng(0))


def ndcg(found: LearningStudy, system: System) -> float:
    return next(each.ndcg.value for each in found.learned if each.system == system)


def test_every_ranker_learns_with_all_weights(found: LearningStudy) -> None:
    weights = (UNWEIGHTED, TRUE, *EXPERIMENTS)
    assert [each.system for each in found.learned] == [
        *map(System, BASELINES),
        *(System(name, RELEVANCE) for name in LEARNERS),
        *(System(name, each, 1.0) for each in weights for name in LEARNERS),
    ]
    assert [each.system for each in found.gains] == [
        System(name, each, 1.0) for each in weights[1:] for name in LEARNERS
    ]
    by_seed = [each.by_seed for each in found.learned] + [each.by_seed for each in found.gains]
    assert {len(each) for each in by_seed} == {2}
    assert found.queries == QUERIES
    assert (found.cut, found.impressions, found.trials) == (2018, 500, 5000)


def test_weighted_clicks_teach_what_position_hides(found: LearningStudy) -> None:
    for name in LEARNERS:
        naive = ndcg(found, System(name, UNWEIGHTED, 1.0))
        assert naive < 0.96
        assert ndcg(found, System(name, RELEVANCE)) > 0.99
        assert all(
            ndcg(found, System(name, each, 1.0)) > naive + 0.02 for each in (TRUE, *EXPERIMENTS)
        )
    assert all(gain.difference.low > 0 and gain.p < 0.01 for gain in found.gains)


def test_baselines_are_judged_by_the_relevance(found: LearningStudy, world: CorpusWorld) -> None:
    test = world.parts["test"]
    for name, ranker in (("display order", PRODUCTION), ("embedding cosine", "embedding")):
        scores = -np.argsort(test.rankings[ranker], axis=1).astype(np.float64)
        expected = graded_ndcg(scores, test.relevance, test.pool, 10).mean()
        assert ndcg(found, System(name)) == pytest.approx(expected)
    assert ndcg(found, System("embedding cosine")) == pytest.approx(1)


def test_too_few_clicks_are_refused(world: CorpusWorld) -> None:
    options = LearningOptions(seeds=1, impressions=100, trials=3)
    with pytest.raises(InputError, match="clicked at position"):
        study_learning(world, options, rng=np.random.default_rng(0))
