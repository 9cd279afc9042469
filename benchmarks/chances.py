"""How true chances are on a corpus that the ranker has never seen, and what corrects them.

    python -m benchmarks.chances ask --data DIR --work DIR
    python -m benchmarks.chances fit --work DIR

`ask` leaves out each corpus in turn: a small ranker learns from the others as the one that ships
does, and answers queries of that corpus, with all of its links and with none. KEPT, from which
nothing that ships has learned, are asked of a ranker of all others. Answers are kept below WORK.
`fit` corrects their chances by a `Transfer`: those of each corpus by one that was fitted on the
others, which the page shows, and by one of all, which the rankers get that ship. Where another
ranker ships, run both again: forty minutes on two cores.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import reduce
from operator import or_
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import DOCS, HERE, Bench, Data, Docs, Figures, Work, program
from benchmarks.edge_dropout import drop_edges
from benchmarks.result_tables import Report
from benchmarks.shipped_ranker import (
    CORPORA,
    SHIPPED,
    TITLES_TOO,
    Form,
    forms_of,
    sample,
    teach_together,
    training_set_of,
)
from recsys.errors import InputError
from recsys.eval.significance import expected_calibration_error
from recsys.indexes.opening import open_collection
from recsys.local.local_recommender import BESIDE, LOCAL_RANKER
from recsys.pipelines.evaluation.splits import read_parts, training_poses
from recsys.pipelines.ranking.fit_ranker import CUTOFF
from recsys.query.query import Query
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.features import feature_names
from recsys.ranking.ranker import (
    EVIDENCE,
    KIND,
    SCHEMA,
    SUREST,
    TRANSFER,
    Transfer,
    TreeRanker,
    evidence_of,
    score,
)
from recsys.retrieval.propose import StageOne, propose
from recsys.store.arrays import Rows, top_k
from recsys.store.artifacts import (
    MANIFEST,
    load_manifest,
    ranker_folder,
    replacing,
    sha256,
    write_manifest,
)
from recsys.store.collection import Collection

KEPT = ("plantsci", "taxonomy")
TRAINED_ON, TUNED_ON, FOLDS = 50, 30, 2
"""Queries of each form, and folds: how true chances are takes fewer than the order of papers."""
ASKED = 350
"""Queries of each form and part that are asked at most."""
LINKS = {"links": 1.0, "no links": 0.0}
"""Shares of the links that are known, by name."""
PARTS = {"earlier": ("train", "dev"), "test": ("test",)}
"""Queries that are asked apart, as parts of a split."""
BAND = 0.4, 0.6
"""Chances of about one half, of which README speaks."""
FORMS = "whole", "titles"
"""A corpus as it is, and by its titles alone."""
RIDGE = 1e-3
"""What weights of evidence cost, in standard deviations of it, beside the mean log loss."""
STEPS = 12
"""Of Newton's method, which needs some six."""
_Doubles: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Shown:
    """Papers shown for queries of a corpus by a ranker that has not seen it, s in all.

    chances: (s,), uncorrected. evidence: (s, number of names), as EVIDENCE unless said otherwise.
    cited: (s,) bool.
    """

    chances: _Doubles
    evidence: _Doubles
    cited: NDArray[np.bool_]

    def corrected(self, transfer: Transfer) -> _Doubles:
        """Correct the chances."""
        evidence = dict(zip(transfer.evidence, self.evidence.T, strict=True))
        return transfer.apply(self.chances.astype(np.float32), evidence).astype(np.float64)


Answers: TypeAlias = Mapping[tuple[str, str, str, str], Shown]
"""By corpus, form in FORMS, part in PARTS and links in LINKS."""


