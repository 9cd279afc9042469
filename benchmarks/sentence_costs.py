"""What sentences cost: a draft of many, and one passage in a running process.

Run as `python -m benchmarks.sentence_costs INDEX`, it takes sentences of the corpus's
abstracts for those of a draft, and writes JSON to stdout. Encoding is not counted: it depends on
the encoder alone, and all sentences of a draft are encoded together.
"""

import json
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import recsys
from recsys.local.local_ranker import LOCAL_RANKER, load_local_ranker
from recsys.local.local_recommender import LocalRecommender
from recsys.local.passage import Passage
from recsys.local.rank_passages import PassageRanker, PassageReader
from recsys.pipelines.jobs.engines import ONE_THREAD
from recsys.pipelines.jobs.programs import Bench, run_module
from recsys.protocols import Encoder
from recsys.records import Draft
from recsys.store.arrays import Floats
from recsys.store.collection import Collection
from recsys.store.generations import pin

MANY, SINGLE, WARM_UP = 200, 50, 20
"""Sentences of a draft, passages that are asked one by one, and those asked before the clock."""
SHOWN = 3
_SHORTEST = 40
"""Characters of a sentence that says something."""


@dataclass(slots=True)
class ClockedEncoder:
    """An encoder that adds up its processor time. seconds: so far."""

    encoder: Encoder
    seconds: float = field(default=0.0)

    @property
    def fingerprint(self) -> str:
        """Name the encoder."""
        return self.encoder.fingerprint

    @property
    def dim(self) -> int:
        """Length of its vectors."""
        return self.encoder.dim

    def encode(self, texts: Sequence[tuple[str, str | None]]) -> Floats:
        """Encode, and note how long that took."""
        begun = time.process_time()
        vectors = self.encoder.encode(texts)
        self.seconds += time.process_time() - begun
        return vectors


def measure_passages(bench: Bench, corpus: str) -> dict[str, Any]:
    """Time the sentences of a corpus in a process of its own, on one thread."""
    found = run_module("benchmarks.sentence_costs", bench.built(corpus), env=ONE_THREAD)
    return {"corpus": corpus, **found}


def sentences(collection: Collection) -> Iterator[str]:
    """Yield a sentence of each abstract, from the newest rows on."""
    for text in reversed(collection.corpus.texts().column("abstract").to_pylist()):
        found = [each.strip() for each in (text or "").split(". ")]
        yield from islice((each for each in found if len(each) >= _SHORTEST), 1)


def time_passages(local: LocalRecommender, texts: Sequence[str]) -> dict[str, float]:
    """Answer a draft of many sentences, then single passages: seconds of processor time.

    Returns:
        {"many": of all together, "one": median of a passage, "scan": median of a float32 scan}.
    """
    clock = ClockedEncoder(local.recommender.encoder)
    reader = replace(local.ranker.reader, recommender=replace(local.recommender, encoder=clock))
    clocked = LocalRecommender(PassageRanker(reader, local.ranker.ranker))
    draft = Draft(title=texts[0])
    passages = [Passage(text) for text in texts]
    _seconds(clocked, clock, draft, passages[:WARM_UP])
    many = _seconds(clocked, clock, draft, passages)
    singles = [_seconds(clocked, clock, draft, [each]) for each in passages[:SINGLE]]
    return {"many": many, "one": statistics.median(singles), "scan": _scan(local.collection)}


def _seconds(
    local: LocalRecommender, clock: ClockedEncoder, draft: Draft, passages: Sequence[Passage]
) -> float:
    clock.seconds, begun = 0.0, time.process_time()
    local.recommend(draft, passages, SHOWN)
    return time.process_time() - begun - clock.seconds


def _scan(collection: Collection) -> float:
    """Time the product of all vectors with one."""
    vectors, taken = np.array(collection.vectors), []
    for row in range(min(SINGLE, len(vectors))):
        begun = time.process_time()
        np.dot(vectors, vectors[row])
        taken.append(time.process_time() - begun)
    return statistics.median(taken)


def open_passages(index: Path) -> LocalRecommender:
    """Open an index with its own local ranker, or the one that ships."""
    recommender = recsys.load(index)
    folder = recommender.collection.folder
    shipped = Path(str(resources.files("recsys"))) / "data" / LOCAL_RANKER
    ranker = load_local_ranker(folder / LOCAL_RANKER if pin(folder).has(LOCAL_RANKER) else shipped)
    return LocalRecommender(PassageRanker(PassageReader(recommender), ranker))


def main(index: str) -> None:
    """Time the sentences of an index; write figures as JSON."""
    local = open_passages(Path(index))
    texts = [*islice(sentences(local.collection), MANY)]
    found = time_passages(local, texts)
    json.dump(
        {"papers": len(local.collection.corpus), "sentences": len(texts), **found}, sys.stdout
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
