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
from recsys.eval.report.page import Page, as_json
from recsys.eval.studies.encoders.journal_page import LINEAR, Told, Trained, journal_page
from recsys.eval.studies.encoders.training_page import write_page
from recsys.eval.studies.probes.linear import few_label_probe, linear_probe
from recsys.eval.studies.probes.probe_results import Group
from recsys.models.encoder import Text
from recsys.pipelines.jobs.kept_results import check_out, once
from recsys.pipelines.studies.embedding_probes import ProbeOptions, folds, groups, values_of
from recsys.pipelines.studies.encoders.tower import StartOptions, Student
from recsys.pipelines.studies.encoders.train_journal import (
    JournalOptions,
    class_papers,
    fit_journal,
    read_papers,
)
from recsys.pipelines.studies.encoders.training import Run
from recsys.protocols import Progress
from recsys.records import Paper
from recsys.store.arrays import Longs
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


def draw_curve(source: Path, options: CurveOptions, out: Path, run: Run) -> tuple[Trained, ...]:
    """Train an encoder for each seed and share, and ask all for papers of unseen classes.

    Raises:
        ArtifactError: the index or a checkpoint cannot be read.
        InputError: OUT holds something else, an option does not make sense, or there are too few
            papers or classes.
    """
    unseen, first = options.training.classes.unseen, options.training.loop.seed
    if not 0 < unseen < 1:
        raise InputError(
            f"--unseen {unseen:g} leaves no classes to ask for, or none to learn from.",
            "Give a share between 0 and 1, such as 0.3.",
        )
    check_out(out, ROWS, "such study")
    (out / ROWS).mkdir(parents=True, exist_ok=True)
    papers, key = read_papers(source, progress=run.progress)
    seeds = range(first, first + options.seeds)
    return tuple(
        each for seed in seeds for each in _of_seed(source, papers, key, options, out, run, seed)
    )


def write_curve(
    trained: Sequence[Trained], label: str, source: Path, out: Path, facts: Mapping[str, str]
) -> Page:
    """Write the page, where its packages are installed, and its figures.

    facts: what it takes to make it again.
    """
    page = journal_page(trained, label, source.name, facts)
    (out / FIGURES).write_text(as_json(page), encoding="utf-8")
    write_page(page, out / PAGE)
    return page


def read_shares(text: str) -> tuple[float, ...]:
    """Parse shares with commas between them: distinct, ascending.

    Raises:
        InputError: one of them is no number above 0 and up to 1.
    """
    try:
        shares = tuple(sorted({float(each) for each in text.split(",")}))
    except ValueError:
        shares = ()
    if not shares or not all(0 < each <= 1 for each in shares):
        raise InputError(
            f"--shares {text} are not numbers above 0 and up to 1.",
            "Give such numbers with commas between them, such as 0.25,0.5,1.",
        )
    return shares


@dataclass(frozen=True, slots=True)
class _Asked:
    """Papers of classes that no encoder of a seed learns from. dealt: their folds."""

    group: Group
    dealt: Longs
    texts: Sequence[Text]
    start: StartOptions

    @classmethod
    def of(
        cls, source: Path, papers: Sequence[Paper], options: CurveOptions, seed: int
    ) -> "_Asked":
        """Choose the papers, and deal them out."""
        kept = options.training.classes
        chosen = ProbeOptions(
            kept.label, least=options.least, unseen=kept.unseen, runs=options.runs, seed=seed
        )
        values = values_of(papers, kept.label, source)
        _, group = groups(sorted(values), values, chosen)
        if options.most is not None:
            group = group.at_most(options.most, rng=np.random.default_rng(seed))
        by_id = {paper.id: paper for paper in papers}
        texts = [(by_id[each].title, by_id[each].abstract) for each in group.ids]
        # They are read whole.
        start = replace(options.training.start, max_length=None)
        return cls(group, folds(group, chosen), texts, start)

    def probe(self, student: Student, device: str, progress: Progress) -> dict[str, list[float]]:
        """Encode the papers, and probe them."""
        texts = student.read(self.texts, self.start, device=device, progress=progress)
        vectors = texts.vectors(student.tower, np.arange(len(self.texts), dtype=np.int32))
        labels = self.group.labels
        told = {
            str(count): few_label_probe(
                vectors, labels, count, runs=DRAWS, rng=np.random.default_rng(count)
            )
            for count in EXAMPLES
        }
        told[LINEAR] = linear_probe(vectors, labels, self.dealt).correct(labels)
        return {probe: each.tolist() for probe, each in told.items()}


def _of_seed(
    source: Path,
    papers: Sequence[Paper],
    hashed: str,
    options: CurveOptions,
    out: Path,
    run: Run,
    seed: int,
) -> Iterator[Trained]:
    """Train and ask the encoders of a seed, unless that was done; hashed: of the papers."""
    training, kept, device = options.training, options.training.classes, run.ranks.device
    asked = _Asked.of(source, papers, options, seed)

    def at_start() -> dict[str, Any]:
        student = Student.load(training.start, seed=seed, device=device)
        return asked.probe(student, device, run.progress)

    def trained(each: JournalOptions, name: str) -> dict[str, Any]:
        """Train an encoder and ask it; a killed training continues from its last checkpoint."""

        def progress(stage: str, done: int, total: int) -> None:
            run.progress(f"{name}: {stage}", done, total)

        own = class_papers(source, papers, each.classes, (hashed,))
        partial_file = out / ROWS / f"{name}{UNFINISHED}"
        made = fit_journal(own, each, partial_file, replace(run, progress=progress))
        measures = made.history.measures
        return {
            "classes": len(own.names),
            "papers": len(own.learned),
            "seen": [measures[0], measures[made.history.best]],
            "told": asked.probe(made.student, device, progress),
            "training": made.facts,
        }

    probed = [kept.label, asked.group.ids, options.least, options.runs]
    key = fingerprint([_REVISION, hashed, asdict(training.start), seed, probed])
    begun = _as_arrays(once(out / ROWS / f"seed-{seed}-start{FINISHED}", key, at_start))
    for share in options.shares:
        name = f"seed-{seed}-share-{share:g}"
        unseen = max(1 - share * (1 - kept.unseen), kept.unseen)
        classes, loop = replace(kept, unseen=unseen, seed=seed), replace(training.loop, seed=seed)
        each = replace(training, classes=classes, loop=loop)
        key = fingerprint([_REVISION, hashed, asdict(each), probed])
        facts = once(out / ROWS / f"{name}{FINISHED}", key, partial(trained, each, name))
        (out / ROWS / f"{name}{UNFINISHED}").unlink(missing_ok=True)
        counts, (before, after) = (facts["classes"], facts["papers"]), facts["seen"]
        end = _as_arrays(facts["told"])
        yield Trained(seed, share, *counts, (before, after), asked.group, begun, end)


def _as_arrays(told: Mapping[str, Sequence[float]]) -> Told:
    return {probe: np.array(each) for probe, each in told.items()}
