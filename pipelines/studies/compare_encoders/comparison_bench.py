"""What encoders are compared on: an index, a split of its papers, and papers with labels."""

from dataclasses import dataclass, replace
from pathlib import Path

from recsys.errors import InputError
from recsys.indexes.opening import open_collection
from recsys.pipelines.encoders.export_encoder import Precision
from recsys.pipelines.evaluation.splits import Split, read_split
from recsys.pipelines.jobs.kept_results import OpenIndex, once
from recsys.pipelines.studies.compare_encoders.labelled_papers import (
    Labelled,
    Labels,
    read_labelled,
)
from recsys.pipelines.studies.scidocs.generator import GeneratorOptions, generate
from recsys.progress import Progress, silent
from recsys.store.artifacts import fingerprint, sha256
from recsys.store.collection import Collection
from recsys.store.generations import content_key, pin

ROWS, SUITE = "rows", "scidocs"
PARTS = {"test": "test", "dev": "val"}
"""Parts of a split whose queries are asked -> the part of a suite that goes with it."""


@dataclass(frozen=True, slots=True)
class Files:
    """index: as `build` writes it. labelled: a file of papers; None: no probes."""

    index: Path
    split: Path
    labelled: Path | None = None


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How encoders are compared.

    part: whose queries are asked, "test" or "dev". label: what the classes of the probes are.
    papers: labelled ones at most, drawn by chance; None: all. least: papers of a class. queries: of
    each ranking task of the suite, at most. reference: the encoder that the others are tested
    against; None: minilm, else the first. dim: of baselines. jobs: processes; None: one per
    processor.
    """

    part: str = "test"
    label: str | None = None
    papers: int | None = None
    least: int = 20
    queries: int = 500
    reference: str | None = None
    dim: int = 300
    precision: Precision = "int8"
    seed: int = 0
    jobs: int | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where exported encoders are kept, how an index is opened, who is told of progress."""

    cache: Path
    open_index: OpenIndex
    progress: Progress = silent


@dataclass(frozen=True, slots=True)
class Bench:
    """All that is the same for every encoder.

    suite: a generated directory of SciDocs' tasks; None where the papers give nothing for it, or it
    was not asked for. labelled: the papers of the probes. key: hash of index and split.
    encoder: hash of what made the index's own vectors. notes: what concerns all encoders.
    """

    files: Files
    options: CompareOptions
    out: Path
    around: Surroundings
    collection: Collection
    split: Split
    labelled: Labelled | None
    suite: Path | None
    key: str
    encoder: str
    notes: tuple[str, ...] = ()


def set_up(files: Files, options: CompareOptions, out: Path, around: Surroundings) -> Bench:
    """Read the files, and make what all encoders share, once.

    Raises:
        InputError: the labelled papers cannot be read.
        ArtifactError: the index cannot be opened.
        SplitError: the split does not fit the index, or its parts overlap.
    """
    collection = open_collection(files.index)
    split = read_split(files.split, collection)
    (out / ROWS).mkdir(parents=True, exist_ok=True)
    files = replace(files, index=collection.folder)  # One generation for all that is measured.
    key = fingerprint([content_key(files.index), sha256(files.split)])
    suite, notes = _suite(collection, split, options, out, key, around.progress)
    labelled = None
    if files.labelled is not None and options.label is not None:
        labels = Labels(files.labelled, options.label, options.papers, options.seed)
        labelled = read_labelled(labels, out, around.progress)
    encoder = str(pin(files.index).manifest().config["encoder"])
    return Bench(
        files, options, out, around, collection, split, labelled, suite, key, encoder, notes
    )


def check(files: Files, options: CompareOptions, out: Path) -> None:
    """Refuse what cannot be compared, before any work is done.

    Raises:
        InputError: OUT holds something else, or an option or file cannot be used.
    """
    if options.part not in PARTS:
        raise InputError(f"There is no part {options.part!r} to ask.", "Give test or dev.")
    if (files.labelled is None) != (options.label is None):
        raise InputError(
            "Probes need papers and the name of their label.", "Give --labels with --label."
        )
    if files.labelled is not None and not files.labelled.is_file():
        raise InputError(f"There is no file of papers at {files.labelled}.", "Check the path.")
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / ROWS).is_dir()):
        raise InputError(
            f"{out} exists and holds no comparison.", "Give another --out, or move it away."
        )
    if not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent} to write into.", "Create it first.")


def _suite(
    collection: Collection,
    split: Split,
    options: CompareOptions,
    out: Path,
    key: str,
    progress: Progress,
) -> tuple[Path | None, tuple[str, ...]]:
    """Generate the suite; tell why there is none."""
    if not options.queries:
        return None, ()
    folder = out / SUITE
    chosen = GeneratorOptions(queries=options.queries, split=split, seed=options.seed)

    def make() -> dict[str, object]:
        try:
            report = generate(collection, folder, chosen, progress=progress)
        except InputError as error:
            return {"missing": str(error)}
        return {"tasks": dict(report.sizes)}

    made = once(out / f"{SUITE}.json", fingerprint([key, options.queries, options.seed]), make)
    return (None, (f"SciDocs: {made['missing']}",)) if "missing" in made else (folder, ())
