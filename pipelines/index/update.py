"""Update an index: add, replace and remove papers; it then answers as if it were built anew.

Columns, terms, postings and graph are those of a rebuild, byte by byte, but what is stored of old
papers stays in its files. Vectors and NNSelect's are taken over by text, a forest of Annoy goes on
serving what it knows, and rankers stay. All of it is a new generation: who reads the index goes on
reading the one before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
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
    holds_vectors,
    summary,
    words_summary,
)
from recsys.indexes.opening import open_collection
from recsys.models import nnselect
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.corpora.collect import AS_TOLD, Reading, collect
from recsys.pipelines.corpora.collect_report import JOINS, LOSSES
from recsys.pipelines.corpora.corpus_worth import TRAIN, worth_lines, worth_of
from recsys.pipelines.corpora.known_papers import KnownPapers
from recsys.pipelines.corpora.pdf_folder import PDFS
from recsys.pipelines.corpora.source_files import SourceFile, hash_of, source_files
from recsys.pipelines.corpora.source_intake import REJECTS
from recsys.pipelines.corpora.works import SCHEMA
from recsys.pipelines.index.build import recipe_of
from recsys.pipelines.index.changes import Changes, Plan, plan, read_ids, towards
from recsys.pipelines.index.columns import merge_columns
from recsys.pipelines.index.contexts import carry_contexts
from recsys.pipelines.index.encode import (
    KnownVectors,
    encode_corpus,
    encode_rows,
    link_vectors,
    unchanged_texts,
    whole,
)
from recsys.pipelines.index.external_vectors import PreviousVectors, given_mask, take
from recsys.pipelines.index.ingest import rejects_line
from recsys.pipelines.index.text import merge_text
from recsys.pipelines.jobs.engines import USUAL, Engine
from recsys.pipelines.jobs.index_writer import IndexWriter, Stage, StagedFolder, members_of, writing
from recsys.protocols import Progress, silent
from recsys.store.arrays import Rows, write_rows
from recsys.store.arrivals import ARRIVALS, Arrivals
from recsys.store.artifacts import (
    CONTEXTS,
    CORPUS,
    ENCODER,
    MANIFEST,
    NNRANK,
    NNSELECT,
    TEXT,
    VECTORS,
    WORD_SEARCH,
    fingerprint,
    link_or_copy,
    load_manifest,
    seal,
    sha256,
)
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.generations import pin
from recsys.store.graph import CitationGraph
from recsys.store.vectors import GivenVectors

FEW = 64
"""Texts that are encoded on one processor."""
_REVISION = 6
"""Raised when an update would write something else from the same: unfinished ones begin anew."""
_READING = "reading"
"""The folder of what was read of the files."""
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
    """What was done. told: that, for people. unchanged: whether there was nothing to do."""

    index: Path
    unchanged: bool
    told: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Say it to people."""
        if self.unchanged:
            return [*self.told, f"{self.index} already holds these papers: nothing was changed."]
        return [*self.told, f"Saved in {self.index}."]


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
        # What it opened is closed when it returns: then the former generation can go.
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
            "Leave --embeddings out: new papers are encoded.",
        )
    work = writer.work("update")
    try:
        changes, lines = _read(base.corpus, config, files, options, work, progress)
        run = _Update(base, config, plan(base.corpus, changes), work, files, options, progress)
        lines += run.plan.lines()
        if not any((*run.plan.counts, options.compact, options.embeddings)):
            new = config | run.origin()
            if new != config:  # What was built of other files is as if built of this one.
                writer.commit(members_of(base.folder), new)
            work.remove()
            return UpdateReport(index, True, tuple(lines))
        # Hash what the update depends on.
        vectors = [] if options.embeddings is None else embedding_files(options.embeddings)
        paths = [base.folder / MANIFEST, *(file.path for file in files), *vectors]
        asked = [changes.removed, options.compact, options.columns]
        key = fingerprint([_REVISION, [sha256(path) for path in paths], *asked])
        stages = {CORPUS: run.columns, TEXT: run.text, VECTORS: run.vectors}
        stages[ARRIVALS] = run.arrivals
        if (base.folder / NNSELECT).is_dir():
            stages[NNSELECT] = run.nnselect
        if (base.folder / CONTEXTS).is_dir():
            stages[CONTEXTS] = run.contexts
        done = {name: work.stage(name, key, fill) for name, fill in stages.items()}
        gone = left_out(base.folder)
        members = {n: path for n, path in members_of(base.folder).items() if n not in gone}
        new, changed = run.config_of(done)
        writer.commit(members | {name: work.finished / name for name in done}, new)
        work.remove()
    except RecsysError:  # To run it again would end so again.
        work.remove()
        raise
    lines += [*changed, summary(new["ann"], new["papers"])]
    lines += words_summary(new.get(WORD_SEARCH, {}), new["papers"])
    lines += [f"The {name} no longer fits the index: train it again." for name in gone]
    return UpdateReport(index, False, (*lines, *rejects_line(index)))


