"""Whether two versions answer alike: the same papers for the test drafts of a corpus."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scale.checkouts import HERE, run_with
from benchmarks.scale.top_papers import SHOWN
from recsys.eval.measures import f1, flag, precision, recall

Answers = Mapping[str, Mapping[str, Sequence[str]]]


def compare_versions(before: Path, indexes: Sequence[Path], split: Path) -> dict[str, Any]:
    """Ask a version before and this one the test drafts of a split.

    Args:
        before: the other checkout.
        indexes: that of the version before, and that of this one.
        split: of their corpus.
    """
    theirs, ours = (
        run_with(checkout, "scale.top_papers", index, split)
        for checkout, index in zip((before, HERE), indexes, strict=True)
    )
    return compare_answers(theirs, ours)


def compare_answers(before: Answers, after: Answers) -> dict[str, Any]:
    """Count the drafts with the same papers, and those with the same order, and judge both."""
    tops = [(before[query]["top"], after[query]["top"]) for query in before]
    return {
        "drafts": len(before),
        "same papers": float(np.mean([set(one) == set(other) for one, other in tops])),
        "same order": float(np.mean([list(one) == list(other) for one, other in tops])),
        "F1@20": {"before": f1_of(before), "after": f1_of(after)},
        "others": [
            query for query in before if set(before[query]["top"]) != set(after[query]["top"])
        ],
    }


def f1_of(answers: Answers) -> float:
    """Take the harmonic mean of the averaged precision and recall of the papers shown."""
    flags = np.zeros((len(answers), SHOWN), bool)
    gold = np.array([len(each["gold"]) for each in answers.values()])
    for row, each in enumerate(answers.values()):
        found = flag(each["top"], set(each["gold"]))
        flags[row, : len(found)] = found
    return f1(float(precision(flags, SHOWN).mean()), float(recall(flags, gold, SHOWN).mean()))