def show(
    ranker: TreeRanker, forms: Mapping[str, Form], *, metadata: bool
) -> Iterator[tuple[tuple[str, str, str], Shown]]:
    """Ask queries of forms of a corpus, some also with references given: form, part, links."""
    for name, form in forms.items():
        collection, parts = open_collection(form.index), read_parts(form.split)
        for part, names in PARTS.items():
            ids = [paper for each in names for paper in parts[each]]
            rows = sample(collection.corpus.rows(ids), ASKED, np.random.default_rng(0))
            for links, share in LINKS.items():
                view = drop_edges(collection, share, seed=0)
                lists = [
                    _answer(ranker, view, posed.query, posed.right)
                    for row in rows.tolist()
                    for posed in training_poses(collection, row, metadata=metadata)
                ]
                yield (name, part, links), joined(lists)


def _answer(ranker: TreeRanker, view: Collection, query: Query, right: Rows) -> Shown:
    context = FeatureContext(view, query, propose(view, query, StageOne()))
    scores = score(ranker, context)
    top = top_k(scores, CUTOFF)
    evidence = np.array([*evidence_of(context).values()])
    return Shown(
        ranker.probability(scores[top]).astype(np.float64),
        np.tile(evidence, (len(top), 1)),
        np.isin(context.rows[top], right),
    )


def joined(lists: Sequence[Shown]) -> Shown:
    """Put what was shown one after the other."""
    names = [each.name for each in fields(Shown)]
    return Shown(*(np.concatenate([getattr(one, name) for one in lists]) for name in names))


def fit_transfer(answers: Answers, names: Iterable[str] = EVIDENCE) -> Transfer:
    """Fit the correction: a logistic regression in which corpora count alike, and their forms.

    Newton's method on the mean log loss, with RIDGE on the weights of evidence. names: of that.
    """
    corpora = [corpus for corpus, *_ in answers]
    weights = np.concatenate(
        [
            np.full(len(shown.cited), 1 / (corpora.count(corpus) * len(shown.cited)))
            for corpus, shown in zip(corpora, answers.values(), strict=True)
        ]
    )
    weights /= weights.sum()
    every = joined([*answers.values()])
    mean, spread = weights @ every.evidence, np.maximum(every.evidence.std(axis=0), 1e-9)
    sure = np.clip(every.chances, SUREST, 1 - SUREST)
    odds = np.log(sure / (1 - sure))
    table = np.column_stack([np.ones(len(odds)), odds, (every.evidence - mean) / spread])
    costs = np.array([0.0, 0.0, *[2 * RIDGE] * len(mean)])
    found = np.zeros(2 + len(mean))
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-(table @ found)))
        slope = table.T @ (weights * (chances - every.cited)) + costs * found
        curve = (table * (weights * chances * (1 - chances))[:, None]).T @ table
        found -= np.linalg.solve(curve + np.diag(costs + 1e-9), slope)
    by = found[2:] / spread
    ends = (by, every.evidence.min(axis=0), every.evidence.max(axis=0))
    evidence = zip(names, zip(*(each.tolist() for each in ends), strict=True), strict=True)
    return Transfer(float(found[0] - by @ mean), float(found[1]), dict(evidence))


def truth(chances: _Doubles, cited: NDArray[np.bool_]) -> Figures:
    """Compare chances with what is cited, all of them and those of about one half."""
    half = (chances >= BAND[0]) & (chances <= BAND[1])
    return {
        "ECE": expected_calibration_error(chances, cited),
        "shown": float(chances.mean()),
        "kept": float(cited.mean()),
        "half": {
            "papers": int(half.sum()),
            "shown": float(chances[half].mean()) if half.any() else None,
            "kept": float(cited[half].mean()) if half.any() else None,
        },
    }


