"""How good maps are: gaps that were made on purpose are named, and one paper more moves little."""

import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import recsys
from benchmarks.result_tables import table
from recsys.eval.report.evaluation_pictures import wilson
from recsys.mapping import Map
from recsys.mapping.drawing import draw_around
from recsys.pipelines.jobs.programs import Bench, run_recsys
from recsys.query.query import Query, draft_of, make_query
from recsys.recommend import Recommender
from recsys.records import PaperId
from recsys.store.blas import one_thread
from recsys.store.products import remembered_products

SEED = 0
LEAST_HIDDEN = 3
"""References of a group that is hidden."""
PARTS = ("dev", "test")
SAME = 3
"""Drafts that two processes draw, each with another order of hashes."""
STILL = 0.02
"""Share of the height that the median paper may move."""

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one draft; found, hit: None where no group has enough references.

    found: the hidden group is named, recognised by its papers. hit: the same, recognised by the
    hidden references. chance: that three groups at random name it. moved: share of the height by
    which the median paper moves when one is added to those shown. seconds: for one map.
    """

    found: bool | None
    hit: bool | None
    chance: float
    moved: float
    seconds: float


def measure_maps(bench: Bench, corpus: str) -> Figures:
    """Try the dev and the test drafts of a corpus."""
    index = bench.built(corpus)
    split = json.loads(bench.split(corpus).read_text(encoding="utf-8"))
    recommender = recsys.load(index)
    found: Figures = {"corpus": corpus}
    for part in PARTS:
        trials = [try_draft(recommender, each) for each in split[part]]
        found[part] = summarise_trials([each for each in trials if each is not None])
    found["equal"] = equal_bytes(bench, corpus, split["test"][:SAME])
    return found


def try_draft(recommender: Recommender, paper_id: PaperId) -> Trial | None:
    """Draw a paper's map, hide a group, and leave one near paper out; None without any."""
    query = _query(recommender, paper_id, None)
    begun = time.perf_counter()
    whole = _map(recommender, query)
    seconds = time.perf_counter() - begun
    near = [node.paper.id for node in whole.nodes if node.kind != "cited"]
    if not near:
        return None
    rng = np.random.default_rng([SEED, int(recommender.collection.corpus.rows([paper_id])[0])])
    without = _map(recommender, _unseen(recommender, query, near[int(rng.integers(len(near)))]))
    found, hit = _hide(recommender, paper_id, whole, rng)
    chance = min(1.0, 3 / len(whole.groups))
    return Trial(found, hit, chance, median_shift(without, whole), seconds)


def _hide(
    recommender: Recommender, paper_id: PaperId, whole: Map, rng: np.random.Generator
) -> tuple[bool | None, bool | None]:
    """Hide what the draft cites of one group, and tell whether the new map names that gap."""
    enough = [place for place, each in enumerate(whole.groups) if each.cited >= LEAST_HIDDEN]
    if not enough:
        return None, None
    group = enough[int(rng.integers(len(enough)))]
    members = [whole.nodes[place] for place in whole.members(group)]
    hidden = {node.paper.id for node in members if node.kind == "cited"}
    again = _map(recommender, _query(recommender, paper_id, hidden))
    same = recognised(again, {node.paper.id for node in members})
    return same in again.gaps, recognised(again, hidden) in again.gaps


def recognised(map_: Map, papers: set[PaperId]) -> int | None:
    """Return the group that holds most of some papers, the first of equals; None without any."""
    counts = [0] * len(map_.groups)
    for node in map_.nodes:
        counts[node.group] += node.paper.id in papers
    return counts.index(max(counts)) if any(counts) else None


def median_shift(before: Map, after: Map) -> float:
    """Median distance that papers of both maps have moved, as a share of the height."""
    places = {node.paper.id: (node.x, node.y) for node in before.nodes}
    moved = [
        float(np.hypot(node.x - places[node.paper.id][0], node.y - places[node.paper.id][1]))
        for node in after.nodes
        if node.paper.id in places
    ]
    return statistics.median(moved) / after.height


