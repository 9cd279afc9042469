"""Build an index from a file of papers, stage by stage; finished stages survive a kill."""

import fcntl
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexes.backends import DEFAULT, backend, build_index, summary
from indexes.bm25 import Bm25Index
from pipelines.encoders.checkpoints import MINILM
from pipelines.encoders.export_encoder import Precision, cached_encoder
from pipelines.index.encode import encode_corpus
from pipelines.index.external_vectors import Built, external_lines, take
from pipelines.index.ingest import ingest
from recsys.errors import ArtifactError, CorpusError, InputError
from recsys.formats.embeddings.embedding_files import embedding_files
from recsys.models.encoder import OnnxEncoder
from recsys.progress import Progress, silent
from recsys.stage_one.options import StageOne
from recsys.store.artifacts import (
    MANIFEST,
    fingerprint,
    load_manifest,
    put_in_place,
    seal,
    sha256,
    write_json,
)
from recsys.store.corpus import Corpus
from recsys.store.layout import (
    CORPUS,
    ENCODER,
    INDEX_KIND,
    INDEX_SCHEMA,
    TEXT,
    VECTOR_FILE,
    VECTORS,
)
from recsys.store.terms import TermStore

FACTS = "facts.json"
"""What a stage has to say to the manifest and the report, kept for a build that is resumed."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How an index is built.

    encoder: None only with embeddings: drafts are then placed by their words. pooling None: the
    encoder's own. embeddings: a file of vectors that were made elsewhere. vectors: what searches
    them, see `indexes.backends`. force: replace another index.
    """

    encoder: str | None = MINILM
    pooling: str | None = None
    precision: Precision = "int8"
    embeddings: Path | None = None
    vectors: str = DEFAULT
    force: bool = False

    def __post_init__(self) -> None:
        backend(self.vectors)  # Before hours of work.
        if self.encoder is None and self.embeddings is None:
            raise InputError("There are neither vectors nor an encoder.", "Name an encoder.")

    def recipe(self) -> dict[str, Any]:
        """Write out what the index depends on; the content of the embeddings, not their path."""
        chosen = {"encoder": self.encoder, "pooling": self.pooling, "precision": self.precision}
        if self.vectors != DEFAULT:
            chosen["vectors"] = self.vectors
        if self.embeddings is None:
            return chosen
        return chosen | {"embeddings": [sha256(path) for path in embedding_files(self.embeddings)]}


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What was built. dropped: models of the index that was replaced."""

    out: Path
    unchanged: bool
    config: dict[str, Any]
    dropped: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Say it to people."""
        if self.unchanged:
            return [f"{self.out} is up to date: same papers, same options. Nothing was done."]
        return [
            *self.config["report"],
            *external_lines(self.config),
            summary(self.config["ann"], self.config["papers"]),
            *[f"The old {name} went with the old index: train it again." for name in self.dropped],
            f"Saved in {self.out}.",
        ]


@dataclass(frozen=True, slots=True)
class _Job:
    """One build: where it reads, where it writes until it is finished, and whom it tells."""

    papers: Path
    folder: Path
    cache: Path
    options: BuildOptions
    progress: Progress


def build(
    papers: Path,
    out: Path,
    options: BuildOptions,
    *,
    cache: Path,
    progress: Progress = silent,
) -> BuildReport:
    """Build an index; do nothing if `out` already holds this very one.

    Args:
        papers: a file in a format that `recsys.formats.papers.paper_stream` knows.
        out: the directory to write. Until the index is finished, work lies in `OUT.partial`.
        options: encoder and its settings, or where the vectors are.
        cache: where exported encoders are kept.
        progress: told about every stage.

    Raises:
        CorpusError: the file cannot be read or holds no usable paper.
        InputError: `out` is in the way, or another build is writing it.
    """
    if not papers.is_file():
        raise CorpusError(f"There is no file of papers at {papers}.", "Check the path.")
    _check_parent(out)
    chosen = options.recipe()
    recipe = fingerprint([sha256(papers), chosen, INDEX_SCHEMA, StageOne().neighbours])
    if (finished := _finished(out, recipe, options)) is not None:
        return finished
    out = out.resolve()  # "." has no name, and a link stays a link.
    partial = out.with_name(f"{out.name}.partial")
    with locked(out):
        if (finished := _finished(out, recipe, options)) is not None:
            return finished  # Another build has just written it.
        _prepare(partial, recipe)
        job = _Job(papers, partial, cache, options, progress)
        facts: dict[str, Any] = {}
        for name, stage in STAGES.items():
            if name == ENCODER and options.encoder is None:
                continue
            facts |= _once(job, name, stage)
        for leftover in (*partial.glob("*/" + FACTS), partial / FACTS):
            leftover.unlink()
        config = {"recipe": recipe, "source": papers.name, "options": chosen, **facts}
        seal(partial, INDEX_KIND, INDEX_SCHEMA, config)
        trained = (*out.glob("ranker*"), *out.glob("nn*/"))
        dropped = tuple(sorted(folder.name for folder in trained))
        put_in_place(partial, out)
    return BuildReport(out, unchanged=False, config=config, dropped=dropped)


