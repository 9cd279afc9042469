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
from recsys.formats.work_stream import read_papers
from recsys.protocols import Progress, silent, tracked
from recsys.records import Paper, PaperId
from recsys.store.arrays import Floats, Longs
from recsys.store.corpus import paper_types

MOST = 500
"""Papers of a class that are used, drawn by chance: more would take long to learn from."""
SHARES = {"train": 0.7, "val": 0.15}
"""The rest of each class is for testing."""
NONE = -1
VENUE, KEYPHRASES, LABELS = "venue", "keyphrases", "labels."
Values: TypeAlias = Mapping[PaperId, Sequence[str]]
"""The values of a label that each paper has, at least one."""


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
    # Left out are classes whose papers nearly all went to rarer ones.
    names, own = tuple(number), np.array(labels, np.int64)
    sizes = np.bincount(own[own >= 0], minlength=len(names))
    place = np.full(len(names) + 1, NONE)  # The last one is that of NONE.
    large = np.flatnonzero(sizes >= least)
    place[large] = np.arange(len(large))
    return Labelled(tuple(names[each] for each in large), place[own])


def category_values(papers: Sequence[Paper]) -> tuple[str, list[Sequence[str]]]:
    """Choose the label that most papers have: its name, and its values for each paper.

    Labels that tell the type of a work are no categories. Without any, the name is empty.
    """
    labels = [_labels(paper) for paper in papers]
    counts = Counter(name for each in labels for name in each if name != VENUE)
    short = {name: name.removeprefix(LABELS) for name in counts}
    kept = [name for name in counts if not paper_types({short[name]: ["of a work"]})]
    name = min(kept, key=lambda name: (-counts[name], short[name]), default="")
    return name.removeprefix(LABELS), [each.get(name, ()) for each in labels]


def _labels(paper: Paper) -> dict[str, tuple[str, ...]]:
    """Give what is text or a list of texts: the venue, the key phrases, and the labels."""
    values: dict[str, object] = {VENUE: paper.venue, KEYPHRASES: list(paper.keyphrases)}
    values |= {f"{LABELS}{key}": value for key, value in paper.labels.items()}
    found = {}
    for name, value in values.items():
        items = value if isinstance(value, list) else [value]
        if texts := tuple(item for item in items if isinstance(item, str) and item.strip()):
            found[name] = texts
    return found


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
        part: Classes(tuple(ids[row] for row in own.tolist()), labelled.labels[own])
        for part, some in rows.items()
        for own in [rng.permutation(np.concatenate(some))]
    }


def read_values(source: Path, label: str, progress: Progress) -> Values:
    """Read a label of every paper that has it: `venue`, `keyphrases` or `labels.NAME`.

    Raises:
        InputError: the file cannot be read, or no paper has the label.
    """
    return values_of(read_papers(source, progress=progress), label, source)


def values_of(papers: Iterable[Paper], label: str, source: Path) -> Values:
    """Pick a label of every paper of a source that has it, as `read_values` does.

    Raises:
        InputError: no paper has it.
    """
    found, known = {}, Counter[str]()
    for paper in papers:
        labels = _labels(paper)
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


def named_files(
    texts: Iterable[str], *, what: str = "embeddings", written: str = "FILE"
) -> dict[str, Path]:
    """Take apart FILE or NAME=FILE; by default the file's name, without its ending, is the name.

    Args:
        texts: as they were given.
        what: they are, in an error.
        written: what stands for the file, in an error.

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
            raise InputError(f"Two {what} are called {name!r}.", f"Write NAME={written}.")
        found[name] = Path(rest)
    return found


def shared_papers(
    values: Values, embeddings: Mapping[str, Embeddings], label: str
) -> tuple[tuple[PaperId, ...], tuple[str, ...]]:
    """Keep the papers with a vector of every embedding, by ascending id; say what was left out.

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
    return tuple(sorted(ids)), tuple(notes)


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
    for name in options.probes:
        check_name(name, PROBES, "probe")
    if options.seen is not None and options.unseen is not None:
        raise InputError(
            "Seen classes are given twice: by name and as a share.", "Give one of them."
        )
    values = read_values(papers, options.label, progress)
    if not files:
        raise InputError("There are no embeddings.", "Give a file of vectors.")
    embeddings = {name: read_embeddings(path, progress=progress) for name, path in files.items()}
    ids, notes = shared_papers(values, embeddings, options.label)
    results = []
    for group in groups(ids, values, options):
        vectors = {name: each.of(group.ids) for name, each in embeddings.items()}
        for name, each in vectors.items():
            if (each == each[0]).all():
                raise InputError(
                    f"All {len(each):,} vectors of {name} are alike.", "There is nothing to probe."
                )
        results.append(_probed(group, vectors, values, options, progress))
    return ProbeResult(options.label, papers.name, tuple(files), tuple(results), notes)


