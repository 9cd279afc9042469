"""Classes of a corpus's papers: its venues, and the categories that its records name."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys.eval.studies.scidocs.scidocs_layout import Classes
from recsys.records import Paper, PaperId
from recsys.store.corpus import paper_types

MOST = 500
"""Papers of a class that are used, drawn by chance: more would take long to learn from."""
SHARES = {"train": 0.7, "val": 0.15}
"""The rest of each class is for testing."""
NONE = -1


@dataclass(frozen=True, slots=True)
class Labelled:
    """names: of the classes, most frequent first. labels: (n,) int64, NONE for papers of none."""

    names: tuple[str, ...]
    labels: NDArray[np.int64]


def classes_of(values: Sequence[Sequence[str]], *, most: int, least: int) -> Labelled:
    """Make classes of the most frequent values; a paper with several is of the rarest.

    Args:
        values: of each paper; how they are capitalised does not matter.
        most: how many classes there are at most.
        least: papers that a class has at least.
    """
    folded = [[value.strip().casefold() for value in each] for each in values]
    counts = Counter(value for each in folded for value in set(each) if value)
    kept = sorted(counts, key=lambda value: (-counts[value], value))[:most]
    number = {value: i for i, value in enumerate(kept) if counts[value] >= least}
    labels = [max((number.get(value, NONE) for value in each), default=NONE) for each in folded]
    return _large_enough(tuple(number), np.array(labels, np.int64), least)


def _large_enough(names: tuple[str, ...], labels: NDArray[np.int64], least: int) -> Labelled:
    """Leave out classes whose papers nearly all went to rarer ones."""
    sizes = np.bincount(labels[labels >= 0], minlength=len(names))
    place = np.full(len(names) + 1, NONE)  # The last one is that of NONE.
    kept = np.flatnonzero(sizes >= least)
    place[kept] = np.arange(len(kept))
    return Labelled(tuple(names[each] for each in kept), place[labels])


def category_values(papers: Sequence[Paper]) -> tuple[str, list[Sequence[str]]]:
    """Choose the label that most papers have: its name, and its values for each paper.

    Labels that tell the type of a work are no categories. Without any, the name is empty.
    """
    counts: Counter[str] = Counter()
    for paper in papers:
        counts.update(key for key, value in _labels(paper) if value)
    if not counts:
        return "", [()] * len(papers)
    name = min(counts, key=lambda key: (-counts[key], key))
    return name, [dict(_labels(paper)).get(name, ()) for paper in papers]


def _labels(paper: Paper) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Give the labels whose values are texts, and the key phrases as one of them."""
    labels: Mapping[str, object] = {"keyphrases": list(paper.keyphrases), **paper.labels}
    for key, value in labels.items():
        items = value if isinstance(value, list) else [value]
        if not paper_types({key: value}):
            yield key, tuple(item for item in items if isinstance(item, str))


def parts_of(
    ids: Sequence[PaperId], labelled: Labelled, rng: np.random.Generator
) -> dict[str, Classes]:
    """Divide each class into train, val and test by chance."""
    rows: dict[str, list[NDArray[np.int64]]] = {"train": [], "val": [], "test": []}
    for label in range(len(labelled.names)):
        members = rng.permutation(np.flatnonzero(labelled.labels == label))[:MOST]
        cuts = np.cumsum([round(share * len(members)) for share in SHARES.values()])
        for part, some in zip(rows, np.split(members, cuts), strict=True):
            rows[part].append(some)
    return {
        part: _classes(ids, labelled, rng.permutation(np.concatenate(some)))
        for part, some in rows.items()
    }


def _classes(ids: Sequence[PaperId], labelled: Labelled, rows: NDArray[np.int64]) -> Classes:
    return Classes(tuple(ids[row] for row in rows.tolist()), labelled.labels[rows])
