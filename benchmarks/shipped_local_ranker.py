"""Train the local ranker that ships with the package.

    python -m benchmarks.shipped_local_ranker --data DIR --work DIR

DATA holds acl/papers.jsonl.gz and acl/citation_contexts.jsonl.gz. The index below WORK is built of
titles alone, unless it is there: only the cited papers of that corpus have abstracts, which would
give them away. Sentences of papers up to 2009 are for training, those of 2010 for dev; later ones
are not read.

Where another ranker of drafts ships, this one has to learn again: see `local_recommender`.
"""

import sys
from pathlib import Path

from benchmarks.bench import Bench, Data, Work, program
from recsys import load
from recsys.indexes.opening import open_collection
from recsys.local.local_recommender import LOCAL_RANKER
from recsys.pipelines.local.store_contexts import add_contexts, read_sentences
from recsys.pipelines.local.train_local import Division, LocalTraining, save_local, school_of
from recsys.protocols import silent
from recsys.store.artifacts import CONTEXTS, check_replaceable, replacing
from recsys.store.generations import in_force

CORPUS, FILE = "acl", "citation_contexts.jsonl.gz"
TRAIN_UNTIL, DEV_UNTIL = 2009, 2010
SHIPPED = Path(__file__).resolve().parents[1] / "recsys" / "data" / LOCAL_RANKER


def run(data: Data, work: Work, out: Path = SHIPPED, seed: int = 0) -> None:
    """Train, and say how good the ranker is on dev."""
    check_replaceable(out)
    index = Bench(data, work).built(CORPUS, titles_only=True)
    contexts = data / CORPUS / FILE
    if not (in_force(index) / CONTEXTS).is_dir():
        add_contexts(index, [contexts])
    for line in train(index, contexts, out, LocalTraining(seed=seed)):
        sys.stderr.write(f"{line}\n")


def train(index: Path, contexts: Path, out: Path, options: LocalTraining) -> list[str]:
    """Train on the sentences of an index's contexts and replace the shipped ranker."""
    collection = open_collection(index)
    sentences = read_sentences([contexts]).contexts
    parts = Division(sentences, until=(TRAIN_UNTIL, DEV_UNTIL)).parts(collection)
    school = school_of(load, index, collection, parts, options, silent)
    fitted, report = school.fit(seed=options.seed)
    with replacing(out) as new:
        origin = "the local ranker shipped with recsys"
        save_local(fitted, new, school, report, origin=origin, text=False)
    return report.lines()


main = program("benchmarks.shipped_local_ranker", run)
if __name__ == "__main__":
    sys.exit(main())