def groups(ids: Sequence[PaperId], values: Values, options: ProbeOptions) -> Iterator[Group]:
    """Choose papers to probe, those of unseen classes apart from the others if that is asked for.

    Raises:
        InputError: too few papers have a class, or too few classes are seen or unseen.
    """
    if options.papers is not None and options.papers < len(ids):
        drawn = options.rng(_DRAWN).choice(len(ids), options.papers, replace=False)
        ids = [ids[row] for row in np.sort(drawn).tolist()]
    chosen = [values[paper] for paper in ids]
    most = options.classes or sum(map(len, chosen))
    found = classes(chosen, options.label, most=most, least=options.least)
    rows = np.flatnonzero(found.labels >= 0)
    ids, labels = [ids[row] for row in rows.tolist()], found.labels[rows]
    if options.seen is not None:
        unseen = np.array([folded(name) not in options.seen for name in found.names])
    elif options.unseen is not None:
        share, seed = options.unseen, options.seed
        unseen = np.array([is_unseen(name, share=share, seed=seed) for name in found.names])
    else:
        yield Group(ALL, tuple(ids), labels, found.names)
        return
    for name, own in ((SEEN, ~unseen), (UNSEEN, unseen)):
        if own.sum() < 2:
            raise InputError(
                f"{own.sum()} of {len(own):,} classes are {name}; it takes two.",
                "Name other classes, or ask for another share, or for fewer papers of a class.",
            )
        rows = np.flatnonzero(own[labels])
        names = tuple(each for each, mine in zip(found.names, own, strict=True) if mine)
        renumbered = (np.cumsum(own) - 1)[labels[rows]]
        yield Group(name, tuple(ids[row] for row in rows.tolist()), renumbered, names)


def folds(group: Group, options: ProbeOptions) -> Longs:
    """Deal the papers of a group out for the linear evaluation: (runs, n) int64."""
    return deal(group.labels, rng=options.rng(_FOLDS), runs=options.runs)


def _probed(
    group: Group,
    vectors: Mapping[str, Floats],
    values: Values,
    options: ProbeOptions,
    progress: Progress,
) -> GroupResult:
    """Run the probes on every embedding. vectors: (n, d) float32 of each."""
    labels, asked, seed, rng = group.labels, options.probes, options.seed, options.rng
    before = "" if group.name == ALL else f"{group.name}: "

    def of_each(stage: str, run: Callable[[Floats], _T]) -> dict[str, _T]:
        pairs = tracked(vectors.items(), f"{before}{stage}", progress)
        return {name: run(each) for name, each in pairs}

    linear, purity, dense, pairs, layouts = {}, {}, {}, {}, {}
    estimate = estimator(len(labels), rng=rng(_INTERVALS))
    if LINEAR in asked:
        dealt = folds(group, options)
        linear = of_each(LINEAR, lambda each: linear_probe(each, labels, dealt))
    if MAP in asked or CLUSTERS in asked:
        count = min(len(labels), MAPPED)
        rows = np.sort(rng(_MAPPED).choice(len(labels), count, replace=False))
        layouts = of_each(MAP, lambda each: Layout(rows, lay_out(each[rows], seed=seed)))
    if CLUSTERS in asked:
        found = of_each(CLUSTERS, lambda each: majorities(each, labels, seed=seed))
        purity = {
            name: {size: estimate(flags) for size, flags in each.items()}
            for name, each in found.items()
        }
        dense = {
            name: dense_clusters(each.points, labels[each.rows]) for name, each in layouts.items()
        }
    if RETRIEVAL in asked:
        place = {folded(name): column for column, name in enumerate(group.names)}
        members = np.zeros((len(group.ids), len(group.names)), bool)
        for line, paper in zip(members, group.ids, strict=True):
            line[[place[folded(value)] for value in values[paper] if folded(value) in place]] = True
        pairs = of_each(RETRIEVAL, lambda each: retrieve_pairs(each, members, estimate))
    return GroupResult(
        group,
        linear,
        contrasts(linear, labels, rng=rng(_TESTS)),
        purity,
        dense,
        pairs,
        layouts if MAP in asked else {},
    )