def _corpus(job: _Job, folder: Path) -> dict[str, Any]:
    report = ingest(job.papers, folder, progress=job.progress)
    return {"papers": report.papers, "links": report.links, "report": report.lines()}


def _text(job: _Job, folder: Path) -> dict[str, Any]:
    texts = Corpus.load(job.folder / CORPUS).texts()
    titles, abstracts = texts.column("title"), texts.column("abstract")
    job.progress("words", 0, len(titles))
    store = TermStore.build(
        (title.as_py(), abstract.as_py()) for title, abstract in zip(titles, abstracts, strict=True)
    )
    store.save(folder)
    Bm25Index.build(store).save(folder)
    job.progress("words", len(titles), len(titles))
    return {"terms": len(store.vocabulary)}


def _encoder(job: _Job, folder: Path) -> dict[str, Any]:
    options = job.options
    exported = cached_encoder(
        options.encoder or MINILM, job.cache, pooling=options.pooling, precision=options.precision
    )
    shutil.copytree(exported, folder, dirs_exist_ok=True)
    return {"encoder": OnnxEncoder.load(folder, threads=1).fingerprint}


def _vectors(job: _Job, folder: Path) -> dict[str, Any]:
    # Outside the stage's own folder, so that a killed build keeps what it has encoded.
    shards = job.folder / "vectors.shards"
    corpus = Corpus.load(job.folder / CORPUS)
    facts: dict[str, Any] = {}
    if job.options.embeddings is None:
        encoder = OnnxEncoder.load(job.folder / ENCODER)
        vectors = encode_corpus(encoder, corpus, shards, progress=job.progress)
    else:
        named = OnnxEncoder.load(job.folder / ENCODER) if job.options.encoder else None
        built = Built(corpus, job.folder / TEXT, named)
        vectors, facts = take(job.options.embeddings, built, shards, progress=job.progress)
    job.progress("nearest neighbours", 0, 1)
    ann = build_index(job.options.vectors, vectors, folder)
    job.progress("nearest neighbours", 1, 1)
    (shards / VECTOR_FILE).rename(folder / VECTOR_FILE)
    shutil.rmtree(shards)
    return facts | {"ann": ann, "dim": vectors.shape[1]}


STAGES: dict[str, Callable[[_Job, Path], dict[str, Any]]] = {
    CORPUS: _corpus,
    TEXT: _text,
    ENCODER: _encoder,
    VECTORS: _vectors,
}
"""Each fills the folder of its name and returns facts for the manifest."""


def _once(job: _Job, name: str, stage: Callable[[_Job, Path], dict[str, Any]]) -> dict[str, Any]:
    """Run a stage unless an earlier, interrupted build has finished it."""
    folder = job.folder / name
    if not folder.is_dir():
        unfinished = job.folder / f"{name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        write_json(unfinished / FACTS, stage(job, unfinished))
        unfinished.rename(folder)
    facts: dict[str, Any] = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    return facts


def _prepare(partial: Path, recipe: str) -> None:
    """Keep the work of an interrupted build of the same recipe, remove any other."""
    marker = partial / FACTS
    if not (marker.is_file() and recipe in marker.read_text(errors="replace")):
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        write_json(marker, {"recipe": recipe})


def _finished(out: Path, recipe: str, options: BuildOptions) -> BuildReport | None:
    """Recognise an index that is up to date; refuse to overwrite anything else."""
    if not out.exists():
        return None
    if not ((out / MANIFEST).is_file() and (out / CORPUS).is_dir()):
        raise InputError(  # Not even with --force: it may be somebody's work.
            f"{out} exists and is no index.", "Give another --out, or move it away."
        )
    if options.force:
        return None
    try:
        config = dict(load_manifest(out, INDEX_KIND, INDEX_SCHEMA).config)
    except ArtifactError as error:
        raise InputError(
            f"{out} exists and cannot be read: {error.what}", "Build it again with --force."
        ) from error
    if config["recipe"] != recipe:
        raise InputError(
            f"{out} holds an index of other papers or options.",
            "Give another --out, or replace it with --force.",
        )
    return BuildReport(out, unchanged=True, config=config)


def _check_parent(out: Path) -> None:
    if not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent} to write into.", "Create it first.")


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Hold a lock file beside what is written, so that two processes do not mix their work."""
    path = out.with_name(f".{out.name}.lock")
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(
                f"Another process is writing {out}.", "Wait for it, or stop it."
            ) from error
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
