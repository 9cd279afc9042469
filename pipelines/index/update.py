"""Update an index: add, replace and remove papers; it then answers as if it were built anew.

Columns, terms, postings and graph are those of a rebuild, byte by byte. Vectors and NNSelect's are
taken over by text, a forest of Annoy goes on serving what it knows, and rankers stay. All of it is
a new generation: who reads the index goes on reading the one before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import InputError, RecsysError
from recsys.formats.embeddings.embedding_files import embedding_files
from recsys.indexes.backends import (
    OWN,
    Former,
    build_index,
    build_words,
    by_size,
    carry_index,
    carry_words,
    summary,
    words_summary,
)
from recsys.indexes.opening import open_collection
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.corpora.collect import AS_TOLD, Reading, collect
from recsys.pipelines.corpora.corpus_worth import worth_of
from recsys.pipelines.corpora.known_papers import KnownPapers
from recsys.pipelines.corpora.library_works import PDFS, PdfReading
from recsys.pipelines.corpora.paper_schema import SCHEMA
from recsys.pipelines.corpora.source_files import SourceFile, hash_of, source_files
from recsys.pipelines.corpora.worth_report import worth_lines
from recsys.pipelines.index import external_vectors
from recsys.pipelines.index.build import recipe_of
from recsys.pipelines.index.carry_contexts import FormerContexts, carry_contexts
from recsys.pipelines.index.carry_nnselect import FormerModel, carry_nnselect, left_out
from recsys.pipelines.index.changes import Changes, Plan, plan, read_ids, towards
from recsys.pipelines.index.citation_links import link_changes
from recsys.pipelines.index.columns import merge_columns
from recsys.pipelines.index.encode import encode_corpus, link_vectors
from recsys.pipelines.index.external_vectors import Built, given_mask
from recsys.pipelines.index.ingest import REJECTS, links_line, rejects_line
from recsys.pipelines.index.known_vectors import KnownVectors, unchanged_texts
from recsys.pipelines.index.shard_encoders import shard_encoder
from recsys.pipelines.index.text import merge_text
from recsys.pipelines.jobs.engines.engine_contract import Engine
from recsys.pipelines.jobs.engines.process_pool import USUAL
from recsys.pipelines.jobs.index_writer import IndexWriter, members_of, writing
from recsys.pipelines.jobs.staged_folder import Stage, StagedFolder
from recsys.progress import Progress, silent
from recsys.store.artifacts import (
    CONTEXTS,
    CORPUS,
    ENCODER,
    MANIFEST,
    NNSELECT,
    TEXT,
    VECTORS,
    WORD_SEARCH,
    fingerprint,
    link_or_copy,
    sha256,
)
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.generations import pin
from recsys.store.graph import CitationGraph

FEW = 64
"""Texts that are encoded on one processor."""
_REVISION = 3
"""Raised when an update would write something else from the same: unfinished ones begin anew."""
_CARRIED = "carried"
"""Under which the stage of contexts says what people are told of it."""


@dataclass(frozen=True, slots=True)
class UpdateOptions:
    """What is done to an index.

    remove: a file of ids, one a line. whole: whether the papers are all that shall be left.
    embeddings: vectors of papers that were made elsewhere. compact: prepare the search of vectors
    anew, by the backend that the build named, or that is best for so many papers now. wait: for
    another process that changes the index; else it is refused. columns: see `collect.Reading`; else
    everything is read as for the build. engine: what shares the work of encoding.
    """

    remove: Path | None = None
    whole: bool = False
    embeddings: Path | None = None
    compact: bool = False
    wait: bool = False
    columns: tuple[tuple[str, str], ...] = ()
    engine: Engine = USUAL


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """What was done. lines: that, for people. unchanged: whether there was nothing to do."""

    index: Path
    unchanged: bool
    config: Mapping[str, Any]
    told: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Say it to people."""
        if self.unchanged:
            return [*self.told, f"{self.index} holds all of that already. Nothing was done."]
        return [*self.told, f"Saved in {self.index}."]


@dataclass(frozen=True, slots=True)
class _Job:
    """One update: what was there, what comes, and where it is put together."""

    base: Collection
    config: Mapping[str, Any]
    plan: Plan
    work: StagedFolder
    options: UpdateOptions
    progress: Progress

    @property
    def corpus(self) -> Corpus:
        """The papers of today, once they are written."""
        return Corpus.load(self.work.finished / CORPUS)


