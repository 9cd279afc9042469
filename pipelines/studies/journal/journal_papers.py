"""Papers with the class that an encoder learns to tell: which are learned from, which are dev."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from recsys.errors import InputError
from recsys.eval.studies.probes.paper_classes import is_unseen
from recsys.formats.papers.paper_stream import Found, open_papers
from recsys.models.encoder import Text
from recsys.pipelines.studies.probes.probe_papers import VENUE, Values, classes, values_of
from recsys.progress import Progress, silent
from recsys.records import Paper
from recsys.store.arrays import Longs, Rows
from recsys.store.artifacts import CORPUS, fingerprint, sha256
from recsys.store.corpus import Corpus
from recsys.store.generations import content_key, is_index, pin


@dataclass(frozen=True, slots=True)
class ClassOptions:
    """Which papers are learned from.

    label: what the classes are, `venue`, `keyphrases` or `labels.NAME`. least: papers of a class.
    most: those of a class that are used, drawn by chance. unseen: share of the classes that
    `is_unseen` keeps from training. dev: share of each class's papers that judge.
    """

    label: str = VENUE
    least: int = 100
    most: int = 300
    unseen: float = 0.0
    dev: float = 0.1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ClassPapers:
    """Papers of known class.

    texts, labels: of the n papers, int64 places in names. learned, dev: rows of them, ascending.
    hashes: of what they were read from, and how.
    """

    name: str
    texts: Sequence[Text]
    labels: Longs
    names: tuple[str, ...]
    learned: Rows
    dev: Rows
    hashes: tuple[str, ...] = ()


def read_class_papers(
    source: Path, options: ClassOptions, *, progress: Progress = silent
) -> ClassPapers:
    """Read papers with their classes.

    Args:
        source: a file of papers in a format that `recsys.formats.papers` knows, or an index.
        options: which papers are learned from.
        progress: told about reading.

    Raises:
        InputError: the source cannot be read, or fewer than two classes are large enough.
        ArtifactError: the index cannot be opened.
    """
    papers, key = read_papers(source, progress=progress)
    hashes = (key, fingerprint(asdict(options)))
    return class_papers(source, papers, options, hashes)


def read_papers(source: Path, *, progress: Progress = silent) -> tuple[list[Paper], str]:
    """Read papers by ascending id, with a hash that tells them from others.

    Raises:
        InputError: the source cannot be read.
        ArtifactError: the index cannot be opened.
    """
    if not is_index(source):
        with open_papers(source, progress=progress) as stream:
            papers = [item.paper for item in stream.items if isinstance(item, Found)]
        return sorted(papers, key=lambda paper: paper.id), sha256(source)
    generation = pin(source)
    generation.manifest()  # Checks the files.
    corpus = Corpus.load(generation.folder / CORPUS)
    papers = corpus.full_papers(range(len(corpus)))
    return sorted(papers, key=lambda paper: paper.id), content_key(generation.folder)


def class_papers(
    source: Path, papers: Sequence[Paper], options: ClassOptions, hashes: tuple[str, ...] = ()
) -> ClassPapers:
    """Choose papers of classes that are large enough, and deal them out to learning and dev.

    A paper of an unseen class is left out, whatever else it is of.
    """
    values = _seen(values_of(papers, options.label, source), options)
    own = [paper for paper in papers if paper.id in values]
    each = [values[paper.id] for paper in own]
    found = classes(each, options.label, most=sum(map(len, each)), least=options.least)
    rng = np.random.default_rng(options.seed)
    learned, dev = [], []
    for label in range(len(found.names)):
        members = rng.permutation(np.flatnonzero(found.labels == label))[: options.most]
        judging = max(round(options.dev * len(members)), 1)
        dev.append(members[:judging])
        learned.append(members[judging:])
    kept = np.sort(np.concatenate([*learned, *dev]))
    return ClassPapers(
        name=source.name,
        texts=[(own[row].title, own[row].abstract) for row in kept.tolist()],
        labels=found.labels[kept],
        names=found.names,
        learned=_places(kept, learned),
        dev=_places(kept, dev),
        hashes=hashes,
    )


def _seen(values: Values, options: ClassOptions) -> Values:
    """Leave out papers of an unseen class."""
    share, seed = options.unseen, options.seed
    kept = {
        paper_id: names
        for paper_id, names in values.items()
        if not any(is_unseen(name, share=share, seed=seed) for name in names)
    }
    if not kept:
        raise InputError(f"All classes of {options.label} are unseen.", "Lower --unseen.")
    return kept


def _places(kept: Longs, rows: Sequence[Longs]) -> Rows:
    return np.searchsorted(kept, np.sort(np.concatenate(rows))).astype(np.int32)
