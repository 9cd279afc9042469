"""Fit what the chances of the two stages are worth for single sentences.

    python -m benchmarks.sentence_chances --data DIR --work DIR

DATA holds, of each corpus, sentences.jsonl.gz, split.json and papers.jsonl.gz; WORK holds the
rankers that have not seen it: run `python -m benchmarks.chances` before this. Dev sentences are
asked as `recsys cite` asks the two stages where its local ranker does not order, with the citations
of the corpus and without, in every way: alone or with more of the draft, as printed or without
names. The local ranker that ships gets the fit to all corpora; test sentences of each tell how far
those are off that were fitted to the others. Four minutes on one core. Where another ranker of
drafts or another local ranker ships, run it again.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from benchmarks.bench import SPLIT, Bench, Data, Work, program
from benchmarks.chances import (
    LINKS,
    Shown,
    answers_of,
    fit_transfer,
    joined,
    rewrite_manifest,
    truth,
)
from benchmarks.edge_dropout import drop_edges
from benchmarks.sentences import SENTENCES, citing_sentences
from benchmarks.shipped_local_ranker import SHIPPED
from recsys.app.wiring import open_local
from recsys.errors import DraftError
from recsys.local.local_recommender import LOCAL_RANKER, PassageRanker, PassageReader
from recsys.local.sentence_gate import SENTENCE_EVIDENCE
from recsys.machine import one_thread
from recsys.pipelines.local.local_queries import KNOWN, LocalQuery, local_queries, pose_query
from recsys.pipelines.local.train_local import SHOWN
from recsys.ranking.ranker import TRANSFER, Transfer, TreeRanker
from recsys.store.arrays import Floats
from recsys.store.vectors import dot_cache

CORPORA = {"elife": "elife", "plantsci": "all", "taxonomy": "all"}
"""Corpora with sentences, and without which one the ranker has learned that is asked."""
PARTS = "dev", "test"
PER_PAPER = 2
MASKED = {"printed": False, "masked": True}


@dataclass(frozen=True, slots=True)
class _Keeping(Transfer):
    """Keeps what it shall correct."""

    kept: list[tuple[Floats, NDArray[np.float64]]] = field(default_factory=list)

    def apply(self, chances: Floats, evidence: Mapping[str, float | NDArray[np.float64]]) -> Floats:
        """Keep chances and evidence."""
        table = np.column_stack([np.asarray(evidence[name]) for name in SENTENCE_EVIDENCE])
        self.kept.append((chances, table))
        return chances


def show(
    reader: PassageReader, queries: list[LocalQuery]
) -> Iterator[tuple[tuple[str, str, str], Shown]]:
    """Ask the two stages in every way: (known, how printed, links), what is shown."""
    for links, share in LINKS.items():
        view = drop_edges(reader.recommender.collection, share, seed=0)
        asked = PassageReader(replace(reader.recommender, collection=view), reader.pool)
        for known in KNOWN:
            for way, masked in MASKED.items():
                answers = (_answer(asked, query, known, masked=masked) for query in queries)
                yield (known, way, links), joined([each for each in answers if each is not None])


def _answer(reader: PassageReader, query: LocalQuery, known: str, *, masked: bool) -> Shown | None:
    posed = pose_query(reader.collection, reader.works, query, known, masked=masked)
    keeping = _Keeping(0.0, 1.0, {})
    ranker = PassageRanker(reader, reader.recommender.ranker, keeping)
    try:
        with one_thread(), dot_cache():
            rows = ranker.rank(reader.whole(posed.draft, posed.passage)).rows[:SHOWN]
    except DraftError:  # Nothing is left of a sentence that was all names.
        return None
    ((chances, evidence),) = keeping.kept
    cited = np.isin(rows, query.gold)
    return Shown(chances[:SHOWN].astype(np.float64), evidence[:SHOWN], cited)


def run(
    data: Data,
    work: Work,
    most: Annotated[int, typer.Option(help="Sentences of each part of a corpus.")] = 150,
    out: Path = SHIPPED,
) -> None:
    """Ask, fit, say how far chances are off, and give the local ranker what was fitted."""
    answers: dict[str, dict[tuple[str, str, str, str], Shown]] = {part: {} for part in PARTS}
    for corpus, left in CORPORA.items():
        ranker = TreeRanker.load(answers_of(work, left, metadata=True).with_suffix(""))
        reader = open_local(Bench(data, work).built(corpus)).ranker.reader
        reader = PassageReader(replace(reader.recommender, ranker=ranker), reader.pool)
        split = json.loads((data / corpus / SPLIT).read_text(encoding="utf-8"))
        for part in PARTS:
            contexts = citing_sentences(data / corpus / SENTENCES, frozenset(split[part]))
            every = local_queries(reader.collection, contexts).at_most(PER_PAPER, seed=0).queries
            drawn = np.random.default_rng(0).permutation(len(every))[:most]
            for key, shown in show(reader, [every[place] for place in np.sort(drawn).tolist()]):
                answers[part][(corpus, *key)] = shown
        sys.stderr.write(f"{corpus} was asked.\n")
    for (corpus, *way), shown in answers["test"].items():
        others = {key: each for key, each in answers["dev"].items() if key[0] != corpus}
        found = truth(shown.corrected(fit_transfer(others, SENTENCE_EVIDENCE)), shown.cited)
        sys.stderr.write(
            f"{corpus}, {', '.join(way)}: shown {found['shown']:.3f}, cited {found['kept']:.3f}, "
            f"off by {found['ECE']:.3f}\n"
        )
    transfer = fit_transfer(answers["dev"], SENTENCE_EVIDENCE)
    rewrite_manifest(out, LOCAL_RANKER, {TRANSFER: asdict(transfer)})


main = program("benchmarks.sentence_chances", run)
if __name__ == "__main__":
    sys.exit(main())
