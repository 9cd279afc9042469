"""Build an index from a file of papers, stage by stage; finished stages survive a kill."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from recsys.errors import ArtifactError, InputError
from recsys.formats.embeddings.embedding_files import embedding_files
from recsys.indexes.backends import (
    OWN,
    backend,
    build_index,
    build_words,
    by_size,
    summary,
    text_backend,
    words_summary,
)
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.corpora.collect import AS_TOLD, Reading
from recsys.pipelines.corpora.corpus_worth import worth_of
from recsys.pipelines.corpora.library_works import PDFS
from recsys.pipelines.corpora.source_files import SourceFile, hash_of, source_files
from recsys.pipelines.corpora.worth_report import worth_lines
from recsys.pipelines.encoders.checkpoints import MINILM, files_of
from recsys.pipelines.encoders.export_encoder import REVISION, Precision, cached_encoder
from recsys.pipelines.index.dumps.ingest_files import Places, ingest_files
from recsys.pipelines.index.encode import encode_corpus, link_vectors
from recsys.pipelines.index.external_vectors import Built, external_lines, take
from recsys.pipelines.index.ingest import rejects_line
from recsys.pipelines.index.known_vectors import known_to
from recsys.pipelines.index.shard_encoders import shard_encoder
from recsys.pipelines.index.standing_index import check_parent, config_if_built
from recsys.pipelines.index.text import write_text
from recsys.pipelines.jobs.engines.engine_contract import Engine
from recsys.pipelines.jobs.engines.process_pool import USUAL
from recsys.pipelines.jobs.index_writer import UNFINISHED, members_of, writing
from recsys.progress import Progress, silent
from recsys.retrieval.sources import StageOne
from recsys.store.artifacts import (
    CONTEXTS,
    CORPUS,
    DROPPED,
    ENCODER,
    INDEX_SCHEMA,
    TEXT,
    VECTORS,
    WORD_SEARCH,
    fingerprint,
    sha256,
)
from recsys.store.corpus import Corpus
from recsys.store.generations import pin
from recsys.store.graph import CitationGraph


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How an index is built.

    encoder: None only with embeddings: drafts are then placed by their words. pooling None: the
    encoder's own. embeddings: a file of vectors that were made elsewhere. vectors: what searches
    them, see `indexes.backends`; None: what is best for so many papers. text: what searches words,
    see `indexes.text_backends`; None: our own. force: replace another index. wait: for another
    process that writes the same index; else it is refused.
    """

    encoder: str | None = MINILM
    pooling: str | None = None
    precision: Precision = "int8"
    embeddings: Path | None = None
    vectors: str | None = None
    text: str | None = None
    force: bool = False
    wait: bool = False
    reading: Reading = AS_TOLD
    engine: Engine = USUAL

    def __post_init__(self) -> None:
        if self.vectors is not None:
            backend(self.vectors)  # Before hours of work.
        if self.text is not None:
            text_backend(self.text)
        if self.encoder is None and self.embeddings is None:
            raise InputError("There are neither vectors nor an encoder.", "Name an encoder.")

    def recipe(self) -> dict[str, Any]:
        """Write out what the index depends on; of folders and embeddings, what they hold, too."""
        chosen: dict[str, Any] = {
            "encoder": self.encoder,
            "pooling": self.pooling,
            "precision": self.precision,
        }
        if self.encoder is not None and (files := files_of(self.encoder)) is not None:
            chosen["encoder files"] = fingerprint(files)
        if self.vectors is not None:
            chosen["vectors"] = self.vectors
        if self.text is not None:
            chosen["text"] = self.text
        if self.reading != AS_TOLD:
            chosen["reading"] = self.reading.record()
        if self.embeddings is None:
            return chosen
        return chosen | {"embeddings": [sha256(path) for path in embedding_files(self.embeddings)]}


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What was built.

    dropped: models of the index that was replaced. kept: stages that an interrupted build had
    finished.
    """

    out: Path
    unchanged: bool
    config: dict[str, Any]
    dropped: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Say it to people."""
        if self.unchanged:
            return [f"{self.out} is up to date: same papers, same options. Nothing was done."]
        return [
            *self.config["report"],
            *self.config["worth"],
            *rejects_line(self.out),
            *external_lines(self.config),
            summary(self.config["ann"], self.config["papers"]),
            *words_summary(self.config.get(WORD_SEARCH, {})),
            *([f"Kept from an interrupted build: {', '.join(self.kept)}."] if self.kept else []),
            *[f"The old {name} went with the old index: {_again(name)}." for name in self.dropped],
            f"Saved in {self.out}.",
        ]


