"""Train and judge the judge of sentences on open full texts, and write what came out.

    python -m benchmarks.needs --texts DIR --index my.index --out DIR

DIR holds a folder of texts for each field, see `benchmarks.needs.texts`; the index lends its
encoder. Texts named in test_texts.txt are asked once, at the end; on the others the judge is
trained, and by four folds of them its chances are calibrated. It is fit to ship where the area
under the ROC curve reaches GATE both on the texts and on each large field that it has not seen.
"""

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.bench import program
from benchmarks.needs.judge import Table, fit, table_of, thresholds_of, write_judge
from benchmarks.needs.texts import FullText, read_texts
from benchmarks.result_tables import written
from docs.made.marked_pages import check_page, rewrite_page
from recsys.errors import InputError
from recsys.eval.significance import expected_calibration_error
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.ranking.fit_ranker import calibrate
from recsys.protocols import Encoder
from recsys.store.arrays import Floats, Longs, Mask
from recsys.store.artifacts import ENCODER
from recsys.store.generations import pin

PAGE = "needs"
GATE = 0.80
LARGE_FIELD = 100
"""Citing sentences of a field that the gate asks about."""
FOLDS = 4
VIEWS: Mapping[str, str] = {
    "known": "the other citations stand",
    "none": "nothing is cited yet",
    "alone": "a sentence alone",
}
_DRAWS = 500
_TEST_TEXTS = Path(__file__).with_name("test_texts.txt")


def run(
    texts: Annotated[Path, typer.Option(help="A folder for each field.")],
    index: Annotated[Path, typer.Option(help="Whose encoder is used.")],
    out: Annotated[Path, typer.Option(help="Folder for the judge.")],
    docs: Annotated[Path | None, typer.Option(help="Folder of needs.md.")] = None,
) -> None:
    """Train, ask, write; the exit code is 3 where the judge is not fit to ship."""
    if docs is not None:
        check_page(docs, PAGE)
    encoder = OnnxEncoder.load(pin(index).folder / ENCODER)
    every, problems = read_texts(texts)
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    learned = [text for text in every if len(text.rows) > 5 and text.cites.any()]
    figures = study(learned, encoder, out)
    sys.stderr.write(json.dumps(figures, indent=1) + "\n")
    if docs is not None:
        rewrite_page(docs, PAGE, written(PAGE, figures | {"names": VIEWS}))
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
        "views": {view: judge_view(texts, examples, test, each) for view, each in scores.items()},
        "ece": expected_calibration_error(np.interp(scores["known"], *knots), cites),
        "fields": [
            judge_field(examples, number, dev, folds) for number in range(len(examples.sources))
        ],
        "controls": {
            name: auc(control_scores(examples.texts, examples.cites, dev, name)[test], cites)
            for name in CONTROLS
        },
    }
    return figures | verdict_on(figures)


def verdict_on(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Say whether the judge is fit to ship: the least area counts, of texts and large fields."""
    large = [row["known"] for row in figures["fields"] if row["citing"] >= LARGE_FIELD]
    reached = min([figures["views"]["known"]["auc"], *large])
    return {"gate": GATE, "reached": reached, "ships": bool(large) and reached >= GATE}


def judge_view(
    texts: Sequence[FullText], examples: Table, test: Mask, scores: Floats
) -> dict[str, float | list[float]]:
    """Ask the test texts; scores: of their examples, in one view."""
    cites, documents = examples.cites[test], examples.document[test]
    # A mark before the last full stop leaves nothing that could be seen.
    at_end = np.array(
        [
            bool(sentence.marks)
            and all(mark.at >= len(sentence.text.rstrip(".?!")) for mark in sentence.marks)
            for text in texts
            for sentence in (text.sentences[row] for row in text.rows)
        ]
    )[test]
    at_end |= ~cites
    # Those that the rules refuse rank below all others.
    refused = np.sum([texts[number].refused for number in np.unique(documents)], axis=0).tolist()
    rng = np.random.default_rng(0)
    groups = [np.flatnonzero(documents == number) for number in np.unique(documents)]
    drawn = []
    for _ in range(_DRAWS):
        rows = np.concatenate([groups[i] for i in rng.integers(0, len(groups), len(groups))])
        drawn.append(auc(scores[rows], cites[rows]))
    return {
        "auc": auc(scores, cites),
        "interval": np.nanpercentile(drawn, [2.5, 97.5]).tolist(),
        "at_end": auc(scores[at_end], cites[at_end]),
        "with_refused": auc(
            np.append(scores, np.full(sum(refused), scores.min() - 1)),
            np.append(cites, np.arange(sum(refused)) < refused[0]),
        ),
        "precision": precision_at(scores, cites, documents),
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


def precision_at(
    scores: Floats, cites: Mask, documents: Longs, most: Sequence[int] = (5, 10)
) -> list[float]:
    """Return the mean over texts of the share of citing sentences among the first k."""
    shares: list[list[float]] = [[] for _ in most]
    for number in np.unique(documents):
        rows = np.flatnonzero(documents == number)
        order = rows[np.argsort(-scores[rows], kind="stable")]
        for k, of_texts in zip(most, shares, strict=True):
            if len(order) >= k:
                of_texts.append(float(cites[order[:k]].mean()))
    return [float(np.mean(of_texts)) if of_texts else float("nan") for of_texts in shares]


_CLOSED = frozenset(
    "a an the of in on at by to from for with and or but as than that which who is are was were be "
    "been has have had see both between into through via per et al e.g i.e cf also".split()
)
_BEFORE_STOP = re.compile(r"([^\W\d_]+)?(\W?)([.,;:)\]])")


def seams(text: str) -> str:
    """Return what stands before each stop of a sentence: closed-class words, and signs.

    That is all that a removed citation could leave.

    >>> seams("As shown by , bees see colours.")
    'by_, x.'
    """
    return " ".join(
        f"{word.lower() if word.lower() in _CLOSED else 'x'}{gap.replace(' ', '_')}{stop}"
        for word, gap, stop in _BEFORE_STOP.findall(text)
    )


def shape(text: str) -> str:
    """Return a sentence as shapes: runs of letters, capitals and digits are one sign each.

    >>> shape("Bees see 12 colours (Fig. 2).")
    'Aa a 9 a (Aa. 9).'
    """
    for runs, sign in ((r"[^\W\d_A-Z]+", "a"), (r"[A-Z]+", "A"), (r"\d+", "9")):
        text = re.sub(runs, sign, text)
    return text


CONTROLS: Mapping[str, Callable[[str], str]] = {
    "what stands before stops": seams,
    "shapes of the characters": shape,
    "length": lambda text: f"length{min(len(text) // 20, 20)}",
}
"""What a model must not be able to tell citing sentences by."""


def control_scores(texts: Sequence[str], cites: Mask, train: Mask, name: str) -> Floats:
    """Train a control on some sentences and score all: (n,) float32."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    by_signs = CONTROLS[name] is shape
    counts = CountVectorizer(
        analyzer="char" if by_signs else "word",
        ngram_range=(1, 3) if by_signs else (1, 2),
        token_pattern=None if by_signs else r"\S+",
        min_df=5,
        lowercase=False,
        binary=True,
    )
    matrix = counts.fit_transform([CONTROLS[name](text) for text in texts])
    model = LogisticRegression(C=0.3, max_iter=200).fit(matrix[np.flatnonzero(train)], cites[train])
    return np.asarray(model.decision_function(matrix), np.float32)


main = program("benchmarks.needs", run)
if __name__ == "__main__":
    sys.exit(main())
