"""The encoders that are compared, by name or by vectors made elsewhere, and their vectors."""

import json
import re
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import InputError, check_name
from recsys.eval.studies.encoders.training_page import learned_from
from recsys.formats.embeddings import Embeddings, write_embeddings
from recsys.formats.embeddings.embedding_files import embedding_files
from recsys.indexes.opening import open_collection
from recsys.models.encoder import MODEL, OnnxEncoder, Text
from recsys.pipelines.corpora.collect import AS_TOLD
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.encoders.checkpoints import MINILM, files_of
from recsys.pipelines.encoders.export_encoder import Precision, cached_encoder
from recsys.pipelines.evaluation.splits import Split, read_split
from recsys.pipelines.index.encode import encode_corpus
from recsys.pipelines.index.ingest import ingest
from recsys.pipelines.index.paper_rows import texts_in
from recsys.pipelines.jobs.kept_results import OpenIndex, check_out, once
from recsys.pipelines.studies.baselines import (
    BASELINES,
    Material,
    check_encoder_name,
    fit_baseline,
    material_of,
    material_of_corpus,
)
from recsys.pipelines.studies.embedding_probes import read_values
from recsys.pipelines.studies.scidocs_generator import GeneratorOptions, generate
from recsys.protocols import Encoder, Progress
from recsys.store.artifacts import CORPUS, MANIFEST, NNSELECT, fingerprint, replacing, sha256
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.generations import content_key, pin
from recsys.store.vectors import StoredVectors

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


@dataclass(frozen=True)
class Bench:
    """All that is the same for every encoder; what it takes work to make is made once.

    index: as `build` writes it. labelled_file: papers of the probes; None: there are no probes.
    out: keeps all that need not be done again. cache: keeps exported encoders. open_index: opens an
    index that answers. progress: told about every step.
    """

    index: Path
    split_file: Path
    labelled_file: Path | None
    options: CompareOptions
    out: Path
    cache: Path
    open_index: OpenIndex
    progress: Progress

    def check(self) -> None:
        """Refuse what cannot be compared, before any work is done.

        Raises:
            InputError: OUT holds something else, or an option or file cannot be used.
        """
        labelled = self.labelled_file
        check_name(self.options.part, PARTS, "part")
        if (labelled is None) != (self.options.label is None):
            raise InputError(
                "Probes need papers and the name of their label.", "Give --labels with --label."
            )
        if labelled is not None and not labelled.is_file():
            raise InputError(f"There is no file of papers at {labelled}.", "Check the path.")
        check_out(self.out, ROWS, "comparison")

    @cached_property
    def collection(self) -> Collection:
        """The index: one generation for all that is measured."""
        return open_collection(self.index)

    @cached_property
    def split(self) -> Split:
        """The queries."""
        return read_split(self.split_file, self.collection)

    @cached_property
    def key(self) -> str:
        """Hash of index and split."""
        return fingerprint([content_key(self.collection.folder), sha256(self.split_file)])

    @cached_property
    def labelled(self) -> Labelled | None:
        """The papers of the probes: those that are probed are drawn once for all encoders.

        Raises:
            InputError: the file cannot be read, or no paper has the label.
        """
        if (papers := self.labelled_file) is None:
            return None
        options, folder, label = self.options, self.out / LABELLED, self.options.label or ""
        key = fingerprint([sha256(papers), label, options.papers, options.seed])

        def read() -> dict[str, object]:
            with replacing(folder) as new:
                corpus = self._ingested(papers, new / _ALL)
                values = read_values(papers, label, self.progress)
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
                self._ingested(new / _FILE, new / _SAMPLE)
            return {}

        once(self.out / f"{LABELLED}.json", key, read, gives=folder)
        every, sample = (Corpus.load(folder / name / CORPUS) for name in (_ALL, _SAMPLE))
        return Labelled(every, sample, folder / _FILE, key)

    def _ingested(self, papers: Path, folder: Path) -> Corpus:
        (folder / CORPUS).mkdir(parents=True)
        ingest(source_files([papers]), folder / CORPUS, AS_TOLD, progress=self.progress)
        return Corpus.load(folder / CORPUS)

    @cached_property
    def suite(self) -> tuple[Path | None, tuple[str, ...]]:
        """A directory of SciDocs' tasks, or why there is none; neither where nobody asks for it."""
        if not (queries := self.options.queries):
            return None, ()
        folder, seed = self.out / SUITE, self.options.seed

        def make() -> dict[str, object]:
            chosen = GeneratorOptions(queries=queries, split=self.split, seed=seed)
            try:
                report = generate(self.collection, folder, chosen, progress=self.progress)
            except InputError as error:
                return {"missing": str(error)}
            return {"tasks": dict(report.sizes)}

        made = once(self.out / f"{SUITE}.json", fingerprint([self.key, queries, seed]), make)
        if "missing" in made:
            return None, (f"SciDocs: {made['missing']}",)
        return folder, ()


