"""Add citing sentences to an index: what papers were cited for, told by those who cite them."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from recsys.errors import InputError, RecsysError
from recsys.formats.contexts.context_reading import read_contexts
from recsys.formats.papers.external_ids import names_of
from recsys.formats.papers.json_records import tally
from recsys.formats.references.bibliography import Problem
from recsys.models.encoder import OnnxEncoder
from recsys.passages import Context
from recsys.pipelines.corpora.known_papers import KnownPapers
from recsys.pipelines.corpora.link_citations import link_to
from recsys.pipelines.corpora.paper_names import (
    NOBODY,
    PaperNames,
    all_names,
    cited_as,
    printed_place,
)
from recsys.pipelines.corpora.source_files import SourceFile, hash_of, source_files
from recsys.pipelines.corpora.works import cited_rows
from recsys.pipelines.index.contexts import (
    COLUMNS,
    columns_of,
    contexts_today,
    in_order,
    taken,
    write_contexts,
)
from recsys.pipelines.jobs.index_writer import IndexWriter, StagedFolder, members_of, writing
from recsys.progress import Progress, silent
from recsys.protocols import Encoder
from recsys.records import Reference
from recsys.store.arrays import Floats, Longs, Mask
from recsys.store.artifacts import (
    CONTEXTS,
    CORPUS,
    ENCODER,
    MANIFEST,
    fingerprint,
    load_manifest,
    sha256,
    write_json,
)
from recsys.store.contexts import KIND, SCHEMA, Contexts
from recsys.store.corpus import Corpus
from recsys.store.generations import pin
from recsys.store.kernels.dispatch import Codes
from recsys.store.vectors import quantised

# Read the citing sentences of files for training and measuring; what is not read is counted.


@dataclass(frozen=True, slots=True)
class CitingSentences:
    """The contexts of some files, in their order, and what is to be told of these."""

    contexts: tuple[Context, ...]
    told: tuple[str, ...] = ()


def read_sentences(sources: Sequence[Path], *, progress: Progress = silent) -> CitingSentences:
    """Read files and folders, in formats that `recsys.formats.contexts` lists.

    Files of a folder that hold no contexts are passed over.

    Raises:
        CorpusError: a file cannot be read, or is of no known format.
        InputError: there is no context in any of them.
    """
    files = source_files(sources)
    contexts: list[Context] = []
    problems: Counter[str] = Counter()
    skipped: list[str] = []
    for file in files:
        before = len(contexts)
        try:
            for item in read_contexts(file.path, progress=progress):
                if isinstance(item, Problem):
                    problems[item.reason] += 1
                else:
                    contexts.append(item)
        except InputError as error:
            if file.named or len(contexts) > before:
                raise
            skipped.append(error.what)
    if not contexts:
        raise _no_names(files, problems, skipped)
    read = [f"Not read: {tally(problems)}."] if problems else []
    return CitingSentences(tuple(contexts), (*read, *(f"Passed over: {each}" for each in skipped)))


def _no_names(
    files: Iterable[SourceFile], problems: Counter[str], skipped: Sequence[str]
) -> InputError:
    names = ", ".join(file.path.name for file in files)
    told = tally(problems) or "; ".join(skipped) or "they are empty"
    return InputError(f"{names} hold no contexts: {told}.", "Give files of citing sentences.")


# Find the papers of a corpus that citing sentences mean, by name, else as `recsys build` does.


@dataclass(frozen=True, slots=True)
class ContextWorks:
    """The papers of a corpus, as the works of contexts are compared with them.

    papers: the columns that `link` reads. names: of all papers, each of one alone.
    """

    papers: pa.Table
    names: PaperNames

    @classmethod
    def of(cls, corpus: Corpus) -> "ContextWorks":
        """Gather the ids, DOIs and aliases of a corpus."""
        papers = KnownPapers(corpus).table()
        return cls(papers, PaperNames.of(*all_names(papers)))

    def rows(self, contexts: Sequence[Context]) -> tuple[Longs, Longs]:
        """Return the rows of (cited, citing) papers: (m,) int64 each, NOBODY for unknown ones."""
        works: dict[Reference | str, int] = {}
        places = np.array(
            [
                [works.setdefault(work, len(works)) for work in _works(context)]
                for context in contexts
            ],
            np.int64,
        ).reshape(len(contexts), 2)
        described = [Reference(id=each) if isinstance(each, str) else each for each in works]
        found = self._find(described)[places] if described else places
        return found[:, 0], found[:, 1]

    def _find(self, works: Sequence[Reference]) -> Longs:
        """Look works up by all their names, the surest first, and the rest by title."""
        rows = np.full(len(works), NOBODY, np.int64)
        names = [[*names_of(work), *_printed_as(work)] for work in works]
        for place in range(max(map(len, names))):
            left = [at for at, row in enumerate(rows) if row == NOBODY and len(names[at]) > place]
            wanted = pa.array([names[at][place] for at in left], pa.large_string())
            rows[left] = self.names.find(wanted)
        untold = [at for at, row in enumerate(rows) if row == NOBODY and works[at].title]
        if untold:
            # Each is what another cites, so that the columns tell which is which.
            cited = cited_rows(Reference(cites=(replace(works[at], cites=()),)) for at in untold)
            owners = cited.column("owner").to_numpy()
            rows[np.array(untold)[owners]] = link_to(cited, self.papers)
        return rows


def _works(context: Context) -> Iterator[Reference | str]:
    yield context.cited_work or context.cited
    yield context.citing_work or context.citing


def _printed_as(work: Reference) -> Iterator[str]:
    place = printed_place(work)
    if place and work.year is not None:
        yield cited_as(place, work.year)


# Take in files of citing sentences: those of two papers of a corpus stay, others are counted.

AT_ONCE = 1 << 16
"""Contexts that are looked up together."""
NAMED = 5
"""Unknown papers that a report names; the others are counted."""


_TEXTS = pa.schema([("text", pa.large_string()), ("section", pa.large_string())])


@dataclass(slots=True)
class ContextIntake:
    """What was read so far.

    count: contexts read. unknown: how many of them are of papers that the corpus does not hold, by
    which one. examples: what such papers are called. problems: reasons, counted. skipped: files of
    a folder that hold no contexts.
    """

    works: ContextWorks
    count: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    examples: dict[str, None] = field(default_factory=dict)
    problems: Counter[str] = field(default_factory=Counter)
    skipped: list[str] = field(default_factory=list)
    _tables: list[pa.Table] = field(default_factory=list)

    def read_all(self, files: Sequence[SourceFile], progress: Progress = silent) -> None:
        """Read files in their order.

        Raises:
            InputError: one that somebody named cannot be read; one of a folder, after it gave some.
        """
        for file in files:
            before = self.count
            try:
                self._read(file, progress)
            except InputError as error:
                if file.named or self.count > before:
                    raise
                self.skipped.append(error.what)

    def taken(self) -> pa.Table:
        """Return the contexts between papers of the corpus: a table of COLUMNS."""
        return pa.concat_tables([COLUMNS.empty_table(), *self._tables])

    def _read(self, file: SourceFile, progress: Progress) -> None:
        found = self._sound(read_contexts(file.path, progress=progress))
        while some := list(islice(found, AT_ONCE)):
            self.count += len(some)
            self._take(some)

    def _sound(self, items: Iterator[Context | Problem]) -> Iterator[Context]:
        for item in items:
            if isinstance(item, Problem):
                self.problems[item.reason] += 1
            else:
                yield item

    def _take(self, contexts: list[Context]) -> None:
        cited, citing = self.works.rows(contexts)
        known = (cited != NOBODY) & (citing != NOBODY)
        self._count_unknown(contexts, cited == NOBODY, citing == NOBODY)
        there = np.flatnonzero(known)
        kept = [contexts[at] for at in there.tolist()]
        texts = {"text": [each.text for each in kept], "section": [each.section for each in kept]}
        one, other = (each[there].astype(np.int32) for each in (cited, citing))
        self._tables.append(columns_of(one, other, pa.table(texts, schema=_TEXTS)))

    def _count_unknown(self, contexts: Sequence[Context], cited: Mask, citing: Mask) -> None:
        """Count the contexts of unknown papers; cited, citing: (m,) bool, which are unknown."""
        which = {"both papers": cited & citing, "cited paper": cited & ~citing}
        for what, mask in {**which, "citing paper": citing & ~cited}.items():
            if count := int(np.count_nonzero(mask)):
                self.unknown[what] += count
        for at in np.flatnonzero(cited | citing)[: 2 * NAMED].tolist():
            context = contexts[at]
            works = (context.cited_work, context.citing_work)
            for mask, name, work in zip(
                (cited, citing), (context.cited, context.citing), works, strict=True
            ):
                if mask[at] and len(self.examples) < NAMED:
                    self.examples[name or (work and work.title) or ""] = None


# Encode citing sentences, a shard at a time; a killed run continues where it stopped.

STAGE = "encode contexts"
SHARD = 2048
"""Sentences between two notes of progress: some seconds of work, lost at most when killed."""
_CODES, _SCALES, _NOTES = "codes.npy", "scales.npy", "encoded.json"


def encode_texts(
    encoder: Encoder,
    texts: pa.Array,
    folder: Path,
    *,
    shard: int = SHARD,
    progress: Progress = silent,
) -> tuple[Codes, Floats]:
    """Encode sentences: codes (m, d) int8 and scales (m,) float32, see `recsys.store.contexts`.

    Args:
        encoder: a sentence is to it a title without an abstract.
        texts: (m,) strings.
        folder: where the work lies until the caller removes it; what an earlier run finished there
            is kept when it encoded the same sentences by the same encoder.
        shard: sentences encoded between two notes.
        progress: told how many are done.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shape = (len(texts), encoder.dim)
    key = fingerprint([encoder.fingerprint, shape, shard, _digest(texts)])
    done = _finished(folder, key)
    mode = "r+" if done else "w+"
    codes = np.lib.format.open_memmap(folder / _CODES, mode, np.int8, shape)
    scales = np.lib.format.open_memmap(folder / _SCALES, mode, np.float32, shape[:1])
    progress(STAGE, done, len(texts))
    for begin in range(done, len(texts), shard):
        some = texts.slice(begin, shard).to_pylist()
        place = slice(begin, begin + len(some))
        codes[place], scales[place] = quantised(encoder.encode([(text, None) for text in some]))
        codes.flush()
        scales.flush()
        write_json(folder / _NOTES, {"job": key, "finished": place.stop})
        progress(STAGE, place.stop, len(texts))
    return codes, scales


