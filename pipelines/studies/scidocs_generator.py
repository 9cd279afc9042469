"""Make a directory of SciDocs out of an index: the tasks of the suite over one's own corpus.

Classes are the corpus's venues (in place of MAG's fields) and categories (in place of MeSH's
diseases). A query has five related papers at most and 25 others, as in SciDocs. The same index,
options and seed give the same files.

`cite` and `co-cite` are the corpus's citations. What readers view and read is not known here, so
`co-view` and `co-read` are simulated: after a paper, a reader mostly goes on to papers that are
cited together with it, and sometimes to another one of the same venue and time; of those on the
way, the former are read far more often.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.scidocs.scidocs_layout import (
    PARTS,
    RANKING,
    Group,
    Task,
    read_metadata,
    write_classes,
    write_judgements,
    write_metadata,
)
from recsys.eval.trec import Qrels
from recsys.pipelines.evaluation.splits import Split
from recsys.pipelines.jobs.kept_results import check_out
from recsys.pipelines.studies.clicks.corpus_world import SimulationOptions, simulate_task
from recsys.pipelines.studies.embedding_probes import (
    category_values,
    classes_of,
    parts_of,
)
from recsys.protocols import Progress, silent, tracked
from recsys.records import Paper, PaperId
from recsys.store.arrays import Longs, Mask, Ragged, Rows, SortedStrings
from recsys.store.artifacts import replacing, write_json
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.graph import CitationGraph

VIEWS = 40
"""Papers that the simulated readers of a query go on to."""
FOLLOWED = 0.8
"""Share of those that are cited together with the query; the others are of its venue and time."""
READ_FOLLOWED, READ_NEARBY = 0.6, 0.1
"""Chances that a paper gone on to is read, by how it was found."""
YEARS = 1
"""Papers of a venue belong together if their years differ by so much at most."""


@dataclass(frozen=True, slots=True)
class Related:
    """Papers related to a query. rows: (m,) int32, distinct. strength: (m,) float64 > 0."""

    rows: Rows
    strength: Doubles

    def strongest(self, count: int, rng: np.random.Generator) -> Rows:
        """Return at most so many rows, the strongest first; ties in an order drawn by chance."""
        order = np.lexsort((rng.random(len(self.rows)), -self.strength))
        return self.rows[order[:count]]


@dataclass(frozen=True, slots=True)
class Library:
    """What relations are read from. citing: (n,) bool, papers whose references may be read.

    venues: (n,) int32 code, -1 where unknown. of_venue: code -> rows.
    """

    ids: SortedStrings
    graph: CitationGraph
    citing: Mask
    venues: Rows
    of_venue: Ragged

    @classmethod
    def of(cls, corpus: Corpus, graph: CitationGraph, citing: Mask) -> "Library":
        """Sort the papers by venue."""
        known = np.flatnonzero(corpus.venues >= 0).astype(np.int32)
        of_venue = Ragged.from_pairs(corpus.venues[known], known, len(corpus.venue_keys))
        return cls(corpus.ids, graph, citing, corpus.venues, of_venue)


def cited(library: Library, row: int, rng: np.random.Generator) -> Related:
    """Return what the paper cites, all alike; nothing if its references may not be read."""
    rows = library.graph.cites[row] if library.citing[row] else library.graph.cites[row][:0]
    return Related(rows, np.ones(len(rows)))


def co_cited(library: Library, row: int, rng: np.random.Generator) -> Related:
    """Return what is cited together with the paper, by how many papers."""
    citers = library.graph.cited_by[row]
    _, together = library.graph.references(citers[library.citing[citers]])
    return _counted(together[together != row])


def viewed(library: Library, row: int, rng: np.random.Generator) -> Related:
    """Simulate what readers of the paper go on to, by how many of them."""
    return _counted(np.concatenate(_walks(library, row, rng)))


def read(library: Library, row: int, rng: np.random.Generator) -> Related:
    """Simulate what readers of the paper read, by how many of them."""
    walks = zip(_walks(library, row, rng), (READ_FOLLOWED, READ_NEARBY), strict=True)
    return _counted(
        np.concatenate([rows[rng.random(len(rows)) < chance] for rows, chance in walks])
    )


RELATIONS: Mapping[Task, Callable[[Library, int, np.random.Generator], Related]] = {
    Task.CO_VIEW: viewed,
    Task.CO_READ: read,
    Task.CITE: cited,
    Task.CO_CITE: co_cited,
}
"""The first two draw by chance."""


def _walks(library: Library, row: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Draw the papers that readers go on to: along citations, and within the venue."""
    together = co_cited(library, row, rng)
    if len(together.rows) == 0:  # Nobody knows where its readers go.
        return together.rows, together.rows
    venue, nearby = int(library.venues[row]), np.empty(0, np.int32)
    if venue >= 0:
        rows, years = library.of_venue[venue], library.graph.years.astype(np.int32)
        close = np.abs(years[rows] - years[row]) <= YEARS
        nearby = np.asarray(rows[close & (rows != row)])
    steps = int(rng.binomial(VIEWS, FOLLOWED)) if len(nearby) else VIEWS
    chances = together.strength / together.strength.sum()
    followed = rng.choice(together.rows, steps, p=chances)
    return followed, rng.choice(nearby, VIEWS - steps) if len(nearby) else nearby