def _read(
    base: Corpus,
    config: Mapping[str, Any],
    files: Sequence[SourceFile],
    options: UpdateOptions,
    work: StagedFolder,
    progress: Progress,
) -> tuple[Changes, list[str]]:
    """Read what is to change; say what became of the records of the files.

    They are read as for the build, but for columns that are named now.
    """
    removed = () if options.remove is None else read_ids(options.remove)
    if not files:
        return Changes(SCHEMA.empty_table(), removed), []
    record = config["options"].get("reading")
    reading = AS_TOLD if record is None else Reading.from_record(record)
    if options.columns:
        reading = replace(reading, columns=options.columns)
    known = None if options.whole else KnownPapers(base, reading.keyphrases)
    place, pdfs = work.place / _READING, work.place / PDFS
    papers, read = collect(
        files, place, reading, cache=pdfs, known=known, engine=options.engine, progress=progress
    )
    table = papers.table()
    changes = towards(base.ids, table) if options.whole else Changes(table, removed)
    return changes, read.lines() + read.loss_lines()


@dataclass(frozen=True, slots=True)
class _Update:
    """One update: each method fills the folder of a stage and returns facts for the manifest.

    base: what was there. config: what its manifest says.
    """

    base: Collection
    config: Mapping[str, Any]
    plan: Plan
    work: StagedFolder
    files: Sequence[SourceFile]
    options: UpdateOptions
    progress: Progress

    @property
    def corpus(self) -> Corpus:
        """The papers of today, once they are written."""
        return Corpus.load(self.work.finished / CORPUS)

    @property
    def known(self) -> KnownVectors:
        """The vectors of texts that have not changed."""
        return KnownVectors(self.base.vectors, unchanged_texts(self.base.corpus, self.plan))

    def columns(self, folder: Path) -> dict[str, Any]:
        """Merge the papers."""
        self.progress("merging papers", 0, 1)
        base, merged = self.base, self.plan.merged
        links = merge_columns(folder, self.plan.papers, base.corpus, base.graph, merged)
        if (rejects := self.work.place / _READING / REJECTS).exists():
            link_or_copy(rejects, folder / REJECTS)
        graph = CitationGraph.load(folder)
        self.progress("merging papers", 1, 1)
        worth = worth_of(Corpus.load(folder), graph)
        return {
            "papers": len(merged.origins),
            "links": links.links,
            "told": links.lines(),
            "worth": worth_lines(worth),
            TRAIN: worth.train,
        }

    def text(self, folder: Path) -> dict[str, Any]:
        """Merge the terms, and carry over or prepare anew the search of words."""
        store, codes = merge_text(self.base.terms, self.plan, folder, progress=self.progress)
        facts, years = self.config.get(WORD_SEARCH, {}), self.corpus.years
        name = facts.get("backend", OWN)
        if self.options.compact:
            words = build_words(name, store, folder, years=years)
        else:
            former = Former(self.base.folder / TEXT, facts, self.known.today, codes)
            words = carry_words(name, store, folder, former, years=years)
        return {"terms": len(store.vocabulary), **({WORD_SEARCH: words} if facts else {})}

    def vectors(self, folder: Path) -> dict[str, Any]:
        """Encode new texts, and carry over or prepare anew the search of vectors."""
        known, years = self.known, self.corpus.years
        place = self.work.place / "vectors.shards"  # Kept when the update is killed.
        facts: dict[str, Any] = {}
        vectors: GivenVectors
        if "external" in self.config:
            vectors, facts = self._given(known, place)
        else:
            # Each thread has memory of its own: a few texts are not worth a second.
            few = np.count_nonzero(known.missing) < FEW
            engine = USUAL if few else self.options.engine  # Nor the start of processes.
            exported = self.base.folder / ENCODER
            vectors = encode_corpus(
                OnnxEncoder.load(exported, threads=1 if few or not engine.here else None),
                self.corpus,
                place,
                known=known,
                engine=engine,
                exported=exported,
                progress=self.progress,
            )
        self.progress("indexing vectors", 0, 1)
        name = self.config["ann"]["backend"]
        if self.options.compact:
            name = self.config["options"].get("vectors") or by_size(len(vectors))
        if not holds_vectors({"backend": name}):
            vectors = whole(vectors, place)
        if self.options.compact:
            ann = build_index(name, vectors, folder, years=years)
        else:
            former = Former(self.base.folder / VECTORS, self.config["ann"], known.today)
            ann = carry_index(name, vectors, folder, former, years=years)
        link_vectors(place, folder, ann)
        self.progress("indexing vectors", 1, 1)
        return {**facts, "ann": ann, "dim": int(vectors.shape[1])}

    def _given(self, known: KnownVectors, place: Path) -> tuple[GivenVectors, dict[str, Any]]:
        """Complete vectors that came from elsewhere, by their encoder or by words."""
        base, config = self.base, self.config
        given = given_mask(base.folder / VECTORS, len(base.corpus))
        named = config["options"]["encoder"]
        return take(
            self.options.embeddings,
            self.corpus,
            place,
            encoder=None if named is None else OnnxEncoder.load(base.folder / ENCODER),
            text=self.work.finished / TEXT,
            words=config.get(WORD_SEARCH, {}),
            previous=PreviousVectors(known, given, str(config["encoder"]), config["external"]),
            progress=self.progress,
        )

    def nnselect(self, folder: Path) -> dict[str, Any]:
        """Carry NNSelect over."""
        old, papers = self.base.folder / NNSELECT, len(self.base.corpus)
        model = nnselect.NNSelectModel.load(old, papers)
        carry_nnselect(model, old, self.corpus, self.known.rows, folder, progress=self.progress)
        return {}

    def arrivals(self, folder: Path) -> dict[str, Any]:
        """Note which papers are new."""
        known = Arrivals.load(self.base.folder, len(self.base.corpus))
        merged = self.plan.merged
        return {ARRIVALS: known.updated(merged.today, len(merged.origins)).save(folder)}

    def contexts(self, folder: Path) -> dict[str, Any]:
        """Carry the citing sentences over."""
        old, today = self.base.folder / CONTEXTS, self.plan.merged.today
        return {_CARRIED: carry_contexts(old, today, self.corpus.years, folder)}

    def config_of(self, done: Mapping[str, Stage]) -> tuple[dict[str, Any], list[str]]:
        """Say what the index is now, and what people are told of the stages."""
        facts = {name: fact for stage in done.values() for name, fact in stage.facts.items()}
        lines = facts.pop("told") + facts.pop(_CARRIED, [])
        counts = dict(zip(("added", "replaced", "removed"), self.plan.counts, strict=True))
        changes = [asdict(stage) for stage in done.values()]
        new = {
            **{name: fact for name, fact in self.config.items() if name not in (*JOINS, LOSSES)},
            **facts,
            "report": [*self.plan.lines(), *lines],
            "update": counts,
            "recipe": fingerprint([self.config["recipe"], changes]),
            **self.origin(),
        }
        return new, lines

    def origin(self) -> dict[str, Any]:
        """Say what a build would of an index that has become the papers of a file.

        Vectors from elsewhere may come from several files: no build makes these.
        """
        whole = self.files and self.options.whole
        if not whole or self.options.columns or "external" in self.config:
            return {}
        recipe = recipe_of(hash_of(self.files), self.config["options"])
        return {"recipe": recipe, "source": ", ".join(file.path.name for file in self.files)}