def _again(member: str) -> str:
    return "add them again" if member == CONTEXTS else "train it again"


@dataclass(frozen=True, slots=True)
class _Job:
    """One build: where it reads, where it works, and whom it tells.

    out: the index, or that which is replaced. folder: finished stages, each in the folder of its
    name. place: beside it, for what a stage keeps while it is unfinished. encoder: the exported one
    in the cache, if there is one.
    """

    files: Sequence[SourceFile]
    out: Path
    folder: Path
    place: Path
    cache: Path
    options: BuildOptions
    progress: Progress
    encoder: Path | None


def build(
    sources: Sequence[Path],
    out: Path,
    options: BuildOptions,
    *,
    cache: Path,
    progress: Progress = silent,
) -> BuildReport:
    """Build an index; do nothing if `out` already holds this very one.

    Args:
        sources: files and folders, in formats that `recsys.formats.source_formats` lists.
        out: the directory to write. Until the index is finished, work lies in `OUT/unfinished`;
            what is finished there is kept when the same build starts again. An index that stands
            there answers until then.
        options: encoder and its settings, or where the vectors are.
        cache: where exported encoders are kept, and what was read of PDFs.
        progress: told about every stage.

    Raises:
        CorpusError: the file cannot be read or holds no usable paper.
        InputError: `out` is in the way, or another build is writing it.
        ArtifactMissing: the encoder is nowhere; MissingExtraError: a package that it takes.
    """
    files = source_files(sources, out=out)
    check_parent(out)
    chosen = options.recipe()
    source = hash_of(files)
    recipe = recipe_of(source, chosen)
    standing = config_if_built(out, recipe, force=options.force)
    if standing is not None and not (out / UNFINISHED).exists():
        return BuildReport(out, unchanged=True, config=standing)
    with writing(out, new=True, wait=options.wait, progress=progress) as writer:
        if (standing := config_if_built(out, recipe, force=options.force)) is not None:
            # Another build has just written it, or was killed right after that.
            return BuildReport(out, unchanged=True, config=standing)
        encoder = _exported(options, cache)  # One that is missing is told before hours of reading.
        work = writer.work("build", recipe)
        job = _Job(files, out, work.finished, work.place, cache, options, progress, encoder)
        found = {
            name: work.stage(name, key, partial(STAGES[name].run, job))
            for name, key in _keys(source, chosen).items()
        }
        facts = {key: fact for stage in found.values() for key, fact in stage.facts.items()}
        dropped, gone_before = _trained(out)
        name = ", ".join(source.name for source in sources)
        config = {"recipe": recipe, "source": name, "options": chosen, **facts}
        if dropped or gone_before:
            config[DROPPED] = sorted({*dropped, *gone_before})
        writer.commit({name: work.finished / name for name in found}, config)
        work.remove()
    kept = tuple(name for name, stage in found.items() if stage.kept)
    return BuildReport(out, unchanged=False, config=config, dropped=dropped, kept=kept)


def recipe_of(source: str, chosen: Mapping[str, Any]) -> str:
    """Hash what an index is built from: the hash of its papers, and the options."""
    return fingerprint([source, chosen, INDEX_SCHEMA, StageOne().neighbours])


def _exported(options: BuildOptions, cache: Path) -> Path | None:
    """Find the encoder in the cache, or export it there."""
    if options.encoder is None:
        return None
    return cached_encoder(
        options.encoder, cache, pooling=options.pooling, precision=options.precision
    )


