"""Encode a whole corpus, a shard at a time; a killed run continues where it stopped.

Rows are written straight into a memory-mapped `.npy`, and a small JSON beside it remembers which
shards are finished, for which encoder and which papers. Vectors of papers whose title and abstract
an older index holds are taken over.
"""

import hashlib
import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.errors import ArtifactError
from recsys.indexes.backends import holds_vectors
from recsys.models.encoder import OnnxEncoder, Text, encode_telling
from recsys.pipelines.index.changes import Plan
from recsys.pipelines.index.paper_rows import PaperRows, read_texts, same_papers, texts_of
from recsys.pipelines.jobs.engines import USUAL, Engine, Shards, Stage
from recsys.protocols import Encoder, Progress, silent
from recsys.store.arrays import Floats, Mask, Rows, load_array, write_rows
from recsys.store.artifacts import (
    CORPUS,
    VECTOR_FILE,
    VECTORS,
    check_hashes,
    fingerprint,
    link_or_copy,
    write_json,
)
from recsys.store.collection import check_vectors
from recsys.store.corpus import Corpus
from recsys.store.generations import pin
from recsys.store.row_remap import GONE
from recsys.store.vectors import (
    GivenVectors,
    JoinedVectors,
    StoredVectors,
    let_go,
    load_vectors,
    vector_files,
)

STAGE = "encoding papers"
NOTES = "vectors.json"
SHARD = 512
"""Papers between two notes of progress: some seconds of work, lost at most when killed."""
AT_ONCE = 2048
FRESH_FILE = "fresh.npy"
"""Vectors of an update that its index did not hold, where the others are read from that."""
_UNFINISHED = "vectors.unfinished.npy"
_BYTES = 16

Digests = NDArray[np.void]
Texts: TypeAlias = Sequence[Text]
Vectors: TypeAlias = "np.memmap[tuple[int, int], np.dtype[np.float32]] | JoinedVectors"


@dataclass(frozen=True, slots=True)
class KnownVectors:
    """Vectors of an older index, and which papers of today have them.

    vectors: (m, d) float32, of the older index. rows: (n,) int32, for each paper of today the row
    of its text there, GONE where the text is new.
    """

    vectors: StoredVectors
    rows: Rows

    @property
    def missing(self) -> Mask:
        """Tell which papers have no vector: (n,) bool."""
        return np.asarray(self.rows == GONE)

    @property
    def today(self) -> Rows:
        """Return the row of today of each old vector, GONE where no paper has it: (m,) int32."""
        today = np.full(len(self.vectors), GONE, np.int32)
        there = np.flatnonzero(~self.missing)
        today[self.rows[there]] = there
        return today

    def pieces(self, dim: int | None = None) -> Iterator[Floats]:
        """Give the vectors of today in order, AT_ONCE at a time; zeros where one is missing.

        dim: their length where there is no old vector to tell it.
        """
        for begin in range(0, len(self.rows), AT_ONCE):
            yield self.of(self.rows[begin : begin + AT_ONCE], dim)

    def of(self, rows: Rows, dim: int | None = None) -> Floats:
        """Copy the old vectors of (m,) rows of the older index, see `pieces`."""
        found = np.zeros((len(rows), dim or self.vectors.shape[1]), np.float32)
        there = rows != GONE
        if there.any():
            found[there] = self.vectors[rows[there]]
            let_go(self.vectors)
        return found

    @classmethod
    def none(cls, n: int) -> "KnownVectors":
        """Know nothing of n papers."""
        return cls(np.empty((0, 0), np.float32), np.full(n, GONE, np.int32))

    def without(self, unusable: Mask) -> "KnownVectors":
        """Forget some of the old vectors: (m,) bool."""
        unknown = self.missing | unusable[self.rows]
        return KnownVectors(self.vectors, np.where(unknown, np.int32(GONE), self.rows))


def known_to(index: Path, corpus: Corpus, encoder: str) -> KnownVectors | None:
    """Find vectors that the same encoder made for an index, if all that they need is sound."""
    try:
        old = pin(index)
        manifest, folder = old.manifest(), old.folder
        if manifest.config["encoder"] != encoder or "external" in manifest.config:
            return None
        needed = [name for name in manifest.files if name.startswith(f"{CORPUS}/")]
        needed += [f"{VECTORS}/{name}" for name in vector_files(folder / VECTORS)]
        check_hashes(folder, manifest, needed)
        before = Corpus.load(folder / CORPUS)
        vectors = load_vectors(folder / VECTORS)
        check_vectors(folder / VECTORS, vectors, len(before))
        return KnownVectors(vectors, same_texts(before, corpus))
    except (ArtifactError, OSError):
        return None


