"""Train the local ranker that ships with the package.

    python -m pipelines.local.shipped_local_ranker --data DIR --work DIR

DATA holds acl/papers.jsonl.gz and acl/citation_contexts.jsonl.gz. The indexes below WORK are built
of titles alone, unless they are there: only the cited papers of that corpus have abstracts, which
would give them away. Sentences of papers up to 2009 are for training, those of 2010 for dev; later
ones are not read.

Most corpora have fewer links than that one. So the ranker learns from sparse worlds, too: the same
papers, of which only some hundred, those that are asked, have lists of references.
"""

import argparse
import gzip
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from indexes.opening import open_collection
from pipelines.jobs.bench import Bench
from pipelines.jobs.programs import run_recsys
from pipelines.local.context_sources import read_sentences
from pipelines.local.local_queries import local_queries
from pipelines.local.store_contexts import add_contexts
from pipelines.local.train_local import (
    LocalParts,
    LocalSchool,
    LocalTraining,
    save_local,
    school_of,
)
from recsys import load
from recsys.local.local_ranker import LOCAL_RANKER
from recsys.passages import Context
from recsys.progress import silent
from recsys.store.artifacts import replacing
from recsys.store.generations import in_force
from recsys.store.layout import CONTEXTS

CORPUS, FILE = "acl", "citation_contexts.jsonl.gz"
TRAIN_UNTIL, DEV_UNTIL = 2009, 2010
WORLDS, ASKED, OF_EACH = 3, 500, 4
"""Sparse worlds, citing papers in each, and sentences of each of these at most."""
SHIPPED = Path(__file__).resolve().parents[2] / "recsys" / "data" / LOCAL_RANKER


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, and say how good the ranker is on dev."""
    parser = argparse.ArgumentParser(description="Train the local ranker of the package.")
    parser.add_argument("--data", type=Path, required=True, help="Folder of the corpora.")
    parser.add_argument("--work", type=Path, required=True, help="Folder for their indexes.")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="Default: %(default)s.")
    parser.add_argument("--seed", type=int, default=0, help="Default: %(default)s.")
    chosen = parser.parse_args(arguments)
    bench = Bench(chosen.data, chosen.work)
    index, contexts = bench.built(CORPUS, titles_only=True), chosen.data / CORPUS / FILE
    if not (in_force(index) / CONTEXTS).is_dir():
        add_contexts(index, [contexts])
    found = read_sentences([contexts]).contexts
    school = learned_from(index, found, LocalTraining(seed=chosen.seed))
    for number in range(WORLDS):
        world = sparse_world(bench, index, found, chosen.seed + number)
        options = LocalTraining(per_paper=OF_EACH, seed=chosen.seed + number)
        school = school.joined(learned_from(world, found, options))
    fitted, report = school.fit(seed=chosen.seed)
    with replacing(chosen.out) as new:
        origin = "the local ranker shipped with recsys"
        save_local(fitted, new, school, report, origin=origin, text=False)
    for line in report.lines():
        sys.stderr.write(f"{line}\n")
    return 0


def learned_from(index: Path, contexts: Sequence[Context], options: LocalTraining) -> LocalSchool:
    """Pose the sentences of those papers of an index that have a list of references."""
    collection = open_collection(index)
    found = local_queries(collection, contexts)
    lists = np.diff(collection.graph.cites.starts)
    asked = replace(found, queries=tuple(q for q in found.queries if lists[q.citing]))
    parts = LocalParts.by_year(collection, asked, TRAIN_UNTIL, DEV_UNTIL)
    return school_of(load, index, collection, parts, options, silent)


def sparse_world(bench: Bench, whole: Path, contexts: Sequence[Context], seed: int) -> Path:
    """Build an index in which only some of the citing papers have references."""
    collection = open_collection(whole)
    years = collection.corpus.years
    citing = {q.citing for q in local_queries(collection, contexts).queries}
    known = np.array(sorted(row for row in citing if years[row] <= DEV_UNTIL), np.int32)
    drawn = np.random.default_rng(seed).choice(known, min(ASKED, len(known)), replace=False)
    kept = {collection.corpus.ids[row] for row in drawn.tolist()}
    papers = bench.work / f"{CORPUS}-sparse-{seed}.jsonl"
    with gzip.open(bench.papers(CORPUS), "rt", encoding="utf-8") as lines, papers.open("w") as out:
        for line in lines:
            record = json.loads(line)
            if record["id"] not in kept:
                record["references"] = []
            out.write(f"{json.dumps(record)}\n")
    index = papers.with_suffix(".index")
    run_recsys("build", papers, "--out", index, "--titles-only")
    return index


if __name__ == "__main__":
    sys.exit(main())
