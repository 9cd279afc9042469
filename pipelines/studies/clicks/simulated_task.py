"""SciDocs' recommendation task simulated: a folder in its layout, out of an index.

    recomm/  paper_metadata_recomm.json    as `eval.studies.clicks.recommendation_task` reads them
    embeddings.jsonl                       of every paper, as SPECTER writes them
    clicks.jsonl.gz                        every list that was shown, clicked or not
    truth.json                             {"scores": [...], "relevance": {query: {paper: ...}}}

The clicks of the task are on lists of the production ranker. `clicks.jsonl.gz` has these, and after
them two experiments on train queries: lists of the production ranker with swaps, and lists of all
rankers. The propensities of the task are estimated from the swaps, as SciDocs' own were; the true
ones are in `truth.json`, with each paper's chance to be clicked by those who examine it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np

from recsys.errors import InputError, near_miss
from recsys.eval.studies.clicks.click_log import ClickLog, write_clicks
from recsys.eval.studies.clicks.propensities import METHODS, estimate
from recsys.eval.studies.clicks.recommendation_task import RecommendationTask, write_task
from recsys.eval.studies.clicks.simulation import (
    CLICK_MODELS,
    ClickModel,
    Policy,
    World,
    simulate,
    true_propensities,
)
from recsys.formats.embeddings import write_embeddings
from recsys.pipelines.jobs.finished_steps import check_out
from recsys.pipelines.studies.clicks.corpus_world import DEPTH, PRODUCTION, WorldOptions, world_of
from recsys.store.artifacts import replacing, write_json
from recsys.store.collection import Collection

EMBEDDINGS, CLICKS, TRUTH = "embeddings.jsonl", "clicks.jsonl.gz", "truth.json"
_SERVED = Policy((PRODUCTION,), DEPTH)
_EXPERIMENTS = (Policy((PRODUCTION,), DEPTH, swaps=True), Policy(depth=DEPTH))


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    """What is simulated.

    readers: how they click, a name of `click_models.CLICK_MODELS`. eta: strength of their position
    bias. impressions: lists of the production ranker, shared among the parts as the queries are;
    the default gives about as many clicks as SciDocs has. trials: lists of each experiment.
    """

    readers: str = "position"
    eta: float = 1.0
    impressions: int = 12_000
    trials: int = 20_000
    world: WorldOptions = field(default_factory=WorldOptions)


def simulate_task(
    collection: Collection,
    folder: Path,
    options: SimulationOptions | None = None,
    *,
    rng: np.random.Generator,
) -> RecommendationTask:
    """Write a simulated task, in place of an earlier one. The same `rng` gives the same files.

    Raises:
        InputError: the folder holds something else, there are no such readers, the corpus has too
            few related papers, or too little is simulated.
    """
    chosen = options or SimulationOptions()
    check_out(folder, TRUTH, "simulated task")
    model = _readers(chosen)
    world = world_of(collection, chosen.world, rng=rng)
    shown = {
        part: simulate(own, model, each, rng=rng, policy=_SERVED)
        for (part, own), each in zip(
            world.parts.items(), _shares(world.parts, chosen.impressions), strict=True
        )
    }
    swaps, rankers = (
        simulate(world.parts["train"], model, chosen.trials, rng=rng, policy=policy)
        for policy in _EXPERIMENTS
    )
    found = estimate(swaps, METHODS["swap"], rng=rng)
    task = RecommendationTask(**shown, papers=world.records, propensities=found)
    truth = {
        "scores": true_propensities(world.parts["train"], model, _SERVED).tolist(),
        "method": "truth",
        "readers": chosen.readers,
        "eta": chosen.eta,
        "cut": world.cut,
        "relevance": _relevance(world.parts),
    }
    with replacing(folder) as new:
        write_task(new, task)
        write_embeddings(new / EMBEDDINGS, world.embeddings)
        write_clicks(new / CLICKS, _together(*shown.values(), swaps, rankers))
        write_json(new / TRUTH, truth)
    return task


def _readers(options: SimulationOptions) -> ClickModel:
    if options.readers not in CLICK_MODELS:
        raise InputError(
            f"There are no readers {options.readers!r}.{near_miss(options.readers, CLICK_MODELS)}",
            f"Take one of {', '.join(CLICK_MODELS)}.",
        )
    return CLICK_MODELS[options.readers](DEPTH, options.eta)


def _shares(parts: Mapping[str, World], impressions: int) -> list[int]:
    """Share out the impressions by the number of queries, at least one to each part."""
    sizes = np.array([len(own.queries) for own in parts.values()])
    ends = np.round(np.cumsum(sizes) / sizes.sum() * impressions).astype(int)
    return [max(1, int(each)) for each in np.diff(ends, prepend=0)]


def _together(*logs: ClickLog) -> ClickLog:
    return ClickLog.of(chain.from_iterable(log.impressions() for log in logs))


def _relevance(parts: Mapping[str, World]) -> dict[str, dict[str, float]]:
    return {
        query: {own.papers[paper]: chance for paper, chance in zip(pool, chances, strict=True)}
        for own in parts.values()
        for query, pool, chances in zip(
            own.queries, own.pool.tolist(), own.relevance.tolist(), strict=True
        )
    }
