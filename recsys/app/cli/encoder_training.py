"""Encoders: train them by SPECTER's objective or on journals, and ablate them.

Args:
    papers: File of papers as `recsys build` reads it, or an index.
    rows: Rows of the table to run, separated by commas. Default: all.
    label: Class to predict: venue, keyphrases, or labels.NAME of the papers' labels.
    min_count: Minimum number of papers per class.
    max_count: Maximum number of papers per class, drawn at random.
    start: Encoder to start from: `minilm`, `random`, a Hugging Face name, or a local directory.
    adapter: Rank of a LoRA adapter, which leaves the encoder's own weights unchanged; 0 trains all
        weights.
    loss: SPECTER's, the same for unit vectors, or in-batch.
    margin: Margin between a positive and a negative. Default: 1, or 0.1 for unit vectors.
    epochs: Number of epochs.
    rate: Peak learning rate, reached after a tenth of the steps.
    batch: Papers per step.
    part: Papers computed at a time; fewer need less memory. Default: the whole step.
    dropout: Dropout rate.
    max_length: Maximum number of tokens per text in training; fewer are faster. Default: the
        encoder's own.
    steps: Maximum number of steps. Default: all.
    max_minutes: Stop after this many minutes; the same command continues. Default: none.
    dev_queries: Number of dev queries to ask; 0 for all.
    dev_papers: Number of papers ranked for them, the relevant ones among them; 0 for all.
    precision: Number format; auto is bf16 on a GPU, else f32.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from typer import Argument, Option

from recsys.app.cli.options import (
    AtLeastOne,
    Device,
    Folder,
    Index,
    IndexPlace,
    OwnPooling,
    ResultFormat,
    Seed,
    Split,
    names_in,
    shown_work,
    tell,
)
from recsys.app.terminal import emit, made, note, shown_progress

if TYPE_CHECKING:
    from recsys.pipelines.studies.encoders.tower import LoraOptions

Numbers: TypeAlias = Literal["auto", "f32", "bf16"]
"""In which numbers products are computed."""
From: TypeAlias = Annotated[str, Option("--from", metavar="NAME")]
Adapter: TypeAlias = Annotated[int, Option(metavar="RANK", min=0)]
Dropout: TypeAlias = Annotated[float, Option(min=0.0, max=0.99)]
MaxLength: TypeAlias = Annotated[int | None, Option(metavar="TOKENS")]
StepsAtMost: TypeAlias = Annotated[int | None, Option(min=1)]
MaxMinutes: TypeAlias = Annotated[float | None, Option(min=0.0)]


def half(numbers: Numbers) -> bool | None:
    """Whether to compute in bf16; None lets the device decide."""
    return None if numbers == "auto" else numbers == "bf16"


def lora(rank: int) -> "LoraOptions | None":
    """Describe an adapter of this rank; 0: there is none."""
    from recsys.pipelines.studies.encoders.tower import LoraOptions

    return LoraOptions(rank, 2.0 * rank) if rank else None


Loss: TypeAlias = Literal["triplet", "unit-triplet", "in-batch"]
"""What is minimised: the names of `recsys.pipelines.studies.encoders.train_encoder`."""
Margin: TypeAlias = Annotated[float | None, Option(min=0.0)]
RateOrUsual: TypeAlias = Annotated[
    float | None, Option(min=0.0, show_default="2e-5, 2e-4 for an adapter")
]
DevSample: TypeAlias = Annotated[int, Option(min=0)]


def train_encoder(
    index: Annotated[Path, IndexPlace(), Argument(metavar="INDEX")],
    out: Folder,
    split: Annotated[Path | None, Option(metavar="FILE")] = None,
    start: From = "minilm",
    pooling: OwnPooling = None,
    adapter: Adapter = 0,
    loss: Loss = "triplet",
    margin: Margin = None,
    hard: Annotated[int, Option(min=0)] = 2,
    near: Annotated[int, Option(min=0)] = 0,
    every_paper: bool = False,
    epochs: AtLeastOne = 2,
    rate: RateOrUsual = None,
    batch: AtLeastOne = 32,
    part: Annotated[int | None, Option(min=1)] = None,
    dropout: Dropout = 0.0,
    max_length: MaxLength = None,
    steps: StepsAtMost = None,
    max_minutes: MaxMinutes = None,
    dev_queries: DevSample = 200,
    dev_papers: DevSample = 2000,
    device: Device = "auto",
    precision: Numbers = "auto",
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Train an encoder on citations (SPECTER's objective).

    It learns to put a paper closer to those that it cites than to others, on the train queries, and
    is stopped early on the dev queries. The folder is a Hugging Face model that `recsys build
    --encoder` takes; its `training.html` shows the training curves. If interrupted, run the same
    command again to continue from the last checkpoint.

    Args:
        index: Index to train on, or a directory in SPECTER's format.
        split: JSON file with the paper ids of the train, dev and test queries of an index.
        hard: Hard negatives among a query's 5 triplets: papers cited by what it cites.
        near: Nearby negatives among a query's 5 triplets, searched anew in each epoch.
        every_paper: Train on all papers that are not newer than the train queries.
        epochs: Number of epochs.
        batch: Triplets per step.
        part: Triplets computed at a time; fewer need less memory. Default: 16, or the whole step
            for in-batch, whose texts are its negatives.
    """
    from recsys.pipelines.studies.encoders import train_encoder as job
    from recsys.pipelines.studies.encoders.training import LoopOptions, Pace, Run, rank_of_process
    from recsys.pipelines.studies.encoders.triplets import Draw, Reading, Sample

    usual = job.ADAPTER_RATE if adapter else job.RATE
    pace = Pace(usual if rate is None else rate)
    options = job.EncoderOptions(
        start, pooling, lora(adapter), dropout, max_length, half(precision),
        Draw(5, hard, near), job.LossOptions(loss, margin),
        LoopOptions(epochs, batch, part, pace, steps=steps, seed=seed), device,
    )  # fmt: skip
    reading = Reading(every=every_paper, sample=Sample(dev_queries or None, dev_papers or None))
    quiet, asked = quiet or rank_of_process() > 0, index if split else None
    with shown_work(asked, quiet=quiet) as progress:
        run = Run(minutes=max_minutes, progress=progress)
        report = job.train_encoder(index, split, options, out, reading, run)
    tell(report.lines(), quiet=quiet)


