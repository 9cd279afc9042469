"""The studies that train encoders: leave parts of SPECTER out, and learn to tell journals."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from recsys.app.cli.declarations import Argument, Option
from recsys.app.cli.options import (
    Folder,
    Index,
    OwnPooling,
    Quiet,
    ResultFormat,
    Seed,
    Split,
    names_in,
)
from recsys.app.cli.training.training_encoders import (
    DevPapers,
    DevQueries,
    LossName,
    Margin,
    RateOrUsual,
    encoder_options,
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
    lora,
)

if TYPE_CHECKING:
    from recsys.pipelines.studies.encoders.training import Pace

Papers: TypeAlias = Annotated[
    Path,
    Argument(
        metavar="PAPERS",
        show_default=False,
        help="File of papers as `build` reads it, or an index.",
    ),
]
Label: TypeAlias = Annotated[
    str,
    Option(
        "--label",
        metavar="NAME",
        help="What is to be told: venue, keyphrases, or labels.NAME of the papers' labels.",
    ),
]
MinCount: TypeAlias = Annotated[
    int, Option("--min-count", min=2, help="Papers that a class has at least.")
]
MaxCount: TypeAlias = Annotated[
    int, Option("--max-count", min=2, help="Papers of a class that are used, by chance.")
]
EpochsOf: TypeAlias = Annotated[int, Option("--epochs", min=1, help="How often papers are read.")]
JournalRate: TypeAlias = Annotated[
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
Rows: TypeAlias = Annotated[
    str,
    Option(
        "--rows",
        metavar="NAMES",
        show_default="all",
        help="Some rows of the table; commas between them.",
    ),
]
OtherStart: TypeAlias = Annotated[
    str | None,
    Option(
        "--other-start",
        metavar="NAME",
        show_default="none",
        help="Another encoder to start from, which adds a row.",
    ),
]
Shares: TypeAlias = Annotated[
    str,
    Option(
        "--shares",
        metavar="SHARES",
        help="Shares of the classes left that encoders learn from; commas between them.",
    ),
]
SeedsOf: TypeAlias = Annotated[
    int,
    Option("--seeds", min=1, help="How many, from --seed on; each keeps other classes."),
]
UnseenOfSeed: TypeAlias = Annotated[
    float,
    Option(
        "--unseen",
        metavar="SHARE",
        min=0.0,
        max=1.0,
        help="Share of the classes that each seed keeps from training.",
    ),
]
Asked: TypeAlias = Annotated[
    int, Option("--asked", min=4, help="Papers that an unseen class has at least.")
]
AskedMost: TypeAlias = Annotated[
    int | None,
    Option(
        "--asked-most",
        min=4,
        show_default="all",
        help="Papers of an unseen class that are asked for, by chance.",
    ),
]
Runs: TypeAlias = Annotated[
    int, Option("--runs", min=1, help="Runs of the linear model, each with other folds.")
]
Tables: TypeAlias = Annotated[ResultFormat, Option("--format", help="How the tables are written.")]


def ablate_encoder(
    index: Index,
    split: Split,
    out: Folder,
    rows: Rows = "",
    start: From = "minilm",
    other_start: OtherStart = None,
    adapter: Adapter = 0,
    loss: LossName = "triplet",
    margin: Margin = None,
    rate: RateOrUsual = None,
    steps: Annotated[int, Option("--steps", min=1, help="Steps of each row at most.")] = 200,
    max_length: MaxLength = None,
    dev_queries: DevQueries = 200,
    dev_papers: DevPapers = 2000,
    output: Annotated[ResultFormat, Option("--format", help="How the table is written.")] = "table",
    device: OnDevice = "auto",
    precision: InNumbers = "auto",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Train an encoder without each part of SPECTER's recipe and show what each brings on dev.

    Every row is trained for a few steps only, unless --steps says otherwise. Rows that are finished
    are not trained again. `ablations.html` in the folder adds the curves of loss and dev.
    """
    from recsys.app.answer_writing import emit, note
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.eval.report.page import FORMATS
    from recsys.pipelines.studies.citeomatic.network_training import device_of
    from recsys.pipelines.studies.encoders import encoder_ablations
    from recsys.pipelines.studies.encoders.training import Ranks, Run
    from recsys.pipelines.studies.encoders.triplets import Reading, Sample

    encoder = encoder_options(
        start, adapter, loss, margin=margin, rate=rate, max_length=max_length,
        device=device, precision=precision,
    )  # fmt: skip
    encoder = replace(encoder, loop=replace(encoder.loop, steps=steps, seed=seed))
    reading = Reading(sample=Sample(dev_queries or None, dev_papers or None))
    chosen = names_in(rows) or ()
    options = encoder_ablations.AblationOptions(encoder, reading, chosen, other_start)
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        run = Run(Ranks(device=device_of(device)), progress=progress)
        page = encoder_ablations.ablate(index, split, options, out, run)
    note(f"Written to {out}.", quiet=quiet)
    emit(FORMATS[output](page))


