"""What a ranker is worth on a corpus that it has never seen, beside one of its own queries.

    python -m benchmarks.unseen_corpora few-links --data DIR --work DIR --corpora vis,archaeology
    python -m benchmarks.unseen_corpora left-out --data DIR --work DIR --no-metadata

DATA holds NAME/papers.jsonl.gz and NAME/split.json for each corpus. Indexes are built below WORK
unless they are there. Each corpus is left out in turn: a ranker learns from the others as the one
that ships with the package does, another from the corpus's own train queries, and both are asked
its test queries. `few-links` does so with several shares of the corpus's citations, beside what
reads none; `left-out` lets the first ranker learn on from a few train queries, too. Figures are
kept, and the block of that name is written anew.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer

from benchmarks.bench import DOCS, HERE, OUT, Bench, Data, Docs, Figures, Work, chosen, program
from benchmarks.edge_dropout import share_of_links
from benchmarks.result_tables import Report
from benchmarks.shipped_ranker import (
    CORPORA,
    TRAIN_QUERIES,
    Form,
    TrainingSet,
    forms_of,
    sample,
    teach_together,
    training_set_of,
)
from recsys.eval.measures import Judged, draw, per_query, summarise
from recsys.eval.significance import pooled_f1_gain
from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.splits import pose, read_split
from recsys.pipelines.ranking.cross_fitting import learn_on
from recsys.pipelines.ranking.fit_ranker import FittedRanker
from recsys.pipelines.ranking.train_ranker import ask as ask_ranker
from recsys.pipelines.ranking.train_ranker import looking_again
from recsys.pipelines.ranking.training_table import Posing, collect
from recsys.protocols import silent
from recsys.ranking.features import feature_names
from recsys.store.arrays import Rows
from recsys.store.collection import Collection

OTHERS, OWN = "the other corpora", "its own queries"
"""What the two rankers have learned from."""
BM25, COSINE, FUSED = "BM25", "cosine", "both fused"
"""Systems that read no link."""
DEEP, FUSION = 200, 60
"""Papers of each list that are fused, and the constant of Cormack, Clarke and Buettcher (2009)."""
TRIED_SHARES = (1.0, 0.3, 0.1, 0.03, 0.0)
"""Shares of the citations of a corpus with which rankers are tried on it."""
FEW = 40, 100, 300
"""Train queries that the ranker of the others learns on from."""


@dataclass(frozen=True, slots=True)
class Study:
    """What is learned from. Rankers are means of those of folds that look twice, as what ships.

    forms: of the corpora, by name, the whole one first. metadata: whether authors and venue are
    read. most: train queries of each form of the other corpora.
    """

    forms: Mapping[str, Sequence[Form]]
    metadata: bool
    most: int

    def training_sets(self) -> list[TrainingSet]:
        """Pose queries of each corpus as the ranker that ships is taught them."""
        names = feature_names(metadata=self.metadata, any_corpus=True)
        return [
            training_set_of(form, names, seed=0, most=self.most)
            for forms in self.forms.values()
            for form in forms
        ]

    def learn_alone(self, corpus: str, share: float) -> FittedRanker:
        """Train on a corpus's own queries, which know a share of the links.

        They see the citations that the test queries will see, and no feature for few of them.
        """
        alone = replace(self.forms[corpus][0], links=partial(share_of_links, share=share))
        names = feature_names(metadata=self.metadata)
        return teach_together([training_set_of(alone, names, seed=0)], seed=0).ranker

    def learn_on(self, ranker: FittedRanker, corpus: str, most: int) -> FittedRanker:
        """Let a ranker that has not seen a corpus learn on from so many of its train queries."""
        collection, train = self.queries(corpus, "train")
        rows = sample(train, most, np.random.default_rng(0))
        names = (ranker.first or ranker).feature_names
        posing = looking_again(ranker.first, Posing(seeded=True))
        table = collect(collection, rows, names, progress=silent, stage="features", posing=posing)
        return learn_on(ranker, table, len(table.groups)).ranker

    def queries(self, corpus: str, part: str) -> tuple[Collection, Rows]:
        """Return a corpus and the rows of the queries of a part."""
        whole = self.forms[corpus][0]
        collection = open_collection(whole.index)
        split = read_split(whole.split, collection)
        return collection, collection.corpus.rows(split.part(part))


def measure(
    study: Study,
    sets: Sequence[TrainingSet],
    corpus: str,
    shares: Sequence[float],
    few: Sequence[int] = (),
) -> Figures:
    """Ask the test queries of a corpus by every system, with each share of its links.

    Returns:
        {"papers", "links", "queries", "most", "networks": whether all rankers have some beside
        their trees, "systems": {name: {measure: interval}} of those that read no link, "shares":
        [{"share", "links": how many are known, "systems": {name: {measure: interval}};
        of OTHERS: "gains": {rival: of F1@20, an interval}, "ratio": to the better of BM25
        and cosine}], "few": {so many queries: {measure: interval}, of OTHERS that learned on from
        so many of the corpus's own}}.
    """
    collection, rows = study.queries(corpus, "test")
    lists = [_ranked(collection, row) for row in rows.tolist()]
    words = {name: [each[name] for each in lists] for name in (BM25, COSINE, FUSED)}
    plain = {name: figures_of(each) for name, each in words.items()}
    best = max(plain[name]["F1@20"]["value"] for name in (BM25, COSINE))
    others = teach_together([each for each in sets if each.corpus != corpus], seed=0).ranker
    networks, found = others.networks > 0, []
    for share in shares:
        own = study.learn_alone(corpus, share)
        networks = networks and own.networks > 0
        judged, judged_own = (ask(one, collection, rows, share) for one in (others, own))
        systems = {OTHERS: figures_of(judged), OWN: figures_of(judged_own)}
        known = share_of_links(collection, share)(int(rows[0]))
        found.append(
            {
                "share": share,
                "links": len(known.graph.cites.values),
                "systems": systems,
                "gains": {FUSED: f1_gain(judged, words[FUSED]), OWN: f1_gain(judged, judged_own)},
                "ratio": systems[OTHERS]["F1@20"]["value"] / best,
            }
        )
    tuned = {str(most): study.learn_on(others, corpus, most) for most in few}
    return {
        "papers": len(collection.corpus),
        "links": len(collection.graph.cites.values),
        "queries": len(rows),
        "most": study.most,
        "networks": networks,
        "systems": plain,
        "shares": found,
        "few": {n: figures_of(ask(each, collection, rows, 1.0)) for n, each in tuned.items()},
    }


def ask(ranker: FittedRanker, collection: Collection, rows: Rows, share: float) -> list[Judged]:
    """Ask the queries in these rows of a collection that knows a share of its citations."""
    return ask_ranker(ranker, collection, rows, Posing(links=share_of_links(collection, share)))


def figures_of(judged: Sequence[Judged]) -> Figures:
    """Write F1@20 and MRR with their intervals: measure -> interval."""
    found = summarise(judged, rng=np.random.default_rng(0))
    return {name: asdict(found[name]) for name in ("F1@20", "MRR")}


def f1_gain(one: Sequence[Judged], other: Sequence[Judged]) -> Figures:
    """Take one F1@20 less the other, with an interval, queries drawn in pairs."""
    drawn = draw(len(one), rng=np.random.default_rng(0), samples=1000)
    return asdict(pooled_f1_gain(per_query(one), per_query(other), drawn))


def _ranked(collection: Collection, row: int) -> dict[str, Judged]:
    """Answer a query by each system that reads no citation."""
    posed = pose(collection, row)
    query, right = posed.query, posed.right
    words = collection.text_index.search(query.text, DEEP, allowed=query.wanted)[0]
    near = collection.vector_index.search(query.vector, DEEP, allowed=query.wanted)[0]
    lists = {BM25: words, COSINE: near, FUSED: fuse(words, near)}
    return {name: Judged(np.isin(rows, right), len(right)) for name, rows in lists.items()}


def fuse(*lists: Rows) -> Rows:
    """Order rows by the sum of 1 / (FUSION + rank) over lists, ties by ascending row."""
    rows = np.unique(np.concatenate(lists))
    scores = np.zeros(len(rows))
    for each in lists:
        scores[np.searchsorted(rows, each)] += 1 / (FUSION + 1 + np.arange(len(each)))
    fused: Rows = rows[np.argsort(-scores, kind="stable")]
    return fused


def run(
    block: Literal["few-links", "left-out"],
    data: Data,
    corpora: str = "",
    no_metadata: bool = False,
    most: Annotated[int, typer.Option(help="Queries of each other corpus.")] = TRAIN_QUERIES,
    work: Work = OUT,
    docs: Docs = DOCS,
    results: Path | None = None,
) -> None:
    """Leave out some corpora in turn: two for few links, else all."""
    usual = CORPORA[:2] if block == "few-links" else CORPORA
    names = chosen(corpora, CORPORA) if corpora else usual
    report = Report(block, results or HERE / f"{block}.json", docs)
    report.read()
    forms = {name: forms_of(Bench(data, work), name) for name in CORPORA}
    study = Study(forms, not no_metadata, most)
    sets = study.training_sets()
    for corpus in names:
        if block == "few-links":
            found = report.read() | {corpus: measure(study, sets, corpus, TRIED_SHARES)}
        else:
            figures, found = measure(study, sets, corpus, (1.0,), FEW), report.read()
            found.setdefault("no metadata" if no_metadata else "metadata", {})[corpus] = figures
        report.keep(found)


main = program("benchmarks.unseen_corpora", run)
if __name__ == "__main__":
    sys.exit(main())
