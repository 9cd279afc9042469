"""Train and judge the judge of sentences on open full texts, and write what came out.

    python -m benchmarks.needs --texts DIR --index my.index --out DIR

DIR holds a folder of texts for each field, see `benchmarks.needs.texts`; the index lends its
encoder. Texts named in test_texts.txt are asked once, at the end; on the others the judge is
trained, and by four folds of them its chances are calibrated. It is fit to ship where the area
under the ROC curve reaches GATE both on the texts and on each large field that it has not seen.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.bench import program
from benchmarks.needs.judge import Table, fit, table_of, thresholds_of, write_judge
from benchmarks.needs.texts import FullText, read_texts
from benchmarks.result_tables import written
from docs.made.marked_pages import page_with, rewrite_block
from recsys.errors import InputError
from recsys.eval.significance import expected_calibration_error
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.ranking.fit_ranker import calibrate
from recsys.protocols import Encoder
from recsys.store.arrays import Floats, Longs, Mask
from recsys.store.artifacts import ENCODER
from recsys.store.generations import pin

BLOCK = "needs"
GATE = 0.80
LARGE_FIELD = 100
"""Citing sentences of a field that the gate asks about."""
FOLDS = 4
VIEWS = ("known", "none", "alone")
"""The other citations stand; nothing is cited yet; a sentence alone."""
_DRAWS = 500
_TEST_TEXTS = Path(__file__).with_name("test_texts.txt")


def run(
    texts: Annotated[Path, typer.Option(help="A folder for each field.")],
    index: Annotated[Path, typer.Option(help="Whose encoder is used.")],
    out: Annotated[Path, typer.Option(help="Folder for the judge.")],
    docs: Annotated[Path | None, typer.Option(help="Folder of the pages to rewrite.")] = None,
) -> None:
    """Train, ask, write; the exit code is 3 where the judge is not fit to ship."""
    if docs is not None:
        page_with(docs, BLOCK)
    encoder = OnnxEncoder.load(pin(index).folder / ENCODER)
    every, problems = read_texts(texts)
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    learned = [text for text in every if len(text.rows) > 5 and text.cites.any()]
    figures = study(learned, encoder, out)
    sys.stderr.write(json.dumps(figures, indent=1) + "\n")
    if docs is not None:
        rewrite_block(docs, BLOCK, written(BLOCK, figures))
    if not figures["ships"]:
        raise typer.Exit(3)


def study(texts: Sequence[FullText], encoder: Encoder, out: Path) -> dict[str, Any]:
    """Train on the development texts, write the judge, and ask the test texts."""
    if len({each.source for each in texts}) < 2:
        raise InputError(
            "The texts are of one field only.",
            "Give a folder for each of two fields: one is asked by a judge that learned from the "
            "other.",
        )
    examples = table_of(texts, encoder, np.random.default_rng(0))
    named = np.isin(examples.names, _TEST_TEXTS.read_text(encoding="utf-8").split())
    if not named.any():  # Of other texts, every fifth.
        named = np.arange(len(named)) % 5 == 4
    test = named[examples.document]
    dev = ~test
    folds = np.random.default_rng(0).permutation(len(texts))[examples.document] % FOLDS
    held_out = np.zeros(len(dev), np.float32)  # Scored as drafts that are half cited.
    for fold in range(FOLDS):
        rows = dev & (folds == fold)
        held_out[rows] = fit(examples, dev & (folds != fold), folds).score(examples, rows, "some")
    knots = np.array(calibrate(held_out[dev], examples.cites[dev].astype(np.int8)))
    fitted = fit(examples, dev, folds)
    chances: Floats = np.interp(held_out, *knots).astype(np.float32)
    thresholds = thresholds_of(examples, dev, chances)
    write_judge(out, fitted, knots, encoder.fingerprint, thresholds)
    scores = {view: fitted.score(examples, test, view) for view in VIEWS}
    cites = examples.cites[test]
    figures = {
        "texts": len(texts),
        "sentences": sum(len(each.sentences) for each in texts),
        "examples": len(examples.cites),
        "citing": int(examples.cites.sum()),
        "test_texts": int(named.sum()),
        "test_share": float(cites.mean()),
        "views": {view: judge_view(examples, test, each) for view, each in scores.items()},
        "ece": expected_calibration_error(np.interp(scores["known"], *knots), cites),
        "fields": [
            judge_field(examples, number, dev, folds) for number in range(len(examples.sources))
        ],
    }
    return figures | verdict_on(figures)


def verdict_on(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Say whether the judge is fit to ship: the least area counts, of texts and large fields."""
    large = [row["known"] for row in figures["fields"] if row["citing"] >= LARGE_FIELD]
    reached = min([figures["views"]["known"]["auc"], *large])
    return {"gate": GATE, "reached": reached, "ships": bool(large) and reached >= GATE}


def judge_view(examples: Table, test: Mask, scores: Floats) -> dict[str, float | list[float]]:
    """Ask the test texts; scores: of their examples, in one view."""
    cites, documents = examples.cites[test], examples.document[test]
    rng = np.random.default_rng(0)
    groups = [np.flatnonzero(documents == number) for number in np.unique(documents)]
    drawn = []
    for _ in range(_DRAWS):
        rows = np.concatenate([groups[i] for i in rng.integers(0, len(groups), len(groups))])
        drawn.append(auc(scores[rows], cites[rows]))
    return {
        "auc": auc(scores, cites),
        "interval": np.nanpercentile(drawn, [2.5, 97.5]).tolist(),
    }


def judge_field(examples: Table, number: int, dev: Mask, folds: Longs) -> dict[str, Any]:
    """Leave a field out of training, and ask its development texts."""
    asked = dev & (examples.source == number)
    fitted, cites = fit(examples, dev & ~asked, folds), examples.cites[asked]
    return {
        "field": examples.sources[number],
        "texts": len(np.unique(examples.document[asked])),
        "sentences": len(cites),
        "citing": int(cites.sum()),
        **{view: auc(fitted.score(examples, asked, view), cites) for view in VIEWS},
    }


def auc(scores: Floats, cites: Mask) -> float:
    """Return the chance that a citing sentence scores above one that does not; ties count half.

    >>> auc(np.array([0.1, 0.4, 0.35, 0.8], np.float32), np.array([False, False, True, True]))
    0.75
    """
    from sklearn.metrics import roc_auc_score

    both = cites.any() and not cites.all()
    return float(roc_auc_score(cites, scores)) if both else float("nan")


main = program("benchmarks.needs", run)
if __name__ == "__main__":
    sys.exit(main())
