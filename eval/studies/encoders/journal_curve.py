"""Do encoders that learned to tell journals tell others better, and do more journals help?

Each seed parts the journals anew into seen and unseen ones. The unseen ones are told from the
vectors of the encoder as it was and as it was trained: by a linear model of three quarters of their
papers (`probes.linear`), and by few examples (`probes.few_labels`), with the same folds and
examples. A paper that several seeds ask for counts once, with the mean over them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from recsys.eval.measures import Doubles, Interval
from recsys.eval.significance import bootstrap_difference, holm, randomisation_test
from recsys.eval.studies.probes.paper_classes import folded
from recsys.eval.studies.probes.probe_results import Group

LINEAR = "linear"
Told: TypeAlias = Mapping[str, Doubles]
"""Probe -> (n,) float64, how often each paper's class was told. Probes: LINEAR, or examples of a
class, as text."""


@dataclass(frozen=True, slots=True)
class Trained:
    """An encoder that learned from a share of the seen classes.

    classes, papers: how many it learned from. seen: accuracy on other papers of these, before and
    after. asked: papers of unseen classes. start, end: what the encoder told of them.
    """

    seed: int
    share: float
    classes: int
    papers: int
    seen: tuple[float, float]
    asked: Group
    start: Told
    end: Told


@dataclass(frozen=True, slots=True)
class Change:
    """What training changed in a probe of unseen classes, over all seeds.

    before, after: accuracy. p: paired randomisation test over papers; p_classes: over the means of
    classes. papers, classes: different ones that were asked for.
    """

    before: float
    after: float
    change: Interval
    p: float
    p_classes: float
    papers: int
    classes: int


def change(trained: Sequence[Trained], probe: str) -> Change:
    """Put seeds together."""
    start, end = (np.concatenate([side[probe] for side in sides]) for sides in _sides(trained))
    ids = [paper for each in trained for paper in each.asked.ids]
    before, after = _means(start, ids), _means(end, ids)
    names = [folded(x.asked.names[label]) for x in trained for label in x.asked.labels.tolist()]
    of_classes = _means(end - start, names)
    rng = np.random.default_rng(0)
    return Change(
        float(before.mean()),
        float(after.mean()),
        bootstrap_difference(after, before, rng=rng),
        randomisation_test(after, before, rng=rng),
        randomisation_test(of_classes, np.zeros_like(of_classes), rng=rng),
        len(before),
        len(of_classes),
    )


def changes(groups: Sequence[tuple[Sequence[Trained], str]]) -> list[Change]:
    """Put seeds together, group by group; p is Holm-corrected over the groups."""
    found = [change(*each) for each in groups]
    p, p_classes = (holm(np.array(each)).tolist() for each in zip(*map(_p, found), strict=True))
    return [
        replace(each, p=one, p_classes=other)
        for each, one, other in zip(found, p, p_classes, strict=True)
    ]


def by_share(trained: Sequence[Trained]) -> dict[float, list[Trained]]:
    """Part encoders by the share they learned from, ascending."""
    shares = sorted({each.share for each in trained})
    return {share: [each for each in trained if each.share == share] for share in shares}


def _sides(trained: Sequence[Trained]) -> tuple[list[Told], list[Told]]:
    return [each.start for each in trained], [each.end for each in trained]


def _p(found: Change) -> tuple[float, float]:
    return found.p, found.p_classes


def _means(values: Doubles, groups: Sequence[str]) -> Doubles:
    """Average values of the same group: (groups,) float64, by ascending name."""
    _, place, counts = np.unique(groups, return_inverse=True, return_counts=True)
    return np.asarray(np.bincount(place, values) / counts)
