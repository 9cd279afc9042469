"""What the probes found out about embeddings."""

import hashlib
import json
import re
from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path

import numpy as np

from recsys.errors import InputError
from recsys.eval.studies.probes.linear import Contrast, Linear
from recsys.eval.studies.probes.maps import ClassMap, Dense, Layout
from recsys.eval.studies.probes.pairs import Estimate, Retrieved
from recsys.formats.files import display_name, read_text
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

    def as_figures(self) -> dict[str, object]:
        """Give all figures as JSON."""
        group = self.group
        intervals: dict[str, dict[str, object]] = {name: {} for name in self.embeddings()}
        for name, sizes in self.purity.items():
            intervals[name]["purity"] = {size: _bounds(each) for size, each in sizes.items()}
        for name, pairs in self.pairs.items():
            intervals[name]["average_precision"] = _bounds(pairs.average_precision)
            intervals[name]["auc"] = _bounds(pairs.auc)
        return {
            "name": group.name,
            "papers": len(group.ids),
            "classes": dict(zip(group.names, group.counts().tolist(), strict=True)),
            "linear": {
                name: {"accuracy": each.accuracy, "macro_f1": each.macro_f1, "costs": each.costs}
                for name, each in self.linear.items()
            },
            "contrasts": [asdict(each) for each in self.contrasts],
            "purity": {
                name: {size: purity.value for size, purity in each.items()}
                for name, each in self.purity.items()
            },
            "dense": {name: asdict(each) for name, each in self.dense.items()},
            "pairs": {name: asdict(each.ranking) for name, each in self.pairs.items()},
            "intervals": intervals,
        }


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
        "groups": [each.as_figures() for each in found.groups],
    }


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


# Classes that an encoder was trained to tell, and classes that it never saw.


def is_unseen(name: str, *, share: float, seed: int) -> bool:
    """Decide by the hash of its name whether a class is kept from training.

    It depends neither on the other classes nor on how the name is capitalised: training and probes
    agree without a list, whatever the sizes of classes that they ask for.

    Args:
        name: of the class.
        share: of the names that are unseen, in [0, 1].
        seed: another one gives another choice.
    """
    digest = hashlib.sha256(f"{seed}:{folded(name)}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2.0**64


def folded(name: str) -> str:
    """Return the form in which names of classes are compared."""
    return name.strip().casefold()


def read_class_names(path: Path) -> frozenset[str]:
    """Read names of classes, one on each line, in the form in which they are compared.

    Raises:
        InputError: the file cannot be read, or has no name.
    """
    names = frozenset(map(folded, read_text(path).splitlines())) - {""}
    if not names:
        raise InputError(f"{display_name(path)} has no name of a class.", "Write one on each line.")
    return names


def write_class_names(path: Path, names: Collection[str]) -> None:
    """Write names of classes for `read_class_names`, in ascending order.

    Raises:
        InputError: a name has a line break in it.
    """
    for name in names:
        if len(name.splitlines()) != 1:
            raise InputError(f"The class {name!r} is not a line of text.", "Rename it.")
    path.write_text("".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")
