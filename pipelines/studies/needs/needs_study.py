"""Train and judge the judge of sentences on open full texts, and write what came out.

    python -m recsys.pipelines.studies.needs.needs_study --texts DIR --index my.index --out DIR

DIR holds a folder of texts for each field, see `needs_texts`; the index lends its encoder. Texts
named in needs_test_texts.txt are asked once, at the end; on the others the judge is trained, and
by four folds of them its chances are calibrated. It is fit to ship where the area under the ROC
curve reaches GATE both on the texts and on each large field that it has not seen.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.jobs.programs import ending
from recsys.pipelines.studies.needs.needs_controls import CONTROLS, control_scores
from recsys.pipelines.studies.needs.needs_examples import Examples, examples_of, marks_at_end
from recsys.pipelines.studies.needs.needs_figures import (
    auc,
    auc_over_texts,
    auc_with_refused,
    calibration_error,
    precision_at,
    views_of,
    without_trace,
)
from recsys.pipelines.studies.needs.needs_fit import Fitted, fit
from recsys.pipelines.studies.needs.needs_page import write_page
from recsys.pipelines.studies.needs.needs_table import Table, table_of
from recsys.pipelines.studies.needs.needs_texts import read_texts
from recsys.pipelines.studies.needs.needs_writing import knots_of, thresholds_of, write_judge
from recsys.protocols import Encoder
from recsys.store.arrays import Floats, Longs, Mask
from recsys.store.generations import pin
from recsys.store.layout import ENCODER

GATE = 0.80
LARGE_FIELD = 100
"""Citing sentences of a field that the gate asks about."""
FOLDS = 4
_TEST_TEXTS = Path(__file__).with_name("needs_test_texts.txt")


@ending
def main(arguments: Sequence[str] | None = None) -> int:
    """Train, ask, write; 3 where the judge is not fit to ship."""
    parser = argparse.ArgumentParser(description="Train the judge of sentences.")
    parser.add_argument("--texts", type=Path, required=True, help="A folder for each field.")
    parser.add_argument("--index", type=Path, required=True, help="Whose encoder is used.")
    parser.add_argument("--out", type=Path, required=True, help="Folder for the judge.")
    parser.add_argument("--page", type=Path, help="Markdown page to write the figures to.")
    chosen = parser.parse_args(arguments)
    encoder = OnnxEncoder.load(pin(chosen.index).folder / ENCODER)
    texts, problems = read_texts(chosen.texts)
    for problem in problems:
        _note(problem)
    found = [examples_of(text.name, text.source, text.sentences) for text in texts]
    examples = [each for each in found if len(each.rows) > 5 and each.cites.any()]
    figures = study(examples, encoder, chosen.out)
    _note(json.dumps(figures, indent=1))
    if chosen.page is not None:
        write_page(chosen.page, figures)
    return 0 if figures["ships"] else 3


def study(examples: Sequence[Examples], encoder: Encoder, out: Path) -> dict[str, Any]:
    """Train on the development texts, write the judge, and ask the test texts."""
    if len({each.source for each in examples}) < 2:
        raise InputError(
            "The texts are of one field only.",
            "Give a folder for each of two fields: one is asked by a judge that learned from the "
            "other.",
        )
    table = table_of(examples, encoder, np.random.default_rng(0))
    test = _in_test(table)
    dev, order = ~test, np.random.default_rng(0).permutation(len(table.names))
    folds = order[table.document] % FOLDS
    held_out = _out_of_folds(table, dev, folds)
    knots = knots_of(held_out[dev], table.cites[dev])
    chances: Floats = np.interp(held_out, *knots).astype(np.float32)
    fitted = fit(table, dev, folds)
    write_judge(out, fitted, knots, encoder.fingerprint, thresholds_of(table, dev, chances))
    by_field = _by_field(table, dev, test, folds)
    figures = _counts(examples, table) | _on_test(examples, table, fitted, test, knots)
    figures |= {"fields": by_field, "controls": _controls(table, dev, test)}
    return figures | verdict_on(figures)


def verdict_on(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Say whether the judge is fit to ship: the least area counts, of texts and large fields."""
    large = [row["known"] for row in figures["fields"] if row["citing"] >= LARGE_FIELD]
    reached = min([figures["views"]["known"]["auc"], *large])
    return {"gate": GATE, "reached": reached, "ships": bool(large) and reached >= GATE}


def _in_test(table: Table) -> Mask:
    """Choose the texts that are named for it, of other collections every fifth."""
    wanted = set(_TEST_TEXTS.read_text(encoding="utf-8").split())
    named = np.array([name in wanted for name in table.names])
    if not named.any():
        named = np.arange(len(named)) % 5 == 4
    return named[table.document]


def _out_of_folds(table: Table, dev: Mask, folds: Longs) -> Floats:
    """Score the development texts by judges that have not seen them, as drafts half cited."""
    scores = np.zeros(len(dev), np.float32)
    for fold in range(FOLDS):
        rows = dev & (folds == fold)
        fitted = fit(table, dev & (folds != fold), folds)
        scores[rows] = fitted.score(table, rows, table.some)
    return scores


def _by_field(table: Table, dev: Mask, test: Mask, folds: Longs) -> list[dict[str, Any]]:
    """Leave each field out of training, and ask its development texts."""
    rows = []
    for number, name in enumerate(table.sources):
        field = table.source == number
        asked = field & dev
        fitted = fit(table, dev & ~field, folds)
        row: dict[str, Any] = {"field": name, "texts": len(np.unique(table.document[asked]))}
        row |= {"sentences": int(asked.sum()), "citing": int(table.cites[asked].sum())}
        for view, cues in views_of(table).items():
            row[view] = auc(fitted.score(table, asked, cues), table.cites[asked])
        rows.append(row)
        _note(str(row))
    return rows


def _on_test(
    examples: Sequence[Examples],
    table: Table,
    fitted: Fitted,
    test: Mask,
    knots: NDArray[np.float64],
) -> dict[str, Any]:
    cites, documents = table.cites[test], table.document[test]
    refused = np.array([examples[number].refused for number in np.unique(documents)]).sum(axis=0)
    at_end = np.concatenate([marks_at_end(each) for each in examples])
    traceless = without_trace(table, at_end, test)[test]
    views = {}
    for view, cues in views_of(table).items():
        scores = fitted.score(table, test, cues)
        interval = auc_over_texts(scores, cites, documents)
        views[view] = {
            "auc": interval.value,
            "shown": str(interval),
            "at_end": auc(scores[traceless], cites[traceless]),
            "with_refused": auc_with_refused(scores, cites, (int(refused[0]), int(refused[1]))),
            "precision": precision_at(scores, cites, documents),
        }
    error = calibration_error(fitted, table, test, knots)
    return {"views": views, "ece": error, "test_share": float(cites.mean())}


def _controls(table: Table, dev: Mask, test: Mask) -> dict[str, float]:
    return {
        name: auc(control_scores(table.texts, table.cites, dev, name)[test], table.cites[test])
        for name in CONTROLS
    }


def _counts(examples: Sequence[Examples], table: Table) -> dict[str, Any]:
    sentences = sum(len(each.sentences) for each in examples)
    counts = {"texts": len(examples), "sentences": sentences, "examples": len(table.cites)}
    test = len(set(table.document[_in_test(table)].tolist()))
    return counts | {"citing": int(table.cites.sum()), "test_texts": test}


def _note(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