def _digest(texts: pa.Array) -> str:
    found = hashlib.sha256()
    for begin in range(0, len(texts), SHARD):
        for text in texts.slice(begin, SHARD).to_pylist():
            found.update(f"{len(text)} {text}".encode())
    return found.hexdigest()


def _finished(folder: Path, key: str) -> int:
    """Count the sentences that an earlier run of the same job encoded."""
    if not all((folder / name).is_file() for name in (_CODES, _SCALES)):
        return 0
    try:
        notes = json.loads((folder / _NOTES).read_text(encoding="utf-8"))
        return int(notes["finished"]) if notes["job"] == key else 0
    except (OSError, ValueError, LookupError, TypeError):
        return 0


_REVISION = 1
_READ = "found"
_FOUND = "found.parquet"
_OLD = "old"
"""The column that says where a context stood before, _NEW where it was not there."""
_NEW = -1


@dataclass(frozen=True, slots=True)
class ContextsReport:
    """What was added. contexts: how many there are now. facts: what the manifest says."""

    index: Path
    contexts: int
    facts: Mapping[str, Any]
    told: tuple[str, ...]

    def lines(self) -> list[str]:
        """Say it to people."""
        return [*self.told, f"Saved in {self.index}."]


@dataclass(frozen=True, slots=True)
class _Job:
    """What contexts are added to, and where the work lies."""

    base: Path
    files: Sequence[SourceFile]
    work: StagedFolder
    progress: Progress

    @property
    def corpus(self) -> Corpus:
        """The papers of the index."""
        return Corpus.load(self.base / CORPUS)


