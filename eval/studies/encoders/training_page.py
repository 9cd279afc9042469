"""The page on a training: curves of loss and dev, and what was trained how."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recsys.errors import ArtifactCorrupt, MissingExtraError
from recsys.eval.report.page import Page, Picture, Section
from recsys.eval.report.page_html import html
from recsys.eval.studies.encoders.training_curves import (
    Course,
    averaged,
    course_table,
    draw_dev,
    draw_losses,
    epochs,
)

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
    return f"For a page of its curves: pip install 'recsys[report]', then `recsys report {folder}`."


def training_page(facts: Mapping[str, Any], name: str) -> Page:
    """Report on a training; facts: those of `training.json`. name: of the encoder."""
    course = Course.of(name, facts["history"], sources_of(facts))
    measure = facts["measure"]
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


def sources_of(facts: Mapping[str, Any]) -> list[str]:
    """Name what was trained on or watched."""
    return [name.removesuffix(".index") for name in facts.get("sources", ())]


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
