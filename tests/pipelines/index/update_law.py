"""The law of updates, as a machine: an updated index answers as one that is built anew.

Small indexes are changed in every way there is, some of the updates are killed at a step on the
disk, and after each step the index is compared with a rebuild. Of a failure, hypothesis tells the
shortest way to it that it finds. It is run by `check_update_law`.

All that computes does it in forked processes: the one that forks has no threads to lose.
"""

import gc
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from recsys.app.inspection import inspect_artifact
from recsys.app.wiring import open_index
from recsys.errors import NothingFound
from recsys.formats.embeddings import Embeddings, write_embeddings
from recsys.indexes.bm25 import LEVELS, MEAN
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.index.update import UpdateOptions, update
from recsys.pipelines.jobs.index_writer import writing
from recsys.recommend import Recommender
from recsys.records import Draft
from recsys.store.artifacts import CORPUS, TEXT, VECTORS
from recsys.store.corpus import Corpus
from recsys.store.generations import in_force
from recsys.store.stored_papers import PAPERS
from recsys.store.vectors import load_vectors
from tests.stored import is_stored
from tests.torture.children import KILLED, OK, REFUSED, Json, Outcome, in_child
from tests.torture.faults import AFTER, BEFORE, WITHIN, Steps, inject
from tests.torture.small_world import (
    CACHE,
    ENCODER,
    INDEX,
    export_into,
    told,
    write_encoder,
    write_lines,
)

SEARCHES = "annoy", "exact", "int8", "ivf"
Body: TypeAlias = dict[str, Any]
Model: TypeAlias = dict[str, Body]
"""What the index should hold: papers by id, without it."""

IDS = (*(f"p{at:02}" for at in range(14)), "ä", "10", "9", "p 1")
WORDS = ("rivers", "glaciers", "deserts", "survey", "instrument", "ice", "of", "unheard")
PEOPLE = ("Ada River", "Björn Gletscher", "Cid Desert", "A. River")
VENUES = (None, "Acta Glacialia", "Letters on Ice", "Rivers")
DRAFTS: Sequence[Draft] = (
    Draft("Rivers and glaciers", "We survey rivers with an instrument for ice.", as_of=2010),
    Draft("Deserts", authors=("Ada River",), venue="Rivers", references=("p01", "p05", "ä")),
)
GIVEN = "given.npy"
STEPS = 450
"""More than an update takes on the disk: some kills come too late."""

COUNTS: Counter[str] = Counter()
"""What was done, all runs together."""

_words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
_ids = st.lists(st.sampled_from(IDS), max_size=6, unique=True)
_bodies = st.fixed_dictionaries(
    {
        "title": _words | st.sampled_from(["Author Index", "Erratum to: Rivers"]),
        "abstract": st.none() | _words,
        "year": st.none() | st.integers(1995, 2012),
        "authors": st.lists(st.sampled_from(PEOPLE), max_size=3),
        "venue": st.sampled_from(VENUES),
        "references": st.lists(st.sampled_from(IDS), max_size=5),
    }
)
_papers = st.dictionaries(st.sampled_from(IDS), _bodies, min_size=1, max_size=6)


@dataclass(frozen=True, slots=True)
class Kind:
    """Of what kind an index is: with an encoder or given vectors, and what searches them."""

    given: bool
    vectors: str

    def build_options(self, world: Path) -> BuildOptions:
        if self.given:
            return BuildOptions(encoder=None, embeddings=world / GIVEN, vectors=self.vectors)
        return BuildOptions(encoder=str(world / ENCODER), vectors=self.vectors)


@dataclass(frozen=True, slots=True)
class Change:
    """One update. whole: the papers are all that shall be left."""

    papers: Model = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    whole: bool = False
    compact: bool = False

    def of(self, model: Model) -> Model:
        """Tell what it makes of an index; nothing, and it must be refused."""
        left = {} if self.whole else {k: v for k, v in model.items() if k not in self.removed}
        return left | self.papers


def _either(papers: Model, removed: Sequence[str], compact: bool) -> Change:
    return Change(papers, tuple(removed), compact=compact)


_changes = st.builds(_either, _papers, _ids, st.booleans()) | st.builds(
    Change, _papers, whole=st.just(True)
)