def add_contexts(
    index: Path, sources: Sequence[Path], *, wait: bool = False, progress: Progress = silent
) -> ContextsReport:
    """Add the citing sentences of files to those that an index has; a killed run continues.

    Args:
        index: gets them, or more of them.
        sources: files and folders, in formats that `recsys.formats.contexts` lists.
        wait: for another process that changes the index; else it is refused.
        progress: told about every stage.

    Raises:
        ArtifactError: the index cannot be opened, or its contexts are damaged.
        CorpusError: a file cannot be read, or is of no known format.
        InputError: no sentence is of two papers of the index, or another process changes it.
    """
    files = source_files(sources, out=index)
    with writing(index, wait=wait, progress=progress) as writer, pin(writer.index) as base:
        work = writer.work(CONTEXTS)
        try:
            return _add(writer, index, _Job(base, files, work, progress))
        except RecsysError:  # To run it again would end so again.
            work.remove()
            raise


def _add(writer: IndexWriter, index: Path, job: _Job) -> ContextsReport:
    read_key = fingerprint([_REVISION, sha256(job.base / MANIFEST), hash_of(job.files)])
    found = job.work.stage(_READ, read_key, partial(_read, job))
    done = job.work.stage(CONTEXTS, read_key, partial(_write, job, found.facts))
    told = (*found.facts["told"], f"{done.facts['contexts']:,} contexts are in the index now.")
    config = pin(job.base).manifest().config
    members = members_of(job.base) | {CONTEXTS: job.work.finished / CONTEXTS}
    writer.commit(members, config)
    job.work.remove()
    return ContextsReport(index, done.facts["contexts"], found.facts, told)


