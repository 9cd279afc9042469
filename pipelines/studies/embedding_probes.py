"""Probe embeddings by the classes of their papers: read, choose papers, run the probes."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError, check_name, near_miss
from recsys.eval.studies.probes.linear import contrasts, deal, linear_probe
from recsys.eval.studies.probes.maps import Layout, dense_clusters, lay_out, majorities
from recsys.eval.studies.probes.pairs import estimator, retrieve_pairs
from recsys.eval.studies.probes.probe_results import (
    ALL,
    SEEN,
    UNSEEN,
    Group,
    GroupResult,
    ProbeResult,
    folded,
    is_unseen,
)
from recsys.eval.studies.scidocs.scidocs_layout import Classes
from recsys.formats.embeddings import Embeddings, read_embeddings
from recsys.formats.embeddings.embedding_files import FORMATS
from recsys.formats.work_stream import FoundPaper, open_papers
from recsys.progress import Progress, silent
from recsys.records import Paper, PaperId
from recsys.store.arrays import Floats, Longs, Mask
from recsys.store.corpus import paper_types

# The papers that embeddings are probed with: their classes, and the vectors that all have.

# Classes of a corpus's papers: its venues, and the categories that its records name.

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
        counts.update(key for key, value in _category_labels(paper) if value)
    if not counts:
        return "", [()] * len(papers)
    name = min(counts, key=lambda key: (-counts[key], key))
    return name, [dict(_category_labels(paper)).get(name, ()) for paper in papers]


def _category_labels(paper: Paper) -> Iterable[tuple[str, tuple[str, ...]]]:
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


Values: TypeAlias = Mapping[PaperId, Sequence[str]]
"""The values of a label that each paper has, at least one."""
VENUE, KEYPHRASES, LABELS = "venue", "keyphrases", "labels."


@dataclass(frozen=True, slots=True)
class Shared:
    """Papers with a label and a vector of every embedding, and what was left out."""

    ids: tuple[PaperId, ...]
    notes: tuple[str, ...]


def read_values(source: Path, label: str, progress: Progress) -> Values:
    """Read a label of every paper that has it: `venue`, `keyphrases` or `labels.NAME`.

    Raises:
        InputError: the file cannot be read, or no paper has the label.
    """
    with open_papers(source, progress=progress) as (_, items):
        papers = (item.paper for item in items if isinstance(item, FoundPaper))
        return values_of(papers, label, source)


def values_of(papers: Iterable[Paper], label: str, source: Path) -> Values:
    """Pick a label of every paper of a source that has it, as `read_values` does.

    Raises:
        InputError: no paper has it.
    """
    found, known = {}, Counter[str]()
    for paper in papers:
        labels = dict(_labels(paper))
        known.update(labels.keys())
        if label in labels:
            found[paper.id] = labels[label]
    if not found:
        names = [name for name, _ in known.most_common()]
        meant = near_miss(label, names) or near_miss(f"{LABELS}{label}", names)
        raise InputError(
            f"No paper of {source} has {label!r}.{meant}",
            f"The papers have {', '.join(names)[:400]}." if names else "Give papers with labels.",
        )
    return found


def _labels(paper: Paper) -> Iterator[tuple[str, Sequence[str]]]:
    """Give the labels of a paper that are texts or lists of them, with their values."""
    labels: dict[str, object] = {VENUE: paper.venue, KEYPHRASES: list(paper.keyphrases)}
    labels |= {f"{LABELS}{key}": value for key, value in paper.labels.items()}
    for name, value in labels.items():
        items = value if isinstance(value, list) else [value]
        texts = [item for item in items if isinstance(item, str) and item.strip()]
        if texts:
            yield name, texts


def named_files(texts: Iterable[str]) -> dict[str, Path]:
    """Take apart FILE or NAME=FILE; by default the file's name, without its ending, is the name.

    Raises:
        InputError: a name is there twice.
    """
    found: dict[str, Path] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        if not (name and equals) or Path(text).exists():  # A path may have a "=" in it.
            rest, file = text, Path(text).name
            name = next((file.removesuffix(end) for end in FORMATS if file.endswith(end)), file)
        if name in found:
            raise InputError(f"Two embeddings are called {name!r}.", "Write NAME=FILE.")
        found[name] = Path(rest)
    return found


def read_all(files: Mapping[str, Path], progress: Progress) -> dict[str, Embeddings]:
    """Read the vectors of every embedding.

    Raises:
        InputError: there is no file, or one cannot be read.
    """
    if not files:
        raise InputError("There are no embeddings.", "Give a file of vectors.")
    return {name: read_embeddings(path, progress=progress) for name, path in files.items()}


def shared_papers(values: Values, embeddings: Mapping[str, Embeddings], label: str) -> Shared:
    """Keep the papers with a vector of every embedding, by ascending id.

    Raises:
        InputError: there is none.
    """
    ids, notes = set(values), []
    for name, each in embeddings.items():
        known = set(each.ids)
        missing = len(values.keys() - known)
        if missing == len(values):
            raise InputError(
                f"{name} has a vector of 0 of the {len(values):,} papers with {label}: its ids are "
                f"such as {each.ids[0]!r}, theirs such as {min(values)!r}.",
                "Give vectors of these papers.",
            )
        if missing:
            notes.append(f"{name} has no vector of {missing:,} of {len(values):,} papers.")
        ids &= known
    if not ids:
        raise InputError("No paper has a vector of every embedding.", " ".join(notes))
    if notes:
        notes.append("A paper that misses one is left out of all.")
    return Shared(tuple(sorted(ids)), tuple(notes))


def classes(values: Sequence[Sequence[str]], label: str, *, most: int, least: int) -> Labelled:
    """Make classes of the most frequent values; a paper with several is of the rarest.

    Names are written as they mostly are.

    Raises:
        InputError: there are fewer than two.
    """
    found = classes_of(values, most=most, least=least)
    if len(found.names) < 2:
        raise InputError(
            f"{len(found.names)} classes of {label} have at least {least:,} of these "
            f"{len(values):,} papers; it takes two.",
            "Ask for fewer papers of a class, or choose another label.",
        )
    spelled: dict[str, Counter[str]] = {}
    for value in (value.strip() for each in values for value in each):
        spelled.setdefault(folded(value), Counter())[value] += 1
    names = (
        max(spelled[name].items(), key=lambda item: (item[1], item[0])) for name in found.names
    )
    return Labelled(tuple(name for name, _ in names), found.labels)


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
        papers: a file in a format that `recsys.formats.work_stream` knows.
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
