"""What each part of SPECTER brings: train an encoder without it, and compare (the paper's table 2).

Every row is judged by the R@20 of the same dev queries among the same papers. Rows that are
finished are not trained again.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import check_name
from recsys.eval.measures import Doubles
from recsys.eval.report.page import Page, Section
from recsys.eval.report.tables import Table, cells, row_values
from recsys.eval.significance import holm, randomisation_test
from recsys.eval.studies.encoders.training_page import (
    Course,
    course_pictures,
    course_section,
    write_page,
)
from recsys.pipelines.jobs.kept_results import check_out, once
from recsys.pipelines.studies.encoders.tower import RANDOM
from recsys.pipelines.studies.encoders.train_encoder import EncoderOptions, fit
from recsys.pipelines.studies.encoders.training import Run
from recsys.pipelines.studies.encoders.triplets import (
    ABSTRACT,
    AUTHORS,
    MEASURE,
    VENUE,
    Reading,
    read_index,
)
from recsys.protocols import tracked
from recsys.store.artifacts import CREATED_BY, fingerprint, sha256
from recsys.store.generations import content_key

_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

FULL, OTHER_START = "full", "other-start"
ROWS, PAGE = "rows", "ablations.html"
SCHEMA = "recsys.encoder-ablations/1"


@dataclass(frozen=True, slots=True)
class Row:
    """What is trained, and what is read."""

    encoder: EncoderOptions = field(default_factory=EncoderOptions)
    reading: Reading = field(default_factory=Reading)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished row. before: R@20 of the start. recalls: R@20 of each dev query afterwards."""

    name: str
    before: float
    recalls: Doubles
    course: Course


def variants(full: Row, other: str | None = None) -> dict[str, Row]:
    """List the rows of the table; other: a checkpoint to start from, too."""
    encoder, reading = full.encoder, full.reading
    easy = replace(encoder, draw=replace(encoder.draw, hard=0, near=0))
    rows = {
        FULL: full,
        "no-abstract": Row(encoder, replace(reading, fields=())),
        "with-venue": Row(encoder, replace(reading, fields=(ABSTRACT, VENUE))),
        "with-authors": Row(encoder, replace(reading, fields=(ABSTRACT, AUTHORS))),
        "no-hard-negatives": Row(easy, reading),
        "random-start": Row(replace(encoder, start=RANDOM, lora=None), reading),
    }
    if other is not None:
        rows[OTHER_START] = Row(replace(encoder, start=other), reading)
    return rows


def ablate(
    index: Path,
    split: Path,
    full: Row,
    out: Path,
    run: Run,
    *,
    chosen: tuple[str, ...] = (),
    other: str | None = None,
) -> Page:
    """Train every row, compare them on dev, and write the page.

    chosen: names of rows; empty: all. other: see `variants`.

    Raises:
        ArtifactError: the index or a checkpoint cannot be read.
        SplitError: the split does not fit the index, or its parts overlap.
        InputError: OUT holds something else, or there is no such row.
    """
    rows = variants(full, other)
    for name in chosen:
        check_name(name, rows, "row")
    names = [name for name in rows if not chosen or name in (FULL, *chosen)]
    check_out(out, ROWS, "ablations")
    (out / ROWS).mkdir(parents=True, exist_ok=True)
    page = ablation_page(
        [
            _outcome(index, split, rows[name], out / ROWS / name, run)
            for name in tracked(names, "encoders", run.progress)
        ]
    )
    write_page(page, out / PAGE)
    return page


def _outcome(index: Path, split: Path, row: Row, place: Path, run: Run) -> Outcome:
    """Train a row, unless that was done."""
    hashes = [content_key(index), sha256(split)]
    key = fingerprint([_REVISION, hashes, asdict(row)])

    unfinished = place.with_suffix(".partial.safetensors")

    def work() -> dict[str, Any]:
        trained = fit(read_index(index, split, row.reading), row.encoder, unfinished, run)
        recalls, training = trained.task.recalls(), trained.facts
        before = trained.history.measures[0]
        return {"before": before, "recalls": recalls.tolist(), "training": training}

    facts = once(place.with_suffix(".json"), key, work)
    unfinished.unlink(missing_ok=True)
    course = Course.of(place.name, facts["training"]["history"])
    return Outcome(place.name, facts["before"], np.array(facts["recalls"]), course)


def ablation_page(outcomes: Sequence[Outcome]) -> Page:
    """Show the table and the curves of the rows; the figures are those of the table."""
    table = ablation_table(outcomes)
    courses = [each.course for each in outcomes]
    full = outcomes[0]
    text = "Each row changes one thing of how the full encoder is trained, and nothing else."
    return Page(
        title="What each part of SPECTER brings",
        lead=f"{len(outcomes)} encoders, each judged by {MEASURE} of the same "
        f"{len(full.recalls):,} dev queries.",
        sections=(
            Section("rows", "Rows", text, (table,)),
            replace(course_section(courses, MEASURE), tables=()),
        ),
        facts=(("made by", CREATED_BY),),
        schema=SCHEMA,
        figures={"rows": row_values(table)},
        draw=lambda: course_pictures(courses, MEASURE),
    )


def ablation_table(outcomes: Sequence[Outcome]) -> Table:
    """Show R@20 before and after training, and how far each row is from the first."""
    full, *others = outcomes
    p = [
        randomisation_test(full.recalls, each.recalls, rng=np.random.default_rng(0))
        for each in others
    ]
    first = cells(full.name, f"{full.before:.4f}", f"{full.recalls.mean():.4f}", None, None)
    rows = [
        cells(
            each.name,
            f"{each.before:.4f}",
            f"{each.recalls.mean():.4f}",
            f"{each.recalls.mean() - full.recalls.mean():+.4f}",
            f"{sure:.4f}",
        )
        for each, sure in zip(others, holm(np.array(p)), strict=True)
    ]
    return Table(
        "encoder-ablations",
        "What an encoder loses without each part of its training.",
        ("encoder", "before", MEASURE, "change", "p"),
        (first, *rows),
        1,
        f"{MEASURE} of {len(full.recalls):,} dev queries, by cosine alone; training also stops on "
        "them. Changes from the full encoder; p by a paired randomisation test over the queries, "
        "Holm-corrected over the rows.",
    )
