"""Encoders that learn to tell the journals of papers: `train journal` and `ablate journal`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from recsys.app.cli.declarations import Argument, Option
from recsys.app.cli.options import (
    OwnPooling,
    Quiet,
    ResultFormat,
    Seed,
)
from recsys.app.cli.training.training_options import (
    Adapter,
    Dropout,
    From,
    InNumbers,
    MaxLength,
    MaxMinutes,
    Numbers,
    OnDevice,
    StepsAtMost,
    half,
)

if TYPE_CHECKING:
    from recsys.pipelines.studies.finetuning.encoder_training import LoopOptions
    from recsys.pipelines.studies.finetuning.student import StartOptions
    from recsys.pipelines.studies.journal.journal_papers import ClassOptions
    from recsys.pipelines.studies.journal.journal_study import CurveOptions
    from recsys.pipelines.studies.journal.train_journal import JournalOptions

Label: TypeAlias = Annotated[
    str,
    Option(
        "--label",
        metavar="NAME",
        help="What is to be told: venue, keyphrases, or labels.NAME of the papers' labels.",
    ),
]
Papers: TypeAlias = Annotated[
    Path,
    Argument(
        metavar="PAPERS",
        show_default=False,
        help="File of papers as `build` reads it, or an index.",
    ),
]
Out: TypeAlias = Annotated[
    Path, Option("--out", metavar="DIR", show_default=False, help="Folder to write.")
]
MinCount: TypeAlias = Annotated[
    int, Option("--min-count", min=2, help="Papers that a class has at least.")
]
MaxCount: TypeAlias = Annotated[
    int, Option("--max-count", min=2, help="Papers of a class that are used, by chance.")
]
EpochsOf: TypeAlias = Annotated[int, Option("--epochs", min=1, help="How often papers are read.")]
RateOrUsual: TypeAlias = Annotated[
    float | None,
    Option(
        "--rate",
        min=0.0,
        show_default="5e-5, 2e-4 for an adapter",
        help="Highest learning rate: it rises to that in a tenth of the steps, then falls.",
    ),
]
Batch: TypeAlias = Annotated[int, Option("--batch", min=1, help="Papers of a step.")]
Part: TypeAlias = Annotated[
    int | None,
    Option(
        "--part",
        min=1,
        show_default="the whole step",
        help="Papers computed at a time; fewer need less memory.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassChoices:
    """Which classes of papers are told apart."""

    label: Label = "venue"
    min_count: MinCount = 100
    max_count: MaxCount = 300
    unseen: Annotated[
        float,
        Option(
            "--unseen",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Share of the classes that --seed keeps from training, for `recsys probe` with "
            "the same --unseen and --seed.",
        ),
    ] = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentChoices:
    """What is trained, and how."""

    start: From = "minilm"
    pooling: OwnPooling = None
    adapter: Adapter = 0
    epochs: EpochsOf = 1
    rate: RateOrUsual = None
    batch: Batch = 32
    part: Part = None
    dropout: Dropout = 0.0
    max_length: MaxLength = None

    def start_options(self, numbers: Numbers) -> "StartOptions":
        """Say what training starts from, and how much of it changes."""
        from recsys.pipelines.studies.finetuning.lora import LoraOptions
        from recsys.pipelines.studies.finetuning.student import StartOptions

        lora = LoraOptions(self.adapter, 2.0 * self.adapter) if self.adapter else None
        return StartOptions(
            self.start, self.pooling, lora, self.dropout, self.max_length, half(numbers)
        )

    def loop(self, seed: int) -> "LoopOptions":
        """Say how fast and how often papers are read."""
        from recsys.pipelines.studies.finetuning.encoder_optimiser import Pace
        from recsys.pipelines.studies.finetuning.encoder_training import LoopOptions
        from recsys.pipelines.studies.journal.train_journal import ADAPTER_RATE, RATE

        usual = ADAPTER_RATE if self.adapter else RATE
        pace = Pace(usual if self.rate is None else self.rate)
        return LoopOptions(self.epochs, self.batch, self.part, pace, seed=seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChoices:
    """How long is trained, and where."""

    steps: StepsAtMost = None
    max_minutes: MaxMinutes = None
    device: OnDevice = "auto"
    precision: InNumbers = "auto"
    seed: Seed = 0


def train_journal(
    papers: Papers,
    out: Out,
    classes: ClassChoices,
    student: StudentChoices,
    around: RunChoices,
    quiet: Quiet = False,
) -> None:
    """Train an encoder to tell the journals of papers, stopped early on papers held out.

    It is MIReAD's objective. The folder is an ordinary Hugging Face one, without the classifier:
    `recsys embed --encoder` and `recsys build --encoder` take it. A killed training continues from
    its last checkpoint.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.output import note
    from recsys.pipelines.studies.finetuning.encoder_training import Run
    from recsys.pipelines.studies.finetuning.training_processes import rank_of_process
    from recsys.pipelines.studies.journal import train_journal as job
    from recsys.pipelines.studies.journal.journal_papers import ClassOptions

    options = job.JournalOptions(
        student.start_options(around.precision),
        ClassOptions(
            classes.label, classes.min_count, classes.max_count, classes.unseen, seed=around.seed
        ),
        replace(student.loop(around.seed), steps=around.steps),
        around.device,
    )
    quiet = quiet or rank_of_process() > 0
    with shown_progress(quiet=quiet) as progress:
        run = Run(minutes=around.max_minutes, progress=progress)
        report = job.train_journal(papers, options, out, run)
    note("\n".join(report.lines()), quiet=quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveChoices:
    """Which classes encoders learn, and which they are asked for."""

    label: Label = "venue"
    shares: Annotated[
        str,
        Option(
            "--shares",
            metavar="SHARES",
            help="Shares of the classes left that encoders learn from; commas between them.",
        ),
    ] = "0.25,0.5,1"
    seeds: Annotated[
        int,
        Option("--seeds", min=1, help="How many, from --seed on; each keeps other classes."),
    ] = 3
    unseen: Annotated[
        float,
        Option(
            "--unseen",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Share of the classes that each seed keeps from training.",
        ),
    ] = 0.3
    min_count: MinCount = 100
    max_count: MaxCount = 300
    asked: Annotated[
        int, Option("--asked", min=4, help="Papers that an unseen class has at least.")
    ] = 20
    asked_most: Annotated[
        int | None,
        Option(
            "--asked-most",
            min=4,
            show_default="all",
            help="Papers of an unseen class that are asked for, by chance.",
        ),
    ] = None
    runs: Annotated[
        int, Option("--runs", min=1, help="Runs of the linear model, each with other folds.")
    ] = 3

    def class_options(self, seed: int) -> "ClassOptions":
        """Say which classes there are, and which of them are kept from training."""
        from recsys.pipelines.studies.journal.journal_papers import ClassOptions

        return ClassOptions(self.label, self.min_count, self.max_count, self.unseen, seed=seed)

    def options(self, each: "JournalOptions") -> "CurveOptions":
        """Say what is asked of the encoders, each of which is trained so."""
        from recsys.pipelines.studies.finetuning.number_lists import read_numbers
        from recsys.pipelines.studies.journal.journal_study import CurveOptions

        shares = read_numbers(self.shares, "--shares", most=1)
        return CurveOptions(each, shares, self.seeds, self.asked, self.asked_most, self.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChoices:
    """How the tables are written, and where encoders are trained."""

    output: Annotated[ResultFormat, Option("--format", help="How the tables are written.")] = (
        "table"
    )
    device: OnDevice = "auto"
    precision: InNumbers = "auto"
    seed: Seed = 0


def ablate_journal(
    papers: Papers,
    out: Out,
    curve: CurveChoices,
    student: StudentChoices,
    around: TableChoices,
    quiet: Quiet = False,
) -> None:
    """Train encoders to tell shares of the journals and show what that is worth for other journals.

    Each is asked for papers of journals that it has not seen, with many labels and with few.
    Encoders that are finished are not trained again. `journals.html` in the folder has the curve.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.output import emit, note
    from recsys.app.provenance import made
    from recsys.eval.report.page_formats import FORMATS
    from recsys.pipelines.studies.citeomatic.network_training import device_of
    from recsys.pipelines.studies.finetuning.encoder_training import Run
    from recsys.pipelines.studies.finetuning.training_processes import Ranks
    from recsys.pipelines.studies.journal import train_journal
    from recsys.pipelines.studies.journal.journal_study import draw_curve

    each = train_journal.JournalOptions(
        student.start_options(around.precision),
        curve.class_options(around.seed),
        replace(student.loop(around.seed), checks=1),
        around.device,
    )
    options = curve.options(each)
    with shown_progress(quiet=quiet) as progress:
        run = Run(Ranks(device=device_of(around.device)), progress=progress)
        report = draw_curve(papers, options, out, run)
    page = report.written(made(around.seed, papers=papers))
    note("\n".join(report.lines()), quiet=quiet)
    emit(FORMATS[around.output](page))
