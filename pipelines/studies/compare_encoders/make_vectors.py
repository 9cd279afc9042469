"""The vectors of an encoder, made once; and how fast it makes them."""

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import InputError
from recsys.formats.embeddings import Embeddings, write_embeddings
from recsys.models.encoder import MODEL, OnnxEncoder, Text
from recsys.pipelines.encoders.checkpoints import MINILM
from recsys.pipelines.encoders.export_encoder import cached_encoder
from recsys.pipelines.index.encode import Here, encode_corpus
from recsys.pipelines.jobs.kept_results import once
from recsys.pipelines.studies.baselines.baseline_table import fit_baseline
from recsys.pipelines.studies.baselines.training_material import (
    Material,
    material_of,
    material_of_corpus,
)
from recsys.pipelines.studies.compare_encoders.comparison_bench import Bench
from recsys.pipelines.studies.compare_encoders.encoder_rows import Wanted
from recsys.pipelines.studies.compare_encoders.labelled_papers import Labelled
from recsys.progress import Progress
from recsys.protocols import Encoder
from recsys.store.artifacts import MANIFEST, fingerprint, sha256
from recsys.store.corpus import Corpus
from recsys.store.layout import NNSELECT
from recsys.store.vectors.stored_vectors import StoredVectors

SAMPLE = 64
"""Papers that are encoded to measure speed."""
ROUNDS = 5
BESIDE = MINILM
"""The encoder that takes turns with every other: it shows how fast the machine was."""


@dataclass(frozen=True, slots=True)
class Made:
    """What an encoder made of a corpus. size: bytes that the encoder stores."""

    encoder: Encoder
    vectors: StoredVectors
    size: int


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
        key = self._key(labelled.key)
        target = self.folder / "sample.npy"
        once(self.folder / "sample.json", key, lambda: self._make_sample(labelled), gives=target)
        return target

    def _key(self, papers: str) -> str:
        """Hash what the vectors of some papers depend on."""
        options, identity = self.bench.options, self.wanted.identity()
        if not self.wanted.is_baseline:
            return fingerprint([identity, options.precision, papers])
        trained = self.bench.files.index / NNSELECT / MANIFEST
        model = sha256(trained) if self.wanted.encoder == NNSELECT and trained.exists() else None
        return fingerprint([identity, options.dim, options.seed, model, papers])

    def _make_index(self) -> dict[str, Any]:
        bench = self.bench
        corpus = bench.collection.corpus
        if self.wanted.is_baseline:
            made = self._fitted(material_of(bench.collection, bench.split))
        else:
            made = self._encoded(corpus)
        self._write(corpus, made.vectors, "index")
        return {"size": made.size, **self._speed(_alone(made.encoder), corpus)}

    def _make_sample(self, labelled: Labelled) -> dict[str, Any]:
        """Encode the papers that are probed; a baseline learns from all papers of their file."""
        sample = labelled.sample
        vectors: StoredVectors
        if self.wanted.is_baseline:
            material = material_of_corpus(labelled.corpus)
            fitted = self._fitted(replace(material, index=self.bench.files.index))
            ids = (sample.ids[row] for row in range(len(sample)))
            vectors = np.asarray(fitted.vectors)[labelled.corpus.rows(ids)]
        else:
            vectors = self._encoded(sample).vectors
        self._write(sample, vectors, "sample")
        return {}

    def _fitted(self, material: Material) -> Made:
        options = self.bench.options
        fitted = fit_baseline(
            self._name, material, dim=options.dim, seed=options.seed, progress=self.progress
        )
        return Made(fitted.encoder, fitted.vectors, fitted.size)

    def _encoded(self, corpus: Corpus) -> Made:
        """Encode a corpus, or take what the index has; a killed run continues."""
        folder = self._exported(self._name)
        encoder = OnnxEncoder.load(folder, threads=self.bench.options.jobs)
        size = (folder / MODEL).stat().st_size
        if corpus is self.bench.collection.corpus and encoder.fingerprint == self.bench.encoder:
            return Made(encoder, self.bench.collection.vectors, size)
        vectors = encode_corpus(Here(encoder), corpus, self._shards, progress=self.progress)
        return Made(encoder, vectors, size)

    def _exported(self, name: str) -> Path:
        return cached_encoder(name, self.bench.around.cache, precision=self.bench.options.precision)

    @property
    def _name(self) -> str:
        if self.wanted.encoder is None:
            raise InputError(f"{self.wanted.name} has vectors only.", "Name its encoder.")
        return self.wanted.encoder

    @property
    def _shards(self) -> Path:
        return self.folder / "shards"

    def _write(self, corpus: Corpus, vectors: StoredVectors, name: str) -> None:
        ids = tuple(corpus.ids[row] for row in range(len(corpus)))
        write_embeddings(self.folder / f"{name}.npy", Embeddings(ids, vectors))
        shutil.rmtree(self._shards, ignore_errors=True)

    def _speed(self, encoder: Encoder, corpus: Corpus) -> dict[str, float]:
        """Measure papers a second, beside those of the encoder that is always there."""
        rng = np.random.default_rng(self.bench.options.seed)
        rows = np.sort(rng.choice(len(corpus), min(SAMPLE, len(corpus)), replace=False))
        records = corpus.texts().take(rows).to_pylist()
        texts = [(each["title"], each["abstract"]) for each in records]
        beside = OnnxEncoder.load(self._exported(BESIDE), threads=1)
        speed, other = speeds(encoder, beside, texts)
        return {"speed": speed, "beside": other}


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


def _alone(encoder: Encoder) -> Encoder:
    """Return the same encoder on one thread."""
    return replace(encoder, threads=1) if isinstance(encoder, OnnxEncoder) else encoder