def summarise_trials(trials: Sequence[Trial]) -> Figures:
    """Count what was found, and how far papers moved."""
    tried = [each for each in trials if each.found is not None]
    moved = [each.moved for each in trials]
    return {
        "drafts": len(trials),
        "hidden": len(tried),
        "named": _share([bool(each.found) for each in tried]),
        "named by references": _share([bool(each.hit) for each in tried]),
        "by chance": statistics.fmean(each.chance for each in tried) if tried else 0.0,
        "moved": statistics.median(moved),
        "still": _share([each < STILL for each in moved]),
        "milliseconds": 1000 * statistics.median(each.seconds for each in trials),
    }


def equal_bytes(bench: Bench, corpus: str, paper_ids: Sequence[PaperId]) -> bool:
    """Draw some maps twice, in processes with different orders of hashes, and compare them."""
    written = []
    for seed in ("1", "2"):
        for place, paper_id in enumerate(paper_ids):
            out = bench.work / f"map-{place}-{seed}.svg"
            words = ("map", paper_id, "--index", bench.index(corpus), "--out", out, "--quiet")
            run_recsys(*words, env={"PYTHONHASHSEED": seed})
            written.append(out.read_bytes())
    return written[: len(paper_ids)] == written[len(paper_ids) :]


def write_maps(found: Figures) -> str:
    """Write the figures as Markdown."""
    rows = [
        ("drafts", *(f"{found[part]['drafts']}" for part in PARTS)),
        ("with a group that can be hidden", *(f"{found[part]['hidden']}" for part in PARTS)),
        ("hidden group named", *(_with_interval(found[part]["named"]) for part in PARTS)),
        (
            "the same, recognised by the hidden references",
            *(_with_interval(found[part]["named by references"]) for part in PARTS),
        ),
        ("three groups at random", *(f"{found[part]['by chance']:.3f}" for part in PARTS)),
        (
            "one paper more: the median paper moves, of the height",
            *(f"{100 * found[part]['moved']:.2f} %" for part in PARTS),
        ),
        (
            "maps whose median paper moves less than 2 %",
            *(_with_interval(found[part]["still"]) for part in PARTS),
        ),
        (
            "time of a map, encoding left out",
            *(f"{found[part]['milliseconds']:.0f} ms" for part in PARTS),
        ),
    ]
    same = "equal" if found["equal"] else "NOT equal"
    return (
        f"Drafts of {found['corpus']}, as of their years; in parentheses, 95 % Wilson intervals. "
        f"The bytes of {SAME} maps by two processes are {same}.\n\n" + table(("maps", *PARTS), rows)
    )


def _query(recommender: Recommender, paper_id: PaperId, hidden: set[PaperId] | None) -> Query:
    """Pose a paper as its draft with its own references, but the hidden ones."""
    collection = recommender.collection
    row = int(collection.corpus.rows([paper_id])[0])
    [paper] = collection.corpus.full_papers([row])
    kept = tuple(each for each in paper.references if each not in (hidden or ()))
    draft = replace(draft_of(paper), references=kept)
    return make_query(collection, draft, collection.vectors[row], metadata=recommender.metadata)


def _unseen(recommender: Recommender, query: Query, paper_id: PaperId) -> Query:
    """Let a query not see one paper, as if the corpus did not hold it."""
    allowed, wanted = query.allowed.copy(), query.wanted.copy()
    rows = recommender.collection.corpus.rows([paper_id])
    allowed[rows] = wanted[rows] = False
    return replace(query, allowed=allowed, wanted=wanted)


def _map(recommender: Recommender, query: Query) -> Map:
    with one_thread(), remembered_products():
        return draw_around(recommender, query)


def _share(right: Sequence[bool]) -> dict[str, float]:
    value = statistics.fmean(right) if right else 0.0
    low, high = wilson(value, len(right)) if right else (0.0, 1.0)
    return {"value": value, "low": low, "high": high}


def _with_interval(figure: dict[str, float]) -> str:
    return f"{figure['value']:.3f} ({figure['low']:.3f}-{figure['high']:.3f})"
