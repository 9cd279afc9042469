"""The command `train journal`: an encoder that learned to tell the journals of papers."""

from pathlib import Path
from typing import Annotated

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
from recsys.app.cli.options import Device, JsonErrors, OwnPooling, Quiet, Seed
from recsys.app.cli.training import OnDevice


def train_journal(
    papers: Annotated[
        Path,
        typer.Argument(
            metavar="PAPERS",
            show_default=False,
            help="File of papers as `build` reads it, or an index.",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", show_default=False, help="Folder to write.")
    ],
    label: Annotated[
        str,
        typer.Option(
            "--label",
            metavar="NAME",
            help="What is to be told: venue, keyphrases, or labels.NAME of the papers' labels.",
        ),
    ] = "venue",
    min_count: Annotated[
        int, typer.Option("--min-count", min=2, help="Papers that a class has at least.")
    ] = 100,
    max_count: Annotated[
        int,
        typer.Option("--max-count", min=2, help="Papers of a class that are used, by chance."),
    ] = 300,
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
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="How often papers are read.")] = 1,
    rate: Annotated[
        float | None,
        typer.Option(
            "--rate",
            min=0.0,
            show_default="5e-5, 2e-4 for an adapter",
            help="Highest learning rate: it rises to that in a tenth of the steps, then falls.",
        ),
    ] = None,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Papers of a step.")] = 32,
    part: Annotated[
        int | None,
        typer.Option(
            "--part",
            min=1,
            show_default="the whole step",
            help="Papers computed at a time; fewer need less memory.",
        ),
    ] = None,
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
    from pipelines.finetuning import lora, optimiser, ranks, student, training
    from pipelines.journal import papers as classes
    from pipelines.journal import train_journal as job
    from recsys.app.bars import shown_progress
    from recsys.app.output import note

    begin = student.StartOptions(
        start, None if pooling is None else pooling.value,
        lora.LoraOptions(adapter, 2.0 * adapter) if adapter else None, dropout, max_length,
        None if precision is Numbers.AUTO else precision is Numbers.BF16,
    )  # fmt: skip
    usual = job.ADAPTER_RATE if adapter else job.RATE
    pace = optimiser.Pace(usual if rate is None else rate)
    loop = training.LoopOptions(epochs, batch, part, pace, steps=steps, seed=seed)
    chosen = classes.ClassOptions(label, min_count, max_count, unseen, seed=seed)
    options = job.JournalOptions(begin, chosen, loop, device.value)
    quiet = quiet or ranks.rank_of_process() > 0
    with shown_progress(quiet=quiet) as progress:
        run = training.Run(minutes=max_minutes, progress=progress)
        report = job.train_journal(papers, options, out, run)
    note("\n".join(report.lines()), quiet=quiet)
