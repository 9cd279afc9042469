"""Add citing sentences to an index: what papers were cited for, told by those who cite them."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
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
from recsys.models.encoder import OnnxEncoder, encode_telling
from recsys.pipelines.corpora.known_papers import KnownPapers
from recsys.pipelines.corpora.link_citations import link_to
from recsys.pipelines.corpora.paper_names import (
    NOBODY,
    PaperNames,
    all_names,
    cited_as,
    printed_place,
)
from recsys.pipelines.corpora.partitions import batch_of
from recsys.pipelines.corpora.source_files import SourceFile, hash_of, source_files
from recsys.pipelines.corpora.works import cited_rows
from recsys.pipelines.index.contexts import (
    COLUMNS,
    contexts_today,
    in_order,
    write_contexts,
)
from recsys.pipelines.jobs.index_writer import StagedFolder, members_of, writing
from recsys.pipelines.jobs.kept_results import noted
from recsys.protocols import Encoder, Progress, silent
from recsys.records import Context, Reference
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
    files = ContextFiles(source_files(sources))
    contexts = tuple(files.contexts(progress))
    if not contexts:
        raise files.nothing()
    read = [f"Not read: {tally(files.problems)}."] if files.problems else []
    told = (*read, *(f"Passed over: {each}" for each in files.skipped))
    return CitingSentences(contexts, told)


@dataclass(frozen=True, slots=True)
class ContextFiles:
    """Files of citing sentences, and what was wrong with them as far as they have been read.

    problems: reasons, counted. skipped: files of a folder that hold no contexts.
    """

    files: Sequence[SourceFile]
    problems: Counter[str] = field(default_factory=Counter)
    skipped: list[str] = field(default_factory=list)

    @property
    def named(self) -> str:
        """The names of all files."""
        return ", ".join(file.path.name for file in self.files)

    def contexts(self, progress: Progress = silent) -> Iterator[Context]:
        """Read files in their order.

        Raises:
            InputError: one that somebody named cannot be read; one of a folder, after it gave some.
        """
        for file in self.files:
            any_read = False
            try:
                for item in read_contexts(file.path, progress=progress):
                    if isinstance(item, Problem):
                        self.problems[item.reason] += 1
                    else:
                        any_read = True
                        yield item
            except InputError as error:
                if file.named or any_read:
                    raise
                self.skipped.append(error.what)

    def nothing(self) -> InputError:
        """Say that they hold no contexts."""
        told = tally(self.problems) or "; ".join(self.skipped) or "they are empty"
        return InputError(
            f"{self.named} hold no contexts: {told}.", "Give files of citing sentences."
        )


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
        meant = (
            (each.cited_work or each.cited, each.citing_work or each.citing) for each in contexts
        )
        numbers = [works.setdefault(work, len(works)) for pair in meant for work in pair]
        places = np.array(numbers, np.int64).reshape(len(contexts), 2)
        described = [Reference(id=each) if isinstance(each, str) else each for each in works]
        found = self._find(described)[places] if described else places
        return found[:, 0], found[:, 1]

    def _find(self, works: Sequence[Reference]) -> Longs:
        """Look works up by all their names, the surest first, and the rest by title."""
        rows = np.full(len(works), NOBODY, np.int64)
        names = []
        for work in works:
            names.append(list(names_of(work)))
            printed = printed_place(work)
            if printed and work.year is not None:
                names[-1].append(cited_as(printed, work.year))
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


# Take in files of citing sentences: those of two papers of a corpus stay, others are counted.

AT_ONCE = 1 << 16
"""Contexts that are looked up together."""
NAMED = 5
"""Unknown papers that a report names; the others are counted."""


@dataclass(slots=True)
class ContextIntake:
    """What was read so far.

    count: contexts read. unknown: how many of them are of papers that the corpus does not hold, by
    which one. examples: what such papers are called.
    """

    works: ContextWorks
    count: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    examples: dict[str, None] = field(default_factory=dict)

    def take(self, contexts: Iterator[Context]) -> pa.Table:
        """Return those between papers of the corpus: a table of COLUMNS."""
        batches = []
        while some := list(islice(contexts, AT_ONCE)):
            self.count += len(some)
            cited, citing = self.works.rows(some)
            self._count_unknown(some, cited == NOBODY, citing == NOBODY)
            there = np.flatnonzero((cited != NOBODY) & (citing != NOBODY))
            known = [some[at] for at in there.tolist()]
            told = [each.text for each in known], [each.section for each in known]
            batches.append(batch_of(COLUMNS, cited[there], citing[there], *told))
        return pa.Table.from_batches(batches, COLUMNS)

    def _count_unknown(self, contexts: Sequence[Context], cited: Mask, citing: Mask) -> None:
        """Count the contexts of unknown papers; cited, citing: (m,) bool, which are unknown."""
        masks = {
            "both papers": cited & citing,
            "cited paper": cited & ~citing,
            "citing paper": citing & ~cited,
        }
        self.unknown.update({what: int(mask.sum()) for what, mask in masks.items() if mask.any()})
        for at in np.flatnonzero(cited | citing)[: 2 * NAMED].tolist():
            context = contexts[at]
            for mask, name, work in (
                (cited, context.cited, context.cited_work),
                (citing, context.citing, context.citing_work),
            ):
                if mask[at] and len(self.examples) < NAMED:
                    self.examples[name or (work and work.title) or ""] = None


# Encode citing sentences, a shard at a time; a killed run continues where it stopped.

STAGE = "encoding sentences"
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
    digest = hashlib.sha256()
    for begin in range(0, len(texts), SHARD):
        for text in texts.slice(begin, SHARD).to_pylist():
            digest.update(f"{len(text)} {text}".encode())
    key = fingerprint([encoder.fingerprint, shape, shard, digest.hexdigest()])
    there = all((folder / name).is_file() for name in (_CODES, _SCALES))
    notes = noted(folder / _NOTES, key) if there else None
    done = int(notes["finished"]) if notes else 0
    mode = "r+" if done else "w+"
    codes = np.lib.format.open_memmap(folder / _CODES, mode, np.int8, shape)
    scales = np.lib.format.open_memmap(folder / _SCALES, mode, np.float32, shape[:1])
    progress(STAGE, done, len(texts))
    for begin in range(done, len(texts), shard):
        some = texts.slice(begin, shard).to_pylist()
        place = slice(begin, begin + len(some))

        def told(more: int, begin: int = begin) -> None:
            progress(STAGE, begin + more, len(texts))

        vectors = encode_telling(encoder, [(text, None) for text in some], told)
        codes[place], scales[place] = quantised(vectors)
        codes.flush()
        scales.flush()
        write_json(folder / _NOTES, {"key": key, "finished": place.stop})
        progress(STAGE, place.stop, len(texts))
    return codes, scales


_REVISION = 1
_READ = "found"
_FOUND = "found.parquet"
_OLD = "old"
"""The column that says where a context stood before, _NEW where it was not there."""
_NEW = -1


@dataclass(frozen=True, slots=True)
class ContextsReport:
    """What was added. told: that, for people."""

    index: Path
    told: tuple[str, ...]

    def lines(self) -> list[str]:
        """Say it to people."""
        return [*self.told, f"Saved in {self.index}."]


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
    files = ContextFiles(source_files(sources, out=index))
    with writing(index, wait=wait, progress=progress) as writer, pin(writer.index) as base:
        work, corpus = writer.work(CONTEXTS), Corpus.load(base / CORPUS)
        key = fingerprint([_REVISION, sha256(base / MANIFEST), hash_of(files.files)])
        try:
            read = work.stage(_READ, key, partial(_read, base, corpus, files, progress)).facts
            writing_them = partial(_write, base, corpus, files, work, read["told"], progress)
            contexts = work.stage(CONTEXTS, key, writing_them).facts["contexts"]
            told = (*read["told"], f"{contexts:,} contexts are in the index now.")
            members = members_of(base) | {CONTEXTS: work.finished / CONTEXTS}
            writer.commit(members, pin(base).manifest().config)
        except RecsysError:  # To run it again would end so again.
            work.remove()
            raise
        work.remove()
    return ContextsReport(index, told)


def _read(
    base: Path, corpus: Corpus, files: ContextFiles, progress: Progress, folder: Path
) -> dict[str, Any]:
    """Read the files, and put what they say beside what is there."""
    intake = ContextIntake(ContextWorks.of(corpus))
    new = intake.take(files.contexts(progress))
    if not intake.count:
        raise files.nothing()
    if not new.num_rows:
        unknown = ", ".join(repr(each) for each in intake.examples)
        raise InputError(
            f"None of the {intake.count:,} contexts in {files.named} is between two papers of the "
            f"index: it does not know {unknown}.",
            "Its papers need these ids, or these names as aliases: build it from files that "
            "have them.",
        )
    here = new.append_column(_OLD, pa.array(np.full(new.num_rows, _NEW, np.int64)))
    if (base / CONTEXTS).is_dir():
        rows = np.arange(len(corpus), dtype=np.int32)
        old, places = contexts_today(base / CONTEXTS, rows)
        here = pa.concat_tables([old.append_column(_OLD, pa.array(places)), here])
    order = in_order(here, corpus.years)
    table = here.take(pa.array(order.order)).combine_chunks()
    if not table.num_rows:
        raise InputError(
            f"No context of {files.named} can be used: {tally(order.dropped)}.",
            "Check which paper cites which.",
        )
    pq.write_table(table, folder / _FOUND)
    added = int(np.count_nonzero(table.column(_OLD).to_numpy() == _NEW))
    dropped = {what: count for what, count in order.dropped.items() if count}
    reasons = (
        ("left out, because the index does not hold them", intake.unknown),
        ("left out", dropped),
        ("not read", files.problems),
    )
    lines = [
        f"{intake.count:,} contexts read; {added:,} of them are new",
        *(f"{what}: {tally(counts)}" for what, counts in reasons if counts),
        *(f"passed over: {what}" for what in files.skipped),
    ]
    return {"told": lines}


def _write(
    base: Path,
    corpus: Corpus,
    files: ContextFiles,
    work: StagedFolder,
    told: Sequence[str],
    progress: Progress,
    folder: Path,
) -> dict[str, Any]:
    """Encode what is new, and write the artifact."""
    table, vectors, name = pq.read_table(work.finished / _READ / _FOUND), None, None
    if (base / ENCODER).is_dir():
        encoder = OnnxEncoder.load(base / ENCODER)
        shards, name = work.place / "contexts.shards", encoder.fingerprint
        # Gather the vectors that the same encoder has made, and encode each other sentence once.
        known, old = None, np.full(table.num_rows, _NEW)
        if (former := base / CONTEXTS).is_dir():
            same = load_manifest(former, KIND, SCHEMA).config["encoder"] == encoder.fingerprint
            there = Contexts.load(former, len(corpus))
            if same and there.codes is not None:
                known, old = there, table.column(_OLD).to_numpy()
        new = np.flatnonzero(old == _NEW)
        texts = table.column("text").take(pa.array(new)).combine_chunks().dictionary_encode()
        made = encode_texts(encoder, texts.dictionary, shards, progress=progress)
        codes = np.empty((len(old), encoder.dim), np.int8)
        scales = np.empty(len(old), np.float32)
        numbers = texts.indices.to_numpy()
        codes[new], scales[new] = made[0][numbers], made[1][numbers]
        if known is not None and known.codes is not None and known.scales is not None:
            before = np.flatnonzero(old != _NEW)
            codes[before], scales[before] = known.codes[old[before]], known.scales[old[before]]
        vectors = codes, scales
    sources = [file.path.name for file in files.files]
    config = {"encoder": name, "sources": sources, "report": told}
    write_contexts(folder, table, corpus.years, vectors, config)
    return {"contexts": table.num_rows}