def train_journal(
    papers: Papers,
    out: Folder,
    label: Label = "venue",
    min_count: MinCount = 100,
    max_count: MaxCount = 300,
    unseen: Annotated[
        float,
        Option(
            "--unseen",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Share of the classes that --seed keeps from training, for `recsys study probe` "
            "with the same --unseen and --seed.",
        ),
    ] = 0.0,
    start: From = "minilm",
    pooling: OwnPooling = None,
    adapter: Adapter = 0,
    epochs: EpochsOf = 1,
    rate: JournalRate = None,
    batch: Batch = 32,
    part: Part = None,
    dropout: Dropout = 0.0,
    max_length: MaxLength = None,
    steps: StepsAtMost = None,
    max_minutes: MaxMinutes = None,
    device: OnDevice = "auto",
    precision: InNumbers = "auto",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Train an encoder to tell the journals of papers, stopped early on papers held out.

    It is MIReAD's objective. The folder is an ordinary Hugging Face one, without the classifier:
    `recsys embed --encoder` and `recsys build --encoder` take it. A killed training continues from
    its last checkpoint.
    """
    from recsys.app.answer_writing import note
    from recsys.app.bars import shown_progress
    from recsys.pipelines.studies.encoders import train_journal as job
    from recsys.pipelines.studies.encoders.tower import StartOptions
    from recsys.pipelines.studies.encoders.train_journal import ClassOptions
    from recsys.pipelines.studies.encoders.training import LoopOptions, Run, rank_of_process

    options = job.JournalOptions(
        StartOptions(start, pooling, lora(adapter), dropout, max_length, half(precision)),
        ClassOptions(label, min_count, max_count, unseen, seed=seed),
        LoopOptions(epochs, batch, part, _pace(rate, adapter), steps=steps, seed=seed),
        device,
    )
    quiet = quiet or rank_of_process() > 0
    with shown_progress(quiet=quiet) as progress:
        run = Run(minutes=max_minutes, progress=progress)
        report = job.train_journal(papers, options, out, run)
    note("\n".join(report.lines()), quiet=quiet)


def ablate_journal(
    papers: Papers,
    out: Folder,
    label: Label = "venue",
    shares: Shares = "0.25,0.5,1",
    seeds: SeedsOf = 3,
    unseen: UnseenOfSeed = 0.3,
    min_count: MinCount = 100,
    max_count: MaxCount = 300,
    asked: Asked = 20,
    asked_most: AskedMost = None,
    runs: Runs = 3,
    start: From = "minilm",
    pooling: OwnPooling = None,
    adapter: Adapter = 0,
    epochs: EpochsOf = 1,
    rate: JournalRate = None,
    batch: Batch = 32,
    part: Part = None,
    dropout: Dropout = 0.0,
    max_length: MaxLength = None,
    output: Tables = ("table"),
    device: OnDevice = "auto",
    precision: InNumbers = "auto",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Train encoders to tell shares of the journals and show what that is worth for other journals.

    Each is asked for papers of journals that it has not seen, with many labels and with few.
    Encoders that are finished are not trained again. `journals.html` in the folder has the curve.
    """
    from recsys.app.answer_writing import emit, made, note
    from recsys.app.bars import shown_progress
    from recsys.eval.report.page import FORMATS
    from recsys.pipelines.studies.citeomatic.network_training import device_of
    from recsys.pipelines.studies.encoders import journal_study, tower, train_journal, training

    each = train_journal.JournalOptions(
        tower.StartOptions(start, pooling, lora(adapter), dropout, max_length, half(precision)),
        train_journal.ClassOptions(label, min_count, max_count, unseen, seed=seed),
        training.LoopOptions(epochs, batch, part, _pace(rate, adapter), checks=1, seed=seed),
        device,
    )
    some = journal_study.read_shares(shares)
    options = journal_study.CurveOptions(each, some, seeds, asked, asked_most, runs)
    with shown_progress(quiet=quiet) as progress:
        ranks = training.Ranks(device=device_of(device))
        run = training.Run(ranks, progress=progress)
        found = journal_study.draw_curve(papers, options, out, run)
    page = journal_study.write_curve(found, label, papers, out, made(seed, papers=papers))
    note(f"Written to {out}.", quiet=quiet)
    emit(FORMATS[output](page))


def _pace(rate: float | None, adapter: int) -> "Pace":
    from recsys.pipelines.studies.encoders.train_journal import ADAPTER_RATE, RATE
    from recsys.pipelines.studies.encoders.training import Pace

    usual = ADAPTER_RATE if adapter else RATE
    return Pace(usual if rate is None else rate)
