"""Update an index: add, replace and remove papers; it then answers as if it were built anew.

Columns, terms, postings and graph are those of a rebuild, byte by byte. Vectors and NNSelect's are
taken over by text, a forest of Annoy goes on serving what it knows, and rankers stay. All of it is
a new generation: who reads the index goes on reading the one before.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from indexes.backends import DEFAULT, Former, build_index, carry_index, summary
from indexes.opening import open_collection
from pipelines.index import external_vectors
from pipelines.index.build import recipe_of
from pipelines.index.carry_nnselect import FormerModel, carry_nnselect, left_out
from pipelines.index.changes import Changes, Plan, plan, read_ids, towards
from pipelines.index.citation_links import link_changes
from pipelines.index.columns import merge_columns
from pipelines.index.encode import encode_corpus
from pipelines.index.external_vectors import Built, given_mask
from pipelines.index.ingest import REJECTS, ReadReport, check_source, links_line, read_papers
from pipelines.index.known_vectors import KnownVectors, unchanged_texts
from pipelines.index.paper_rows import SCHEMA
from pipelines.index.text import merge_text
from pipelines.jobs.index_writer import IndexWriter, members_of, writing
from pipelines.jobs.staged_folder import Stage, StagedFolder
from recsys.errors import InputError
from recsys.models.encoder import OnnxEncoder
from recsys.progress import Progress, silent
from recsys.store.artifacts import MANIFEST, fingerprint, sha256
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.generations import pin
from recsys.store.graph import CitationGraph
from recsys.store.layout import CORPUS, ENCODER, NNSELECT, TEXT, VECTORS
from recsys.store.links import link_or_copy

_REVISION = 1
"""Raised when an update would write something else from the same: unfinished ones begin anew."""


@dataclass(frozen=True, slots=True)
class UpdateOptions:
    """What is done to an index.

    remove: a file of ids, one a line. whole: whether the papers are all that shall be left.
    embeddings: vectors of papers that were made elsewhere. compact: prepare the search of vectors
    anew. wait: for another process that changes the index; else it is refused.
    """

    remove: Path | None = None
    whole: bool = False
    embeddings: Path | None = None
    compact: bool = False
    wait: bool = False


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
    index: Path, papers: Path | None, options: UpdateOptions, *, progress: Progress = silent
) -> UpdateReport:
    """Change the papers of an index; a killed update continues when it is run again.

    Args:
        index: what to change.
        papers: a file in a format that `recsys.formats.papers` knows; a paper with a known id
            replaces the one that is there.
        options: what else to do.
        progress: told about every stage.

    Raises:
        ArtifactError: the index cannot be opened.
        CorpusError: the papers or ids cannot be read, or no paper would be left.
        InputError: there is nothing to do, vectors do not fit, or another process changes the
            index.
    """
    if papers is None and options.remove is None and not options.compact:
        raise InputError("There is nothing to update with.", "Give a file of papers, or --remove.")
    if papers is not None:
        check_source(papers)
    with writing(index, wait=options.wait, progress=progress) as writer:
        return _update(writer, index, papers, options, progress)


def _update(
    writer: IndexWriter,
    index: Path,
    papers: Path | None,
    options: UpdateOptions,
    progress: Progress,
) -> UpdateReport:
    base = open_collection(writer.index)
    config = pin(base.folder).manifest().config
    work = writer.work("update")
    try:
        changes, told = _read(base.corpus, papers, options, work, progress)
        planned = plan(base.corpus, changes)
        told += planned.lines()
        if not any((*planned.counts, options.compact, options.embeddings)):
            work.remove()
            return UpdateReport(index, True, config, tuple(told))
        job = _Job(base, config, planned, work, options, progress)
        done = _run(job, _key(base, papers, changes, options))
        new = _config(job, papers, done)
        gone = left_out(base.folder)
        writer.commit(_members(job, done, gone), new)
    finally:
        if not work.finished.exists() or not any(work.finished.iterdir()):
            work.remove()
    work.remove()
    told += [*done[CORPUS].facts["told"], summary(new["ann"], new["papers"])]
    told += [f"The old {name} does not fit any more: train it again." for name in gone]
    return UpdateReport(index, False, new, tuple(told))


def _read(
    old: Corpus, papers: Path | None, options: UpdateOptions, work: StagedFolder, progress: Progress
) -> tuple[Changes, list[str]]:
    """Read what is to change; the report says what became of the lines of the file."""
    read: ReadReport | None = None
    table = SCHEMA.empty_table()
    if papers is not None:
        table, read = read_papers(papers, work.place / REJECTS, progress=progress)
    told = [] if read is None else read.lines()
    removed = () if options.remove is None else read_ids(options.remove)
    if not options.whole:
        return Changes(table, removed), told
    if papers is None or removed:
        raise InputError(
            "An index becomes exactly the papers of one file.", "Give --from, and nothing else."
        )
    return towards(old.ids, table), told


def _key(base: Collection, papers: Path | None, changes: Changes, options: UpdateOptions) -> str:
    """Hash what the update depends on."""
    files = [base.folder / MANIFEST, papers, options.embeddings]
    hashes = [None if each is None else sha256(each) for each in files]
    return fingerprint([_REVISION, hashes, changes.removed, options.compact])


def _run(job: _Job, key: str) -> dict[str, Stage]:
    stages = {CORPUS: _corpus, TEXT: _text, VECTORS: _vectors}
    if (job.base.folder / NNSELECT).is_dir():
        stages[NNSELECT] = _nnselect
    return {name: job.work.stage(name, key, partial(run, job)) for name, run in stages.items()}


def _corpus(job: _Job, folder: Path) -> dict[str, Any]:
    job.progress("corpus", 0, 1)
    base, merged = job.base, job.plan.merged
    counts = merge_columns(folder, job.plan.papers, base.corpus, merged)
    if (rejects := job.work.place / REJECTS).exists():
        link_or_copy(rejects, folder / REJECTS)
    changed = link_changes(base.graph, CitationGraph.load(folder), merged.today)
    told = [f"links: {changed.gained:,} gained, {changed.lost:,} lost", links_line(counts)]
    job.progress("corpus", 1, 1)
    return {"papers": len(merged.origins), "links": counts.links, "told": told}


def _text(job: _Job, folder: Path) -> dict[str, Any]:
    store = merge_text(job.base.terms, job.plan, job.corpus, folder, progress=job.progress)
    return {"terms": len(store.vocabulary)}


def _vectors(job: _Job, folder: Path) -> dict[str, Any]:
    known = _known(job)
    place = job.work.place / "vectors.shards"  # Kept when the update is killed.
    facts: dict[str, Any] = {}
    if "external" in job.config:
        vectors, facts = _given(job, known, place)
    else:
        if job.options.embeddings is not None:
            raise InputError(
                f"The vectors of this index were made by {job.config['options']['encoder']}.",
                "Leave --embeddings out: new papers are encoded, too.",
            )
        encoder = OnnxEncoder.load(job.base.folder / ENCODER)
        vectors = encode_corpus(encoder, job.corpus, place, known=known, progress=job.progress)
    for file in place.glob("*.npy"):
        link_or_copy(file, folder / file.name)
    job.progress("nearest neighbours", 0, 1)
    name = job.config["ann"].get("backend", DEFAULT)
    if job.options.compact:
        ann = build_index(name, vectors, folder)
    else:
        former = Former(job.base.folder / VECTORS, job.config["ann"], known.today)
        ann = carry_index(name, vectors, folder, former)
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
    built = Built(job.corpus, job.work.finished / TEXT, encoder, former)
    return external_vectors.take(job.options.embeddings, built, place, progress=job.progress)


def _nnselect(job: _Job, folder: Path) -> dict[str, Any]:
    former = FormerModel(job.base.folder / NNSELECT, len(job.base.corpus))
    carry_nnselect(former, job.corpus, _known(job).rows, folder, progress=job.progress)
    return {}


def _members(job: _Job, done: Mapping[str, Stage], gone: tuple[str, ...]) -> dict[str, Path]:
    """Put together what was made and what stays as it was."""
    old = {name: path for name, path in members_of(job.base.folder).items() if name not in gone}
    return old | {name: job.work.finished / name for name in done}


def _config(job: _Job, papers: Path | None, done: Mapping[str, Stage]) -> dict[str, Any]:
    """Say what the index is now; one that became the papers of a file is as if built from it."""
    facts = {name: fact for stage in done.values() for name, fact in stage.facts.items()}
    told = facts.pop("told")
    counts = dict(zip(("added", "replaced", "removed"), job.plan.counts, strict=True))
    new = {**job.config, **facts, "report": [*job.plan.lines(), *told], "update": counts}
    if papers is not None and job.options.whole:
        recipe = recipe_of(sha256(papers), job.config["options"])
        return new | {"recipe": recipe, "source": papers.name}
    changes = [asdict(stage) for stage in done.values()]
    return new | {"recipe": fingerprint([job.config["recipe"], changes])}
