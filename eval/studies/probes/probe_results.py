"""What the probes found out about embeddings."""

import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import count

import numpy as np

from recsys.eval.studies.probes.clustering import Dense, Layout
from recsys.eval.studies.probes.linear import Contrast, Linear
from recsys.eval.studies.probes.maps import ClassMap
from recsys.eval.studies.probes.pairs import Estimate, Retrieved
from recsys.records import PaperId
from recsys.store.arrays import Longs

ALL, SEEN, UNSEEN = "all", "seen", "unseen"
_UNFIT = re.compile(r"[^A-Za-z0-9._]+")


@dataclass(frozen=True, slots=True)
class Group:
    """Papers of some classes.

    name: ALL, or whether the classes are SEEN or UNSEEN. ids: (n). labels: (n,) int64, the places
    of the papers' classes in `names`.
    """

    name: str
    ids: tuple[PaperId, ...]
    labels: Longs
    names: tuple[str, ...]

    def counts(self) -> Longs:
        """Count the papers of each class."""
        return np.bincount(self.labels, minlength=len(self.names))

    def at_most(self, count: int, *, rng: np.random.Generator) -> "Group":
        """Keep so many papers of each class, drawn by chance, in the same order."""
        classes = (np.flatnonzero(self.labels == label) for label in range(len(self.names)))
        kept = np.sort(np.concatenate([rng.permutation(rows)[:count] for rows in classes]))
        ids = tuple(self.ids[row] for row in kept.tolist())
        return Group(self.name, ids, self.labels[kept], self.names)


@dataclass(frozen=True, slots=True)
class GroupResult:
    """What the probes of a group gave: name of an embedding -> figures; empty if not asked for.

    purity: number of clusters -> purity.
    """

    group: Group
    linear: Mapping[str, Linear]
    contrasts: tuple[Contrast, ...]
    purity: Mapping[str, Mapping[int, Estimate]]
    dense: Mapping[str, Dense]
    pairs: Mapping[str, Retrieved]
    layouts: Mapping[str, Layout]

    def embeddings(self) -> list[str]:
        """Name the embeddings whose figures have intervals."""
        return list(dict.fromkeys([*self.purity, *self.pairs]))


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """label: what the classes are. source: of the papers. notes: what was left out."""

    label: str
    source: str
    embeddings: tuple[str, ...]
    groups: tuple[GroupResult, ...]
    notes: tuple[str, ...]

    def maps(self) -> dict[str, ClassMap]:
        """Give the maps that can be drawn, by names that are fit for files."""
        found: dict[str, ClassMap] = {}
        for each in self.groups:
            group = each.group
            for name, layout in each.layouts.items():
                title = name if group.name == ALL else f"{name}, {group.name} classes"
                labels = group.labels[layout.rows]
                drawn = ClassMap(title, layout.points, labels, group.names)
                found[file_name(title, found)] = drawn
        return found


def file_name(title: str, taken: Container[str]) -> str:
    """Name the file of a map by its title; `taken`: names that other maps have."""
    name = f"map-{_UNFIT.sub('-', title)}"
    numbered = (f"{name}-{number}" for number in count(1))
    return name if name not in taken else next(each for each in numbered if each not in taken)


def as_figures(found: ProbeResult) -> dict[str, object]:
    """Give all figures as JSON."""
    return {
        "label": found.label,
        "papers": found.source,
        "embeddings": list(found.embeddings),
        "notes": list(found.notes),
        "groups": [_group(each) for each in found.groups],
    }


def _group(found: GroupResult) -> dict[str, object]:
    group = found.group
    return {
        "name": group.name,
        "papers": len(group.ids),
        "classes": dict(zip(group.names, group.counts().tolist(), strict=True)),
        "linear": {
            name: {"accuracy": each.accuracy, "macro_f1": each.macro_f1, "costs": each.costs}
            for name, each in found.linear.items()
        },
        "contrasts": [asdict(each) for each in found.contrasts],
        "purity": {
            name: {size: purity.value for size, purity in each.items()}
            for name, each in found.purity.items()
        },
        "dense": {name: asdict(each) for name, each in found.dense.items()},
        "pairs": {name: asdict(each.ranking) for name, each in found.pairs.items()},
        "intervals": {name: _intervals(found, name) for name in found.embeddings()},
    }


def _intervals(found: GroupResult, name: str) -> dict[str, object]:
    """Give the bounds of an embedding's purity, by number of clusters, and of pairs."""
    bounds: dict[str, object] = {}
    if name in found.purity:
        bounds["purity"] = {size: _bounds(each) for size, each in found.purity[name].items()}
    if name in found.pairs:
        pairs = found.pairs[name]
        bounds["average_precision"] = _bounds(pairs.average_precision)
        bounds["auc"] = _bounds(pairs.auc)
    return bounds


def _bounds(found: Estimate) -> list[float]:
    return [found.interval.low, found.interval.high]


def told_lines(found: ProbeResult) -> Iterator[str]:
    """Write what the linear evaluation told of each paper, as lines of JSON."""
    for each in found.groups:
        group = each.group
        for row, paper_id in enumerate(group.ids if each.linear else ()):
            told = {
                name: [group.names[label] for label in linear.told[:, row].tolist()]
                for name, linear in each.linear.items()
            }
            line = {"paper_id": paper_id, "class": group.names[group.labels[row]], "told": told}
            yield json.dumps({"group": group.name, **line}, ensure_ascii=False)
