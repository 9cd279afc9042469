"""What encoders are compared on: an index, a split of its papers, and papers with labels."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from recsys.errors import InputError
from recsys.indexes.opening import open_collection
from recsys.pipelines.corpora.collect import AS_TOLD
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.encoders.export_encoder import Precision
from recsys.pipelines.evaluation.splits import Split, read_split
from recsys.pipelines.index.ingest import ingest
from recsys.pipelines.jobs.finished_steps import check_out, once
from recsys.pipelines.jobs.per_query import OpenIndex
from recsys.pipelines.studies.probes.probe_papers import read_values
from recsys.pipelines.studies.scidocs.generator import GeneratorOptions, generate
from recsys.progress import Progress
from recsys.store.artifacts import CORPUS, fingerprint, replacing, sha256
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.generations import content_key, pin

ROWS, SUITE, LABELLED = "rows", "scidocs", "labelled"
PARTS = {"test": "test", "dev": "val"}
"""Parts of a split whose queries are asked -> the part of a suite that goes with it."""
_ALL, _SAMPLE, _FILE = "all", "sample", "sample.jsonl"


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
class Labelled:
    """corpus: all papers of the file. sample: those that are probed; file: the same, with labels.

    key: hash of all this.
    """

    corpus: Corpus
    sample: Corpus
    file: Path
    key: str


@dataclass(frozen=True, slots=True)
class Bench:
    """All that is the same for every encoder.

    split_file: of the split. cache: keeps exported encoders. suite: a generated directory of
    SciDocs' tasks; None where the papers give nothing for it, or it was not asked for. labelled:
    the papers of the probes. key: hash of index and split. encoder: hash of what made the index's
    own vectors. notes: what concerns all encoders.
    """

    split_file: Path
    options: CompareOptions
    out: Path
    cache: Path
    open_index: OpenIndex
    progress: Progress
    collection: Collection
    split: Split
    labelled: Labelled | None
    suite: Path | None
    key: str
    encoder: str
    notes: tuple[str, ...] = ()


def set_up(
    index: Path,
    split: Path,
    labelled: Path | None,
    options: CompareOptions,
    out: Path,
    *,
    cache: Path,
    open_index: OpenIndex,
    progress: Progress,
) -> Bench:
    """Read the files, and make what all encoders share, once.

    Raises:
        InputError: the labelled papers cannot be read.
        ArtifactError: the index cannot be opened.
        SplitError: the split does not fit the index, or its parts overlap.
    """
    collection = open_collection(index)  # One generation for all that is measured.
    parts = read_split(split, collection)
    (out / ROWS).mkdir(parents=True, exist_ok=True)
    key = fingerprint([content_key(collection.folder), sha256(split)])
    suite, notes = _suite(collection, parts, options, out, key, progress)
    return Bench(
        split_file=split,
        options=options,
        out=out,
        cache=cache,
        open_index=open_index,
        progress=progress,
        collection=collection,
        split=parts,
        labelled=None if labelled is None else read_labelled(labelled, options, out, progress),
        suite=suite,
        key=key,
        encoder=str(pin(collection.folder).manifest().config["encoder"]),
        notes=notes,
    )


def check(labelled: Path | None, options: CompareOptions, out: Path) -> None:
    """Refuse what cannot be compared, before any work is done.

    Raises:
        InputError: OUT holds something else, or an option or file cannot be used.
    """
    if options.part not in PARTS:
        raise InputError(f"There is no part {options.part!r} to ask.", "Give test or dev.")
    if (labelled is None) != (options.label is None):
        raise InputError(
            "Probes need papers and the name of their label.", "Give --labels with --label."
        )
    if labelled is not None and not labelled.is_file():
        raise InputError(f"There is no file of papers at {labelled}.", "Check the path.")
    check_out(out, ROWS, "comparison")


def read_labelled(papers: Path, options: CompareOptions, out: Path, progress: Progress) -> Labelled:
    """Read labelled papers and draw those that are probed, once for all encoders.

    Raises:
        InputError: the file cannot be read, or no paper has the label.
    """
    folder, label = out / LABELLED, options.label or ""
    key = fingerprint([sha256(papers), label, options.papers, options.seed])

    def read() -> dict[str, object]:
        with replacing(folder) as new:
            corpus = _ingested(papers, new / _ALL, progress)
            values = read_values(papers, label, progress)
            rows = np.array([row for row in map(corpus.row, sorted(values)) if row is not None])
            if len(rows) == 0:
                raise InputError(
                    f"No paper of {papers} with {label!r} can be used.", "Check their ids."
                )
            if options.papers is not None and options.papers < len(rows):
                rng = np.random.default_rng(options.seed)
                rows = np.sort(rng.choice(rows, options.papers, replace=False))
            sample = corpus.full_papers(rows.astype(np.int32))
            lines = (json.dumps(asdict(each), ensure_ascii=False) for each in sample)
            text = "".join(f"{line}\n" for line in lines)
            (new / _FILE).write_text(text, encoding="utf-8")
            _ingested(new / _FILE, new / _SAMPLE, progress)
        return {}

    once(out / f"{LABELLED}.json", key, read, gives=folder)
    every, sample = (Corpus.load(folder / name / CORPUS) for name in (_ALL, _SAMPLE))
    return Labelled(every, sample, folder / _FILE, key)


def _ingested(papers: Path, folder: Path, progress: Progress) -> Corpus:
    (folder / CORPUS).mkdir(parents=True)
    ingest(source_files([papers]), folder / CORPUS, AS_TOLD, progress=progress)
    return Corpus.load(folder / CORPUS)


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
