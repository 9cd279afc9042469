"""How good maps are: gaps that were made on purpose are named, and one paper more moves little."""

import json
import statistics
import time
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

import recsys
from benchmarks.bench import Bench, Figures, run_recsys
from benchmarks.result_tables import share
from recsys.machine import one_thread
from recsys.mapping import Map
from recsys.mapping.drawing import draw_around
from recsys.query.query import Query, draft_of, make_query
from recsys.recommend import Recommender
from recsys.records import PaperId
from recsys.store.vectors import dot_cache

LEAST_HIDDEN = 3
"""References of a group that is hidden."""
DRAFTS = 120
"""Of each corpus, evenly spread."""
SAME = 3
"""Drafts that two processes draw, each with another order of hashes."""
STILL = 0.02
"""Share of the height that the median paper may move."""


def measure_maps(bench: Bench, corpora: Sequence[str]) -> Figures:
    """Try the test drafts of each corpus; `equal`: two processes draw the same bytes."""
    found: Figures = {}
    for corpus in corpora:
        recommender = recsys.load(bench.built(corpus))
        split = json.loads(bench.split(corpus).read_text(encoding="utf-8"))
        step = max(1, len(split["test"]) // DRAFTS)
        tried = (try_draft(recommender, each) for each in split["test"][::step][:DRAFTS])
        found[corpus] = summarise_trials([each for each in tried if each is not None])
    corpus, written = corpora[0], []
    split = json.loads(bench.split(corpus).read_text(encoding="utf-8"))
    for seed in ("1", "2"):
        for place, paper_id in enumerate(split["test"][:SAME]):
            out = bench.work / f"map-{place}-{seed}.svg"
            words = ("map", paper_id, "--index", bench.index(corpus), "--out", out, "--quiet")
            run_recsys(*words, env={"PYTHONHASHSEED": seed})
            written.append(out.read_bytes())
    found["equal"] = written[:SAME] == written[SAME:]
    return found


def try_draft(recommender: Recommender, paper_id: PaperId) -> Figures | None:
    """Draw a paper's map, hide a group, and leave one near paper out; None without any.

    Returns:
        {"found": 1 / rank of the hidden group among the gaps, 0 where it is none of them,
        recognised by its papers, "hit": the same, recognised by the hidden references; "largest":
        the same as found, groups with more related papers first; all None where no group has
        enough references, "chance": that three groups at random name it, "moved": share of the
        height by which the median paper moves when one is added to those shown, "seconds": for one
        map}.
    """
    query = _query(recommender, paper_id)
    begun = time.process_time()
    whole = draw_map(recommender, query)
    seconds = time.process_time() - begun
    near = [node.paper.id for node in whole.nodes if node.kind != "cited"]
    if not near:
        return None
    rng = np.random.default_rng([0, int(recommender.collection.corpus.rows([paper_id])[0])])
    # One paper is not seen, as if the corpus did not hold it.
    unseen = recommender.collection.corpus.rows([near[int(rng.integers(len(near)))]])
    allowed, wanted = query.allowed.copy(), query.wanted.copy()
    allowed[unseen] = wanted[unseen] = False
    without = draw_map(recommender, replace(query, allowed=allowed, wanted=wanted))
    found = hit = largest = None
    if enough := [place for place, each in enumerate(whole.groups) if each.cited >= LEAST_HIDDEN]:
        group = enough[int(rng.integers(len(enough)))]
        members = [whole.nodes[place] for place in whole.members(group)]
        hidden = {node.paper.id for node in members if node.kind == "cited"}
        again = draw_map(recommender, _query(recommender, paper_id, hidden))
        group_again = recognised(again, {node.paper.id for node in members})
        places = range(len(again.groups))
        by_size = sorted(places, key=lambda place: (-again.groups[place].near, place))
        found = reciprocal_rank(again.gaps, group_again)
        hit = reciprocal_rank(again.gaps, recognised(again, hidden))
        largest = reciprocal_rank(by_size[:3], group_again)
    return {
        "found": found,
        "hit": hit,
        "largest": largest,
        "chance": min(1.0, 3 / len(whole.groups)),
        "moved": median_shift(without, whole),
        "seconds": seconds,
    }


def recognised(map_: Map, papers: set[PaperId]) -> int | None:
    """Return the group that holds most of some papers, the first of equals; None without any."""
    counts = [0] * len(map_.groups)
    for node in map_.nodes:
        counts[node.group] += node.paper.id in papers
    return counts.index(max(counts)) if any(counts) else None


def reciprocal_rank(order: Sequence[int], group: int | None) -> float:
    """Return 1 / rank of a group, 0 where it is not in the order."""
    return 1 / (1 + order.index(group)) if group in order else 0.0


def median_shift(before: Map, after: Map) -> float:
    """Median distance that papers of both maps have moved, as a share of the height."""
    places = {node.paper.id: (node.x, node.y) for node in before.nodes}
    moved = [
        float(np.hypot(node.x - places[node.paper.id][0], node.y - places[node.paper.id][1]))
        for node in after.nodes
        if node.paper.id in places
    ]
    return statistics.median(moved) / after.height


def summarise_trials(trials: Sequence[Figures]) -> Figures:
    """Count what was found, and how far papers moved: see `try_draft`."""
    tried = [each for each in trials if each["found"] is not None]
    named, hits, large = ([each[name] for each in tried] for name in ("found", "hit", "largest"))
    moved = [each["moved"] for each in trials]
    return {
        "drafts": len(trials),
        "hidden": len(tried),
        "named": share(sum(map(bool, named)), len(tried)),
        "named by references": share(sum(map(bool, hits)), len(tried)),
        "rank": statistics.fmean(named) if tried else 0.0,
        "rank of the largest": statistics.fmean(large) if tried else 0.0,
        "by chance": statistics.fmean(each["chance"] for each in tried) if tried else 0.0,
        "moved": statistics.median(moved),
        "still": share(sum(each < STILL for each in moved), len(moved)),
        "milliseconds": 1000 * statistics.median(each["seconds"] for each in trials),
    }


def draw_map(recommender: Recommender, query: Query) -> Map:
    """Draw the map around a query on one thread."""
    with one_thread(), dot_cache():
        return draw_around(recommender, query)


def _query(recommender: Recommender, paper_id: PaperId, hidden: Collection[PaperId] = ()) -> Query:
    """Pose a paper as its draft with its own references, but the hidden ones."""
    collection = recommender.collection
    row = int(collection.corpus.rows([paper_id])[0])
    [paper] = collection.corpus.full_papers([row])
    shown = tuple(each for each in paper.references if each not in hidden)
    draft = replace(draft_of(paper), references=shown)
    return make_query(collection, draft, collection.vectors[row], metadata=recommender.metadata)