def _read(job: _Job, folder: Path) -> dict[str, Any]:
    """Read the files, and put what they say beside what is there."""
    corpus = job.corpus
    intake = ContextIntake(ContextWorks.of(corpus))
    intake.read_all(job.files, job.progress)
    new = intake.taken()
    if not new.num_rows:
        raise _nothing(job, intake)
    here = new.append_column(_OLD, pa.array(np.full(new.num_rows, _NEW, np.int64)))
    if (job.base / CONTEXTS).is_dir():
        rows = np.arange(len(corpus), dtype=np.int32)
        old, places = contexts_today(job.base / CONTEXTS, rows)
        here = pa.concat_tables([old.append_column(_OLD, pa.array(places)), here])
    kept = in_order(here, corpus.years)
    table = taken(here, kept.order)
    if not table.num_rows:
        raise _all_dropped(job, kept.dropped)
    pq.write_table(table, folder / _FOUND)
    added = int(np.count_nonzero(table.column(_OLD).to_numpy() == _NEW))
    return {"read": intake.count, "added": added, "told": _lines(intake, added, kept.dropped)}


def _write(job: _Job, facts: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Encode what is new, and write the artifact."""
    table = pq.read_table(job.work.finished / _READ / _FOUND)
    corpus, encoder = job.corpus, None
    if (job.base / ENCODER).is_dir():
        encoder = OnnxEncoder.load(job.base / ENCODER)
    vectors = None if encoder is None else _vectors(job, table, encoder)
    name = None if encoder is None else encoder.fingerprint
    config = {"encoder": name, "sources": [file.path.name for file in job.files]}
    write_contexts(folder, table, corpus.years, vectors, {**config, "report": facts["told"]})
    return {"contexts": table.num_rows}


def _vectors(job: _Job, table: pa.Table, encoder: OnnxEncoder) -> tuple[Codes, Floats]:
    """Gather the vectors that are known, and encode each other sentence once."""
    known = _known(job, encoder, len(job.corpus))
    old = table.column(_OLD).to_numpy() if known else np.full(table.num_rows, _NEW)
    new = np.flatnonzero(old == _NEW)
    texts = table.column("text").take(pa.array(new)).combine_chunks().dictionary_encode()
    made = encode_texts(
        encoder, texts.dictionary, job.work.place / "contexts.shards", progress=job.progress
    )
    codes = np.empty((len(old), encoder.dim), np.int8)
    scales = np.empty(len(old), np.float32)
    numbers = texts.indices.to_numpy()
    codes[new], scales[new] = made[0][numbers], made[1][numbers]
    if known is not None and known.codes is not None and known.scales is not None:
        there = np.flatnonzero(old != _NEW)
        codes[there], scales[there] = known.codes[old[there]], known.scales[old[there]]
    return codes, scales


def _known(job: _Job, encoder: OnnxEncoder, papers: int) -> Contexts | None:
    """Return the contexts that are there, if the same encoder made vectors of them."""
    folder = job.base / CONTEXTS
    if not folder.is_dir():
        return None
    same = load_manifest(folder, KIND, SCHEMA).config["encoder"] == encoder.fingerprint
    found = Contexts.load(folder, papers)
    return found if same and found.codes is not None else None


def _lines(intake: ContextIntake, added: int, dropped: Mapping[str, int]) -> list[str]:
    lines = [f"{intake.count:,} contexts read; {added:,} of them are new"]
    if intake.unknown:
        lines.append(f"left out, because the index does not hold them: {tally(intake.unknown)}")
    if any(dropped.values()):
        told = {what: count for what, count in dropped.items() if count}
        lines.append(f"left out: {tally(told)}")
    if intake.problems:
        lines.append(f"not read: {tally(intake.problems)}")
    return lines + [f"passed over: {what}" for what in intake.skipped]


def _nothing(job: _Job, intake: ContextIntake) -> InputError:
    names = ", ".join(file.path.name for file in job.files)
    if not intake.count:
        told = tally(intake.problems) or "; ".join(intake.skipped) or "they are empty"
        return InputError(f"{names} hold no contexts: {told}.", "Give files of citing sentences.")
    unknown = ", ".join(repr(each) for each in intake.examples)
    return InputError(
        f"None of the {intake.count:,} contexts in {names} is between two papers of the index: it "
        f"does not know {unknown}.",
        "Its papers need these ids, or these names as aliases: build it of files that tell them.",
    )


def _all_dropped(job: _Job, dropped: Mapping[str, int]) -> InputError:
    names = ", ".join(file.path.name for file in job.files)
    return InputError(
        f"No context of {names} can be used: {tally(dropped)}.", "Check which paper cites which."
    )
