"""Evaluate the vectors of encoders on the tasks of a directory of SciDocs.

An encoder gives one file for all tasks, or SciDocs' three.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeAlias

import numpy as np

from recsys.errors import InputError, near_miss
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.estimators import SNIPS, Options, drawn_figures
from recsys.eval.studies.clicks.recommendation_task import RecommendationTask, read_task
from recsys.eval.studies.scidocs.scidocs_figures import (
    SAMPLES,
    Column,
    Figure,
    Ranked,
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
from recsys.pipelines.studies.clicks.click_features import (
    CONSTANT,
    FIRST_FIVE,
    Pairs,
    features,
    pairs,
)
from recsys.pipelines.studies.clicks.rankers import fit_feedforward
from recsys.pipelines.studies.scidocs_generator import note_of
from recsys.processors import processors
from recsys.progress import Progress, silent
from recsys.records import PaperId
from recsys.store.arrays import Floats

# The recommendation task of SciDocs, as one of the suite: what a trained ranker makes of clicks.
#
# The feed-forward network learns from clicks as SciDocs' published code does it, which gave the
# published figures: a click is compared with the first five papers of its list without a click,
# and all clicks weigh the same. `clicks.evaluate_task` has the other ways, and more rankers.

TRAININGS = 5
"""Networks that the figures are averaged over; SciDocs trains one."""
MEASURES = ("nDCG", "P@1")


def papers_of(task: RecommendationTask) -> set[PaperId]:
    """Name the papers that are asked for or shown."""
    logs = task.train, task.validation, task.test
    return {name for log in logs for name in (*log.queries, *log.papers)}


def recommendation_figures(
    root: Path, part: str, embeddings: Embeddings, *, seed: int
) -> dict[Column, Figure]:
    """Train on the clicks of train, stop by those of val, and judge by those of the part.

    The intervals draw lists, the trained networks being what they are.

    Returns:
        The adjusted nDCG and P@1, in percent; nothing if no paper of the task has a vector.

    Raises:
        InputError: a file of the task cannot be used.
    """
    task = read_task(root)
    if papers_of(task).isdisjoint(embeddings.ids):
        return {}
    train, validation = (_pairs(log, task, embeddings) for log in (task.train, task.validation))
    judged = task.test if part == "test" else task.validation
    table = _features(judged, task, embeddings)
    found = []
    for training in range(TRAININGS):
        rng = np.random.default_rng([seed, training])
        ranker = fit_feedforward(train, validation, rng=rng)
        samples = draws(Task.RECOMM, seed)
        scores, options = ranker.score(table), Options(samples=SAMPLES)
        found.append(
            drawn_figures(
                judged, scores, task.propensities, rng=samples, estimator=SNIPS, options=options
            )
        )
    return {
        (Task.RECOMM, measure): Figure.of(100 * np.mean([each[measure] for each in found], axis=0))
        for measure in MEASURES
    }


def _pairs(log: ClickLog, task: RecommendationTask, embeddings: Embeddings) -> Pairs:
    table = _features(log, task, embeddings)
    return pairs(log, table, task.propensities, weighting=CONSTANT, negatives=FIRST_FIVE)


def _features(log: ClickLog, task: RecommendationTask, embeddings: Embeddings) -> Floats:
    return features(log, task.papers, embeddings)


RANDOM_DIM, RANDOM_SPREAD = 200, 0.67
"""SciDocs' random vectors: length, and standard deviation of their numbers."""


@dataclass(frozen=True, slots=True)
class Source:
    """An encoder's vectors. files: of each group of tasks that there are any for."""

    name: str
    files: Mapping[Group, Path]

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
    found: dict[str, Source] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        if not equals or Path(text).exists():  # A path may have a "=" in it.
            name, rest = _bare(Path(text)), text
        if name in found:
            raise InputError(f"Two encoders are called {name!r}.", "Write NAME=PATH.")
        found[name] = Source(name, _files(Path(rest)))
    return list(found.values())


def random_vectors(ids: Sequence[PaperId], rng: np.random.Generator) -> Embeddings:
    """Draw vectors as SciDocs does for its lower bound."""
    vectors = rng.normal(0, RANDOM_SPREAD, (len(ids), RANDOM_DIM))
    return Embeddings(tuple(ids), vectors.astype(np.float32))


def _files(path: Path) -> Mapping[Group, Path]:
    if not path.is_dir():
        return dict.fromkeys(Group, path)
    found = {
        group: file
        for group in Group
        for file in (path / f"{group}{ending}" for ending in FORMATS)
        if file.is_file()
    }
    if not found:
        names = ", ".join(f"{group}.jsonl" for group in Group)
        raise InputError(
            f"{path} is a directory without any of {names}.", "Give a file of embeddings."
        )
    return found


def _bare(path: Path) -> str:
    ending = next((each for each in FORMATS if path.name.endswith(each)), "")
    return path.name.removesuffix(ending) or path.name


