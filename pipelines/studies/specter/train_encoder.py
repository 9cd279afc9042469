"""Train an encoder on citations: from a checkpoint to an ordinary Hugging Face folder."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from recsys.errors import InputError, SplitError
from recsys.eval.studies.encoders.training_page import TRAINING, add_page, page_note
from recsys.pipelines.encoders.checkpoints import Checkpoint
from recsys.pipelines.encoders.export_encoder import Settings
from recsys.pipelines.jobs.kept_results import check_out
from recsys.pipelines.studies.citeomatic.network_training import device_of
from recsys.pipelines.studies.finetuning.encoder_training import LoopOptions, Run, train
from recsys.pipelines.studies.finetuning.student import StartOptions, Student, facts_of
from recsys.pipelines.studies.finetuning.training_history import Checkpoint as Partial
from recsys.pipelines.studies.finetuning.training_history import History
from recsys.pipelines.studies.finetuning.training_processes import joined
from recsys.pipelines.studies.specter.related import is_related_folder, read_related
from recsys.pipelines.studies.specter.triplet_sources import MEASURE, Reading, Source, read_index
from recsys.pipelines.studies.specter.triplet_task import EncoderTask, LossOptions, Shelf
from recsys.pipelines.studies.specter.triplets import Draw
from recsys.store.artifacts import MANIFEST, fingerprint, replacing, write_json

_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

RATE, ADAPTER_RATE = 2e-5, 2e-4
"""Usual learning rates of all weights (the paper's) and of an adapter."""
PART = 16
"""Triplets computed at a time, unless their texts are each other's negatives."""


@dataclass(frozen=True, slots=True)
class EncoderOptions(StartOptions):
    """What is trained from what, and how.

    loop: parts are of PART triplets if it does not say, for in-batch of a whole step. device:
    "cpu", "cuda" or "auto".
    """

    draw: Draw = field(default_factory=Draw)
    loss: LossOptions = field(default_factory=LossOptions)
    loop: LoopOptions = field(default_factory=LoopOptions)
    device: str = "auto"


@dataclass(frozen=True, slots=True)
class Trained:
    """An encoder with its training."""

    task: EncoderTask
    start: Checkpoint
    settings: Settings
    options: EncoderOptions
    history: History

    @property
    def size(self) -> int:
        """How many numbers are learned; none once an adapter is merged."""
        return sum(each.numel() for each in self.task.tower.learned().values())

    def save(self, folder: Path) -> None:
        """Write the encoder, what was trained of it alone if it is an adapter, and the history."""
        facts = self.facts()  # Saving merges the adapter.
        student = Student(self.start, self.settings, self.task.tower, self.options.lora)
        student.save(folder, self.task.seen(trained=self.history.changed))
        write_json(folder / TRAINING, facts)

    def facts(self) -> dict[str, Any]:
        """Write down what was done."""
        learned = [each.name for each, _, _ in islice(self.task.shelf, self.task.learned)]
        return facts_of(self.start, self.settings, self.history) | {
            "options": asdict(self.options),
            "learned_numbers": self.size,
            "sources": {each.name: list(each.hashes) for each, _, _ in self.task.shelf},
            "learned_from": learned,
            "measure": MEASURE,
        }


def fit(
    sources: Sequence[Source],
    options: EncoderOptions,
    partial: Path,
    run: Run,
    *,
    learned: int | None = None,
) -> Trained:
    """Train an encoder and leave it at its best.

    Args:
        sources: what it learns from.
        options: what is trained, and how.
        partial: file that an unfinished training continues from; it stays.
        run: how the training is run.
        learned: so many of the sources are learned from, the others only watched; None: all.

    Raises:
        ArtifactError: the checkpoint to start from cannot be read.
        InputError: an option does not make sense, or there are too few triplets.
    """
    trained = untrained(sources, options, run, learned=learned)
    task, hashes = trained.task, [source.hashes for source in sources]
    recipe = [_REVISION, hashes, learned, trained.start.weights_hash]
    where = [task.texts.device, task.texts.half, run.ranks.world]
    how = [asdict(trained.settings), asdict(options), *where]
    checkpoint, loop = Partial(partial, fingerprint([recipe, how])), options.loop
    if loop.part is None and options.loss.name != "in-batch":
        loop = replace(loop, part=PART)
    return replace(trained, history=train(task, loop, checkpoint, run))


def untrained(
    sources: Sequence[Source], options: EncoderOptions, run: Run, *, learned: int | None = None
) -> Trained:
    """Load what is to be trained, with what it is to learn from; see `fit`."""
    check_options(options)
    device = run.ranks.device
    student = Student.load(options, seed=options.loop.seed, device=device)
    texts = [text for source in sources for text in source.texts]
    task = EncoderTask(
        tower=student.tower,
        shelf=Shelf.of(sources),
        texts=student.read(texts, options, device=device, progress=run.progress),
        draw=options.draw,
        loss_options=options.loss,
        learned=learned,
    )
    return Trained(task, student.start, student.settings, options, History())


def check_options(options: EncoderOptions) -> None:
    """Refuse what cannot be meant.

    Raises:
        InputError: naming the option.
    """
    draw = options.draw
    if draw.hard + draw.near > draw.per_query:
        raise InputError(
            f"{draw.hard} hard and {draw.near} near negatives are more than the {draw.per_query} "
            "triplets of a query.",
            "Lower --hard or --near, or raise --per-query.",
        )
    if options.loss.margin is not None and options.loss.margin <= 0:
        raise InputError(
            f"A margin of {options.loss.margin} asks for nothing.", "Give a --margin above 0."
        )


@dataclass(frozen=True, slots=True)
class EncoderReport:
    """What was trained, and how good it is on dev. size: how many numbers were learned."""

    out: Path
    trained: Trained
    size: int

    def lines(self) -> list[str]:
        """Say it to people."""
        did = self.trained.history
        judge = self.trained.task.shelf.sources[0].judge
        kind = "all weights" if self.trained.options.lora is None else "an adapter"
        lines = [
            f"Trained {kind} ({self.size:,} numbers) on {did.examples:,} triplets in "
            f"{did.steps:,} steps, {did.per_second:,.1f} triplets per second.",
            f"On dev, by cosine alone: {MEASURE} {did.measures[0]:.4f} before, "
            f"{did.measures[did.best]:.4f} after step {did.checked[did.best]:,}, which was kept "
            f"({len(judge.queries):,} queries, {len(judge.papers):,} papers).",
        ]
        return [
            *lines,
            *did.notes(),
            page_note(self.out),
            f"Saved in {self.out}. Use it: `recsys build PAPERS --out DIR --encoder {self.out}`.",
        ]


def train_encoder(
    place: Path, split: Path | None, options: EncoderOptions, out: Path, reading: Reading, run: Run
) -> EncoderReport:
    """Train on train queries, stop on dev queries, write the encoder, report.

    A killed training continues from its last checkpoint if it is started in the same way.

    Args:
        place: an index, or a folder in SPECTER's format (see `related`), which needs no split.
        split: of the index.
        options: what is trained, and how.
        out: the folder to write; an encoder that was trained there before is replaced.
        reading: what is read of the papers.
        run: how the training is run; its processes are those that `torchrun` started.

    Raises:
        ArtifactError: the index or the checkpoint cannot be read.
        SplitError: the split does not fit the index, or its parts overlap.
        InputError: OUT holds something else, or an option does not make sense.
    """
    check_out(out, TRAINING, "encoder that recsys trained")
    source = read_source(place, split, reading)
    partial = out.with_name(f"{out.name}.partial.safetensors")
    with joined(device_of(options.device)) as ranks:
        trained = fit([source], options, partial, replace(run, ranks=ranks))
        size = trained.size
        if ranks.first:
            with replacing(out) as folder:
                trained.save(folder)
                add_page(folder, out.name)
            if not trained.history.stopped:
                partial.unlink()
    return EncoderReport(out, trained, size)


def read_source(place: Path, split: Path | None, reading: Reading) -> Source:
    """Read an index with its split, or a folder in SPECTER's format."""
    if is_related_folder(place) and not (place / MANIFEST).exists():
        return read_related(place, reading)
    if split is None:
        raise SplitError(
            f"Nothing tells which papers of {place} are train queries.", "Give --split FILE."
        )
    return read_index(place, split, reading)
