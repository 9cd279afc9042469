"""Commands that train encoders by SPECTER's objective: `train encoder` and `ablate encoder`."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from recsys.app.cli.options import (
    Device,
    Index,
    JsonErrors,
    OwnPooling,
    Quiet,
    ResultFormat,
    Seed,
    Split,
    names_in,
)
from recsys.app.cli.training import OnDevice

if TYPE_CHECKING:
    from pipelines.studies.specter.dev_recall import Sample
    from pipelines.studies.specter.fitting import EncoderOptions
    from pipelines.studies.specter.triplet_loss import LossOptions


class Loss(StrEnum):
    """What is minimised: the names of `pipelines.studies.specter.triplet_loss`."""

    TRIPLET = "triplet"
    UNIT_TRIPLET = "unit-triplet"
    IN_BATCH = "in-batch"


class Numbers(StrEnum):
    """In which numbers products are computed."""

    AUTO = "auto"
    F32 = "f32"
    BF16 = "bf16"


From: TypeAlias = Annotated[
    str,
    typer.Option(
        "--from",
        metavar="NAME",
        help="`minilm`, `random`, a Hugging Face name, or a local directory to start from.",
    ),
]
Adapter: TypeAlias = Annotated[
    int,
    typer.Option(
        "--adapter",
        metavar="RANK",
        min=0,
        help="Train a low-rank adapter and leave the encoder's own weights; 0 trains all weights.",
    ),
]
LossName: TypeAlias = Annotated[
    Loss, typer.Option("--loss", help="SPECTER's, the same for unit vectors, or in-batch.")
]
Margin: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--margin",
        min=0.0,
        show_default="1, 0.1 for unit vectors",
        help="How much farther away than a positive a negative shall be.",
    ),
]
RateOrUsual: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--rate",
        min=0.0,
        show_default="2e-5, 2e-4 for an adapter",
        help="Highest learning rate: it rises to that in a tenth of the steps, then falls.",
    ),
]
Dropout: TypeAlias = Annotated[
    float, typer.Option("--dropout", min=0.0, max=0.99, help="Share of values left out.")
]
MaxLength: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--max-length",
        metavar="TOKENS",
        show_default="the encoder's own",
        help="Training cuts texts to so many tokens; shorter ones train faster.",
    ),
]
StepsAtMost: TypeAlias = Annotated[
    int | None, typer.Option("--steps", min=1, help="Steps at most.", show_default="all")
]
MaxMinutes: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--max-minutes",
        min=0.0,
        show_default="none",
        help="Stop after so many minutes; the same command continues.",
    ),
]
DevQueries: TypeAlias = Annotated[
    int, typer.Option("--dev-queries", min=0, help="Dev queries that are asked; 0 asks all.")
]
DevPapers: TypeAlias = Annotated[
    int,
    typer.Option(
        "--dev-papers", min=0, help="Papers that are ranked for them, gold among them; 0 ranks all."
    ),
]
InNumbers: TypeAlias = Annotated[
    Numbers,
    typer.Option("--precision", help="Numbers to compute in; auto is bf16 on a GPU, else f32."),
]
EpochsOf: TypeAlias = Annotated[
    int, typer.Option("--epochs", min=1, help="How often each query gives triplets.")
]
Hard: TypeAlias = Annotated[
    int, typer.Option("--hard", min=0, help="Of a query's 5 triplets: cited by what it cites.")
]


def train_encoder(
    index: Annotated[
        Path,
        typer.Argument(
            metavar="INDEX",
            show_default=False,
            help="Directory that `recsys build` wrote, or one in SPECTER's format.",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", show_default=False, help="Folder to write.")
    ],
    split: Annotated[
        Path | None,
        typer.Option(
            "--split",
            metavar="FILE",
            show_default=False,
            help="JSON file with the paper ids of the train, dev and test queries of an index.",
        ),
    ] = None,
    start: From = "minilm",
    pooling: OwnPooling = None,
    adapter: Adapter = 0,
    loss: LossName = Loss.TRIPLET,
    margin: Margin = None,
    hard: Hard = 2,
    near: Annotated[
        int,
        typer.Option(
            "--near", min=0, help="Of a query's 5 triplets: near it, found anew each epoch."
        ),
    ] = 0,
    every_paper: Annotated[
        bool,
        typer.Option(
            "--every-paper", help="Learn from all papers not newer than the train queries."
        ),
    ] = False,
    epochs: EpochsOf = 2,
    rate: RateOrUsual = None,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Triplets of a step.")] = 32,
    part: Annotated[
        int | None,
        typer.Option(
            "--part",
            min=1,
            show_default="16; for in-batch the whole step, whose texts are its negatives",
            help="Triplets computed at a time; fewer need less memory.",
        ),
    ] = None,
    dropout: Dropout = 0.0,
    max_length: MaxLength = None,
    steps: StepsAtMost = None,
    max_minutes: MaxMinutes = None,
    dev_queries: DevQueries = 200,
    dev_papers: DevPapers = 2000,
    device: OnDevice = Device.AUTO,
    precision: InNumbers = Numbers.AUTO,
    seed: Seed = 0,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Train an encoder on the citations of the train queries, stopped early on the dev queries.

    It learns to put a paper nearer to those that it cites than to others (SPECTER's objective).
    The folder is an ordinary Hugging Face one: `recsys build --encoder` takes it. `training.html`
    in it shows the curves of loss and dev. A killed training continues from its last checkpoint.
    """
    from dataclasses import replace

    from pipelines.studies.finetuning.encoder_training import Run
    from pipelines.studies.finetuning.training_processes import rank_of_process
    from pipelines.studies.specter.train_encoder import train_encoder as train
    from pipelines.studies.specter.triplet_sources import Reading
    from pipelines.studies.specter.triplets import Draw
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note

    options = _options(start, adapter, _loss(loss, margin), rate, seed, device, precision)
    options = replace(options, max_length=max_length, dropout=dropout, draw=Draw(5, hard, near))
    loop = replace(options.loop, epochs=epochs, batch=batch, part=part, steps=steps)
    options = replace(options, loop=loop, pooling=None if pooling is None else pooling.value)
    reading = Reading(every=every_paper, sample=_sample(dev_queries, dev_papers))
    quiet = quiet or rank_of_process() > 0
    with damage_named(index if split else None), shown_progress(quiet=quiet) as progress:
        run = Run(minutes=max_minutes, progress=progress)
        report = train(index, split, options, out, reading, run)
    note("\n".join(report.lines()), quiet=quiet)


