"""Encoders that learn to tell the journals of papers: `train journal` and `ablate journal`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from recsys.app.cli.encoders import (
    Adapter,
    Dropout,
    From,
    InNumbers,
    MaxLength,
    MaxMinutes,
    Numbers,
    StepsAtMost,
)
from recsys.app.cli.options import (
    Device,
    JsonErrors,
    OwnPooling,
    Pooling,
    Quiet,
    ResultFormat,
    Seed,
)
from recsys.app.cli.training import OnDevice

if TYPE_CHECKING:
    from pipelines.studies.finetuning.encoder_optimiser import Pace
    from pipelines.studies.finetuning.student import StartOptions

Label: TypeAlias = Annotated[
    str,
    typer.Option(
        "--label",
        metavar="NAME",
        help="What is to be told: venue, keyphrases, or labels.NAME of the papers' labels.",
    ),
]
Papers: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="PAPERS",
        show_default=False,
        help="File of papers as `build` reads it, or an index.",
    ),
]
Out: TypeAlias = Annotated[
    Path, typer.Option("--out", metavar="DIR", show_default=False, help="Folder to write.")
]
MinCount: TypeAlias = Annotated[
    int, typer.Option("--min-count", min=2, help="Papers that a class has at least.")
]
MaxCount: TypeAlias = Annotated[
    int, typer.Option("--max-count", min=2, help="Papers of a class that are used, by chance.")
]
EpochsOf: TypeAlias = Annotated[
    int, typer.Option("--epochs", min=1, help="How often papers are read.")
]
RateOrUsual: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--rate",
        min=0.0,
        show_default="5e-5, 2e-4 for an adapter",
        help="Highest learning rate: it rises to that in a tenth of the steps, then falls.",
    ),
]
Batch: TypeAlias = Annotated[int, typer.Option("--batch", min=1, help="Papers of a step.")]
Part: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--part",
        min=1,
        show_default="the whole step",
        help="Papers computed at a time; fewer need less memory.",
    ),
]


def train_journal(
    papers: Papers,
    out: Out,
    label: Label = "venue",
    min_count: MinCount = 100,
    max_count: MaxCount = 300,
    unseen: Annotated[
        float,
        typer.Option(
            "--unseen",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Share of the classes that --seed keeps from training, for `recsys probe` with "
            "the same --unseen and --seed.",
        ),
    ] = 0.0,
    start: From = "minilm",
    pooling: OwnPooling = None,
    adapter: Adapter = 0,
    epochs: EpochsOf = 1,
    rate: RateOrUsual = None,
    batch: Batch = 32,
    part: Part = None,
    dropout: Dropout = 0.0,
    max_length: MaxLength = None,
    steps: StepsAtMost = None,
    max_minutes: MaxMinutes = None,
    device: OnDevice = Device.AUTO,
    precision: InNumbers = Numbers.AUTO,
    seed: Seed = 0,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Train an encoder to tell the journals of papers, stopped early on papers held out.

    It is MIReAD's objective. The folder is an ordinary Hugging Face one, without the classifier:
    `recsys embed --encoder` and `recsys build --encoder` take it. A killed training continues from
    its last checkpoint.
    """
    from pipelines.studies.finetuning.encoder_training import LoopOptions, Run
    from pipelines.studies.finetuning.training_processes import rank_of_process
    from pipelines.studies.journal import train_journal as job
    from pipelines.studies.journal.journal_papers import ClassOptions
    from recsys.app.bars import shown_progress
    from recsys.app.output import note

    options = job.JournalOptions(
        _start(start, pooling, adapter, dropout, max_length, precision),
        ClassOptions(label, min_count, max_count, unseen, seed=seed),
        LoopOptions(epochs, batch, part, _pace(rate, adapter), steps=steps, seed=seed),
        device.value,
    )
    quiet = quiet or rank_of_process() > 0
    with shown_progress(quiet=quiet) as progress:
        run = Run(minutes=max_minutes, progress=progress)
        report = job.train_journal(papers, options, out, run)
    note("\n".join(report.lines()), quiet=quiet)