def update(
    index: Path, sources: Sequence[Path], options: UpdateOptions, *, progress: Progress = silent
) -> UpdateReport:
    """Change the papers of an index; a killed update continues when it is run again.

    Args:
        index: what to change.
        sources: files and folders, as for `build`. A paper of a file of ours with a known id
            replaces the one that is there; what other files tell of it is merged with that.
        options: what else to do.
        progress: told about every stage.

    Raises:
        ArtifactError: the index cannot be opened.
        CorpusError: the papers or ids cannot be read, or no paper would be left.
        InputError: there is nothing to do, vectors do not fit, or another process changes the
            index.
    """
    if not sources and options.remove is None and not options.compact:
        raise InputError("There is nothing to update with.", "Give a file of papers, or --remove.")
    if options.whole and (not sources or options.remove is not None):
        raise InputError(
            "An index becomes exactly the papers of some files.", "Give --from without --remove."
        )
    files = source_files(sources, out=index) if sources else []
    with writing(index, wait=options.wait, progress=progress) as writer:
        return _update(writer, index, files, options, progress)


def _update(
    writer: IndexWriter,
    index: Path,
    files: Sequence[SourceFile],
    options: UpdateOptions,
    progress: Progress,
) -> UpdateReport:
    base = open_collection(writer.index)
    config = dict(pin(base.folder).manifest().config)
    if options.embeddings is not None and "external" not in config:
        raise InputError(
            f"The vectors of this index were made by {config['options']['encoder']}.",
            "Leave --embeddings out: new papers are encoded, too.",
        )
    work = writer.work("update")
    try:
        reading = _reading(config, options)
        changes, told = _read(base.corpus, files, reading, options, work, progress)
        job = _Job(base, config, plan(base.corpus, changes), work, options, progress)
        told += job.plan.lines()
        if not any((*job.plan.counts, options.compact, options.embeddings)):
            new = config | _origin(job, files)
            if new != config:  # What was built of other files is as if built of this one.
                writer.commit(members_of(base.folder), new)
            work.remove()
            return UpdateReport(index, True, new, tuple(told))
        new, lines = _change(writer, job, files, _key(base, files, changes, options))
    except RecsysError:  # To run it again would end so again.
        work.remove()
        raise
    return UpdateReport(index, False, new, (*told, *lines, *rejects_line(index)))


def _reading(config: Mapping[str, Any], options: UpdateOptions) -> Reading:
    """Read as for the build, but for columns that are named now."""
    told = config["options"].get("reading")
    reading = AS_TOLD if told is None else Reading.from_record(told)
    return replace(reading, columns=options.columns) if options.columns else reading


def _read(
    base: Corpus,
    files: Sequence[SourceFile],
    reading: Reading,
    options: UpdateOptions,
    work: StagedFolder,
    progress: Progress,
) -> tuple[Changes, list[str]]:
    """Read what is to change; the report says what became of the records of the files."""
    removed = () if options.remove is None else read_ids(options.remove)
    if not files:
        return Changes(SCHEMA.empty_table(), removed), []
    known = None if options.whole else KnownPapers(base, reading.keyphrases)
    rejects = work.place / REJECTS
    pdfs = PdfReading(work.place / PDFS, progress)
    table, read = collect(files, rejects, reading, pdfs=pdfs, known=known, progress=progress)
    changes = towards(base.ids, table) if options.whole else Changes(table, removed)
    return changes, read.lines() + read.loss_lines()


def _change(
    writer: IndexWriter, job: _Job, files: Sequence[SourceFile], key: str
) -> tuple[dict[str, Any], list[str]]:
    """Make the new generation; return what its manifest says, and what people are told."""
    done, gone = _run(job, key), left_out(job.base.folder)
    old = {name: path for name, path in members_of(job.base.folder).items() if name not in gone}
    new = _config(job, files, done)
    writer.commit(old | {name: job.work.finished / name for name in done}, new)
    job.work.remove()
    carried = done[CONTEXTS].facts[_CARRIED] if CONTEXTS in done else []
    told = [*done[CORPUS].facts["told"], *carried, summary(new["ann"], new["papers"])]
    told += words_summary(new.get(WORD_SEARCH, {}))
    return new, told + [f"The old {name} does not fit any more: train it again." for name in gone]


def _key(
    base: Collection, files: Sequence[SourceFile], changes: Changes, options: UpdateOptions
) -> str:
    """Hash what the update depends on."""
    vectors = [] if options.embeddings is None else embedding_files(options.embeddings)
    paths = [base.folder / MANIFEST, *(file.path for file in files), *vectors]
    asked = [changes.removed, options.compact, options.columns]
    return fingerprint([_REVISION, [sha256(path) for path in paths], *asked])


def _run(job: _Job, key: str) -> dict[str, Stage]:
    stages = {CORPUS: _corpus, TEXT: _text, VECTORS: _vectors}
    if (job.base.folder / NNSELECT).is_dir():
        stages[NNSELECT] = _nnselect
    if (job.base.folder / CONTEXTS).is_dir():
        stages[CONTEXTS] = _contexts
    return {name: job.work.stage(name, key, partial(run, job)) for name, run in stages.items()}