def _counted(rows: NDArray[np.int32]) -> Related:
    found, counts = np.unique(rows, return_counts=True)
    return Related(found.astype(np.int32), counts.astype(np.float64))


NOTE = "generated.json"
"""Says that a directory was generated, from what, and how large it is."""
POSITIVES, NEGATIVES = 5, 25


@dataclass(frozen=True, slots=True)
class GeneratorOptions:
    """How a suite is made.

    queries: of each ranking task in each part, at most. classes: of venues and of categories, at
    most. least: papers that a class has at least. split: the papers whose references may be read,
    dev for val and test for test; None: half of all papers each, by chance. readers: of recommended
    papers.
    """

    queries: int = 500
    classes: tuple[int, int] = (19, 11)
    least: int = 50
    split: Split | None = None
    readers: SimulationOptions = field(default_factory=SimulationOptions)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class GeneratorReport:
    """sizes: what each task holds, in words; missing: tasks that the corpus gives nothing for."""

    out: Path
    sizes: Mapping[str, str]
    missing: tuple[str, ...]

    def lines(self) -> list[str]:
        """Say it to people."""
        found = [f"{task}: {size}" for task, size in self.sizes.items()]
        if self.missing:
            found.append(f"The corpus gives nothing for {', '.join(self.missing)}.")
        return [*found, f"Saved in {self.out}."]


def generate(
    collection: Collection, out: Path, options: GeneratorOptions, *, progress: Progress = silent
) -> GeneratorReport:
    """Write a directory in the layout of SciDocs, in place of one that was generated before.

    Raises:
        InputError: `out` is something else than a generated directory, or the corpus gives nothing
            for any task.
    """
    check_out(out, NOTE, "generated suite")
    papers = collection.corpus.full_papers(range(len(collection.corpus)))
    with replacing(out) as folder:
        job = _Job(collection, papers, folder, options, progress)
        sizes = job.write_classes() | job.write_rankings() | job.write_clicks()
        if not sizes:
            raise InputError(
                "The papers have neither citations, venues nor categories enough for a task.",
                "Take a corpus with more of them.",
            )
        missing = tuple(task for task in Task if task not in sizes)
        note = {
            "papers": len(papers),
            "seed": options.seed,
            "by split": options.split is not None,
            "tasks": sizes,
        }
        write_json(folder / NOTE, note)
    return GeneratorReport(out, sizes, missing)