def ablate_journal(
    papers: Papers,
    out: Out,
    label: Label = "venue",
    shares: Annotated[
        str,
        typer.Option(
            "--shares",
            metavar="SHARES",
            help="Shares of the classes left that encoders learn from; commas between them.",
        ),
    ] = "0.25,0.5,1",
    seeds: Annotated[
        int,
        typer.Option("--seeds", min=1, help="How many, from --seed on; each keeps other classes."),
    ] = 3,
    unseen: Annotated[
        float,
        typer.Option(
            "--unseen",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Share of the classes that each seed keeps from training.",
        ),
    ] = 0.3,
    min_count: MinCount = 100,
    max_count: MaxCount = 300,
    asked: Annotated[
        int, typer.Option("--asked", min=4, help="Papers that an unseen class has at least.")
    ] = 20,
    asked_most: Annotated[
        int | None,
        typer.Option(
            "--asked-most",
            min=4,
            show_default="all",
            help="Papers of an unseen class that are asked for, by chance.",
        ),
    ] = None,
    runs: Annotated[
        int, typer.Option("--runs", min=1, help="Runs of the linear model, each with other folds.")
    ] = 3,
    start: From = "minilm",
    pooling: OwnPooling = None,
    adapter: Adapter = 0,
    epochs: EpochsOf = 1,
    rate: RateOrUsual = None,
    batch: Batch = 32,
    part: Part = None,
    dropout: Dropout = 0.0,
    max_length: MaxLength = None,
    output: Annotated[
        ResultFormat, typer.Option("--format", help="How the tables are written.")
    ] = ResultFormat.TABLE,
    device: OnDevice = Device.AUTO,
    precision: InNumbers = Numbers.AUTO,
    seed: Seed = 0,
    quiet: Quiet = False,
    json_errors: JsonErrors = False,
) -> None:
    """Train encoders to tell shares of the journals and show what that is worth for other journals.

    Each is asked for papers of journals that it has not seen, with many labels and with few.
    Encoders that are finished are not trained again. `journals.html` in the folder has the curve.
    """
    from eval.report.page_formats import FORMATS
    from pipelines.studies.citeomatic.network_training import device_of
    from pipelines.studies.finetuning import (
        encoder_training,
        number_lists,
        training_processes,
    )
    from pipelines.studies.journal import journal_study, train_journal
    from pipelines.studies.journal.journal_papers import ClassOptions
    from recsys.app.bars import shown_progress
    from recsys.app.cli.clicks import made
    from recsys.app.output import emit, note

    each = train_journal.JournalOptions(
        _start(start, pooling, adapter, dropout, max_length, precision),
        ClassOptions(label, min_count, max_count, unseen, seed=seed),
        encoder_training.LoopOptions(
            epochs, batch, part, _pace(rate, adapter), checks=1, seed=seed
        ),
        device.value,
    )
    several = number_lists.read_numbers(shares, "--shares", most=1)
    options = journal_study.CurveOptions(each, several, seeds, asked, asked_most, runs)
    with shown_progress(quiet=quiet) as progress:
        run = encoder_training.Run(
            training_processes.Ranks(device=device_of(device.value)), progress=progress
        )
        report = journal_study.draw_curve(papers, options, out, run)
    page = report.written(made(seed, papers=papers))
    note("\n".join(report.lines()), quiet=quiet)
    emit(FORMATS[output.value](page))


def _start(
    start: str,
    pooling: Pooling | None,
    adapter: int,
    dropout: float,
    max_length: int | None,
    numbers: Numbers,
) -> "StartOptions":
    from pipelines.studies.finetuning.lora import LoraOptions
    from pipelines.studies.finetuning.student import StartOptions

    return StartOptions(
        start,
        None if pooling is None else pooling.value,
        LoraOptions(adapter, 2.0 * adapter) if adapter else None,
        dropout,
        max_length,
        None if numbers is Numbers.AUTO else numbers is Numbers.BF16,
    )


def _pace(rate: float | None, adapter: int) -> "Pace":
    from pipelines.studies.finetuning.encoder_optimiser import Pace
    from pipelines.studies.journal.train_journal import ADAPTER_RATE, RATE

    usual = ADAPTER_RATE if adapter else RATE
    return Pace(usual if rate is None else rate)
