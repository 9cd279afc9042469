"""Train and judge the judge of sentences on open full texts, and write what came out.

    python -m benchmarks.needs --texts DIR --out DIR

DIR holds a folder of texts for each field, see `benchmarks.needs.texts`. Texts named in
test_texts.txt, and every other article of those that were drawn, are asked once, at the end; on the
others the judge is trained. It is fit to ship where it reaches GATE on each large field that it has
not seen: with the draft's other citations standing, and where nothing is cited yet.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from benchmarks.bench import program
from benchmarks.needs.judge import VIEWS, Table, fit, table_of, write_judge
from benchmarks.needs.texts import FullText, read_texts
from benchmarks.result_tables import written
from docs.made.marked_pages import page_with, rewrite_block
from recsys.errors import InputError
from recsys.eval.significance import expected_calibration_error
from recsys.store.arrays import Floats, Mask

BLOCK = "needs"
GATE = {"auc": 0.80, "ece": 0.03, "right": 0.75}
"""The least area under the ROC curve, the largest calibration error, the least share of flags that
are right."""
LARGE_FIELD = 100
"""Citing sentences of a field that the gate asks about."""
_DRAWS = 200
_TEST_TEXTS = Path(__file__).with_name("test_texts.txt")


def run(
    texts: Annotated[Path, typer.Option(help="A folder for each field.")],
    out: Annotated[Path, typer.Option(help="Folder for the judge.")],
    articles: Annotated[int, typer.Option(help="Drawn of a file that holds many.")] = 500,
    docs: Annotated[Path | None, typer.Option(help="Folder of the pages to rewrite.")] = None,
) -> None:
    """Train, ask, write; the exit code is 3 where the judge is not fit to ship."""
    if docs is not None:
        page_with(docs, BLOCK)
    every, problems = read_texts(texts, articles)
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    figures = study([text for text in every if len(text.rows) > 5 and text.cites.any()], out)
    sys.stderr.write(json.dumps(figures, indent=1) + "\n")
    if docs is not None:
        rewrite_block(docs, BLOCK, written(BLOCK, figures))
    if not figures["ships"]:
        raise typer.Exit(3)


def study(texts: Sequence[FullText], out: Path) -> dict[str, Any]:
    """Train on the development texts, write the judge, and ask the test texts."""
    if len({each.source for each in texts}) < 2:
        raise InputError(
            "The texts are of one field only.",
            "Give a folder for each of two fields: one is asked by a judge that learned from the "
            "other.",
        )
    table = table_of(texts)
    test = _test_texts(texts)
    dev = table.only(~test)
    least = least_chance(dev)
    fitted = fit(dev)
    write_judge(out, fitted, least)
    asked = table.only(test)
    fields = [judge_field(table, number, least) for number in range(len(table.sources))]
    figures = {
        "texts": len(texts),
        "sentences": len(table.cites),
        "examples": int(table.example.sum()),
        "citing": int(table.cites[table.example].sum()),
        "test_texts": int(test.sum()),
        "least": least,
        "gate": GATE,
        "large": LARGE_FIELD,
        **{view: measures(asked, fitted.chances(asked, view), least) for view in VIEWS},
        "fields": fields,
    }
    return figures | {"ships": ships(fields)}


def _test_texts(texts: Sequence[FullText]) -> Mask:
    """Choose those that are asked at the end: those named, else every other text of a field."""
    names = set(_TEST_TEXTS.read_text(encoding="utf-8").split())
    listed = {text.source for text in texts if text.name in names}
    seen, test = dict[str, int](), []
    for text in texts:
        seen[text.source] = seen.get(text.source, -1) + 1
        odd = seen[text.source] % 2 == 1
        test.append(text.name in names if text.source in listed else odd)
    return np.array(test)


def least_chance(dev: Table) -> float:
    """Return the chance from which on the wished share of flags is right, in texts of other folds.

    It is that of the view that asks for more; 1 where even the surest are too often wrong.
    """
    half = np.random.default_rng(1).permutation(len(dev.texts)) % 2 == 0
    parts = [(fit(dev.only(~asked)), dev.only(asked)) for asked in (half, ~half)]
    cites = np.concatenate([asked.cites[asked.example] for _, asked in parts])
    least = []
    for view in VIEWS:
        chances = np.concatenate([fitted.chances(asked, view) for fitted, asked in parts])
        order = np.argsort(-chances, kind="stable")
        right = np.cumsum(cites[order]) / np.arange(1, len(order) + 1)
        enough = np.flatnonzero(right >= GATE["right"])
        least.append(float(chances[order[enough[-1]]]) if len(enough) else 1.0)
    return max(least)


def ships(fields: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether the judge reaches the gate on each large field, and on one at least."""
    large = [row[view] for row in fields if row["citing"] >= LARGE_FIELD for view in VIEWS]
    return bool(large) and all(
        row["auc"] >= GATE["auc"] and row["ece"] <= GATE["ece"] and row["right"] >= GATE["right"]
        for row in large
    )


def judge_field(table: Table, number: int, least: float) -> dict[str, Any]:
    """Leave a field out of training, and ask all its texts."""
    field = np.array([text.source == table.sources[number] for text in table.texts])
    asked, fitted = table.only(field), fit(table.only(~field))
    return {
        "field": table.sources[number],
        "texts": len(asked.texts),
        "examples": int(asked.example.sum()),
        "citing": int(asked.cites[asked.example].sum()),
        **{view: measures(asked, fitted.chances(asked, view), least) for view in VIEWS},
    }


def measures(asked: Table, chances: Floats, least: float) -> dict[str, Any]:
    """Measure the chances of a table's examples; intervals are over drawn texts.

    Returns:
        The area under the ROC curve, the calibration error, how many are flagged, and which share
        of these cites: nan where none is flagged.
    """
    cites, document = asked.cites[asked.example], asked.document[asked.example]
    flagged, rng = chances >= least, np.random.default_rng(0)
    groups = [np.flatnonzero(document == number) for number in np.unique(document)]
    drawn = []
    for _ in range(_DRAWS):
        rows = np.concatenate([groups[i] for i in rng.integers(0, len(groups), len(groups))])
        drawn.append((auc(chances[rows], cites[rows]), _share(cites[rows], flagged[rows])))
    areas, shares = np.array(drawn).T
    return {
        "auc": auc(chances, cites),
        "interval": _interval(areas),
        "ece": expected_calibration_error(chances, cites),
        "flags": int(flagged.sum()),
        "right": _share(cites, flagged),
        "right_interval": _interval(shares),
    }


def _interval(drawn: NDArray[np.float64]) -> list[float]:
    found = drawn[~np.isnan(drawn)]
    return np.percentile(found, [2.5, 97.5]).tolist() if len(found) else [float("nan")] * 2


def _share(cites: Mask, flagged: Mask) -> float:
    return float(cites[flagged].mean()) if flagged.any() else float("nan")


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