def same_texts(old: Corpus, corpus: Corpus) -> Rows:
    """Return for each paper an old row of the same title and abstract, GONE where there is none.

    The old row of the same id goes first, so that different rows have different old ones wherever
    that is possible. Texts are compared by their hash: none of them stays in memory.
    """
    before, now = _digests(old), _digests(corpus)
    old_row = {old.ids[row]: row for row in range(len(old))}
    same_ids = (old_row.get(corpus.ids[row], GONE) for row in range(len(corpus)))
    rows = np.fromiter(same_ids, np.int32, len(corpus))
    new = np.flatnonzero((rows == GONE) | (before[rows] != now))
    row_of = dict.fromkeys(now[new].tolist(), GONE)
    row_of |= {text: row for row, text in enumerate(before.tolist()) if text in row_of}
    rows[new] = [row_of[text] for text in now[new].tolist()]
    return rows


def unchanged_texts(old: Corpus, plan: Plan) -> Rows:
    """Do as `same_texts` does for an update, but look for a text under its id alone: far quicker.

    Only papers that the plan replaces are read.
    """
    origins, today = plan.merged.origins, plan.merged.today
    rows: Rows = np.where(origins.rows < origins.old, origins.rows, np.int32(GONE))
    replaced = np.flatnonzero((today != GONE) & (origins.rows[today] >= origins.old))
    papers = PaperRows(old, plan.papers)
    for begin in range(0, len(replaced), AT_ONCE):
        some = replaced[begin : begin + AT_ONCE].astype(np.int32)
        others = origins.rows[today[some]]
        same = some[same_papers(papers.take(some), papers.take(others), ("title", "abstract"))]
        rows[today[same]] = same
    return rows


def _digests(corpus: Corpus) -> Digests:
    """Hash the text of each paper: (n,) of 16 bytes."""
    digests = []
    for title, abstract in chain.from_iterable(read_texts(corpus, AT_ONCE)):
        # The length keeps a title's end apart from an abstract's beginning; no abstract is not "".
        text = f"{len(title)} {title}" + ("" if abstract is None else f" {abstract}")
        digests.append(hashlib.blake2b(text.encode(), digest_size=_BYTES).digest())
    return np.frombuffer(b"".join(digests), f"V{_BYTES}")


@dataclass(frozen=True, slots=True)
class _TextShards:
    """The texts of shards, read when they are iterated over.

    missing: (n,) bool, the papers that are encoded. size: of a shard. left: numbers of shards.
    """

    corpus: Corpus
    missing: Mask
    size: int
    left: Sequence[int]

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[Texts]:
        numbers = frozenset(self.left)
        shards = enumerate(texts_of(self.corpus, self.missing, self.size))
        return (texts for number, (_, texts) in shards if number in numbers)


def _opened(files: Mapping[str, bytes], *, gpu: bool = False) -> Callable[[Texts], Floats]:
    """Open an encoder in a process of an engine, from what was sent."""
    with TemporaryDirectory(prefix="recsys-") as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        return OnnxEncoder.load(Path(folder), threads=1, gpu=gpu).encode


def _encoded(
    encoder: Encoder,
    shards: Shards[Texts],
    engine: Engine,
    exported: Path | None,
    told: Callable[[int], None],
) -> Generator[tuple[int, Floats], None, None]:
    """Yield (position of the shard, (s, d) float32 of its texts) as they come.

    told: called with how many texts of the shard in work are done, where it is encoded here.

    On one machine threads share one model in memory. Elsewhere each text, or batch of texts of a
    shard, is computed by itself and on one thread, to the same vectors; the encoder's files are
    sent: no disk need be in common.
    """
    if engine.here or exported is None:
        encoded = (encode_telling(encoder, texts, told) for texts in shards)
        return (made for made in enumerate(encoded))
    files = {path.name: path.read_bytes() for path in exported.iterdir() if path.is_file()}
    stage = Stage(STAGE, partial(_opened, files), partial(_opened, files, gpu=True))
    return engine.map(stage, shards)