class Law(RuleBasedStateMachine):
    """The machine. world: the folder of what all runs share."""

    world: Path

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp(dir=self.world))
        self.index = self.place / INDEX
        self.kind = Kind(given=False, vectors="exact")
        self.model: Model = {}
        self.interrupted = False

    def teardown(self) -> None:
        COUNTS["runs"] += 1
        shutil.rmtree(self.place)

    @initialize(papers=_papers, given=st.booleans(), vectors=st.sampled_from(SEARCHES))
    def begin(self, papers: Model, given: bool, vectors: str) -> None:
        self.kind, self.model = Kind(given, vectors), papers
        _done(in_child(partial(_rebuilt, self, self.index)))

    @rule(papers=_papers)
    def add(self, papers: Model) -> None:
        self._update(Change(papers))

    @rule(data=st.data(), body=_bodies)
    def replace(self, data: st.DataObject, body: Body) -> None:
        """Change one cell of a paper, which keeps its text more often than not."""
        name = data.draw(st.sampled_from(sorted(self.model)))
        cell = data.draw(st.sampled_from(sorted(body)))
        self._update(Change({name: self.model[name] | {cell: body[cell]}}))

    @rule(removed=_ids.filter(bool))
    def remove(self, removed: list[str]) -> None:
        self._update(Change(removed=tuple(removed)))

    @rule(papers=_papers)
    def become(self, papers: Model) -> None:
        self._update(Change(papers, whole=True))

    @rule()
    def compact(self) -> None:
        self._update(Change(compact=True))

    @rule(change=_changes)
    def read_on(self, change: Change) -> None:
        """Who opened the index before goes on reading what it was."""
        _done(in_child(partial(_read_on, self, change)))
        self._became(change)

    @rule(
        change=_changes, step=st.integers(0, STEPS), mode=st.sampled_from([BEFORE, WITHIN, AFTER])
    )
    def kill(self, change: Change, step: int, mode: str) -> None:
        """Die in the middle: the old index or the new one; what comes next ends as ever."""
        self._killed(change, step, mode)

    @rule(
        change=_changes, step=st.integers(0, STEPS), mode=st.sampled_from([BEFORE, WITHIN, AFTER])
    )
    def kill_and_repeat(self, change: Change, step: int, mode: str) -> None:
        if self._killed(change, step, mode):
            self._update(change)

    @invariant()
    def law(self) -> None:
        if not self.model:
            return  # Not begun.
        COUNTS["steps"] += 1
        _done(in_child(partial(_compared, self)))

    def _update(self, change: Change) -> None:
        done = in_child(partial(_updated, self, change))
        self.interrupted = False
        if change.of(self.model):
            _done(done)
            self._became(change)
        else:
            assert done.kind == REFUSED and "No paper would be left" in done.said, done
            COUNTS["refused"] += 1

    def _killed(self, change: Change, step: int, mode: str) -> bool:
        """Update, and die at a step; tell whether that was before the end."""
        done = in_child(partial(_updated, self, change, Steps(self.index, step, mode)))
        if done.kind != KILLED:
            _done(done)
            self.interrupted = False
            self._became(change)
            return False
        COUNTS["killed"] += 1
        self.interrupted = True
        old, new = self.model, change.of(self.model)
        if _done(in_child(partial(_papers_of, self.index))) == sorted(new) and _holds(self, new):
            self.model = new
        else:
            assert _holds(self, old), "neither the old index nor the new one"
        return True

    def _became(self, change: Change) -> None:
        self.model = change.of(self.model)


def _done(outcome: Outcome) -> Json:
    assert outcome.kind == OK, f"{outcome.kind}: {outcome.said}"
    return outcome.value


def _lines(model: Model) -> list[Body]:
    return [{"id": name, **body} for name, body in model.items()]


def _updated(run: Law, change: Change, steps: Steps | None = None) -> None:
    papers, removed = run.place / "papers.jsonl", run.place / "removed.txt"
    write_lines(papers, _lines(change.papers))
    removed.write_text("".join(f"{each}\n" for each in change.removed), encoding="utf-8")
    options = UpdateOptions(
        remove=removed if change.removed else None,
        whole=change.whole,
        embeddings=run.world / GIVEN if run.kind.given else None,
        compact=change.compact,
    )
    if steps is not None:
        steps.pid = os.getpid()  # Of this child; its parent has made them.
        inject(steps)
    update(run.index, [papers] if change.papers else [], options)


