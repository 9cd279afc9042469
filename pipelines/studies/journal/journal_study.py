"""Whether journals that an encoder learns to tell help with others, and whether more help more.

For each seed some journals are kept from training (`is_unseen`), and encoders are trained on shares
of the others, each share holding the smaller ones. All are judged by papers of the journals that
were kept. What is finished is not trained again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import InputError
from recsys.eval.report.page import Page
from recsys.eval.report.page_formats import as_json
from recsys.eval.studies.encoders.journal_curve import LINEAR, Told, Trained
from recsys.eval.studies.encoders.journal_page import journal_page
from recsys.eval.studies.encoders.training_page import write_page
from recsys.eval.studies.probes.few_labels import few_label_probe
from recsys.eval.studies.probes.linear import linear_probe
from recsys.eval.studies.probes.probe_results import Group
from recsys.models.encoder import Text
from recsys.pipelines.jobs.kept_results import once
from recsys.pipelines.studies.finetuning.encoder_training import Run
from recsys.pipelines.studies.finetuning.student import StartOptions, Student
from recsys.pipelines.studies.journal.journal_papers import class_papers, read_papers
from recsys.pipelines.studies.journal.train_journal import JournalOptions, fit_journal
from recsys.pipelines.studies.probes.probe import ProbeOptions, folds, groups
from recsys.pipelines.studies.probes.probe_papers import values_of
from recsys.progress import Progress
from recsys.records import Paper, PaperId
from recsys.store.arrays import Floats, Longs
from recsys.store.artifacts import fingerprint

_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

ROWS, PAGE, FIGURES = "rows", "journals.html", "journals.json"
FINISHED, UNFINISHED = ".json", ".partial.safetensors"
EXAMPLES, DRAWS = (1, 2, 4, 8, 16), 40
"""Labels of a class for the probes with few of them, and how often these are drawn."""


@dataclass(frozen=True, slots=True)
class CurveOptions:
    """What is trained and asked.

    training: of each encoder; its seed and classes.unseen are those of the first one. shares: of
    the seen classes. seeds: how many. least, most: papers of a class that is asked for, and those
    that are asked, drawn by chance; None: all. runs: of the linear probe, each with other folds.
    """

    training: JournalOptions = field(default_factory=JournalOptions)
    shares: tuple[float, ...] = (0.25, 0.5, 1.0)
    seeds: int = 3
    least: int = 20
    most: int | None = None
    runs: int = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """Papers of classes that a seed keeps from training. folds: of the linear probe."""

    group: Group
    texts: Sequence[Text]
    folds: Longs

    def told(self, vectors: Floats) -> Told:
        """Probe vectors of these papers, each time by the same folds and examples."""
        labels = self.group.labels
        few = {
            str(count): few_label_probe(
                vectors, labels, count, runs=DRAWS, rng=np.random.default_rng(count)
            )
            for count in EXAMPLES
        }
        return {**few, LINEAR: linear_probe(vectors, labels, self.folds).correct(labels)}


@dataclass(frozen=True, slots=True)
class CurveReport:
    """What was compared."""

    folder: Path
    trained: tuple[Trained, ...]
    label: str
    source: str

    def written(self, facts: Mapping[str, str]) -> Page:
        """Write the page, where its packages are installed, and its figures.

        Args:
            facts: what it takes to make it again.
        """
        page = journal_page(self.trained, self.label, self.source, facts)
        (self.folder / FIGURES).write_text(as_json(page), encoding="utf-8")
        write_page(page, self.folder / PAGE)
        return page

    def lines(self) -> list[str]:
        """Say where it is."""
        return [f"Written to {self.folder}."]


@dataclass(frozen=True, slots=True)
class Study:
    """The papers that encoders learn from and are asked for, and where results are kept."""

    source: Path
    papers: Mapping[PaperId, Paper]
    hash: str
    options: CurveOptions
    out: Path
    run: Run

    def seeds(self) -> Iterator[int]:
        """Count the seeds up from the one of the training."""
        first = self.options.training.loop.seed
        yield from range(first, first + self.options.seeds)

    def file(self, name: str, ending: str) -> Path:
        """Name a file that keeps what is finished or begun."""
        return self.out / ROWS / f"{name}{ending}"

    def training(self, seed: int, share: float) -> JournalOptions:
        """Say how an encoder is trained on a share of the seen classes."""
        training = self.options.training
        least = training.classes.unseen
        unseen = max(1 - share * (1 - least), least)
        return replace(
            training,
            classes=replace(training.classes, unseen=unseen, seed=seed),
            loop=replace(training.loop, seed=seed),
        )

    def asked(self, seed: int) -> Asked:
        """Choose the papers of classes that no encoder of a seed learns from.

        Raises:
            InputError: there are fewer than two such classes.
        """
        kept, options = self.options.training.classes, self.options
        chosen = ProbeOptions(
            kept.label, least=options.least, unseen=kept.unseen, runs=options.runs, seed=seed
        )
        values = values_of(self.papers.values(), kept.label, self.source)
        _, group = groups(sorted(values), values, chosen)
        if options.most is not None:
            group = group.at_most(options.most, rng=np.random.default_rng(seed))
        papers = (self.papers[each] for each in group.ids)
        texts = [(paper.title, paper.abstract) for paper in papers]
        return Asked(group, texts, folds(group, chosen))


def draw_curve(source: Path, options: CurveOptions, out: Path, run: Run) -> CurveReport:
    """Train an encoder for each seed and share, and ask all for papers of unseen classes.

    Raises:
        ArtifactError: the index or a checkpoint cannot be read.
        InputError: OUT holds something else, an option does not make sense, or there are too few
            papers or classes.
    """
    _check(options, out)
    papers, key = read_papers(source, progress=run.progress)
    by_id = {paper.id: paper for paper in papers}
    study = Study(source, by_id, key, options, out, run)
    found = tuple(each for seed in study.seeds() for each in _of_seed(study, seed))
    return CurveReport(out, found, options.training.classes.label, source.name)


def _check(options: CurveOptions, out: Path) -> None:
    if not 0 < options.training.classes.unseen < 1:
        raise InputError(
            f"--unseen {options.training.classes.unseen:g} leaves no classes to ask for, or none "
            "to learn from.",
            "Give a share between 0 and 1, such as 0.3.",
        )
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / ROWS).is_dir()):
        raise InputError(
            f"{out} exists and holds no such study.", "Give another --out, or move it away."
        )
    (out / ROWS).mkdir(parents=True, exist_ok=True)


def _of_seed(study: Study, seed: int) -> Iterator[Trained]:
    """Train and ask the encoders of a seed, unless that was done."""
    asked, options = study.asked(seed), study.options
    group, start = asked.group, options.training.start
    probed = [options.training.classes.label, group.ids, options.least, options.runs]
    key = fingerprint([_REVISION, study.hash, asdict(start), seed, probed])
    at_start = partial(_asked_at_start, start, seed, asked, study.run)
    begun = once(study.file(f"seed-{seed}-start", FINISHED), key, at_start)
    for share in options.shares:
        training = study.training(seed, share)
        name = f"seed-{seed}-share-{share:g}"
        key = fingerprint([_REVISION, study.hash, asdict(training), probed])
        work = partial(_trained, study, training, asked, name)
        facts = once(study.file(name, FINISHED), key, work)
        study.file(name, UNFINISHED).unlink(missing_ok=True)
        yield Trained(
            seed,
            share,
            facts["classes"],
            facts["papers"],
            (facts["seen"][0], facts["seen"][1]),
            group,
            _as_arrays(begun),
            _as_arrays(facts["told"]),
        )


def _asked_at_start(
    start: StartOptions, seed: int, asked: Asked, run: Run
) -> dict[str, list[float]]:
    """Ask the encoder as it is before training."""
    student = Student.load(start, seed=seed, device=run.ranks.device)
    return _as_lists(asked.told(_vectors(student, start, asked, run)))


def _trained(study: Study, training: JournalOptions, asked: Asked, name: str) -> dict[str, Any]:
    """Train an encoder and ask it; a killed training continues from its last checkpoint."""
    every = list(study.papers.values())
    papers = class_papers(study.source, every, training.classes, (study.hash,))
    run = replace(study.run, progress=_prefixed(study.run.progress, name))
    done = fit_journal(papers, training, study.file(name, UNFINISHED), run)
    told = asked.told(_vectors(done.student, training.start, asked, run))
    measures = done.history.measures
    return {
        "classes": len(papers.names),
        "papers": len(papers.learned),
        "seen": [measures[0], measures[done.history.best]],
        "told": _as_lists(told),
        "training": done.facts(),
    }


def _vectors(student: Student, start: StartOptions, asked: Asked, run: Run) -> Floats:
    """Encode the papers that are asked for, whole."""
    whole = replace(start, max_length=None)
    device = run.ranks.device
    texts = student.read(asked.texts, whole, device=device, progress=run.progress)
    return texts.vectors(student.tower, np.arange(len(asked.texts), dtype=np.int32))


def _as_lists(told: Told) -> dict[str, list[float]]:
    return {probe: each.tolist() for probe, each in told.items()}


def _as_arrays(told: Mapping[str, Sequence[float]]) -> Told:
    return {probe: np.array(each) for probe, each in told.items()}


def _prefixed(progress: Progress, name: str) -> Progress:
    return lambda stage, done, total: progress(f"{name}: {stage}", done, total)
