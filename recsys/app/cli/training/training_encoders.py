"""The command `train encoder`, by SPECTER's objective, and what its ablations ask for, too."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from recsys.app.cli.declarations import Argument, IndexPlace, Option
from recsys.app.cli.options import Device, Folder, OwnPooling, Quiet, Seed
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
    lora,
)

if TYPE_CHECKING:
    from recsys.pipelines.studies.encoders.train_encoder import EncoderOptions


Loss: TypeAlias = Literal["triplet", "unit-triplet", "in-batch"]
"""What is minimised: the names of `recsys.pipelines.studies.encoders.train_encoder`."""
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
Papers: TypeAlias = Annotated[
    Path,
    IndexPlace(),
    Argument(
        metavar="INDEX",
        show_default=False,
        help="Directory that `recsys build` wrote, or one in SPECTER's format.",
    ),
]
IndexSplit: TypeAlias = Annotated[
    Path | None,
    Option(
        "--split",
        metavar="FILE",
        show_default=False,
        help="JSON file with the paper ids of the train, dev and test queries of an index.",
    ),
]
Hard: TypeAlias = Annotated[
    int, Option("--hard", min=0, help="Of a query's 5 triplets: cited by what it cites.")
]
Near: TypeAlias = Annotated[
    int,
    Option("--near", min=0, help="Of a query's 5 triplets: near it, found anew each epoch."),
]
EveryPaper: TypeAlias = Annotated[
    bool,
    Option("--every-paper", help="Learn from all papers not newer than the train queries."),
]
EpochsOf: TypeAlias = Annotated[
    int, Option("--epochs", min=1, help="How often each query gives triplets.")
]
Batch: TypeAlias = Annotated[int, Option("--batch", min=1, help="Triplets of a step.")]
Part: TypeAlias = Annotated[
    int | None,
    Option(
        "--part",
        min=1,
        show_default="16; for in-batch the whole step, whose texts are its negatives",
        help="Triplets computed at a time; fewer need less memory.",
    ),
]


def train_encoder(
    index: Papers,
    out: Folder,
    split: IndexSplit = None,
    start: From = "minilm",
    pooling: OwnPooling = None,
    adapter: Adapter = 0,
    loss: LossName = "triplet",
    margin: Margin = None,
    hard: Hard = 2,
    near: Near = 0,
    every_paper: EveryPaper = False,
    epochs: EpochsOf = 2,
    rate: RateOrUsual = None,
    batch: Batch = 32,
    part: Part = None,
    dropout: Dropout = 0.0,
    max_length: MaxLength = None,
    steps: StepsAtMost = None,
    max_minutes: MaxMinutes = None,
    dev_queries: DevQueries = 200,
    dev_papers: DevPapers = 2000,
    device: OnDevice = "auto",
    precision: InNumbers = "auto",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Train an encoder on the citations of the train queries, stopped early on the dev queries.

    It learns to put a paper nearer to those that it cites than to others (SPECTER's objective).
    The folder is an ordinary Hugging Face one: `recsys build --encoder` takes it. `training.html`
    in it shows the curves of loss and dev. A killed training continues from its last checkpoint.
    """
    from recsys.app.answer_writing import note
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.pipelines.studies.encoders.train_encoder import train_encoder as train
    from recsys.pipelines.studies.encoders.training import Run, rank_of_process
    from recsys.pipelines.studies.encoders.triplets import Draw, Reading, Sample

    options = encoder_options(
        start, adapter, loss, margin=margin, rate=rate, max_length=max_length,
        device=device, precision=precision,
    )  # fmt: skip
    loop = replace(options.loop, epochs=epochs, batch=batch, part=part, steps=steps, seed=seed)
    draw = Draw(5, hard, near)
    options = replace(options, pooling=pooling, dropout=dropout, draw=draw, loop=loop)
    reading = Reading(every=every_paper, sample=Sample(dev_queries or None, dev_papers or None))
    quiet, asked = quiet or rank_of_process() > 0, index if split else None
    with damage_named(asked), shown_progress(quiet=quiet) as progress:
        run = Run(minutes=max_minutes, progress=progress)
        report = train(index, split, options, out, reading, run)
    note("\n".join(report.lines()), quiet=quiet)


def encoder_options(
    start: str,
    adapter: int,
    loss: Loss,
    *,
    margin: float | None,
    rate: float | None,
    max_length: int | None,
    device: Device,
    precision: Numbers,
) -> "EncoderOptions":
    """Put together what training an encoder and its ablations both ask for."""
    from recsys.pipelines.studies.encoders.train_encoder import (
        ADAPTER_RATE,
        RATE,
        EncoderOptions,
        LossOptions,
    )
    from recsys.pipelines.studies.encoders.training import LoopOptions, Pace

    usual = ADAPTER_RATE if adapter else RATE
    return EncoderOptions(
        start=start,
        loss=LossOptions(loss, margin),
        loop=LoopOptions(pace=Pace(usual if rate is None else rate)),
        lora=lora(adapter),
        max_length=max_length,
        device=device,
        half=half(precision),
    )
