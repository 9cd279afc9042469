"""Train an encoder on citations, and write it as an ordinary Hugging Face folder."""

from dataclasses import dataclass, replace
from pathlib import Path

from recsys.errors import SplitError
from recsys.eval.studies.encoders.training_page import add_page, page_note
from recsys.pipelines.studies.citeomatic.network_training import device_of
from recsys.pipelines.studies.finetuning.encoder_training import Run
from recsys.pipelines.studies.finetuning.student import check_out
from recsys.pipelines.studies.finetuning.training_processes import joined
from recsys.pipelines.studies.specter.dev_recall import MEASURE
from recsys.pipelines.studies.specter.fitting import EncoderOptions, Trained, fit
from recsys.pipelines.studies.specter.related import is_related_folder, read_related
from recsys.pipelines.studies.specter.triplet_sources import Reading, Source, read_index
from recsys.store.artifacts import MANIFEST, replacing


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
    check_out(out)
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