def encode_corpus(
    encoder: Encoder,
    corpus: Corpus,
    folder: Path,
    *,
    shard: int = SHARD,
    known: KnownVectors | None = None,
    engine: Engine = USUAL,
    exported: Path | None = None,
    progress: Progress = silent,
) -> Floats:
    """Encode every paper into `folder/vectors.npy`: (n, d) float32 by row, memory-mapped.

    Memory holds one shard at a time, or some for each process. What an earlier run finished, all or
    some of it, is kept when encoder, papers and shard size are the same, and thrown away otherwise.
    Vectors that are known already, of the same encoder, are taken over.

    engine: where it is not here, it encodes by the files of the encoder, in the folder `exported`.
    """
    missing = np.ones(len(corpus), bool) if known is None else known.missing
    job = {
        "encoder": encoder.fingerprint,
        "papers": corpus.stored.sha256(),
        "shape": [len(corpus), encoder.dim],
        "shard": shard,
        "missing": hashlib.sha256(np.packbits(missing).tobytes()).hexdigest(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    key = fingerprint(job)
    finished: list[int] = []  # What an earlier run of the same job finished.
    if any((folder / name).is_file() for name in (VECTOR_FILE, _UNFINISHED)):
        with suppress(OSError, ValueError, KeyError, TypeError):
            notes = json.loads((folder / NOTES).read_text(encoding="utf-8"))
            finished = [int(at) for at in notes["finished"]] if notes["job"] == key else []
    if finished and (folder / VECTOR_FILE).is_file():
        return load_array(folder / VECTOR_FILE)
    if not finished:
        for name in (NOTES, VECTOR_FILE):
            (folder / name).unlink(missing_ok=True)
        shape = len(corpus), encoder.dim
        if known is None:
            np.lib.format.open_memmap(folder / _UNFINISHED, "w+", np.float32, shape)
        else:
            write_rows(folder / _UNFINISHED, shape, known.pieces())
    vectors = np.lib.format.open_memmap(folder / _UNFINISHED, "r+")
    rows = np.flatnonzero(missing)
    parts = {at: rows[at * shard :][:shard] for at in range(-(-len(rows) // shard))}
    left = [at for at in parts if at not in finished]
    done = sum(len(parts[at]) for at in finished)
    progress(STAGE, done, len(rows))
    texts = _TextShards(corpus, missing, shard, left)

    def told(more: int) -> None:
        progress(STAGE, done + more, len(rows))

    with closing(_encoded(encoder, texts, engine, exported, told)) as results:
        for position, made in results:
            vectors[parts[left[position]]] = made
            vectors.flush()
            finished.append(left[position])
            write_json(folder / NOTES, {"job": key, "finished": finished})
            done += len(made)
            progress(STAGE, done, len(rows))
    del vectors
    (folder / _UNFINISHED).replace(folder / VECTOR_FILE)
    return load_array(folder / VECTOR_FILE)


def encode_rows(
    encode: Callable[[Texts], Floats],
    corpus: Corpus,
    missing: Mask,
    vectors: Vectors,
    stage: str,
    progress: Progress,
) -> int:
    """Fill in the vectors of papers that are missing: (n,) bool; return how many these are."""
    total, done = int(missing.sum()), 0
    progress(stage, 0, total)
    for rows, texts in texts_of(corpus, missing, SHARD):
        vectors[rows] = encode(texts)
        done += len(rows)
        progress(stage, done, total)
    return total


def whole(vectors: GivenVectors, folder: Path) -> StoredVectors:
    """Write vectors that lie in two places into one file, for what searches no others."""
    if not isinstance(vectors, JoinedVectors):
        return vectors
    pieces = (vectors[begin : begin + AT_ONCE] for begin in range(0, len(vectors), AT_ONCE))
    write_rows(folder / VECTOR_FILE, vectors.shape, pieces)
    return load_array(folder / VECTOR_FILE)


def link_vectors(made: Path, folder: Path, ann: Mapping[str, Any]) -> None:
    """Put into the folder of an index what was made of vectors: second names, the first stay.

    ann: what the manifest says of their search. Where that holds them in two parts, whole ones are
    left out.
    """
    for file in made.glob("*.npy"):
        if file.name != FRESH_FILE and (file.name != VECTOR_FILE or not holds_vectors(ann)):
            link_or_copy(file, folder / file.name)
