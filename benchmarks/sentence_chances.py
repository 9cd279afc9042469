"""Fit what the chances of the two stages are worth for single sentences.

    python -m benchmarks.sentence_chances --data DIR --work DIR [--rankers DIR]

DATA holds, of each corpus, sentences.jsonl.gz, split.json and papers.jsonl.gz; its index lies below
WORK, or is built there. Dev sentences are asked by the two stages as `recsys cite` asks them where
the local ranker does not order: drawn at random in every way that is known of a draft, with the
corpus's citations and without. RANKERS holds CORPUS-meta, a ranker of drafts that has not learned
from that corpus: the one that ships has, and is surer there than elsewhere. Errors are those of a
fit to the other corpora; what is kept is fitted to all. It takes some three minutes on a processor.
Where another ranker of drafts ships, this has to be fitted again.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from benchmarks.bench import SPLIT, Bench, Data, Work, program, tell
from benchmarks.edge_dropout import drop_edges
from benchmarks.sentences import SENTENCES, citing_sentences
from recsys.app.wiring import open_local
from recsys.errors import DraftError
from recsys.eval.significance import expected_calibration_error
from recsys.local.local_recommender import PassageRanker, PassageReader
from recsys.local.sentence_gate import SENTENCE_CHANCES, SIGNS, Chances, SentenceChances
from recsys.machine import one_thread
from recsys.pipelines.local.local_queries import local_queries, pose_query
from recsys.pipelines.local.train_local import SHOWN, Way, drawn_way
from recsys.ranking.ranker import TreeRanker
from recsys.store.arrays import Floats
from recsys.store.artifacts import write_json
from recsys.store.vectors import dot_cache

CORPORA = ("elife", "plantsci", "taxonomy")
SHARES = (1.0, 0.0)
"""Of the citations of a corpus that are known."""
PENALTY = 10.0
"""Inverse strength of the penalty on weights: signs that are the same everywhere stay small."""
PER_PAPER = 2
"""Sentences of each article at most."""
SHIPPED = Path(__file__).resolve().parents[1] / "recsys" / "data" / SENTENCE_CHANCES


@dataclass(frozen=True, slots=True)
class ShownPapers:
    """The ten papers shown for a sentence.

    way: how it was posed. links: share of the citations that were known. signs: (m, len(SIGNS))
    float32, best paper first. relevant: (m,) int8. gold: how many papers the sentence cites.
    """

    corpus: str
    way: Way
    links: float
    signs: Floats
    relevant: NDArray[np.int8]
    gold: int


def shown_papers(
    corpus: str,
    data: Path,
    index: Path,
    ranker: Path | None,
    *,
    most: int,
    part: str = "dev",
    seed: int = 0,
) -> list[ShownPapers]:
    """Ask the two stages sentences of a part of a corpus.

    ranker: of drafts; None: the index's, or the one that ships.
    """
    reader = open_local(index).ranker.reader
    if ranker is not None:
        recommender = replace(reader.recommender, ranker=TreeRanker.load(ranker))
        reader = PassageReader(recommender, reader.pool)
    folder = data / corpus
    ids = frozenset(json.loads((folder / SPLIT).read_text(encoding="utf-8"))[part])
    contexts = citing_sentences(folder / SENTENCES, ids)
    every = local_queries(reader.collection, contexts).at_most(PER_PAPER, seed=seed).queries
    drawn = np.random.default_rng(seed).permutation(len(every))[:most]
    found = list[ShownPapers]()
    for share in SHARES:
        view = drop_edges(reader.recommender.collection, share, seed=seed)
        asked = PassageReader(replace(reader.recommender, collection=view), reader.pool)
        for done, place in enumerate(np.sort(drawn).tolist()):
            tell(f"{corpus}, {share:.0%} of the links", done, len(drawn))
            query = every[place]
            way, signs = drawn_way(query, seed=seed), list[Floats]()
            posed = pose_query(asked.collection, asked.works, query, way.known, masked=way.masked)
            ranker_of = PassageRanker(asked, asked.recommender.ranker, _keeping(signs))
            try:
                with one_thread(), dot_cache():
                    ranking = ranker_of.rank(asked.whole(posed.draft, posed.passage))
            except DraftError:  # Nothing is left of a sentence that was all names.
                continue
            relevant = np.isin(ranking.rows[:SHOWN], query.gold).astype(np.int8)
            found.append(
                ShownPapers(corpus, way, share, signs[0][:SHOWN], relevant, len(query.gold))
            )
    return found


def _keeping(signs: list[Floats]) -> Chances:
    """Keep the signs of an answer, whose chances nobody needs."""

    def keep(table: Floats) -> Floats:
        signs.append(table)
        return np.zeros(len(table), np.float32)

    return keep


def fit(shown: Sequence[ShownPapers]) -> SentenceChances:
    """Fit the weights of signs by logistic regression."""
    from sklearn.linear_model import LogisticRegression

    signs = np.concatenate([each.signs for each in shown])
    relevant = np.concatenate([each.relevant for each in shown])
    model = LogisticRegression(C=PENALTY, fit_intercept=False, max_iter=1000)
    model.fit(signs, relevant)
    weights = (round(float(each), 4) for each in model.coef_[0])
    return SentenceChances(dict(zip(SIGNS, weights, strict=True)))


def error_of(chances: SentenceChances, shown: Sequence[ShownPapers]) -> float:
    """Return the expected calibration error of the papers shown."""
    given = np.concatenate([chances.of(each.signs) for each in shown])
    return expected_calibration_error(given, np.concatenate([each.relevant for each in shown]))


def run(
    data: Data,
    work: Work,
    rankers: Annotated[Path | None, typer.Option(help="Holds CORPUS-meta for each corpus.")] = None,
    most: Annotated[int, typer.Option(help="Sentences of each corpus.")] = 300,
    out: Path = SHIPPED,
) -> None:
    """Ask, fit, say how far chances are off in a corpus that was left out, and keep the weights."""
    shown = {}
    for corpus in CORPORA:
        ranker = None if rankers is None else rankers / f"{corpus}-meta"
        index = Bench(data, work).built(corpus)
        shown[corpus] = shown_papers(corpus, data, index, ranker, most=most)
    errors = {}
    for corpus, its in shown.items():
        left_out = fit([each for name in shown if name != corpus for each in shown[name]])
        errors[corpus] = round(error_of(left_out, its), 4)
        sys.stderr.write(f"{corpus}, left out: calibration error {errors[corpus]:.4f}\n")
    weights = fit([each for its in shown.values() for each in its]).weights
    write_json(out, {"weights": weights, "errors of corpora left out": errors})


main = program("benchmarks.sentence_chances", run)
if __name__ == "__main__":
    sys.exit(main())