def _trained(index: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the models that were trained for an index, and those that went with earlier ones."""
    try:
        old = pin(index)
        trained = tuple(name for name in members_of(old.folder) if name not in STAGES)
        return trained, tuple(old.manifest().config.get(DROPPED, ()))
    except ArtifactError:  # There is none, or it is damaged.
        return (), ()


def _corpus(job: _Job, folder: Path) -> dict[str, Any]:
    places, reading = Places(job.cache / PDFS, job.place), job.options.reading
    engine, progress = job.options.engine, job.progress
    report = ingest_files(job.files, folder, reading, places, engine=engine, progress=progress)
    worth = worth_of(Corpus.load(folder), CitationGraph.load(folder))
    return {
        "papers": report.papers,
        "links": report.links,
        "report": report.lines(),
        "worth": worth_lines(worth),
    }


def _text(job: _Job, folder: Path) -> dict[str, Any]:
    corpus, named = Corpus.load(job.folder / CORPUS), job.options.text
    store = write_text(corpus, folder, progress=job.progress)
    words = build_words(named or OWN, store, folder, years=corpus.years)
    return {"terms": len(store.vocabulary), **({WORD_SEARCH: words} if named else {})}


def _encoder(job: _Job, folder: Path) -> dict[str, Any]:
    assert job.encoder is not None, "The stage runs where an encoder is named."
    shutil.copytree(job.encoder, folder, dirs_exist_ok=True)
    return {"encoder": OnnxEncoder.load(folder, threads=1).fingerprint}


def _vectors(job: _Job, folder: Path) -> dict[str, Any]:
    # Outside the stage's own folder, so that a killed build keeps what it has encoded.
    shards = job.place / "vectors.shards"
    corpus = Corpus.load(job.folder / CORPUS)
    facts: dict[str, Any] = {}
    if job.options.embeddings is None:
        encoder = shard_encoder(job.folder / ENCODER, job.options.engine)
        known = known_to(job.out, corpus, encoder.fingerprint)
        vectors = encode_corpus(encoder, corpus, shards, known=known, progress=job.progress)
    else:
        named = OnnxEncoder.load(job.folder / ENCODER) if job.options.encoder else None
        words = {"backend": job.options.text or OWN}
        built = Built(corpus, job.folder / TEXT, named, words=words)
        vectors, facts = take(job.options.embeddings, built, shards, progress=job.progress)
    job.progress("nearest neighbours", 0, 1)
    name = job.options.vectors or by_size(len(vectors))
    ann = build_index(name, vectors, folder, years=corpus.years)
    job.progress("nearest neighbours", 1, 1)
    link_vectors(shards, folder, ann)
    return facts | {"ann": ann, "dim": vectors.shape[1]}


@dataclass(frozen=True, slots=True)
class _Stage:
    """One step of a build.

    run: fills the folder of its name and returns facts for the manifest.
    options: what of the recipe it depends on; named: the same, if it is there. reads: stages whose
    folders it reads.
    revision: raised when it would write something else from the same; unfinished builds then run
    this stage again, and those that read it.
    """

    run: Callable[[_Job, Path], dict[str, Any]]
    options: tuple[str, ...]
    reads: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    revision: int = 1


STAGES: Mapping[str, _Stage] = {
    CORPUS: _Stage(_corpus, ("source", "reading"), revision=3),
    TEXT: _Stage(_text, (), reads=(CORPUS,), named=("text",)),
    ENCODER: _Stage(
        _encoder, ("encoder", "pooling", "precision", "graph"), named=("encoder files",)
    ),
    VECTORS: _Stage(
        _vectors, ("embeddings", "vectors", "neighbours"), (CORPUS, TEXT, ENCODER), revision=2
    ),
}
"""In the order in which they run."""


def _keys(source: str, chosen: Mapping[str, Any]) -> dict[str, str]:
    """Hash what each stage depends on, the stages that it reads included."""
    fixed = {"graph": REVISION, "neighbours": StageOne().neighbours}
    recipe = {"source": source, **chosen, **fixed}
    keys: dict[str, str] = {}
    for name, stage in STAGES.items():
        if name == ENCODER and chosen["encoder"] is None:
            continue
        options = {option: recipe.get(option) for option in stage.options}
        options |= {option: recipe[option] for option in stage.named if option in recipe}
        below = {read: keys.get(read) for read in stage.reads}
        keys[name] = fingerprint([INDEX_SCHEMA, name, stage.revision, options, below])
    return keys
