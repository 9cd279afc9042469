"""Compare encoders: one row after the other, step by step; what is finished is not done again.

OUT/rows/ENCODER/ holds an encoder's vectors, an index built on them, its evaluation, and what each
step found out. A step that fails leaves its columns empty, and the others go on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from recsys.errors import InputError, RecsysError, near_miss
from recsys.eval.studies.encoders.encoder_figures import (
    SIZE,
    SPEED,
    EncoderRow,
    Encoders,
    Figure,
    from_record,
    map_of,
)
from recsys.eval.studies.probes.maps import ClassMap
from recsys.extras import need
from recsys.formats.embeddings.embedding_files import embedding_files
from recsys.pipelines.encoders.checkpoints import MINILM
from recsys.pipelines.jobs.index_writer import locked
from recsys.pipelines.jobs.kept_results import OpenIndex, once
from recsys.pipelines.studies.compare_encoders.comparison_bench import (
    ROWS,
    Bench,
    CompareOptions,
    check,
    set_up,
)
from recsys.pipelines.studies.compare_encoders.judges import probed, recommended, suited
from recsys.pipelines.studies.compare_encoders.make_vectors import Maker, Wanted
from recsys.progress import Progress, silent
from recsys.store.artifacts import fingerprint, sha256

_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

_Found: TypeAlias = dict[str, Any] | None
"""What a step found out, as JSON: figures, notes and a map; None where it was not asked for."""
_MEGABYTE = 1e6


@dataclass(slots=True)
class _Row:
    """A row that grows. speeds: papers a second, and those of the encoder beside it."""

    wanted: Wanted
    figures: dict[str, Figure] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    map: ClassMap | None = None
    speeds: tuple[float, float] | None = None

    def take(self, found: dict[str, Any]) -> None:
        """Add what a step found out."""
        self.figures |= {name: from_record(each) for name, each in found["figures"].items()}
        self.notes += found.get("notes", [])
        if "map" in found:
            self.map = map_of(self.wanted.name, found["map"])

    def finished(self, usual: float | None) -> EncoderRow:
        """Return the row; usual: papers a second of the encoder beside all, over the rows."""
        figures = dict(self.figures)
        if self.speeds is not None and usual is not None:
            figures[SPEED] = Figure(self.speeds[0] / self.speeds[1] * usual)
        name = self.wanted.name
        return EncoderRow(name, figures, tuple(self.notes), tuple(self.failed), self.map)


def compare_encoders(
    index: Path,
    split: Path,
    encoders: Sequence[Wanted],
    options: CompareOptions,
    out: Path,
    *,
    labelled: Path | None = None,
    cache: Path,
    open_index: OpenIndex,
    progress: Progress = silent,
) -> Encoders:
    """Measure every encoder by everything that there are papers for.

    Args:
        index: as `build` writes it.
        split: file of a split of its papers.
        encoders: what is compared.
        options: how.
        out: folder that keeps all that need not be done again.
        labelled: a file of papers; None: no probes.
        cache: where exported encoders are kept.
        open_index: opens an index that answers.
        progress: told about every step.

    Raises:
        InputError: OUT holds something else, or an option or file cannot be used.
        ArtifactError: the index cannot be opened.
        SplitError: the split does not fit the index, or its parts overlap.
        MissingExtraError: the page could not be written at the end.
    """
    for package in ("jinja2", "matplotlib"):
        need(package, "The page of a comparison")
    reference = _reference(encoders, options)
    check(labelled, options, out)
    with locked(out):
        bench = set_up(
            index, split, labelled, options, out,
            cache=cache, open_index=open_index, progress=progress,
        )  # fmt: skip
        rows = [_measured(bench, each) for each in encoders]
    beside = [row.speeds[1] for row in rows if row.speeds is not None]
    usual = float(np.median(beside)) if beside else None
    return Encoders(
        rows=tuple(row.finished(usual) for row in rows),
        reference=reference,
        index=index.name.removesuffix(".index"),
        part=options.part,
        label=options.label,
        papers="" if labelled is None else labelled.name,
        seed=options.seed,
        notes=bench.notes,
    )


def _reference(encoders: Sequence[Wanted], options: CompareOptions) -> str:
    names = [each.name for each in encoders]
    if options.reference is None:
        return MINILM if MINILM in names else names[0]
    if options.reference not in names:
        raise InputError(
            f"No encoder is called {options.reference!r}.{near_miss(options.reference, names)}",
            f"Compared are {', '.join(names)}.",
        )
    return options.reference


def _measured(bench: Bench, wanted: Wanted) -> _Row:
    """Do all steps of a row; note those that fail."""
    row, folder = _Row(wanted, notes=list(wanted.notes)), bench.out / ROWS / wanted.folder
    folder.mkdir(exist_ok=True)

    def told(stage: str, done: int, total: int) -> None:
        bench.progress(f"{wanted.name}: {stage}", done, total)

    maker = Maker(wanted, bench, folder, told)
    try:
        vectors, facts = maker.of_index()
        key = _hash(vectors)
    except RecsysError as error:
        row.failed.append(str(error))
        return row
    if facts:
        row.speeds = facts["speed"], facts["beside"]
        row.figures[SIZE] = Figure(facts["size"] / _MEGABYTE)
    for name, step in STEPS.items():
        try:
            if (found := step(bench, maker, vectors, key)) is not None:
                row.take(found)
        except RecsysError as error:
            row.failed.append(f"{name}: {error}")
    return row


def _recommend(bench: Bench, maker: Maker, vectors: Path, key: str) -> _Found:
    built = fingerprint([key, bench.key, bench.options.seed])
    work = partial(recommended, bench, vectors, maker.folder, built, maker.progress)
    asked = fingerprint([built, bench.options.part])
    return once(maker.folder / "recommendations.json", asked, work)


def _suit(bench: Bench, maker: Maker, vectors: Path, key: str) -> _Found:
    options = bench.options
    if bench.suite is None:
        return None
    asked = fingerprint([key, bench.key, options.queries, options.part, options.seed])
    work = partial(suited, bench, vectors, bench.suite, maker.progress)
    return once(maker.folder / "scidocs.json", asked, work)


def _probe(bench: Bench, maker: Maker, vectors: Path, key: str) -> _Found:
    options, labelled = bench.options, bench.labelled
    sample = None if labelled is None else maker.of_sample(labelled)
    if labelled is None or sample is None:
        return None
    asked = fingerprint([_hash(sample), labelled.key, options.least, options.seed])
    work = partial(probed, bench, sample, labelled, maker.progress)
    return once(maker.folder / "probes.json", asked, work)


STEPS: Mapping[str, Callable[[Bench, Maker, Path, str], _Found]] = {
    "probes": _probe,
    "SciDocs": _suit,
    "recommendations": _recommend,
}
"""Each measures an encoder, by (bench, maker, vectors of the index, their hash); longest last."""


def _hash(vectors: Path) -> str:
    """Hash vectors; another revision of what measures them gives another hash."""
    return fingerprint([_REVISION, [sha256(file) for file in embedding_files(vectors)]])