def ablate_encoder(
    index: Index,
    split: Split,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", show_default=False, help="Folder to write.")
    ],
    rows: Annotated[
        str,
        typer.Option(
            "--rows",
            metavar="NAMES",
            show_default="all",
            help="Some rows of the table; commas between them.",
        ),
    ] = "",
    start: From = "minilm",
    other_start: Annotated[
        str | None,
        typer.Option(
            "--other-start",
            metavar="NAME",
            show_default="none",
            help="Another encoder to start from, which adds a row.",
        ),
    ] = None,
    adapter: Adapter = 0,
    loss: LossName = Loss.TRIPLET,
    margin: Margin = None,
    rate: RateOrUsual = None,
    steps: Annotated[int, typer.Option("--steps", min=1, help="Steps of each row at most.")] = 200,
    max_length: MaxLength = None,
    dev_queries: DevQueries = 200,
    dev_papers: DevPapers = 2000,
    output: Annotated[
        ResultFormat, typer.Option("--format", help="How the table is written.")
    ] = ResultFormat.TABLE,
    device: OnDevice = Device.AUTO,
    precision: InNumbers = Numbers.AUTO,
    seed: Seed = 0,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Train an encoder without each part of SPECTER's recipe and show what each brings on dev.

    Every row is trained for a few steps only, unless --steps says otherwise. Rows that are finished
    are not trained again. `ablations.html` in the folder adds the curves of loss and dev.
    """
    from dataclasses import replace

    from eval.report.page_formats import FORMATS
    from pipelines.studies.citeomatic.network_training import device_of
    from pipelines.studies.finetuning.encoder_training import Run
    from pipelines.studies.finetuning.training_processes import Ranks
    from pipelines.studies.specter.encoder_ablations import AblationOptions, ablate
    from pipelines.studies.specter.triplet_sources import Reading
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import emit, note

    encoder = _options(start, adapter, _loss(loss, margin), rate, seed, device, precision)
    loop = replace(encoder.loop, steps=steps)
    encoder = replace(encoder, loop=loop, max_length=max_length)
    reading = Reading(sample=_sample(dev_queries, dev_papers))
    options = AblationOptions(encoder, reading, names_in(rows) or (), other_start)
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        run = Run(Ranks(device=device_of(device.value)), progress=progress)
        report = ablate(index, split, options, out, run)
    note("\n".join(report.lines()), quiet=quiet)
    emit(FORMATS[output.value](report.page()))


def _options(
    start: str,
    adapter: int,
    loss: "LossOptions",
    rate: float | None,
    seed: int,
    device: Device,
    numbers: Numbers,
) -> "EncoderOptions":
    """Put together what both commands ask for."""
    from pipelines.studies.finetuning.encoder_optimiser import Pace
    from pipelines.studies.finetuning.encoder_training import LoopOptions
    from pipelines.studies.finetuning.lora import LoraOptions
    from pipelines.studies.specter.fitting import ADAPTER_RATE, RATE, EncoderOptions

    usual = ADAPTER_RATE if adapter else RATE
    return EncoderOptions(
        start=start,
        loss=loss,
        loop=LoopOptions(pace=Pace(usual if rate is None else rate), seed=seed),
        lora=LoraOptions(adapter, 2.0 * adapter) if adapter else None,
        device=device.value,
        half=None if numbers is Numbers.AUTO else numbers is Numbers.BF16,
    )


def _loss(name: Loss, margin: float | None) -> "LossOptions":
    from pipelines.studies.specter.triplet_loss import LossOptions

    return LossOptions(name.value, margin)


def _sample(queries: int, papers: int) -> "Sample":
    from pipelines.studies.specter.dev_recall import Sample

    return Sample(queries or None, papers or None)