def ask(data: Data, work: Work) -> None:
    """Train rankers that have not seen a corpus, and keep what they show for its queries."""
    bench = Bench(data, work)
    forms = {corpus: forms_of(bench, corpus) for corpus in (*CORPORA, *KEPT)}
    for metadata in (True, False):
        names = feature_names(metadata=metadata, any_corpus=True)
        for left in (*CORPORA, *KEPT):
            place = answers_of(work, left, metadata=metadata)
            if place.is_file():
                continue
            taught = left if left in CORPORA else "all"  # KEPT are asked of one ranker.
            folder = answers_of(work, taught, metadata=metadata).with_suffix("")
            if not folder.is_dir():
                others = [
                    training_set_of(form, names, seed=0, most=TRAINED_ON, tuned=TUNED_ON)
                    for corpus in CORPORA
                    if corpus != left
                    for form in forms[corpus]
                ]
                ranker = teach_together(others, seed=0, folds=FOLDS).ranker
                folder.parent.mkdir(parents=True, exist_ok=True)
                seen = reduce(or_, (each.seen for each in others))
                with replacing(folder) as new:
                    ranker.save(new, seen, origin=f"without {left}", facts={}, text=False)
            whole = dict(zip(FORMS if left in TITLES_TOO else FORMS[:1], forms[left], strict=False))
            found = show(TreeRanker.load(folder), whole, metadata=metadata)
            arrays = {
                "|".join((*key, field.name)): getattr(shown, field.name)
                for key, shown in found
                for field in fields(Shown)
            }
            np.savez(place, allow_pickle=False, **arrays)
            sys.stderr.write(f"{place} is there.\n")


def answers_of(work: Path, corpus: str, *, metadata: bool) -> Path:
    """Name the file of what is shown of a corpus; beside it lies the ranker that showed it."""
    return work / "left-out" / f"{corpus}-{ranker_folder(Path(), metadata=metadata).name}.npz"


def read_answers(work: Path, *, metadata: bool) -> Answers:
    """Read what was shown for all corpora.

    Raises:
        InputError: some were not asked.
    """
    found = dict[tuple[str, str, str, str], Shown]()
    for corpus in (*CORPORA, *KEPT):
        place = answers_of(work, corpus, metadata=metadata)
        if not place.is_file():
            raise InputError(f"There is no {place}.", "Run `python -m benchmarks.chances ask`.")
        with np.load(place, allow_pickle=False) as arrays:
            for name in sorted({name.rpartition("|")[0] for name in arrays.files}):
                key = corpus, *name.split("|")
                found[key] = Shown(*(arrays[f"{name}|{each.name}"] for each in fields(Shown)))
    return found


def fit(
    work: Work,
    docs: Docs = DOCS,
    results: Path = HERE / "chances.json",
    out: Path = SHIPPED,
) -> None:
    """Correct the chances of each corpus by those of the others, and of what ships by all."""
    report, found = Report("chances", results, docs), dict[str, Figures]()
    report.read()
    for metadata in (True, False):
        answers, rows = read_answers(work, metadata=metadata), []
        for (corpus, form, part, links), shown in answers.items():
            others = {key: each for key, each in answers.items() if key[0] != corpus}
            if part == "test":
                corrected = truth(shown.corrected(fit_transfer(others)), shown.cited)
                row = {"corpus": corpus, "form": form, "links": links, "papers": len(shown.cited)}
                before = truth(shown.chances, shown.cited)
                rows.append(row | {"before": before, "corrected": corrected})
        transfer = fit_transfer(answers)
        setting = "metadata" if metadata else "no metadata"
        found[setting] = {"rows": rows, "transfer": asdict(transfer)}
        rewrite_manifest(ranker_folder(out, metadata=metadata), KIND, {TRANSFER: asdict(transfer)})
    # The local ranker has learned beside scores, which stay as they were.
    beside = sha256(ranker_folder(out, metadata=True) / MANIFEST)
    rewrite_manifest(out / LOCAL_RANKER, LOCAL_RANKER, {BESIDE: beside})
    report.keep(found)


def rewrite_manifest(folder: Path, kind: str, facts: Figures) -> None:
    """Put facts into the manifest of a ranker, whose files stay."""
    manifest = load_manifest(folder, kind, SCHEMA)
    write_manifest(folder, kind, SCHEMA, {**manifest.config, **facts}, manifest.files)


main = program("benchmarks.chances", ask, fit)
if __name__ == "__main__":
    sys.exit(main())
