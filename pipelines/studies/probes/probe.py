"""Probe embeddings by the classes of their papers: read, choose papers, run the probes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from recsys.errors import InputError, check_name
from recsys.eval.studies.probes.clustering import Layout, dense_clusters, lay_out, majorities
from recsys.eval.studies.probes.linear import contrasts, deal, linear_probe
from recsys.eval.studies.probes.pairs import estimator, retrieve_pairs
from recsys.eval.studies.probes.paper_classes import folded, is_unseen
from recsys.eval.studies.probes.probe_results import (
    ALL,
    SEEN,
    UNSEEN,
    Group,
    GroupResult,
    ProbeResult,
)
from recsys.pipelines.studies.probes.probe_papers import (
    Values,
    classes,
    read_all,
    read_values,
    shared_papers,
)
from recsys.progress import Progress, silent
from recsys.records import PaperId
from recsys.store.arrays import Floats, Longs, Mask

LINEAR, CLUSTERS, RETRIEVAL, MAP = PROBES = ("linear", "clusters", "retrieval", "map")
MAPPED = 3000
"""Papers on a map, and in the clusters on it, drawn by chance: t-SNE takes a minute for 10,000."""
_DRAWN, _FOLDS, _MAPPED, _TESTS, _INTERVALS = range(5)
"""Purposes of random numbers."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """What is probed, and how.

    label: what the classes are. probes: some of PROBES. classes: the most frequent ones; None: all.
    least: papers of a class. papers: at most, drawn by chance; None: all. seen: classes that an
    encoder was trained to tell, as `read_class_names` gives them; unseen: share of the classes that
    `is_unseen` keeps from training. With either, seen and unseen classes are probed apart. runs: of
    the linear evaluation, each with other folds.
    """

    label: str
    probes: tuple[str, ...] = PROBES
    classes: int | None = None
    least: int = 20
    papers: int | None = None
    seen: frozenset[str] | None = None
    unseen: float | None = None
    runs: int = 1
    seed: int = 0

    def rng(self, purpose: int) -> np.random.Generator:
        """Give the random numbers of a purpose."""
        return np.random.default_rng([self.seed, purpose])


@dataclass(frozen=True, slots=True)
class _Job:
    """A group to probe.

    vectors: (n, d) float32 of each embedding. members: (n, classes) bool. progress: of the group.
    """

    group: Group
    vectors: Mapping[str, Floats]
    members: Mask
    options: ProbeOptions
    progress: Progress

    def each(self, stage: str, run: Callable[[Floats], _T]) -> dict[str, _T]:
        """Run a probe on every embedding."""
        found = {}
        for place, (name, vectors) in enumerate(self.vectors.items()):
            self.progress(stage, place, len(self.vectors))
            found[name] = run(vectors)
        self.progress(stage, len(self.vectors), len(self.vectors))
        return found


def probe(
    papers: Path, files: Mapping[str, Path], options: ProbeOptions, *, progress: Progress = silent
) -> ProbeResult:
    """Probe embeddings, all with the same papers and folds.

    Args:
        papers: a file in a format that `recsys.formats.papers.paper_stream` knows.
        files: name of each embedding -> its vectors.
        options: what is probed, and how.
        progress: told about reading, and about each probe.

    Raises:
        InputError: a file or option cannot be used, or too few papers have a class and vectors.
    """
    _check(options)
    values = read_values(papers, options.label, progress)
    embeddings = read_all(files, progress)
    shared = shared_papers(values, embeddings, options.label)
    results = []
    for group in groups(shared.ids, values, options):
        vectors = {name: _different(name, each.of(group.ids)) for name, each in embeddings.items()}
        job = _Job(group, vectors, _members(group, values), options, _prefixed(progress, group))
        results.append(_probed(job))
    return ProbeResult(options.label, papers.name, tuple(files), tuple(results), shared.notes)


def groups(ids: Sequence[PaperId], values: Values, options: ProbeOptions) -> Iterator[Group]:
    """Choose papers to probe, those of unseen classes apart from the others if that is asked for.

    Raises:
        InputError: too few papers have a class, or too few classes are seen or unseen.
    """
    return _parted(_every(ids, values, options), options)


def folds(group: Group, options: ProbeOptions) -> Longs:
    """Deal the papers of a group out for the linear evaluation: (runs, n) int64."""
    return deal(group.labels, rng=options.rng(_FOLDS), runs=options.runs)


def _check(options: ProbeOptions) -> None:
    for name in options.probes:
        check_name(name, PROBES, "probe")
    if options.seen is not None and options.unseen is not None:
        raise InputError(
            "Seen classes are given twice: by name and as a share.", "Give one of them."
        )


def _every(ids: Sequence[PaperId], values: Values, options: ProbeOptions) -> Group:
    """Draw papers, and keep those of a class."""
    if options.papers is not None and options.papers < len(ids):
        drawn = options.rng(_DRAWN).choice(len(ids), options.papers, replace=False)
        ids = [ids[row] for row in np.sort(drawn).tolist()]
    chosen = [values[each] for each in ids]
    most = options.classes or sum(map(len, chosen))
    found = classes(chosen, options.label, most=most, least=options.least)
    kept = np.flatnonzero(found.labels >= 0)
    return Group(ALL, tuple(ids[row] for row in kept.tolist()), found.labels[kept], found.names)


def _parted(every: Group, options: ProbeOptions) -> Iterator[Group]:
    """Part the papers of seen classes from those of unseen ones, if asked to."""
    unseen = _unseen(every.names, options)
    if unseen is None:
        yield every
        return
    for name, chosen in ((SEEN, ~unseen), (UNSEEN, unseen)):
        if chosen.sum() < 2:
            raise InputError(
                f"{chosen.sum()} of {len(chosen):,} classes are {name}; it takes two.",
                "Name other classes, or ask for another share, or for fewer papers of a class.",
            )
        rows = np.flatnonzero(chosen[every.labels])
        labels = (np.cumsum(chosen) - 1)[every.labels[rows]]
        names = tuple(each for each, mine in zip(every.names, chosen, strict=True) if mine)
        yield Group(name, tuple(every.ids[row] for row in rows.tolist()), labels, names)


def _unseen(names: Sequence[str], options: ProbeOptions) -> Mask | None:
    """Tell which classes are unseen: (classes,) bool; None where that was not asked for."""
    if options.seen is not None:
        return np.array([folded(name) not in options.seen for name in names])
    if options.unseen is not None:
        share, seed = options.unseen, options.seed
        return np.array([is_unseen(name, share=share, seed=seed) for name in names])
    return None


def _different(name: str, vectors: Floats) -> Floats:
    if (vectors == vectors[0]).all():
        raise InputError(
            f"All {len(vectors):,} vectors of {name} are alike.", "There is nothing to probe."
        )
    return vectors


def _members(group: Group, values: Values) -> Mask:
    """Tell which of the group's classes each paper is of: (n, classes) bool."""
    place = {folded(name): column for column, name in enumerate(group.names)}
    members = np.zeros((len(group.ids), len(group.names)), bool)
    for row, paper_id in enumerate(group.ids):
        for value in values[paper_id]:
            if folded(value) in place:
                members[row, place[folded(value)]] = True
    return members


