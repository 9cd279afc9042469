"""Evaluate the vectors of encoders on the tasks of a directory of SciDocs.

An encoder gives one file for all tasks, or SciDocs' three.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from recsys.errors import InputError, check_name
from recsys.eval.studies.clicks.estimators import SNIPS, Options, drawn_figures
from recsys.eval.studies.clicks.recommendation_task import read_task
from recsys.eval.studies.scidocs.scidocs_figures import (
    SAMPLES,
    Column,
    Figure,
    Row,
    Suite,
    classification_figure,
    classify,
    draws,
    rank,
    ranking_figures,
)
from recsys.eval.studies.scidocs.scidocs_layout import (
    CLASSIFICATION,
    GROUPS,
    PARTS,
    RANKING,
    Group,
    Task,
    read_classes,
    read_judgements,
    suite_root,
    tasks_in,
)
from recsys.formats.embeddings import Embeddings, read_embeddings
from recsys.formats.embeddings.embedding_files import FORMATS
from recsys.machine import processors
from recsys.pipelines.studies.clicks.click_features import (
    CONSTANT,
    FIRST_FIVE,
    features,
    pairs,
)
from recsys.pipelines.studies.clicks.rankers import fit_feedforward
from recsys.pipelines.studies.embedding_probes import named_files
from recsys.pipelines.studies.scidocs_generator import note_of
from recsys.protocols import Progress, silent
from recsys.records import PaperId

RANDOM = "random"
RANDOM_DIM, RANDOM_SPREAD = 200, 0.67
"""SciDocs' random vectors: length, and standard deviation of their numbers."""
UNSURE_COST = 10
"""From here on the solver that SciDocs uses had not converged, and may choose another cost."""
TRAININGS = 5
"""Networks that the figures are averaged over; SciDocs trains one."""
MEASURES = ("nDCG", "P@1")


def recommendation_figures(
    root: Path, part: str, embeddings: Embeddings, *, seed: int
) -> dict[Column, Figure]:
    """Train on the clicks of train, stop by those of val, and judge by those of the part.

    The feed-forward network learns from clicks as SciDocs' published code does it, which gave the
    published figures: a click is compared with the first five papers of its list without a click,
    and all clicks weigh the same. `clicks.evaluate_task` has the other ways, and more rankers.
    The intervals draw lists, the trained networks being what they are.

    Returns:
        The adjusted nDCG and P@1, in percent; nothing if no paper of the task has a vector.

    Raises:
        InputError: a file of the task cannot be used.
    """
    task = read_task(root)
    if task.names().isdisjoint(embeddings.ids):
        return {}
    judged = task.test if part == "test" else task.validation
    tables = [features(log, task.papers, embeddings) for log in (task.train, task.validation)]
    train, validation = (
        pairs(log, table, task.propensities, weighting=CONSTANT, negatives=FIRST_FIVE)
        for log, table in zip((task.train, task.validation), tables, strict=True)
    )
    table = features(judged, task.papers, embeddings) if part == "test" else tables[1]
    drawn = []
    for training in range(TRAININGS):
        rng = np.random.default_rng([seed, training])
        scores = fit_feedforward(train, validation, rng=rng).score(table)
        samples, options = draws(Task.RECOMM, seed), Options(samples=SAMPLES)
        drawn.append(
            drawn_figures(
                judged, scores, task.propensities, rng=samples, estimator=SNIPS, options=options
            )
        )
    return {
        (Task.RECOMM, measure): Figure.of(100 * np.mean([each[measure] for each in drawn], axis=0))
        for measure in MEASURES
    }


@dataclass(frozen=True, slots=True)
class Source:
    """An encoder's vectors. files: of each group of tasks that there are any for."""

    name: str
    files: Mapping[Group, Path]

    @classmethod
    def of(cls, name: str, path: Path) -> "Source":
        """Find the files of an encoder: one for all tasks, or SciDocs' three in a directory.

        Raises:
            InputError: the directory has none of them.
        """
        if not path.is_dir():
            return cls(name, dict.fromkeys(Group, path))
        files = {
            group: file
            for group in Group
            for file in (path / f"{group}{ending}" for ending in FORMATS)
            if file.is_file()
        }
        if not files:
            names = ", ".join(f"{group}.jsonl" for group in Group)
            raise InputError(
                f"{path} is a directory without any of {names}.", "Give a file of embeddings."
            )
        return cls(name, files)

    def reader(self, progress: Progress) -> Callable[[Group], Embeddings | None]:
        """Return what reads the vectors of a group of tasks; None when there is no file for them.

        A file that serves several groups in a row is read once.
        """
        read = lru_cache(maxsize=1)(partial(read_embeddings, progress=progress))

        def vectors(group: Group) -> Embeddings | None:
            path = self.files.get(group)
            return None if path is None else read(path)

        return vectors


def sources(texts: Sequence[str]) -> list[Source]:
    """Find the files of encoders given as PATH or NAME=PATH; by default the path's name is theirs.

    Raises:
        InputError: a name is there twice, or a directory has none of SciDocs' files.
    """
    named = named_files(texts, what="encoders", written="PATH")
    return [Source.of(name, path) for name, path in named.items()]


