"""Train the local ranker that ships with the package.

    python -m recsys.pipelines.local.shipped_local_ranker --data DIR --work DIR

DATA holds acl/papers.jsonl.gz and acl/citation_contexts.jsonl.gz. The index below WORK is built of
titles alone, unless it is there: only the cited papers of that corpus have abstracts, which would
give them away. Sentences of papers up to 2009 are for training, those of 2010 for dev; later ones
are not read.

Where another ranker of drafts ships, this one has to learn again: see `recsys.local.local_ranker`.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from recsys import load
from recsys.indexes.opening import open_collection
from recsys.local.local_ranker import LOCAL_RANKER
from recsys.pipelines.jobs.programs import Bench, ending
from recsys.pipelines.local.context_sources import read_sentences
from recsys.pipelines.local.local_queries import local_queries
from recsys.pipelines.local.store_contexts import add_contexts
from recsys.pipelines.local.train_local import LocalParts, LocalTraining, save_local, school_of
from recsys.progress import silent
from recsys.store.artifacts import check_replaceable, replacing
from recsys.store.generations import in_force
from recsys.store.layout import CONTEXTS

CORPUS, FILE = "acl", "citation_contexts.jsonl.gz"
TRAIN_UNTIL, DEV_UNTIL = 2009, 2010
SHIPPED = Path(__file__).resolve().parents[2] / "recsys" / "data" / LOCAL_RANKER


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Train, and say how good the ranker is on dev."""
    parser = argparse.ArgumentParser(description="Train the local ranker of the package.")
    parser.add_argument("--data", type=Path, required=True, help="Folder of the corpora.")
    parser.add_argument("--work", type=Path, required=True, help="Folder for their indexes.")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="Default: %(default)s.")
    parser.add_argument("--seed", type=int, default=0, help="Default: %(default)s.")
    chosen = parser.parse_args(arguments)
    check_replaceable(chosen.out)
    index = Bench(chosen.data, chosen.work).built(CORPUS, titles_only=True)
    contexts = chosen.data / CORPUS / FILE
    if not (in_force(index) / CONTEXTS).is_dir():
        add_contexts(index, [contexts])
    for line in train(index, contexts, chosen.out, LocalTraining(seed=chosen.seed)):
        sys.stderr.write(f"{line}\n")


def train(index: Path, contexts: Path, out: Path, options: LocalTraining) -> list[str]:
    """Train on the sentences of an index's contexts and replace the shipped ranker."""
    collection = open_collection(index)
    found = local_queries(collection, read_sentences([contexts]).contexts)
    parts = LocalParts.by_year(collection, found, TRAIN_UNTIL, DEV_UNTIL)
    school = school_of(load, index, collection, parts, options, silent)
    fitted, report = school.fit(seed=options.seed)
    with replacing(out) as new:
        origin = "the local ranker shipped with recsys"
        save_local(fitted, new, school, report, origin=origin, text=False)
    return report.lines()


if __name__ == "__main__":
    sys.exit(main())