def _corpus(job: _Job, folder: Path) -> dict[str, Any]:
    job.progress("corpus", 0, 1)
    base, merged = job.base, job.plan.merged
    counts = merge_columns(folder, job.plan.papers, base.corpus, merged)
    if (rejects := job.work.place / REJECTS).exists():
        link_or_copy(rejects, folder / REJECTS)
    graph = CitationGraph.load(folder)
    changed = link_changes(base.graph, graph, merged.today)
    told = [f"links: {changed.gained:,} gained, {changed.lost:,} lost", links_line(counts)]
    job.progress("corpus", 1, 1)
    worth = worth_lines(worth_of(Corpus.load(folder), graph))
    return {"papers": len(merged.origins), "links": counts.links, "told": told, "worth": worth}


def _text(job: _Job, folder: Path) -> dict[str, Any]:
    store = merge_text(job.base.terms, job.plan, folder, progress=job.progress)
    facts, years = job.config.get(WORD_SEARCH, {}), job.corpus.years
    if job.options.compact or not facts:
        words = build_words(facts.get("backend", OWN), store, folder, years=years)
    else:
        former = Former(job.base.folder / TEXT, facts, _known(job).today)
        words = carry_words(facts["backend"], store, folder, former, years=years)
    return {"terms": len(store.vocabulary), **({WORD_SEARCH: words} if facts else {})}


def _vectors(job: _Job, folder: Path) -> dict[str, Any]:
    known = _known(job)
    place = job.work.place / "vectors.shards"  # Kept when the update is killed.
    facts: dict[str, Any] = {}
    if "external" in job.config:
        vectors, facts = _given(job, known, place)
    else:
        # Each thread has memory of its own: a few texts are not worth a second.
        threads = 1 if np.count_nonzero(known.missing) < FEW else None
        engine = USUAL if threads else job.options.engine  # Nor the start of processes.
        encoder = shard_encoder(job.base.folder / ENCODER, engine, threads=threads)
        vectors = encode_corpus(encoder, job.corpus, place, known=known, progress=job.progress)
    job.progress("nearest neighbours", 0, 1)
    years = job.corpus.years
    if job.options.compact:
        name = job.config["options"].get("vectors") or by_size(len(vectors))
        ann = build_index(name, vectors, folder, years=years)
    else:
        name = job.config["ann"]["backend"]
        former = Former(job.base.folder / VECTORS, job.config["ann"], known.today)
        ann = carry_index(name, vectors, folder, former, years=years)
    link_vectors(place, folder, ann)
    job.progress("nearest neighbours", 1, 1)
    return {**facts, "ann": ann, "dim": int(vectors.shape[1])}


def _known(job: _Job) -> KnownVectors:
    return KnownVectors(job.base.vectors, unchanged_texts(job.base.corpus, job.plan))


def _given(
    job: _Job, known: KnownVectors, place: Path
) -> tuple[np.ndarray[Any, np.dtype[np.float32]], dict[str, Any]]:
    """Complete vectors that came from elsewhere, by their encoder or by words."""
    base, config = job.base, job.config
    given = given_mask(base.folder / VECTORS, len(base.corpus))
    facts = config["external"]
    former = external_vectors.Former(known, given, str(config["encoder"]), facts)
    named = config["options"]["encoder"]
    encoder = None if named is None else OnnxEncoder.load(base.folder / ENCODER)
    words = config.get(WORD_SEARCH, {})
    built = Built(job.corpus, job.work.finished / TEXT, encoder, former, words)
    return external_vectors.take(job.options.embeddings, built, place, progress=job.progress)


def _nnselect(job: _Job, folder: Path) -> dict[str, Any]:
    former = FormerModel(job.base.folder / NNSELECT, len(job.base.corpus))
    carry_nnselect(former, job.corpus, _known(job).rows, folder, progress=job.progress)
    return {}


def _contexts(job: _Job, folder: Path) -> dict[str, Any]:
    former = FormerContexts(job.base.folder / CONTEXTS, len(job.base.corpus))
    return {_CARRIED: carry_contexts(former, job.plan.merged.today, job.corpus.years, folder)}


def _config(job: _Job, files: Sequence[SourceFile], done: Mapping[str, Stage]) -> dict[str, Any]:
    """Say what the index is now."""
    facts = {name: fact for stage in done.values() for name, fact in stage.facts.items()}
    told = facts.pop("told") + facts.pop(_CARRIED, [])
    counts = dict(zip(("added", "replaced", "removed"), job.plan.counts, strict=True))
    new = {**job.config, **facts, "report": [*job.plan.lines(), *told], "update": counts}
    changes = [asdict(stage) for stage in done.values()]
    recipe = fingerprint([job.config["recipe"], changes])
    return new | {"recipe": recipe} | _origin(job, files)


def _origin(job: _Job, files: Sequence[SourceFile]) -> dict[str, Any]:
    """Say what a build would of an index that has become the papers of a file.

    Vectors from elsewhere may come from several files: no build makes these.
    """
    if not (files and job.options.whole) or job.options.columns or "external" in job.config:
        return {}
    recipe = recipe_of(hash_of(files), job.config["options"])
    return {"recipe": recipe, "source": ", ".join(file.path.name for file in files)}