def _rebuilt(run: Law, out: Path, model: Model | None = None) -> None:
    """Build an index of the papers of a model, in another order than they came."""
    papers = out.with_name("all.jsonl")
    lines = _lines(run.model if model is None else model)
    write_lines(papers, lines[::-1])
    build([papers], out, run.kind.build_options(run.world), cache=run.world / CACHE)


def _read_on(run: Law, change: Change) -> None:
    reader = open_index(run.index)
    before = _answers(open_index(run.index))
    _updated(run, change)
    assert _answers(reader) == before, "a reader that was there before answers otherwise"
    del reader
    with writing(run.index):
        pass  # Nobody reads the old generation any more: it goes.


def _papers_of(index: Path) -> list[str]:
    corpus = Corpus.load(in_force(index) / CORPUS)
    return sorted(corpus.ids[row] for row in range(len(corpus)))


def _holds(run: Law, model: Model) -> bool:
    """Tell whether the index is that of a model."""
    return in_child(partial(_compared, run, model)).kind == OK


def _compared(run: Law, model: Model | None = None) -> None:
    """Compare the index with a rebuild: files, answers, checksums, and what lies around."""
    fresh = run.place / "fresh.index"
    shutil.rmtree(fresh, ignore_errors=True)
    _rebuilt(run, fresh, model)
    now, then = _files(run.index), _files(fresh)
    assert now.keys() == then.keys(), sorted(now.keys() ^ then.keys())
    assert now == then, [name for name in now if now[name] != then[name]]
    assert _answers(open_index(run.index)) == _answers(open_index(fresh)), "other answers"
    inspect_artifact(run.index, hashes=True)
    if not run.interrupted:
        there = sorted(path.name for path in run.index.iterdir())
        assert there == ["generations", "lock", "manifest.json"], there
        generations = [path.name for path in run.index.glob("generations/*")]
        assert generations == [in_force(run.index).name], generations


def _files(index: Path) -> dict[str, bytes]:
    """Read what must be as in a rebuild, byte by byte.

    Bounds stay while they hold, and what is stored of papers where it lies.
    """
    folder = in_force(index)
    parts = [path for part in (CORPUS, TEXT) for path in (folder / part).iterdir()]
    parts = [path for path in parts if not (is_stored(path.name) or path.name in (LEVELS, MEAN))]
    parts += (folder / VECTORS).glob(GIVEN)
    read = {path.relative_to(folder).as_posix(): path.read_bytes() for path in parts}
    corpus = Corpus.load(folder / CORPUS)
    papers = corpus.full_papers(range(len(corpus)))
    read |= {PAPERS: repr([papers, corpus.papers(range(len(corpus)))]).encode()}
    return read | {VECTORS: load_vectors(folder / VECTORS)[:].tobytes()}  # In any order on disk.


def _answers(recommender: Recommender) -> Json:
    return [_answer(recommender, draft) for draft in DRAFTS]


def _answer(recommender: Recommender, draft: Draft) -> Json:
    try:
        return told(recommender.recommend(draft, len(IDS)))
    except NothingFound as error:
        return str(error)


def write_world(folder: Path) -> None:
    """Write what runs share: an encoder that knows the words, and vectors of all papers."""
    write_encoder(folder / ENCODER, [{"title": " ".join(WORDS[:-1])}])
    export_into(folder / CACHE, folder / ENCODER, "int8")  # The default; see `encoder.py`.
    vectors = np.random.default_rng(0).standard_normal((len(IDS), 8)).astype(np.float32)
    write_embeddings(folder / GIVEN, Embeddings(IDS, vectors))


def check(runs: int, steps: int, number: int) -> str:
    """Check the law in so many runs of so many steps; say what was done."""
    gc.freeze()  # What children do not touch is not copied.
    with tempfile.TemporaryDirectory() as world:
        Law.world = Path(world)
        _done(in_child(partial(write_world, Law.world), seconds=60))
        chosen = settings(
            max_examples=runs,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        )
        run_state_machine_as_test(seed(number)(Law), settings=chosen)
    return json.dumps(COUNTS)
