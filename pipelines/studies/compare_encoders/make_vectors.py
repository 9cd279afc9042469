"""The encoders that are compared, by name or by vectors made elsewhere, and their vectors."""

import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import InputError
from recsys.eval.studies.encoders.training_page import learned_from
from recsys.formats.embeddings import Embeddings, write_embeddings
from recsys.formats.embeddings.embedding_files import embedding_files
from recsys.models.encoder import MODEL, OnnxEncoder, Text
from recsys.pipelines.encoders.checkpoints import MINILM, files_of
from recsys.pipelines.encoders.export_encoder import cached_encoder
from recsys.pipelines.index.encode import encode_corpus
from recsys.pipelines.index.shard_encoders import Here
from recsys.pipelines.jobs.finished_steps import once
from recsys.pipelines.studies.baselines.baseline_table import (
    BASELINES,
    check_encoder_name,
    fit_baseline,
)
from recsys.pipelines.studies.baselines.material import (
    Fitted,
    Material,
    material_of,
    material_of_corpus,
)
from recsys.pipelines.studies.compare_encoders.comparison_bench import Bench, Labelled
from recsys.progress import Progress
from recsys.protocols import Encoder
from recsys.store.artifacts import MANIFEST, NNSELECT, fingerprint, sha256
from recsys.store.corpus import Corpus
from recsys.store.vectors import StoredVectors

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
    for each in map(_one, texts):
        if each.folder in found:
            raise InputError(
                f"Two encoders are called {each.name!r}, or nearly so.",
                "Give each once; write NAME=FILE for vectors of another name.",
            )
        found[each.folder] = each
    return tuple(found.values())


def _one(text: str) -> Wanted:
    name, equals, files = text.partition("=")
    if not (name and equals) or Path(text).exists():  # A path may have a "=" in it.
        check_encoder_name(text)
        folder = Path(text).expanduser()
        return Wanted(folder.resolve().name if folder.is_dir() else text, text)
    paths = tuple(Path(file.strip()) for file in files.split(",") if file.strip())
    if len(paths) == 1 and (paths[0] / "config.json").is_file():
        return Wanted(name, str(paths[0]))
    if not 1 <= len(paths) <= 2:
        raise InputError(
            f"{text!r} names {len(paths)} files.",
            "Write NAME=FOLDER for an encoder, or NAME=FILE for vectors of the index; in "
            "NAME=FILE,FILE the second one is of labelled papers.",
        )
    return Wanted(name, None, paths)


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
        bench = self.bench
        corpus = bench.collection.corpus
        encoder: Encoder
        vectors: StoredVectors
        if self.wanted.is_baseline:
            fitted = self._fitted(material_of(bench.collection, bench.split))
            encoder, vectors, size = fitted.encoder, fitted.vectors, fitted.size
        else:
            encoder, vectors, size = self._encoded(corpus)
        self._write(corpus, vectors, "index")
        rng = np.random.default_rng(bench.options.seed)
        rows = np.sort(rng.choice(len(corpus), min(SAMPLE, len(corpus)), replace=False))
        records = corpus.texts().take(rows).to_pylist()
        texts = [(each["title"], each["abstract"]) for each in records]
        if isinstance(encoder, OnnxEncoder):
            encoder = replace(encoder, threads=1)
        beside = OnnxEncoder.load(self._exported(BESIDE), threads=1)
        speed, other = speeds(encoder, beside, texts)
        return {"size": size, "speed": speed, "beside": other}

    def _make_sample(self, labelled: Labelled) -> dict[str, Any]:
        """Encode the papers that are probed; a baseline learns from all papers of their file."""
        sample = labelled.sample
        vectors: StoredVectors
        if self.wanted.is_baseline:
            material = material_of_corpus(labelled.corpus)
            fitted = self._fitted(replace(material, index=self.bench.collection.folder))
            ids = (sample.ids[row] for row in range(len(sample)))
            vectors = np.asarray(fitted.vectors)[labelled.corpus.rows(ids)]
        else:
            _, vectors, _ = self._encoded(sample)
        self._write(sample, vectors, "sample")
        return {}

    def _fitted(self, material: Material) -> Fitted:
        options, name = self.bench.options, str(self.wanted.encoder)
        dim, seed = options.dim, options.seed
        return fit_baseline(name, material, dim=dim, seed=seed, progress=self.progress)

    def _encoded(self, corpus: Corpus) -> tuple[Encoder, StoredVectors, int]:
        """Encode a corpus, or take what the index has; a killed run continues.

        The third is the bytes that the encoder stores.
        """
        folder = self._exported(str(self.wanted.encoder))
        encoder = OnnxEncoder.load(folder, threads=self.bench.options.jobs)
        size = (folder / MODEL).stat().st_size
        if corpus is self.bench.collection.corpus and encoder.fingerprint == self.bench.encoder:
            return encoder, self.bench.collection.vectors, size
        shards = self.folder / SHARDS
        return encoder, encode_corpus(Here(encoder), corpus, shards, progress=self.progress), size

    def _exported(self, name: str) -> Path:
        return cached_encoder(name, self.bench.cache, precision=self.bench.options.precision)

    def _write(self, corpus: Corpus, vectors: StoredVectors, name: str) -> None:
        ids = tuple(corpus.ids[row] for row in range(len(corpus)))
        write_embeddings(self.folder / f"{name}.npy", Embeddings(ids, vectors))
        shutil.rmtree(self.folder / SHARDS, ignore_errors=True)


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
