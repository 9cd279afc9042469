"""The page on an encoder that was measured on a corpus it was not trained on."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from recsys.eval.report.canvas import INK, Line, draw_lines, label, picture, styles
from recsys.eval.report.page import Page, Picture, Section
from recsys.eval.report.tables import Cell, Table
from recsys.eval.studies.encoders.training_curves import Course
from recsys.eval.studies.encoders.training_page import (
    course_pictures,
    course_section,
    made,
    sources_of,
)
from recsys.pipelines.studies.specter.dev_recall import MEASURE

SCHEMA = "recsys.held-out/1"


def held_out_page(facts: Mapping[str, Any], training: Mapping[str, Any]) -> Page:
    """Report on a comparison; facts: of `held_out.json`. training: of `training.json`."""
    left = facts["held_out"]
    course = Course.of("dev", training["history"], sources_of(training))
    tried = facts["strengths"]
    return Page(
        title=f"An encoder that has not seen {left}",
        lead=f"Trained on {_listed(facts['train'])} from {training['start']}. {MEASURE} of "
        f"{facts['queries']:,} {facts['part']} queries of {left} among {facts['papers']:,} papers, "
        f"by cosine alone: {facts['before']:.4f} before, {facts['after']:.4f} after.",
        sections=(_result(facts), course_section([course], MEASURE)),
        facts=(("strength", f"{facts['strength']:g}"), *made(training)),
        schema=SCHEMA,
        figures=facts,
        draw=lambda: {
            **({"strengths": _strengths(facts)} if len(tried) > 1 else {}),
            **course_pictures([course], MEASURE),
        },
    )


def _result(facts: Mapping[str, Any]) -> Section:
    tried = facts["strengths"]
    table = Table(
        "strengths",
        f"{MEASURE} on the corpus left out, {facts['held_out']}.",
        ("strength", "dev of the others", "before", "after", "change", "p"),
        tuple(_row(each, kept=each["strength"] == facts["strength"]) for each in tried),
        0,
        "Changes with 95 % bootstrap intervals over the queries; p by a paired randomisation test. "
        "In bold what is kept. Dev: of the training corpora, on average; "
        f"{facts['dev_before']:.4f} before.",
    )
    text = "The change that training made to the weights is applied as it is."
    if len(tried) > 1:
        text = (
            "The change that training made to the weights is applied at several strengths: 0 is "
            "the start, 1 is as trained. The dev queries of the training corpora choose one, the "
            "gentlest of equal ones; the corpus left out decides nothing."
        )
    return Section("result", "The corpus left out", text, (table,), ("strengths",))


def _row(tried: Mapping[str, float], *, kept: bool) -> tuple[Cell, ...]:
    low, high = (f"{tried[name]:+.4f}" for name in ("low", "high"))
    return (
        Cell(f"{tried['strength']:g}", best=kept),
        *(Cell(f"{tried[name]:.4f}", best=kept) for name in ("dev", "before", "after")),
        Cell(f"{tried['change']:+.4f}", low, high, best=kept),
        Cell(f"{tried['p']:.4f}"),
    )


def _strengths(facts: Mapping[str, Any]) -> Picture:
    """Draw how far each strength is from the start, on the corpus left out and on dev."""
    tried: Sequence[Mapping[str, float]] = facts["strengths"]
    x, change, low, high = (
        [0.0, *(each[name] for each in tried)] for name in ("strength", "change", "low", "high")
    )
    dev = [0.0, *(each["dev"] - each["dev_before"] for each in tried)]
    one, other = islice(styles(), 2)
    with picture(f"{MEASURE} by strength") as (axes, written):
        lines = [
            Line(facts["held_out"], x, change, one, low, high),
            Line("dev of the others", x, dev, other),
        ]
        axes.axvline(facts["strength"], color=INK, lw=0.9, alpha=0.45, ls=(0, (2, 2)))
        axes.axhline(0.0, color=INK, lw=0.9, alpha=0.45)
        draw_lines(axes, lines, markers=True)
        axes.set(xlabel="strength", ylabel=f"{MEASURE}, change from the start")
        axes.set(xlim=(0, x[-1]), ylim=axes.get_ylim())
        label(axes, lines)
    caption = (
        f"{MEASURE} by strength, as a change from the start; band: 95 % interval; dotted: what is "
        "kept."
    )
    return Picture(written(), caption)


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