@dataclass(frozen=True, slots=True)
class _Job:
    """What is made, from what, and who is told. Each step gives: task -> its size, in words."""

    collection: Collection
    papers: Sequence[Paper]
    folder: Path
    options: GeneratorOptions
    progress: Progress

    def rng(self, *salt: int) -> np.random.Generator:
        """Return the source of chance of one part of the work."""
        return np.random.default_rng([self.options.seed, *salt])

    def write_records(self, group: Group, ids: set[PaperId]) -> None:
        """Write out papers as SciDocs' metadata do, by ascending id."""
        graph, name = self.collection.graph, self.collection.corpus.ids
        records = [
            {
                "paper_id": paper.id,
                "title": paper.title,
                "abstract": paper.abstract,
                "year": paper.year,
                "authors": list(paper.authors),
                "references": [name[each] for each in graph.cites[row].tolist()],
                "cited_by": [name[each] for each in graph.cited_by[row].tolist()],
            }
            for row in self.collection.corpus.rows(ids).tolist()
            for paper in [self.papers[row]]
        ]
        if records:
            write_metadata(self.folder, group, records)

    def write_classes(self) -> dict[str, str]:
        """Write classes of venues, and of categories."""
        sizes: dict[str, str] = {}
        used: set[PaperId] = set()
        ids = [paper.id for paper in self.papers]
        name, categories = category_values(self.papers)
        venues = [[paper.venue] if paper.venue else [] for paper in self.papers]
        (fields, topics), least = self.options.classes, self.options.least
        labels = {
            Task.MAG: ("venue", classes_of(venues, most=fields, least=least)),
            Task.MESH: (name, classes_of(categories, most=topics, least=least)),
        }
        for salt, (task, (label, labelled)) in enumerate(labels.items()):
            if len(labelled.names) < 2:
                continue
            parts = parts_of(ids, labelled, self.rng(1, salt))
            for part, classes in parts.items():
                write_classes(self.folder, task, part, classes)
                used.update(classes.ids)
            counts = " + ".join(f"{len(part.ids):,}" for part in parts.values())
            sizes[task] = f"{len(labelled.names)} classes of {label}, {counts} papers"
            write_json(self.folder / task.folder / "classes.json", list(labelled.names))
        self.write_records(Group.CLASSES, used)
        return sizes

    def write_rankings(self) -> dict[str, str]:
        """Write queries of each relation; val and test read the references of other papers."""
        sizes: dict[str, str] = {}
        used: set[PaperId] = set()
        corpus, split = self.collection.corpus, self.options.split
        if split is not None:
            halves: list[Rows | Longs] = [corpus.rows(ids) for ids in (split.dev, split.test)]
        else:
            halves = [*np.array_split(self.rng(2).permutation(len(corpus)), 2)]
        libraries = []
        for half in halves:
            citing = np.zeros(len(corpus), bool)
            citing[half] = True
            libraries.append(Library.of(corpus, self.collection.graph, citing))
        for done, task in enumerate(tracked(RANKING, "ranking tasks", self.progress)):
            judged = [
                _judgements(library, task, self.options.queries, self.rng(3, done, salt))
                for salt, library in enumerate(libraries)
            ]
            if not all(judged):
                continue
            for part, judgements in zip(PARTS, judged, strict=True):
                write_judgements(self.folder, task, part, judgements)
                used.update(judgements, *judgements.values())
            sizes[task] = f"{' + '.join(f'{len(judgements):,}' for judgements in judged)} queries"
        self.write_records(Group.ACTIVITY, used)
        return sizes

    def write_clicks(self) -> dict[str, str]:
        """Simulate readers of recommendations; what is known besides of these is left out."""
        self.progress("clicks", 0, 1)
        readers, split = self.options.readers, self.options.split
        if split is not None and split.train:
            # Only citations after the train papers tell relevance.
            corpus = self.collection.corpus
            latest = int(corpus.years[corpus.rows(split.train)].max())
            readers = replace(readers, world=replace(readers.world, cut=latest + 1))
        with TemporaryDirectory(dir=self.folder) as elsewhere:
            folder = Path(elsewhere) / "task"
            try:
                task = simulate_task(self.collection, folder, readers, rng=self.rng(4))
            except InputError:  # The corpus is too small, or has too few citations.
                return {}
            (folder / Task.RECOMM.folder).rename(self.folder / Task.RECOMM.folder)
            records = read_metadata(folder, Group.RECOMM)
        abstracts = {paper.id: paper.abstract for paper in self.papers}
        described = (
            {"paper_id": name, **record, "abstract": abstracts[name]}
            for name, record in records.items()
        )
        write_metadata(self.folder, Group.RECOMM, described)
        self.progress("clicks", 1, 1)
        clicks = [int(log.clicked.sum()) for log in task.logs.values()]
        return {Task.RECOMM: f"{' + '.join(f'{count:,}' for count in clicks)} clicks"}


def _judgements(library: Library, task: Task, most: int, rng: np.random.Generator) -> Qrels:
    """Draw queries that something is related to, and candidates for them."""
    name, judged = library.ids, Qrels()
    for row in rng.permutation(len(name)).tolist():
        related = RELATIONS[task](library, row, rng)
        if not len(related.rows):
            continue
        right = related.strongest(POSITIVES, rng)
        # Others are neither the query nor related to it.
        avoided = np.append(related.rows, row)
        drawn = rng.choice(len(name), min(len(name), NEGATIVES + len(avoided)), replace=False)
        wrong = drawn[~np.isin(drawn, avoided)][:NEGATIVES]
        judged[name[row]] = {name[each]: 1 for each in right.tolist()} | {
            name[each]: 0 for each in wrong.tolist()
        }
        if len(judged) == most:
            break
    return judged


def note_of(folder: Path) -> str:
    """Say what a directory was generated from; nothing if it was not."""
    path = folder / NOTE
    if not path.is_file():
        return ""
    try:
        note = json.loads(path.read_text(encoding="utf-8"))
        return f"from {note['papers']:,} papers with seed {note['seed']}"
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not readable ({error}).", "Generate it again.") from error