RANDOM = "random"
UNSURE_COST = 10
"""From here on the solver that SciDocs uses had not converged, and may choose another cost."""


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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a task gave: figures, and what has to be known of them."""

    figures: Mapping[Column, Figure]
    notes: tuple[str, ...] = ()
    ranked: Mapping[Task, Ranked] = field(default_factory=dict)


Given: TypeAlias = Callable[[Group], Embeddings | None]
"""Gives the vectors for a group of tasks."""


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
    jobs = options.jobs or processors()
    job = Job(root, options.part, _chosen(root, options), options.seed, jobs)
    rows = [_row(job, each.name, each.reader(progress), progress) for each in encoders]
    if options.random:
        rows.append(_row(job, RANDOM, job.random, progress))
    return Suite(str(folder), options.part, tuple(rows), note_of(root))


@dataclass(frozen=True, slots=True)
class Job:
    """What is evaluated, whichever the vectors."""

    root: Path
    part: str
    tasks: tuple[Task, ...]
    seed: int
    jobs: int

    def tasks_of(self, group: Group) -> tuple[Task, ...]:
        """List the tasks of a group that are evaluated."""
        return tuple(task for task in GROUPS[group] if task in self.tasks)

    def random(self, group: Group) -> Embeddings:
        """Draw vectors for all papers of a group of tasks."""
        ids = sorted({each for task in self.tasks_of(group) for each in _papers(self, task)})
        place = [*Group].index(group)
        return random_vectors(ids, np.random.default_rng([self.seed, place]))


def _row(job: Job, name: str, given: Given, progress: Progress) -> Row:
    figures: dict[Column, Figure] = {}
    notes: list[str] = []
    queries: dict[Task, Ranked] = {}
    done = 0
    for group in Group:
        tasks = job.tasks_of(group)
        embeddings = given(group) if tasks else None
        for task in tasks:
            progress(f"{name}: tasks", done, len(job.tasks))
            outcome = _unknown(task) if embeddings is None else _outcome(job, task, embeddings)
            figures |= outcome.figures
            queries |= outcome.ranked
            notes += outcome.notes
            done += 1
    if not figures:
        raise InputError(f"{name} has no vector for any paper of {job.root}.", "Check the ids.")
    progress(f"{name}: tasks", done, done)
    return Row(name, figures, tuple(notes), queries)


def _outcome(job: Job, task: Task, embeddings: Embeddings) -> Outcome:
    if task in RANKING:
        return _ranking(job, task, embeddings)
    if task in CLASSIFICATION:
        return _classification(job, task, embeddings)
    return _recommendation(job, embeddings)


def _ranking(job: Job, task: Task, embeddings: Embeddings) -> Outcome:
    judgements = read_judgements(job.root, task, job.part)
    ranked = rank(judgements, embeddings)
    if not ranked.queries:
        return _unknown(task)
    notes = []
    if ranked.left_out:
        share = f"{ranked.left_out:,} of {len(judgements):,} queries"
        notes.append(f"{task}: {share} have no vector and are left out.")
    return Outcome(
        ranking_figures(task, ranked, rng=draws(task, job.seed)), tuple(notes), {task: ranked}
    )


def _classification(job: Job, task: Task, embeddings: Embeddings) -> Outcome:
    train, evaluated = (read_classes(job.root, task, part) for part in ("train", job.part))
    if not any((embeddings.rows(each.ids) >= 0).any() for each in (train, evaluated)):
        return _unknown(task)
    found = classify(train, evaluated, embeddings, jobs=job.jobs)
    notes = []
    if found.missing:
        share = f"{found.missing:,} of {len(evaluated.ids):,} papers"
        notes.append(f"{task}: {share} have no vector but zeros.")
    if found.cost >= UNSURE_COST:
        notes.append(f"{task}: the cost {found.cost:g} was chosen; SciDocs' solver might differ.")
    return Outcome(classification_figure(task, found, rng=draws(task, job.seed)), tuple(notes))


def _recommendation(job: Job, embeddings: Embeddings) -> Outcome:
    found = recommendation_figures(job.root, job.part, embeddings, seed=job.seed)
    return Outcome(found) if found else _unknown(Task.RECOMM)


def _unknown(task: Task) -> Outcome:
    return Outcome({}, (f"{task}: there are no vectors for it.",))


def _papers(job: Job, task: Task) -> Iterable[PaperId]:
    """Name the papers of a task, some of them more than once."""
    if task in RANKING:
        judgements = read_judgements(job.root, task, job.part)
        return {*judgements, *(each for papers in judgements.values() for each in papers)}
    if task in CLASSIFICATION:
        parts = (read_classes(job.root, task, part) for part in ("train", job.part))
        return {each for classes in parts for each in classes.ids}
    return papers_of(read_task(job.root))


def _chosen(root: Path, options: SuiteOptions) -> tuple[Task, ...]:
    if options.part not in PARTS:
        raise InputError(f"There is no part {options.part!r}.", "Give val or test.")
    there = tasks_in(root)
    if options.tasks is None:
        return there
    for name in options.tasks:
        if name not in there:
            raise InputError(
                f"{root} has no task {name!r}.{near_miss(name, [task.value for task in there])}",
                f"It has {', '.join(there)}.",
            )
    return tuple(task for task in there if task in options.tasks)