def carry_nnselect(
    model: nnselect.NNSelectModel,
    previous: Path,
    corpus: Corpus,
    rows: Rows,
    folder: Path,
    *,
    progress: Progress = silent,
) -> None:
    """Write the artifact of NNSelect for an updated corpus into an empty folder.

    Its fingerprint stays, and so does what learned from it; "carried" in its config counts the
    texts that came after its training.

    Args:
        model: of the older index.
        previous: the folder of the model; never written.
        corpus: the papers of today.
        rows: (n,) int32, the old row of each text that has not changed, GONE for the others.
        folder: to fill.
        progress: told about new texts.
    """
    known = KnownVectors(model.vectors, rows)
    for file in previous.iterdir():
        if file.name not in (MANIFEST, nnselect.VECTORS):
            link_or_copy(file, folder / file.name)
    write_rows(folder / nnselect.VECTORS, (len(corpus), model.dim), known.pieces())
    vectors = np.lib.format.open_memmap(folder / nnselect.VECTORS, "r+")
    total = encode_rows(
        model.encode, corpus, known.missing, vectors, "encoding for NNSelect", progress
    )
    config = load_manifest(previous, nnselect.KIND, nnselect.SCHEMA).config
    facts = {"papers": len(corpus), "carried": config.get("carried", 0) + total}
    seal(folder, nnselect.KIND, nnselect.SCHEMA, {**config, **facts})


def left_out(index: Path) -> tuple[str, ...]:
    """Name the models of an older index that are of its very rows, and do not fit any other."""
    names = "nnselect-folds", NNRANK, f"{NNRANK}-no-metadata"
    return tuple(name for name in names if (index / name).is_dir())
