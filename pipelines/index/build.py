"""Build an index from a file of papers, stage by stage; finished stages survive a kill."""

import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import Any

from recsys.errors import ArtifactError, InputError
from recsys.formats.embeddings.embedding_files import embedding_files
from recsys.indexes.backends import (
    OWN,
    backend,
    build_index,
    build_words,
    by_size,
    text_backend,
)
from recsys.machine import is_temporary
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.corpora.collect import AS_TOLD, Reading
from recsys.pipelines.corpora.collect_report import LOSSES
from recsys.pipelines.corpora.corpus_worth import TRAIN, worth_lines, worth_of
from recsys.pipelines.corpora.pdf_folder import PDFS
from recsys.pipelines.corpora.query_years import FEWEST_TUNED
from recsys.pipelines.corpora.source_files import SourceFile, hash_of, source_files
from recsys.pipelines.encoders.checkpoints import MINILM, files_of
from recsys.pipelines.encoders.export_encoder import REVISION, Precision, cached_encoder
from recsys.pipelines.index.encode import encode_corpus, known_to, link_vectors
from recsys.pipelines.index.external_vectors import external_lines, take
from recsys.pipelines.index.ingest import ingest, links_line, rejects_line
from recsys.pipelines.index.text import write_text
from recsys.pipelines.jobs.engines import USUAL, Engine
from recsys.pipelines.jobs.index_writer import LOCK, UNFINISHED, members_of, writing
from recsys.protocols import Progress, silent
from recsys.retrieval.propose import StageOne
from recsys.store.artifacts import (
    CONTEXTS,
    CORPUS,
    DROPPED,
    ENCODER,
    INDEX_KIND,
    INDEX_SCHEMA,
    TEXT,
    VECTORS,
    WORD_SEARCH,
    fingerprint,
    load_manifest,
    sha256,
)
from recsys.store.corpus import Corpus
from recsys.store.generations import GENERATIONS, is_index, pin
from recsys.store.graph import CitationGraph
from recsys.store.vectors import GivenVectors

