"""The page on a training: its losses, what it was worth on dev as it went on, how it was done."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recsys.errors import ArtifactCorrupt, MissingExtraError
from recsys.eval.report.evaluation_pictures import (
    INK,
    Line,
    draw_lines,
    label,
    picture,
    styles,
)
from recsys.eval.report.page import Page, Picture, Section, html
from recsys.eval.report.tables import Cell, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 60
"""Points of a loss curve at most."""
MOST_EPOCHS = 20
"""More are not drawn."""


@dataclass(frozen=True, slots=True)
class Course:
    """How a training went.

    losses: of each step. checked: after how many steps dev was judged, ascending. measures: what
    came out, higher is better. epoch: its steps.
    """

    name: str
    losses: Sequence[float]
    checked: Sequence[int]
    measures: Sequence[float]
    epoch: int

    @classmethod
    def of(cls, name: str, history: Mapping[str, Any]) -> "Course":
        """Read a history."""
        columns = (history[key] for key in ("losses", "checked", "measures", "epoch_steps"))
        return cls(name, *columns)

    @property
    def best(self) -> int:
        """The place in `measures` of the first highest one, which was kept."""
        return int(np.argmax(self.measures))


def draw_losses(courses: Sequence[Course]) -> str:
    """Draw the loss of each training over its steps, a point for several steps on average.

    A band, where there is one training only, holds all but a tenth at either side of these steps.
    """
    with picture("Loss of the training") as (axes, written):
        looks, band = styles(), len(courses) == 1
        lines = []
        for course in courses:
            last, size = len(course.losses), averaged(course)
            parts = [np.asarray(course.losses[at : at + size]) for at in range(0, last, size)]
            x = [place * size + (len(part) + 1) / 2 for place, part in enumerate(parts)]
            y = [float(part.mean()) for part in parts]
            bounds = []
            if band and size > 1:
                bounds = np.array([np.quantile(part, (0.1, 0.9)) for part in parts]).T.tolist()
            lines.append(Line(course.name, x, y, next(looks), *bounds))
        _draw(axes, lines, courses)
        axes.set(xlabel="steps", ylabel="loss")
    return written()


def draw_dev(courses: Sequence[Course], measure: str) -> str:
    """Draw what each training was worth on dev over its steps; a ring shows what was kept."""
    with picture(f"{measure} on dev during the training") as (axes, written):
        looks, lines = styles(), []
        for course in courses:
            line = Line(course.name, course.checked, course.measures, next(looks))
            lines.append(line)
            ring = (line.x[course.best], line.y[course.best])
            look: Any = {"ms": 11.0, "mew": 1.6, "zorder": 4.0}
            axes.plot(*ring, "o", c=line.style.color, mfc="none", clip_on=False, **look)
        _draw(axes, lines, courses, markers=True)
        axes.set(xlabel="steps", ylabel=measure)
    return written()


def course_table(course: Course, measure: str) -> Table:
    """Show each check: the loss since the one before, and what was measured."""
    rows, before = [], 0
    for place, step in enumerate(course.checked):
        losses = course.losses[before:step]
        rows.append(
            (
                Cell(f"{step:,}"),
                Cell(f"{step / course.epoch:.2f}"),
                Cell(f"{np.mean(losses):.4f}" if len(losses) else ""),
                Cell(f"{course.measures[place]:.4f}", best=place == course.best),
            )
        )
        before = step
    return Table(
        "checks",
        "What the encoder was worth on dev as its training went on.",
        ("step", "epoch", "loss", measure),
        tuple(rows),
        0,
        "Loss: the mean since the check before. The check in bold was kept.",
    )


def _draw(
    axes: "Axes", lines: Sequence[Line], courses: Sequence[Course], *, markers: bool = False
) -> None:
    for step in epochs(courses):
        axes.axvline(step, color=INK, lw=0.9, alpha=0.45, ls=(0, (2, 2)))
    draw_lines(axes, lines, markers=markers)
    last = max(line.x[-1] for line in lines)
    axes.set(xlim=(0, last or 1), ylim=axes.get_ylim())  # Labels stand at heights that stay.
    if len(lines) > 1:
        label(axes, lines)


def epochs(courses: Sequence[Course]) -> range:
    """Give the steps at which new epochs begin, if all trainings share them and they are few."""
    length, *others = {course.epoch for course in courses}
    last = max(len(course.losses) for course in courses)
    return range(0) if others or last > MOST_EPOCHS * length else range(length, last, length)


def averaged(course: Course) -> int:
    """Count the neighbouring steps whose losses are averaged, so that there are POINTS at most."""
    return -(-len(course.losses) // POINTS)


TRAINING, PAGE = "training.json", "training.html"


def is_training(folder: Path) -> bool:
    """Tell whether a folder holds an encoder that was trained here."""
    return (folder / TRAINING).is_file()


def read_training(folder: Path, name: str) -> Page:
    """Report on the training of an encoder from the `training.json` in its folder.

    Raises:
        ArtifactCorrupt: it is not readable, or lacks what a page needs.
    """
    path = folder / TRAINING
    try:
        return training_page(json.loads(path.read_text(encoding="utf-8")), name)
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise ArtifactCorrupt(
            f"{path} does not tell of a training ({error}).", "Train the encoder again."
        ) from error


def learned_from(folder: Path) -> list[str]:
    """Name what an encoder that was trained here has learned from; nothing for other folders."""
    try:
        facts = json.loads((folder / TRAINING).read_text(encoding="utf-8"))
        return list(facts.get("learned_from", facts.get("sources", ())))
    except (OSError, ValueError, AttributeError, TypeError):
        return []


def add_page(folder: Path, name: str) -> None:
    """Write the page beside the `training.json` of an encoder, where its packages are installed."""
    write_page(read_training(folder, name), folder / PAGE)


def page_note(folder: Path) -> str:
    """Say where the page of an encoder is, or how to get it."""
    if (folder / PAGE).is_file():
        return f"Its curves: {folder / PAGE}."
    install = "pip install 'citerec[report]'"
    return f"For a page of its curves: {install}, then `recsys report {folder}`."


def training_page(facts: Mapping[str, Any], name: str) -> Page:
    """Report on a training; facts: those of `training.json`. name: of the encoder."""
    course, measure = Course.of(name, facts["history"]), facts["measure"]
    first, best = course.measures[0], course.measures[course.best]
    return Page(
        title=f"Training of the encoder {name}",
        lead=f"It starts from {facts['start']}. On dev, {measure} is {first:.4f} before, "
        f"{best:.4f} after step {course.checked[course.best]:,} of {len(course.losses):,}, "
        "which was kept.",
        sections=(course_section([course], measure),),
        facts=tuple(made(facts)),
        schema=facts["schema"],
        figures=facts,
        draw=lambda: course_pictures([course], measure),
    )


def course_section(courses: Sequence[Course], measure: str) -> Section:
    """Lay out the curves of trainings, with the checks of one that is alone."""
    text = (
        f"On dev, {measure} decides when a training stops, and what of it is kept. The loss "
        "is what it makes smaller."
    )
    tables = (course_table(courses[0], measure),) if len(courses) == 1 else ()
    return Section("curves", "Curves", text, tables, ("dev", "loss"))


def course_pictures(courses: Sequence[Course], measure: str) -> dict[str, Picture]:
    """Draw the curves of trainings; without a step there is no loss."""
    dotted = "; dotted: a new epoch begins." if epochs(courses) else "."
    dev = f"On dev, {measure} by step; a ring marks what was kept{dotted}"
    pictures = {"dev": Picture(draw_dev(courses, measure), dev)}
    if stepped := [course for course in courses if course.losses]:
        most = max(map(averaged, stepped))
        mean = f", a point for {most} of them on average" if most > 1 else ""
        band = "; band: four of five steps" if mean and len(stepped) == 1 else ""
        pictures["loss"] = Picture(draw_losses(stepped), f"Loss by step{mean}{band}{dotted}")
    return pictures


def made(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List what it takes to train it again, and what it took."""
    did = facts["history"]
    examples, seconds = did.get("examples", did.get("triplets", 0)), did["seconds"]
    rows = [
        ("weights at the start", f"{facts['start']}, {facts['start_hash']}"),
        ("learned numbers", f"{facts['learned_numbers']:,}"),
        *(("source", f"{name}, {', '.join(each)}") for name, each in facts["sources"].items()),
        *((_words(name), _said(each)) for name, each in facts["options"].items()),
        ("examples", f"{examples:,}, {examples / max(seconds, 1e-9):,.1f} per second"),
        ("time", f"{seconds / 60:,.1f} minutes, without judging"),
    ]
    if did["continued"]:
        rows.append(("continued", f"after {did['continued']:,} steps"))
    if did["stopped"]:
        rows.append(("stopped", "The time was up before the last step."))
    return [*rows, ("made by", facts["created_by"])]


def write_page(page: Page, path: Path) -> bool:
    """Write a page as HTML; tell whether the packages that this takes are installed."""
    try:
        text = html(page)
    except MissingExtraError:
        return False
    path.write_text(text, encoding="utf-8")
    return True


def _said(value: Any) -> str:  # noqa: ANN401 - any value of JSON
    """Write an option down for people."""
    match value:
        case None:
            return "usual"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case Mapping():
            return ", ".join(f"{_words(name)} {_said(each)}" for name, each in value.items())
        case list() | tuple():
            return " and ".join(map(_said, value))
    return str(value)


def _words(name: str) -> str:
    return name.replace("_", " ")