def _prefixed(progress: Progress, group: Group) -> Progress:
    if group.name == ALL:
        return progress
    return lambda stage, done, total: progress(f"{group.name}: {stage}", done, total)


def _probed(job: _Job) -> GroupResult:
    labels, options = job.group.labels, job.options
    asked, seed, rng = options.probes, options.seed, options.rng
    linear, purity, dense, pairs, layouts = {}, {}, {}, {}, {}
    estimate = estimator(len(labels), rng=rng(_INTERVALS))
    if LINEAR in asked:
        dealt = folds(job.group, options)
        linear = job.each(LINEAR, lambda vectors: linear_probe(vectors, labels, dealt))
    if MAP in asked or CLUSTERS in asked:
        count = min(len(labels), MAPPED)
        rows = np.sort(rng(_MAPPED).choice(len(labels), count, replace=False))
        layouts = job.each(MAP, lambda vectors: Layout(rows, lay_out(vectors[rows], seed=seed)))
    if CLUSTERS in asked:
        found = job.each(CLUSTERS, lambda vectors: majorities(vectors, labels, seed=seed))
        purity = {
            name: {size: estimate(flags) for size, flags in each.items()}
            for name, each in found.items()
        }
        dense = {
            name: dense_clusters(each.points, labels[each.rows]) for name, each in layouts.items()
        }
    if RETRIEVAL in asked:
        pairs = job.each(RETRIEVAL, lambda vectors: retrieve_pairs(vectors, job.members, estimate))
    return GroupResult(
        job.group,
        linear,
        contrasts(linear, labels, rng=rng(_TESTS)),
        purity,
        dense,
        pairs,
        layouts if MAP in asked else {},
    )
