"""Commands that train encoders by SPECTER's objective: `train encoder` and `ablate encoder`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from recsys.app.cli.declarations import Argument, IndexPlace, Option
from recsys.app.cli.options import (
    Index,
    OwnPooling,
    Quiet,
    ResultFormat,
    Seed,
    Split,
    names_in,
)
from recsys.app.cli.training.training_options import (
    Adapter,
    Dropout,
    From,
    InNumbers,
    MaxLength,
    MaxMinutes,
    OnDevice,
    StepsAtMost,
    half,
)

if TYPE_CHECKING:
    from recsys.pipelines.studies.finetuning.encoder_training import LoopOptions
    from recsys.pipelines.studies.specter.dev_recall import Sample
    from recsys.pipelines.studies.specter.fitting import EncoderOptions


Loss: TypeAlias = Literal["triplet", "unit-triplet", "in-batch"]
"""What is minimised: the names of `recsys.pipelines.studies.specter.triplet_loss`."""
LossName: TypeAlias = Annotated[
    Loss, Option("--loss", help="SPECTER's, the same for unit vectors, or in-batch.")
]
Margin: TypeAlias = Annotated[
    float | None,
    Option(
        "--margin",
        min=0.0,
        show_default="1, 0.1 for unit vectors",
        help="How much farther away than a positive a negative shall be.",
    ),
]
RateOrUsual: TypeAlias = Annotated[
    float | None,
    Option(
        "--rate",
        min=0.0,
        show_default="2e-5, 2e-4 for an adapter",
        help="Highest learning rate: it rises to that in a tenth of the steps, then falls.",
    ),
]
DevQueries: TypeAlias = Annotated[
    int, Option("--dev-queries", min=0, help="Dev queries that are asked; 0 asks all.")
]
DevPapers: TypeAlias = Annotated[
    int,
    Option(
        "--dev-papers", min=0, help="Papers that are ranked for them, gold among them; 0 ranks all."
    ),
]
EpochsOf: TypeAlias = Annotated[
    int, Option("--epochs", min=1, help="How often each query gives triplets.")
]
Hard: TypeAlias = Annotated[
    int, Option("--hard", min=0, help="Of a query's 5 triplets: cited by what it cites.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChoices:
    """What an encoder learns from, and where it goes."""

    index: Annotated[
        Path,
        IndexPlace(),
        Argument(
            metavar="INDEX",
            show_default=False,
            help="Directory that `recsys build` wrote, or one in SPECTER's format.",
        ),
    ]
    out: Annotated[
        Path, Option("--out", metavar="DIR", show_default=False, help="Folder to write.")
    ]
    split: Annotated[
        Path | None,
        Option(
            "--split",
            metavar="FILE",
            show_default=False,
            help="JSON file with the paper ids of the train, dev and test queries of an index.",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StartChoices:
    """What training starts from, and how much of it changes."""

    start: From = "minilm"
    pooling: OwnPooling = None
    adapter: Adapter = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TripletChoices:
    """Which papers are compared, and how."""

    loss: LossName = "triplet"
    margin: Margin = None
    hard: Hard = 2
    near: Annotated[
        int,
        Option("--near", min=0, help="Of a query's 5 triplets: near it, found anew each epoch."),
    ] = 0
    every_paper: Annotated[
        bool,
        Option("--every-paper", help="Learn from all papers not newer than the train queries."),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StepChoices:
    """How fast and how long is trained."""

    epochs: EpochsOf = 2
    rate: RateOrUsual = None
    batch: Annotated[int, Option("--batch", min=1, help="Triplets of a step.")] = 32
    part: Annotated[
        int | None,
        Option(
            "--part",
            min=1,
            show_default="16; for in-batch the whole step, whose texts are its negatives",
            help="Triplets computed at a time; fewer need less memory.",
        ),
    ] = None
    dropout: Dropout = 0.0
    max_length: MaxLength = None
    steps: StepsAtMost = None
    max_minutes: MaxMinutes = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChoices:
    """How training is watched, and where it computes."""

    dev_queries: DevQueries = 200
    dev_papers: DevPapers = 2000
    device: OnDevice = "auto"
    precision: InNumbers = "auto"
    seed: Seed = 0

    def sample(self) -> "Sample":
        """Say how many dev queries are asked, among how many papers."""
        return _sample(self.dev_queries, self.dev_papers)


def train_encoder(
    files: FileChoices,
    student: StartChoices,
    triplets: TripletChoices,
    pace: StepChoices,
    around: RunChoices,
    quiet: Quiet = False,
) -> None:
    """Train an encoder on the citations of the train queries, stopped early on the dev queries.

    It learns to put a paper nearer to those that it cites than to others (SPECTER's objective).
    The folder is an ordinary Hugging Face one: `recsys build --encoder` takes it. `training.html`
    in it shows the curves of loss and dev. A killed training continues from its last checkpoint.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note
    from recsys.pipelines.studies.finetuning.encoder_training import Run
    from recsys.pipelines.studies.finetuning.training_processes import rank_of_process
    from recsys.pipelines.studies.specter.train_encoder import train_encoder as train
    from recsys.pipelines.studies.specter.triplet_sources import Reading
    from recsys.pipelines.studies.specter.triplets import Draw

    loop = replace(
        _loop(pace.rate, student.adapter, around.seed),
        epochs=pace.epochs, batch=pace.batch, part=pace.part, steps=pace.steps,
    )  # fmt: skip
    options = replace(
        _encoder(student, triplets, loop, around),
        pooling=student.pooling, max_length=pace.max_length, dropout=pace.dropout,
        draw=Draw(5, triplets.hard, triplets.near),
    )  # fmt: skip
    reading = Reading(every=triplets.every_paper, sample=around.sample())
    quiet, index = quiet or rank_of_process() > 0, files.index if files.split else None
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        run = Run(minutes=pace.max_minutes, progress=progress)
        report = train(files.index, files.split, options, files.out, reading, run)
    note("\n".join(report.lines()), quiet=quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChoices:
    """What each row of the table is trained with."""

    rows: Annotated[
        str,
        Option(
            "--rows",
            metavar="NAMES",
            show_default="all",
            help="Some rows of the table; commas between them.",
        ),
    ] = ""
    start: From = "minilm"
    other_start: Annotated[
        str | None,
        Option(
            "--other-start",
            metavar="NAME",
            show_default="none",
            help="Another encoder to start from, which adds a row.",
        ),
    ] = None
    adapter: Adapter = 0
    loss: LossName = "triplet"
    margin: Margin = None
    rate: RateOrUsual = None
    steps: Annotated[int, Option("--steps", min=1, help="Steps of each row at most.")] = 200
    max_length: MaxLength = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChoices:
    """How rows are judged and shown, and where they are computed."""

    dev_queries: DevQueries = 200
    dev_papers: DevPapers = 2000
    output: Annotated[ResultFormat, Option("--format", help="How the table is written.")] = "table"
    device: OnDevice = "auto"
    precision: InNumbers = "auto"
    seed: Seed = 0

    def sample(self) -> "Sample":
        """Say how many dev queries are asked, among how many papers."""
        return _sample(self.dev_queries, self.dev_papers)


def ablate_encoder(
    index: Index,
    split: Split,
    out: Annotated[
        Path, Option("--out", metavar="DIR", show_default=False, help="Folder to write.")
    ],
    recipe: RowChoices,
    around: TableChoices,
    quiet: Quiet = False,
) -> None:
    """Train an encoder without each part of SPECTER's recipe and show what each brings on dev.

    Every row is trained for a few steps only, unless --steps says otherwise. Rows that are finished
    are not trained again. `ablations.html` in the folder adds the curves of loss and dev.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import emit, note
    from recsys.eval.report.page_formats import FORMATS
    from recsys.pipelines.studies.citeomatic.network_training import device_of
    from recsys.pipelines.studies.finetuning.encoder_training import Run
    from recsys.pipelines.studies.finetuning.training_processes import Ranks
    from recsys.pipelines.studies.specter.encoder_ablations import AblationOptions, ablate
    from recsys.pipelines.studies.specter.triplet_sources import Reading

    loop = replace(_loop(recipe.rate, recipe.adapter, around.seed), steps=recipe.steps)
    encoder = replace(_encoder(recipe, recipe, loop, around), max_length=recipe.max_length)
    reading = Reading(sample=around.sample())
    options = AblationOptions(encoder, reading, names_in(recipe.rows) or (), recipe.other_start)
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        run = Run(Ranks(device=device_of(around.device)), progress=progress)
        report = ablate(index, split, options, out, run)
    note("\n".join(report.lines()), quiet=quiet)
    emit(FORMATS[around.output](report.page()))


def _encoder(
    student: StartChoices | RowChoices,
    triplets: TripletChoices | RowChoices,
    loop: "LoopOptions",
    around: RunChoices | TableChoices,
) -> "EncoderOptions":
    """Put together what both commands ask for."""
    from recsys.pipelines.studies.finetuning.lora import LoraOptions
    from recsys.pipelines.studies.specter.fitting import EncoderOptions
    from recsys.pipelines.studies.specter.triplet_loss import LossOptions

    rank = student.adapter
    return EncoderOptions(
        start=student.start,
        loss=LossOptions(triplets.loss, triplets.margin),
        loop=loop,
        lora=LoraOptions(rank, 2.0 * rank) if rank else None,
        device=around.device,
        half=half(around.precision),
    )


def _loop(rate: float | None, adapter: int, seed: int) -> "LoopOptions":
    from recsys.pipelines.studies.finetuning.encoder_optimiser import Pace
    from recsys.pipelines.studies.finetuning.encoder_training import LoopOptions
    from recsys.pipelines.studies.specter.fitting import ADAPTER_RATE, RATE

    usual = ADAPTER_RATE if adapter else RATE
    return LoopOptions(pace=Pace(usual if rate is None else rate), seed=seed)


def _sample(queries: int, papers: int) -> "Sample":
    from recsys.pipelines.studies.specter.dev_recall import Sample

    return Sample(queries or None, papers or None)