def random_vectors(ids: Sequence[PaperId], rng: np.random.Generator) -> Embeddings:
    """Draw vectors as SciDocs does for its lower bound."""
    vectors = rng.normal(0, RANDOM_SPREAD, (len(ids), RANDOM_DIM))
    return Embeddings(tuple(ids), vectors.astype(np.float32))


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """What is evaluated. part: "val" or "test". tasks: some of them; None: all that are there.

    random: whether random vectors are evaluated, too. jobs: processes that share the fits; None:
    one per processor.
    """

    part: str = "test"
    tasks: tuple[str, ...] | None = None
    random: bool = False
    seed: int = 0
    jobs: int | None = None

    def tasks_in(self, root: Path) -> tuple[Task, ...]:
        """Choose the tasks of a directory that are evaluated.

        Raises:
            InputError: there is no such part or task.
        """
        check_name(self.part, PARTS, "part")
        there = tasks_in(root)
        for name in self.tasks or ():
            check_name(name, [task.value for task in there], "task")
        return there if self.tasks is None else tuple(task for task in there if task in self.tasks)


def evaluate_suite(
    folder: Path,
    encoders: Sequence[Source],
    options: SuiteOptions,
    *,
    progress: Progress = silent,
) -> Suite:
    """Evaluate every encoder on every task, one after the other.

    Raises:
        InputError: the directory, a file of vectors or an option cannot be used, or an encoder
            has no vector for any task.
    """
    if not encoders and not options.random:
        raise InputError("There are no vectors to evaluate.", "Give --embeddings FILE.")
    if options.random and RANDOM in {each.name for each in encoders}:
        raise InputError(f"Two encoders are called {RANDOM!r}.", "Write NAME=FILE.")
    root = suite_root(folder)
    tasks = options.tasks_in(root)

    def drawn(group: Group) -> Embeddings:
        """Draw vectors for all papers of a group of tasks."""
        papers, part = set[PaperId](), options.part
        for task in (each for each in GROUPS[group] if each in tasks):
            if task in RANKING:
                judgements = read_judgements(root, task, part)
                papers.update(judgements, *judgements.values())
            elif task in CLASSIFICATION:
                papers.update(*(read_classes(root, task, name).ids for name in ("train", part)))
            else:
                papers |= read_task(root).names()
        rng = np.random.default_rng([options.seed, [*Group].index(group)])
        return random_vectors(sorted(papers), rng)

    readers: dict[str, Callable[[Group], Embeddings | None]] = {
        encoder.name: encoder.reader(progress) for encoder in encoders
    }
    if options.random:
        readers[RANDOM] = drawn
    rows = [_row(root, options, tasks, *reader, progress) for reader in readers.items()]
    return Suite(str(folder), options.part, tuple(rows), note_of(root))


def _row(
    root: Path,
    options: SuiteOptions,
    tasks: Sequence[Task],
    name: str,
    vectors: Callable[[Group], Embeddings | None],
    progress: Progress,
) -> Row:
    """Evaluate an encoder on every task."""
    outcomes: list[Row] = []
    for group in Group:
        own = [task for task in GROUPS[group] if task in tasks]
        embeddings = vectors(group) if own else None
        for task in own:
            progress(f"{name}: tasks", len(outcomes), len(tasks))
            missing = Row(name, {}, (f"{task}: there are no vectors for it.",))
            outcome = embeddings and _measured(root, options, task, name, embeddings)
            outcomes.append(outcome or missing)
    figures = {column: each for outcome in outcomes for column, each in outcome.figures.items()}
    if not figures:
        raise InputError(f"{name} has no vector for any paper of {root}.", "Check the ids.")
    progress(f"{name}: tasks", len(outcomes), len(outcomes))
    notes = tuple(note for outcome in outcomes for note in outcome.notes)
    queries = {task: ranked for outcome in outcomes for task, ranked in outcome.queries.items()}
    return Row(name, figures, notes, queries)


def _measured(
    root: Path, options: SuiteOptions, task: Task, name: str, embeddings: Embeddings
) -> Row | None:
    """Measure vectors by a task; None where it has no vectors."""
    part, seed, rng = options.part, options.seed, draws(task, options.seed)
    notes = []
    if task in RANKING:
        judgements = read_judgements(root, task, part)
        ranked = rank(judgements, embeddings)
        if not ranked.queries:
            return None
        if ranked.left_out:
            share = f"{ranked.left_out:,} of {len(judgements):,} queries"
            notes.append(f"{task}: {share} have no vector and are left out.")
        figures = ranking_figures(task, ranked, rng=rng)
        return Row(name, figures, tuple(notes), {task: ranked})
    if task not in CLASSIFICATION:
        figures = recommendation_figures(root, part, embeddings, seed=seed)
        return Row(name, figures) if figures else None
    train, evaluated = (read_classes(root, task, name) for name in ("train", part))
    if not any((embeddings.rows(each.ids) >= 0).any() for each in (train, evaluated)):
        return None
    told = classify(train, evaluated, embeddings, jobs=options.jobs or processors())
    if told.missing:
        share = f"{told.missing:,} of {len(evaluated.ids):,} papers"
        notes.append(f"{task}: {share} have no vector but zeros.")
    if told.cost >= UNSURE_COST:
        notes.append(f"{task}: the cost {told.cost:g} was chosen; SciDocs' solver might differ.")
    return Row(name, classification_figure(task, told, rng=rng), tuple(notes))