_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

_UNFIT = re.compile(r"[^A-Za-z0-9._]+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """An encoder to compare.

    encoder: a name of `BASELINES`, `minilm`, a name on the hub, or a checkpoint's folder; None
    where there are only vectors. files: vectors of the index's papers, and of the labelled ones if
    there is a second file.
    """

    name: str
    encoder: str | None
    files: tuple[Path, ...] = ()

    @property
    def folder(self) -> str:
        """Name a folder for what is made of it."""
        return _UNFIT.sub("-", self.name).strip("-.") or "encoder"

    @property
    def is_baseline(self) -> bool:
        """Tell whether it is fit on the papers themselves."""
        return self.encoder in BASELINES

    @property
    def notes(self) -> tuple[str, ...]:
        """Say what has to be known of its figures, whatever they are."""
        baseline = BASELINES.get(self.encoder or "")
        if baseline is not None:
            return (baseline.note,) if baseline.note else ()
        sources = learned_from(Path(self.encoder).expanduser()) if self.encoder else ()
        if not sources:
            return ()
        names = ", ".join(sources)
        return (f"It has learned from {names}: its figures on these papers flatter it.",)

    def identity(self) -> str:
        """Hash what its vectors depend on beside the papers; a name on the hub stands for itself.

        Raises:
            InputError: a file of vectors cannot be read.
        """
        if self.encoder is None:
            hashes = [[sha256(path) for path in embedding_files(file)] for file in self.files]
            return fingerprint(hashes)
        files = None if self.is_baseline else files_of(self.encoder)
        return fingerprint([_REVISION, self.encoder if files is None else files])


def wanted(texts: Sequence[str]) -> tuple[Wanted, ...]:
    """Read what the user wrote: NAME, a folder, NAME=FOLDER, NAME=FILE or NAME=FILE,FILE.

    Raises:
        InputError: there is none, or two have one name.
    """
    if not texts:
        raise InputError("There are no encoders to compare.", "Name some with --encoder.")
    found: dict[str, Wanted] = {}
    for text in texts:
        name, equals, files = text.partition("=")
        paths = tuple(Path(file.strip()) for file in files.split(",") if file.strip())
        if not (name and equals) or Path(text).exists():  # A path may have a "=" in it.
            check_encoder_name(text)
            folder = Path(text).expanduser()
            each = Wanted(folder.resolve().name if folder.is_dir() else text, text)
        elif len(paths) == 1 and (paths[0] / "config.json").is_file():
            each = Wanted(name, str(paths[0]))
        elif 1 <= len(paths) <= 2:
            each = Wanted(name, None, paths)
        else:
            raise InputError(
                f"{text!r} names {len(paths)} files.",
                "Write NAME=FOLDER for an encoder, or NAME=FILE for vectors of the index; in "
                "NAME=FILE,FILE the second one is of labelled papers.",
            )
        if each.folder in found:
            raise InputError(
                f"Two encoders are called {each.name!r}, or nearly so.",
                "Give each once; write NAME=FILE for vectors of another name.",
            )
        found[each.folder] = each
    return tuple(found.values())


SHARDS, SAMPLE = "shards", 64
"""Papers that are encoded to measure speed."""
ROUNDS = 5
BESIDE = MINILM
"""The encoder that takes turns with every other: it shows how fast the machine was."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes the vectors of one encoder. folder: keeps them. progress: of the row."""

    wanted: Wanted
    bench: Bench
    folder: Path
    progress: Progress

    def of_index(self) -> tuple[Path, dict[str, Any]]:
        """Give the file of the index's vectors, and what is known of the encoder."""
        if self.wanted.encoder is None:
            return self.wanted.files[0], {}
        target, key = self.folder / "index.npy", self._key(self.bench.key)
        return target, once(self.folder / "index.json", key, self._make_index, gives=target)

    def of_sample(self, labelled: Labelled) -> Path | None:
        """Give the file of vectors of the papers that are probed; None where there is none."""
        if self.wanted.encoder is None:
            return self.wanted.files[1] if len(self.wanted.files) > 1 else None
        key, target = self._key(labelled.key), self.folder / "sample.npy"
        once(self.folder / "sample.json", key, lambda: self._make_sample(labelled), gives=target)
        return target

    def _key(self, papers: str) -> str:
        """Hash what the vectors of some papers depend on."""
        options, identity = self.bench.options, self.wanted.identity()
        if not self.wanted.is_baseline:
            return fingerprint([identity, options.precision, papers])
        trained = self.bench.collection.folder / NNSELECT / MANIFEST
        model = sha256(trained) if self.wanted.encoder == NNSELECT and trained.exists() else None
        return fingerprint([identity, options.dim, options.seed, model, papers])

    def _make_index(self) -> dict[str, Any]:
        """Encode the index's papers, and measure speed beside the encoder that is always there."""
        bench, corpus = self.bench, self.bench.collection.corpus
        encoder, size = self._write(
            "index", corpus, corpus, lambda: material_of(bench.collection, bench.split)
        )
        rng = np.random.default_rng(bench.options.seed)
        rows = np.sort(rng.choice(len(corpus), min(SAMPLE, len(corpus)), replace=False))
        if isinstance(encoder, OnnxEncoder):
            encoder = replace(encoder, threads=1)
        beside = OnnxEncoder.load(self._exported(BESIDE), threads=1)
        speed, other = speeds(encoder, beside, texts_in(corpus, rows))
        return {"size": size, "speed": speed, "beside": other}

    def _make_sample(self, labelled: Labelled) -> dict[str, Any]:
        """Encode the papers that are probed; a baseline learns from all papers of their file."""
        index = self.bench.collection.folder
        self._write(
            "sample",
            labelled.sample,
            labelled.corpus,
            lambda: replace(material_of_corpus(labelled.corpus), index=index),
        )
        return {}

    def _write(
        self, name: str, corpus: Corpus, every: Corpus, material: Callable[[], Material]
    ) -> tuple[Encoder, int]:
        """Write the vectors of a corpus; a killed run continues.

        every: what a baseline learns from, as material; it holds the papers of the corpus.

        Returns:
            The encoder, and the bytes that it stores.
        """
        options, index = self.bench.options, self.bench.collection
        ids = tuple(corpus.ids[row] for row in range(len(corpus)))
        shards, made_by = self.folder / SHARDS, str(self.wanted.encoder)
        encoder: Encoder
        vectors: StoredVectors
        if self.wanted.is_baseline:
            fitted = fit_baseline(
                made_by, material(), dim=options.dim, seed=options.seed, progress=self.progress
            )
            encoder, vectors, size = fitted.encoder, fitted.vectors, fitted.size
            if every is not corpus:
                vectors = np.asarray(vectors)[every.rows(ids)]
        else:
            folder = self._exported(made_by)
            encoder = OnnxEncoder.load(folder, threads=options.jobs)
            vectors, size = index.vectors, (folder / MODEL).stat().st_size
            of_index = str(pin(index.folder).manifest().config["encoder"])
            if corpus is not index.corpus or encoder.fingerprint != of_index:
                vectors = encode_corpus(encoder, corpus, shards, progress=self.progress)
        write_embeddings(self.folder / f"{name}.npy", Embeddings(ids, vectors))
        shutil.rmtree(shards, ignore_errors=True)
        return encoder, size

    def _exported(self, name: str) -> Path:
        return cached_encoder(name, self.bench.cache, precision=self.bench.options.precision)


def speeds(one: Encoder, other: Encoder, texts: Sequence[Text]) -> tuple[float, float]:
    """Measure the texts a second that each encoder encodes, in turns; the median over the rounds.

    Time of the processor counts, which other programs do not use up.
    """
    rounds = [(_seconds(one, texts), _seconds(other, texts)) for _ in range(ROUNDS)]
    mine, beside = np.median(rounds, axis=0).tolist()
    return len(texts) / mine, len(texts) / beside


def _seconds(encoder: Encoder, texts: Sequence[Text]) -> float:
    begun = time.process_time()
    encoder.encode(texts)
    return max(time.process_time() - begun, 1e-6)