_LONGEST_NOTES = 400
"""Characters of what a build says beside its figures."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How an index is built.

    encoder: None only with embeddings: drafts are then placed by their words. pooling None: the
    encoder's own. embeddings: a file of vectors that were made elsewhere. vectors: what searches
    them, see `indexes.backends`; None: what is best for so many papers. text: what searches words,
    see `indexes.backends`; None: our own. force: replace another index. wait: for another
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
        files = None if self.encoder is None else files_of(self.encoder)
        given = None if self.embeddings is None else embedding_files(self.embeddings)
        asked = {
            "encoder files": None if files is None else fingerprint(files),
            "vectors": self.vectors,
            "text": self.text,
            "reading": None if self.reading == AS_TOLD else self.reading.record(),
            "embeddings": None if given is None else [sha256(path) for path in given],
        }
        named = {name: each for name, each in asked.items() if each is not None}
        always = {"encoder": self.encoder, "pooling": self.pooling, "precision": self.precision}
        return always | named


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
        """Say it to people: in five lines at most, the last one names what to do next."""
        if self.unchanged:
            return [f"{self.out} is up to date: same papers, same options. Nothing was done."]
        out, facts = shlex.quote(str(self.out)), self.config
        ask = [f"recsys recommend paper.tex --index {out}"]
        learn = [f"recsys train ranker {out}"] if facts[TRAIN] >= FEWEST_TUNED else []
        return [
            f"{self.out}: {facts['papers']:,} papers, {facts['links']:,} citations among them.",
            *self._notes(),
            facts["worth"][-1],
            *map(" ".join, zip(("Next:", "Then:"), (*learn, *ask), strict=False)),
        ]

    def _notes(self) -> list[str]:
        """Say on one line what else there is to know; `recsys inspect` shows all of it."""
        notes = [
            *[
                f"The {name} of the old index was removed: "
                f"{'add them' if name == CONTEXTS else 'train it'} again."
                for name in self.dropped
            ],
            *([f"Kept from an interrupted build: {', '.join(self.kept)}."] if self.kept else []),
            *rejects_line(self.out),
            *(f"{line}." for line in external_lines(self.config)),
            *(f"{line[0].upper()}{line[1:]}." for line in self.config.get(LOSSES, ())),
        ]
        more = f" ... (all of it: `recsys inspect {shlex.quote(str(self.out))}`)"
        return [shorten(" ".join(notes), _LONGEST_NOTES, placeholder=more)] if notes else []


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
    if not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent} to write into.", "Create it first.")
    chosen = options.recipe()
    source = hash_of(files)
    recipe = recipe_of(source, chosen)
    standing = _config_if_built(out, recipe, force=options.force)
    if standing is not None and not (out / UNFINISHED).exists():
        return BuildReport(out, unchanged=True, config=standing)
    with writing(out, new=True, wait=options.wait, progress=progress) as writer:
        if (standing := _config_if_built(out, recipe, force=options.force)) is not None:
            # Another build has just written it, or was killed right after that.
            return BuildReport(out, unchanged=True, config=standing)
        encoder = None  # One that is missing is told before hours of reading.
        if options.encoder is not None:
            pooling, precision = options.pooling, options.precision
            encoder = cached_encoder(options.encoder, cache, pooling=pooling, precision=precision)
        work = writer.work("build", recipe)
        run = _Build(files, out, work.finished, work.place, cache, options, progress, encoder)
        stages = {
            name: work.stage(name, key, partial(STAGES[name].run, run))
            for name, key in _keys(source, chosen).items()
        }
        facts = {key: fact for stage in stages.values() for key, fact in stage.facts.items()}
        # What was trained for an index that is replaced, and what went with earlier ones.
        dropped, gone_before = tuple[str, ...](), tuple[str, ...]()
        with suppress(ArtifactError), pin(out) as old:  # There is none, or it is damaged.
            gone_before = tuple(
                load_manifest(old, INDEX_KIND, INDEX_SCHEMA).config.get(DROPPED, ())
            )
            dropped = tuple(name for name in members_of(old) if name not in STAGES)
        name = ", ".join(source.name for source in sources)
        config = {"recipe": recipe, "source": name, "options": chosen, **facts}
        if dropped or gone_before:
            config[DROPPED] = sorted({*dropped, *gone_before})
        writer.commit({name: work.finished / name for name in stages}, config)
        work.remove()
    kept = tuple(name for name, stage in stages.items() if stage.kept)
    return BuildReport(out, unchanged=False, config=config, dropped=dropped, kept=kept)


def recipe_of(source: str, chosen: Mapping[str, Any]) -> str:
    """Hash what an index is built from: the hash of its papers, and the options."""
    return fingerprint([source, chosen, INDEX_SCHEMA, StageOne().neighbours])


@dataclass(frozen=True, slots=True)
class _Build:
    """One build: each method fills the folder of a stage and returns facts for the manifest.

    out: the index, or that which is replaced. finished: stages, each in the folder of its name.
    place: beside it, for what a stage keeps while it is unfinished. exported: the encoder in the
    cache, if there is one.
    """

    files: Sequence[SourceFile]
    out: Path
    finished: Path
    place: Path
    cache: Path
    options: BuildOptions
    progress: Progress
    exported: Path | None

    def corpus(self, folder: Path) -> dict[str, Any]:
        """Read the files."""
        report = ingest(
            self.files,
            folder,
            self.options.reading,
            cache=self.cache / PDFS,
            work=self.place / "reading",
            engine=self.options.engine,
            progress=self.progress,
        )
        worth = worth_of(Corpus.load(folder), CitationGraph.load(folder))
        return {
            "papers": report.papers,
            "links": report.links,
            "report": [*report.read.lines(), links_line(report.found)],
            **report.read.joins(),
            **({LOSSES: losses} if (losses := report.read.loss_lines()) else {}),
            "worth": worth_lines(worth),
            TRAIN: worth.train,
        }

    def text(self, folder: Path) -> dict[str, Any]:
        """Count terms, and prepare the search of words."""
        corpus, named = Corpus.load(self.finished / CORPUS), self.options.text
        store = write_text(corpus, folder, progress=self.progress)
        words = build_words(named or OWN, store, folder, years=corpus.years)
        return {"terms": len(store.vocabulary), **({WORD_SEARCH: words} if named else {})}

    def encoder(self, folder: Path) -> dict[str, Any]:
        """Copy the encoder."""
        assert self.exported is not None, "The stage runs where an encoder is named."
        shutil.copytree(self.exported, folder, dirs_exist_ok=True)
        return {"encoder": OnnxEncoder.load(folder, threads=1).fingerprint}

    def vectors(self, folder: Path) -> dict[str, Any]:
        """Encode the papers or take their vectors over, and prepare the search of these."""
        # Outside the stage's own folder, so that a killed build keeps what it has encoded.
        shards, options = self.place / "vectors.shards", self.options
        corpus = Corpus.load(self.finished / CORPUS)
        facts: dict[str, Any] = {}
        vectors: GivenVectors
        if options.embeddings is None:
            exported, engine = self.finished / ENCODER, options.engine
            encoder = OnnxEncoder.load(exported, threads=None if engine.here else 1)
            vectors = encode_corpus(
                encoder,
                corpus,
                shards,
                known=known_to(self.out, corpus, encoder.fingerprint),
                engine=engine,
                exported=exported,
                progress=self.progress,
            )
        else:
            named = OnnxEncoder.load(self.finished / ENCODER) if options.encoder else None
            vectors, facts = take(
                options.embeddings,
                corpus,
                shards,
                encoder=named,
                text=self.finished / TEXT,
                words={"backend": options.text or OWN},
                progress=self.progress,
            )
        self.progress("indexing vectors", 0, 1)
        name = options.vectors or by_size(len(vectors))
        ann = build_index(name, vectors, folder, years=corpus.years)
        self.progress("indexing vectors", 1, 1)
        link_vectors(shards, folder, ann)
        return facts | {"ann": ann, "dim": vectors.shape[1]}


@dataclass(frozen=True, slots=True)
class _Stage:
    """One step of a build.

    options: what of the recipe it depends on; named: the same, if it is there. reads: stages whose
    folders it reads.
    revision: raised when it would write something else from the same; unfinished builds then run
    this stage again, and those that read it.
    """

    run: Callable[[_Build, Path], dict[str, Any]]
    options: tuple[str, ...]
    reads: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    revision: int = 1


STAGES: Mapping[str, _Stage] = {
    CORPUS: _Stage(_Build.corpus, ("source", "reading"), revision=6),
    TEXT: _Stage(_Build.text, (), reads=(CORPUS,), named=("text",)),
    ENCODER: _Stage(
        _Build.encoder, ("encoder", "pooling", "precision", "graph"), named=("encoder files",)
    ),
    VECTORS: _Stage(
        _Build.vectors, ("embeddings", "vectors", "neighbours"), (CORPUS, TEXT, ENCODER), revision=2
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


def _config_if_built(out: Path, recipe: str, *, force: bool) -> dict[str, Any] | None:
    """Return what the manifest of an index says that is up to date; None where one is to be built.

    Raises:
        InputError: anything else is in the way.
    """
    if not out.exists():
        return None
    # What the first build leaves when it is killed, at the least nothing.
    unfinished = {LOCK, UNFINISHED, GENERATIONS}
    if out.is_dir() and {n for n in os.listdir(out) if not is_temporary(n)} <= unfinished:
        return None
    if not (is_index(out) and any((out / name).is_dir() for name in (GENERATIONS, CORPUS))):
        raise InputError(  # Not even with --force: it may be somebody's work.
            f"{out} exists and is not an index.", "Give another --out, or move it away."
        )
    if force:
        return None
    try:
        config = dict(pin(out).manifest().config)
    except ArtifactError as error:
        raise InputError(
            f"{out} exists and cannot be read: {error.what}", "Build it again with --force."
        ) from error
    if config["recipe"] != recipe:
        raise InputError(
            f"{out} holds an index of other papers or options.",
            "Give another --out, or replace it with --force.",
        )
    return config