LabelledPapers: TypeAlias = Annotated[Path, Argument(metavar="PAPERS")]
Label: TypeAlias = Annotated[str, Option(metavar="NAME")]
ClassSize: TypeAlias = Annotated[int, Option(min=2)]
JournalRate: TypeAlias = Annotated[
    float | None, Option(min=0.0, show_default="5e-5, 2e-4 for an adapter")
]
PapersAtATime: TypeAlias = Annotated[int | None, Option(min=1)]


def ablate_encoder(
    index: Index,
    split: Split,
    out: Folder,
    rows: Annotated[str, Option(metavar="NAMES")] = "",
    start: From = "minilm",
    other_start: Annotated[str | None, Option(metavar="NAME")] = None,
    adapter: Adapter = 0,
    loss: Loss = "triplet",
    margin: Margin = None,
    rate: RateOrUsual = None,
    steps: AtLeastOne = 200,
    max_length: MaxLength = None,
    dev_queries: DevSample = 200,
    dev_papers: DevSample = 2000,
    output: Annotated[ResultFormat, Option("--format")] = "table",
    device: Device = "auto",
    precision: Numbers = "auto",
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Train an encoder without each part of SPECTER's recipe.

    Shows on dev what each part contributes. Each row is trained for a few steps only, unless
    --steps says otherwise. Finished rows are not trained again. `ablations.html` in the folder adds
    the training curves.

    Args:
        other_start: Another encoder to start from, as an additional row. Default: none.
        steps: Maximum number of steps per row.
        output: Format of the table.
    """
    from recsys.eval.report.page import FORMATS
    from recsys.pipelines.studies.citeomatic.network_training import device_of
    from recsys.pipelines.studies.encoders import encoder_ablations, train_encoder
    from recsys.pipelines.studies.encoders.training import LoopOptions, Pace, Ranks, Run
    from recsys.pipelines.studies.encoders.triplets import Reading, Sample

    usual = train_encoder.ADAPTER_RATE if adapter else train_encoder.RATE
    pace = Pace(usual if rate is None else rate)
    encoder = train_encoder.EncoderOptions(
        start, lora=lora(adapter), max_length=max_length, half=half(precision),
        loss=train_encoder.LossOptions(loss, margin),
        loop=LoopOptions(pace=pace, steps=steps, seed=seed), device=device,
    )  # fmt: skip
    reading = Reading(sample=Sample(dev_queries or None, dev_papers or None))
    chosen = names_in(rows) or ()
    full = encoder_ablations.Row(encoder, reading)
    with shown_work(index, quiet=quiet) as progress:
        run = Run(Ranks(device=device_of(device)), progress=progress)
        page = encoder_ablations.ablate(
            index, split, full, out, run, chosen=chosen, other=other_start
        )
    note(f"Written to {out}.", quiet=quiet)
    emit(FORMATS[output](page))


def train_journal(
    papers: LabelledPapers,
    out: Folder,
    label: Label = "venue",
    min_count: ClassSize = 100,
    max_count: ClassSize = 300,
    unseen: Annotated[float, Option(metavar="SHARE", min=0.0, max=1.0)] = 0.0,
    start: From = "minilm",
    pooling: OwnPooling = None,
    adapter: Adapter = 0,
    epochs: AtLeastOne = 1,
    rate: JournalRate = None,
    batch: AtLeastOne = 32,
    part: PapersAtATime = None,
    dropout: Dropout = 0.0,
    max_length: MaxLength = None,
    steps: StepsAtMost = None,
    max_minutes: MaxMinutes = None,
    device: Device = "auto",
    precision: Numbers = "auto",
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Train an encoder to predict journals (MIReAD's objective).

    It is stopped early on held-out papers. The folder is a Hugging Face model without the
    classifier, for `recsys embed --encoder` and `recsys build --encoder`. If interrupted, run the
    same command again to continue from the last checkpoint.

    Args:
        unseen: Share of the classes that --seed keeps out of training, for `recsys study probe`
            with the same --unseen and --seed.
    """
    from recsys.pipelines.studies.encoders import train_journal as job
    from recsys.pipelines.studies.encoders.tower import StartOptions
    from recsys.pipelines.studies.encoders.train_journal import ClassOptions
    from recsys.pipelines.studies.encoders.training import LoopOptions, Pace, Run, rank_of_process

    usual = job.ADAPTER_RATE if adapter else job.RATE
    pace = Pace(usual if rate is None else rate)
    options = job.JournalOptions(
        StartOptions(start, pooling, lora(adapter), dropout, max_length, half(precision)),
        ClassOptions(label, min_count, max_count, unseen, seed=seed),
        LoopOptions(epochs, batch, part, pace, steps=steps, seed=seed),
        device,
    )
    quiet = quiet or rank_of_process() > 0
    with shown_progress(quiet=quiet) as progress:
        run = Run(minutes=max_minutes, progress=progress)
        report = job.train_journal(papers, options, out, run)
    tell(report.lines(), quiet=quiet)


def ablate_journal(
    papers: LabelledPapers,
    out: Folder,
    label: Label = "venue",
    shares: Annotated[str, Option(metavar="SHARES")] = "0.25,0.5,1",
    seeds: AtLeastOne = 3,
    unseen: Annotated[float, Option(metavar="SHARE", min=0.0, max=1.0)] = 0.3,
    min_count: ClassSize = 100,
    max_count: ClassSize = 300,
    asked: Annotated[int, Option(min=4)] = 20,
    asked_most: Annotated[int | None, Option(min=4)] = None,
    runs: AtLeastOne = 3,
    start: From = "minilm",
    pooling: OwnPooling = None,
    adapter: Adapter = 0,
    epochs: AtLeastOne = 1,
    rate: JournalRate = None,
    batch: AtLeastOne = 32,
    part: PapersAtATime = None,
    dropout: Dropout = 0.0,
    max_length: MaxLength = None,
    output: Annotated[ResultFormat, Option("--format")] = "table",
    device: Device = "auto",
    precision: Numbers = "auto",
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Train on shares of the journals and test on the others.

    Each encoder is probed on papers of journals that it has not seen, with many labels and with
    few. Finished encoders are not trained again. `journals.html` in the folder shows the curve.

    Args:
        shares: Shares of the classes to train on, separated by commas.
        seeds: Number of seeds, from --seed on; each holds out other classes.
        unseen: Share of the classes that each seed holds out.
        asked: Minimum number of papers of an unseen class.
        asked_most: Maximum number of papers of an unseen class, drawn at random. Default: all.
        runs: Runs of the linear model, each with other folds.
        output: Format of the tables.
    """
    from recsys.eval.report.page import FORMATS
    from recsys.pipelines.studies.citeomatic.network_training import device_of
    from recsys.pipelines.studies.encoders import journal_study, tower, train_journal, training

    usual = train_journal.ADAPTER_RATE if adapter else train_journal.RATE
    pace = training.Pace(usual if rate is None else rate)
    each = train_journal.JournalOptions(
        tower.StartOptions(start, pooling, lora(adapter), dropout, max_length, half(precision)),
        train_journal.ClassOptions(label, min_count, max_count, unseen, seed=seed),
        training.LoopOptions(epochs, batch, part, pace, checks=1, seed=seed),
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
