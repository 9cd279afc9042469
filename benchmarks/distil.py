"""Does a student of a larger encoder serve a corpus that it has never seen?

    python -m benchmarks.distil --held-out vis --learn archaeology,elife \\
        --data DATA --indexes DIR --cache CACHE --out DIR --bf16

teaches MiniLM the angles of mpnet between the papers of some corpora, from titles and abstracts
alone, and compares it, in int8, with MiniLM and with mpnet on the test queries of the corpus left
out: R@20 by cosine. DIR/NAME.index and DATA/NAME/split.json are read; DIR/NAME-mpnet.index, where
it is, has the teacher's vectors, which are made and kept in CACHE otherwise. OUT gets the student
and `distilled.json` with the figures and the curve, also that of the corpus left out, whose dev
queries decide nothing. The same command continues a training that was killed.

    ... --also starter         learn from the texts of DIR/starter.index, too
    ... --part none            ask no test query: train, and draw the curve
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
import typer
from torch import Tensor, nn
from torch.nn.functional import log_softmax, normalize, softmax

from benchmarks.bench import Data, program, tell
from benchmarks.held_out import (
    Corpora,
    Device,
    Half,
    HeldOut,
    Indexes,
    Learn,
    Out,
    Start,
    compare,
    curve,
)
from recsys.eval.studies.encoders.training_page import TRAINING
from recsys.formats.replacing import replacing as replacing_file
from recsys.indexes.opening import open_collection
from recsys.models.encoder import KIND, SCHEMA, OnnxEncoder, SeenQueries
from recsys.pipelines.encoders.checkpoints import MINILM, MPNET
from recsys.pipelines.encoders.export_encoder import cached_encoder, export_encoder
from recsys.pipelines.jobs.kept_results import check_out
from recsys.pipelines.jobs.tensor_file import TensorFile
from recsys.pipelines.studies.citeomatic.network_training import device_of
from recsys.pipelines.studies.encoders.tower import LoraOptions, StartOptions, Student, Texts, Tower
from recsys.pipelines.studies.encoders.train_encoder import ADAPTER_RATE, BLOCK, Shelf
from recsys.pipelines.studies.encoders.training import (
    LoopOptions,
    Pace,
    Ranks,
    Run,
    Trained,
    train,
)
from recsys.pipelines.studies.encoders.triplets import ABSTRACT, Judge, read_texts
from recsys.store.arrays import Floats, Rows, load_array
from recsys.store.artifacts import ENCODER, fingerprint, load_manifest, replacing, write_json

RESULT, NONE = "distilled.json", "none"
SAVING = 60.0
"""Seconds between checkpoints: a kill loses so much at most."""
PIECE = 512
"""Texts that a teacher encodes at a time."""
TEMPERATURE = 0.05
"""What cosines are divided by before neighbours are compared."""
DEPTH = 50
"""Papers nearest to one, for the teacher, among which its company is drawn."""
NEAREST = 10
"""Papers nearest to one that student and teacher should agree on."""
_AT_ONCE = 1000
"""Papers whose neighbours are looked for at a time."""
NEVER = 10**6
"""Checks without a better measure before training stops: the curve is wanted whole."""


def neighbours(own: Tensor, wanted: Tensor, temperature: float = TEMPERATURE) -> Tensor:
    """Average KL(teacher | student) of the softmax of each text's cosines with the others.

    A constant that is added to all cosines changes nothing: the two may be on other scales.

    Args:
        own: (n, d), the student's vectors, unit rows.
        wanted: (n, d'), the teacher's, unit rows.
        temperature: what cosines are divided by.
    """
    apart = ~torch.eye(len(own), dtype=torch.bool, device=own.device)
    cosines = ((unit @ unit.T)[apart].view(len(own), -1) / temperature for unit in (own, wanted))
    given, target = next(cosines), next(cosines)
    target = softmax(target, dim=1)
    log_target = target.clamp_min(1e-12).log()
    return (target * (log_target - log_softmax(given, dim=1))).sum(dim=1).mean()


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the teacher says. rows: of the shelf, ascending. vectors: (len(rows), d') unit rows."""

    rows: Rows
    vectors: Floats


@dataclass(frozen=True, slots=True)
class DistilTask:
    """Implements `encoder_training.Task`.

    texts: of the shelf, then of what has no split. parts: of each corpus; whole: of all, as the
    loss takes it. watched: the teacher's vectors of what each corpus of the shelf is judged on.
    near: of a paper's company in a batch so many are near to it for the teacher.
    """

    learner: Tower
    texts: Texts
    shelf: Shelf
    parts: tuple[Lesson, ...]
    whole: Lesson
    watched: tuple[Floats, ...]
    near: int

    def facts(self) -> dict[str, Any]:
        """Tell what is watched: R@20, then likeness, of each corpus."""
        watched = {
            each.name.removesuffix(".index"): list(each.hashes) for each in self.shelf.sources
        }
        watched |= {f"{name}, likeness": [] for name in watched}
        return {"sources": watched, "measure": "likeness"}

    def save(self, student: Student, folder: Path, *, changed: bool) -> None:
        """Write the student with the dev queries that said when to stop."""
        dev = frozenset[bytes]().union(*(each.seen.dev for each in self.shelf.sources[:-1]))
        student.save(folder, SeenQueries(dev=dev))

    def examples(self, rng: np.random.Generator) -> Rows:
        """Draw an epoch: (n, 1 + near) papers, each with its company.

        Every paper comes first once. Those of one corpus come together, BLOCK at a time.
        """
        drawn, keys = [], []
        for part in self.parts:
            order = rng.permutation(len(part.rows))
            drawn.append(with_company(part, rng, self.near)[order])
            keys.append(rng.random(len(order))[np.arange(len(order)) // BLOCK])
        return np.concatenate(drawn)[np.argsort(np.concatenate(keys), kind="stable")]

    def loss(self, network: nn.Module, examples: Rows) -> Tensor:
        """Encode each distinct text once, and compare it with what the teacher says."""
        rows = np.unique(examples)
        own = normalize(self.texts.through(network, rows), dim=1)
        wanted = self.whole.vectors[np.searchsorted(self.whole.rows, rows)]
        return neighbours(own, torch.from_numpy(wanted).to(own.device))

    def measure(self) -> Sequence[float]:
        """Average the likeness over what is learned from; then R@20 and likeness of each corpus."""
        recalls, alike = [], []
        for (source, start, _), wanted in zip(self.shelf, self.watched, strict=True):
            own = self.texts.vectors(self.learner, source.judge.rows + start)
            recalls.append(float(source.judge.recalls(own).mean()))
            alike.append(likeness(own, wanted))
        return [float(np.mean(alike[:-1])), *recalls, *alike]


def likeness(own: Floats, wanted: Floats) -> float:
    """Tell which share of each paper's NEAREST by the teacher are so by the student, on average.

    Args:
        own: (n, d), the student's vectors, unit rows.
        wanted: (n, d') the teacher's of the same papers.
    """
    near, found = min(NEAREST, len(own) - 1), []
    for vectors in (own, wanted):
        cosines = vectors @ vectors.T
        np.fill_diagonal(cosines, -np.inf)
        found.append(np.argpartition(-cosines, near - 1, axis=1)[:, :near])
    shared = [len(np.intersect1d(*both)) for both in zip(*found, strict=True)]
    return float(np.mean(shared)) / near


def with_company(part: Lesson, rng: np.random.Generator, near: int) -> Rows:
    """Give each paper some of those that are near to it: (n, 1 + near) rows of the shelf."""
    count = len(part.rows)
    near = min(near, count - 1)
    if near <= 0:
        return part.rows[:, None]
    every = np.arange(count, dtype=np.int64)
    company, depth = np.empty((count, near), np.int64), min(DEPTH, count - 1)
    for begin in range(0, count, _AT_ONCE):
        some = every[begin : begin + _AT_ONCE]
        cosines = part.vectors[some] @ part.vectors.T
        cosines[np.arange(len(some)), some] = -np.inf
        found = np.argpartition(-cosines, depth - 1, axis=1)[:, :depth]
        turn = np.argsort(rng.random(found.shape), axis=1)[:, :near]
        company[some] = np.take_along_axis(found, turn, axis=1)
    return part.rows[np.column_stack([every, company])].astype(np.int32)


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of papers by encoders: read from an index where one has them, else made once.

    teacher: its name; the index NAME-TEACHER need not be there. cache: a folder.
    """

    corpora: Corpora
    teacher: str
    cache: Path

    def encoder(self, name: str) -> OnnxEncoder:
        """Load an encoder in int8."""
        return OnnxEncoder.load(cached_encoder(name, self.cache), threads=1)

    def by_teacher(self, name: str) -> Path:
        """Name a corpus's index that was built with the teacher."""
        return self.corpora.index(f"{name}-{Path(self.teacher).name}")

    def of(self, name: str, rows: Rows, encoder: OnnxEncoder) -> Floats:
        """Give an encoder's vectors of papers of a corpus: (len(rows), d), L2-normalised rows."""
        collection = open_collection(self.corpora.index(name))
        for index in (self.corpora.index(name), self.by_teacher(name)):
            if not index.is_dir():
                continue
            other = open_collection(index)
            own = load_manifest(other.folder / ENCODER, KIND, SCHEMA).config.get("fingerprint")
            same = other.corpus.texts().equals(collection.corpus.texts())
            if own == encoder.fingerprint and same and isinstance(other.vectors, np.ndarray):
                return np.ascontiguousarray(other.vectors[rows])
        every = read_texts(collection, (ABSTRACT,))
        texts = [every[row] for row in rows.tolist()]
        path = self.cache / "vectors" / f"{fingerprint([encoder.fingerprint, texts])}.npy"
        if not path.is_file():
            parts = []
            for begin in range(0, len(texts), PIECE):
                tell("encode texts", begin, len(texts))
                parts.append(encoder.encode(texts[begin : begin + PIECE]))
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing_file(path) as new:
                np.save(new, np.concatenate(parts))
        return load_array(path)


def drawn(count: int, wanted: int | None) -> Rows:
    """Draw some of so many places, always the same, ascending."""
    if wanted is None or wanted >= count:
        return np.arange(count, dtype=np.int32)
    rng = np.random.default_rng(0)
    return np.sort(rng.choice(count, wanted, replace=False)).astype(np.int32)


def judged(vectors: Vectors, judge: Judge, student: Path, start: str) -> dict[str, Any]:
    """Compare student, start and teacher, all in int8, on the corpus left out.

    student: its folder; the exported encoder is kept in it.
    """
    exported = export_encoder(str(student), student / "int8")
    encoders = {
        "student": OnnxEncoder.load(exported, threads=1),
        "start": vectors.encoder(start),
        "teacher": vectors.encoder(vectors.teacher),
    }
    name = vectors.corpora.held_out
    recalls = {
        which: judge.recalls(vectors.of(name, judge.rows, each)) for which, each in encoders.items()
    }
    return {
        "queries": len(judge.queries),
        "papers": len(judge.papers),
        "teacher": float(recalls["teacher"].mean()),
        "above_start": compare(recalls["start"], recalls["student"]),
        "above_teacher": compare(recalls["teacher"], recalls["student"]),
        "megabytes": sum(each.stat().st_size for each in exported.iterdir()) / 1e6,
    }


def task_of(
    vectors: Vectors,
    student: Student,
    start: StartOptions,
    run: Run,
    *,
    also: Sequence[str] = (),
    each: int | None = None,
    near: int = 3,
) -> DistilTask:
    """Read the corpora, and let the teacher encode what is learned from.

    Args:
        vectors: the corpora, and where the teacher's vectors are.
        student: what is trained.
        start: how it reads texts.
        run: where it is trained.
        also: indexes without a split, whose texts are learned from, too.
        each: papers of a corpus that are learned from; None: all that the teacher encodes.
        near: of a paper's company so many are near to it.
    """
    corpora, encoder = vectors.corpora, vectors.encoder(vectors.teacher)
    sources = corpora.sources()
    shelf = Shelf.of(sources)
    more = [read_texts(open_collection(corpora.index(name)), (ABSTRACT,)) for name in also]
    every = [text for part in (*(source.texts for source in sources), *more) for text in part]
    texts = student.read(every, start, device=run.ranks.device, progress=run.progress)
    begins = [*shelf.starts[:-2], *np.cumsum([shelf.starts[-1], *map(len, more)]).tolist()[:-1]]
    parts = []
    for name, begin in zip((*corpora.learn, *also), begins, strict=True):
        count, most = len(open_collection(corpora.index(name)).corpus), corpora.papers
        if name in also:
            rows = drawn(count, each)
        elif most is None or count <= most or vectors.by_teacher(name).is_dir():
            rows = np.arange(count, dtype=np.int32)
        else:
            rows = corpora.judge(name).rows
        taught, some = vectors.of(name, rows, encoder), drawn(len(rows), each)
        parts.append(Lesson((rows[some] + begin).astype(np.int32), taught[some]))
    rows = np.concatenate([part.rows for part in parts])
    order = np.argsort(rows, kind="stable")
    whole = Lesson(rows[order], np.concatenate([part.vectors for part in parts])[order])
    names = (*corpora.learn, corpora.held_out)
    watched = tuple(
        vectors.of(name, source.judge.rows, encoder)
        for name, source in zip(names, sources, strict=True)
    )
    return DistilTask(student.tower, texts, shelf, tuple(parts), whole, watched, near)


def run(
    held_out: HeldOut,
    learn: Learn,
    data: Data,
    indexes: Indexes,
    cache: Annotated[Path, typer.Option(metavar="DIR", help="Keeps encoders and vectors.")],
    out: Out,
    also: str = "",
    teacher: str = MPNET,
    near: int = 3,
    each: int | None = None,
    part: Literal["test", "dev", "none"] = "test",
    start: Start = MINILM,
    device: Device = "auto",
    bf16: Half = False,
    rate: float = ADAPTER_RATE,
    lora: int = 16,
    epochs: int = 1,
    checks: int = 4,
    batch: int = 32,
    steps: int | None = None,
    seed: int = 0,
    max_length: int | None = None,
    papers: int | None = None,
) -> None:
    """Train, measure, print."""
    check_out(out, TRAINING, "encoder that recsys trained")
    names, others = (tuple(filter(None, text.split(","))) for text in (learn, also))
    vectors = Vectors(Corpora(held_out, names, data, indexes, papers), teacher, cache)
    adapter = LoraOptions(lora, 2.0 * lora) if lora else None
    begin = StartOptions(start, lora=adapter, max_length=max_length, half=bf16 or None)
    loop = LoopOptions(
        epochs=epochs,
        batch=batch,
        pace=Pace(rate),
        checks=checks,
        patience=NEVER,
        steps=steps,
        seed=seed,
    )
    run = Run(Ranks(device=device_of(device)), saving=SAVING, progress=tell)
    student = Student.load(begin, seed=seed, device=run.ranks.device)
    task = task_of(vectors, student, begin, run, also=others, each=each, near=near)
    options = {"near": near, "start": asdict(begin), "loop": asdict(loop), "teacher": teacher}
    taught = [fingerprint([lesson.rows.tolist()]) for lesson in task.parts]
    read = [student.start.weights_hash, *(source.hashes for source in task.shelf.sources)]
    key = fingerprint([read, taught, options])
    partial = out.with_name(f"{out.name}.partial.safetensors")
    did = train(task, loop, TensorFile(partial, key), run)
    options = {"learned_from": [*names, *others], **options}
    trained = Trained.of(student, task, did, options)
    with replacing(out) as folder:
        trained.save(folder)
    facts = {
        **options,
        "taught_papers": [len(part.rows) for part in task.parts],
        "steps": did.steps,
        "kept_step": did.checked[did.best],
        "minutes": did.seconds / 60,
        "continued": did.continued,
        "losses": [did.losses[0], did.losses[-1]],
        "curve": curve(did, list(trained.facts["sources"])),
    }
    if part != NONE:
        judge = vectors.corpora.judge(held_out, part)
        facts |= judged(vectors, judge, out, start)
    write_json(out / RESULT, facts)
    partial.unlink()
    sys.stdout.write(json.dumps(facts, indent=1) + "\n")


main = program("benchmarks.distil", run)
if __name__ == "__main__":
    sys.exit(main())
