"""Pictures of an assessment as SVG, for light and dark pages."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from recsys.eval.curves import LEVELS
from recsys.eval.report.canvas import (
    INK,
    Line,
    draw_lines,
    key,
    label,
    picture,
    plain_ticks,
    styles,
)
from recsys.eval.run_figures import Assessment, Band, SystemResult
from recsys.eval.trec import write_lines

K_STUDY: Mapping[str, str] = {"candidate recall": "candidates, ", "R@20": "first 20, "}
SELF_CITATION: Mapping[str, str] = {"mean rank": "mean, ", "first rank": "first, "}
"""Columns of a study's rows that are drawn, and how their lines' names begin."""


def precision_recall(assessment: Assessment) -> str:
    """Draw the 11-point interpolated precision of every system over recall."""
    lines = _lines(assessment, lambda each: (LEVELS.tolist(), each.curves.eleven_point))
    with picture("Interpolated precision at 11 levels of recall") as (axes, written):
        draw_lines(axes, lines, markers=True)
        axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, None))
        key(axes, lines, markers=True)  # The curves end together: no place beside their ends.
    return written()


def recall_by_k(assessment: Assessment) -> str:
    """Draw the recall of the first k papers of every system, for k to 100."""
    lines = _lines(
        assessment, lambda each: (_ks(each.curves.recall_macro), each.curves.recall_macro)
    )
    with picture("Recall of the first k papers") as (axes, written):
        draw_lines(axes, lines)
        axes.set(xlabel="k", ylabel="recall@k", xlim=(0, 100), ylim=(0, None))
        label(axes, lines)
    return written()


def precision_by_k(assessment: Assessment) -> str:
    """Draw the precision of the first k papers of every system, for k to 100."""
    lines = _lines(
        assessment, lambda each: (_ks(each.curves.precision_macro), each.curves.precision_macro)
    )
    with picture("Precision of the first k papers") as (axes, written):
        draw_lines(axes, lines)
        axes.set(xlabel="k", ylabel="precision@k", xscale="log", xlim=(1, 100), ylim=(0, None))
        plain_ticks(axes, (1, 2, 5, 10, 20, 50, 100))
        key(axes, lines)
    return written()


def recall_by_candidates(assessment: Assessment) -> str:
    """Draw the recall of each system's first c papers; a ring shows all candidates, where known."""
    lines = _lines(assessment, lambda each: (each.curves.depths, each.curves.recall_at))
    with picture("Recall by number of candidates") as (axes, written):
        draw_lines(axes, lines, markers=True)
        rings = [_ring(each) for each in assessment.systems]
        for line, ring in zip(lines, rings, strict=True):
            if ring:
                axes.plot(*ring, marker="o", mfc="none", ms=9, mew=1.8, color=line.style.color)
                axes.plot(
                    [line.x[-1], ring[0]],
                    [line.y[-1], ring[1]],
                    color=line.style.color,
                    lw=0.8,
                    ls=":",
                )
        most = max([*(line.x[-1] for line in lines), *(ring[0] for ring in rings if ring)])
        axes.set(
            xlabel="candidates",
            ylabel="recall",
            xscale="log",
            xlim=(1, most * 1.15),
            ylim=(0, None),
        )
        plain_ticks(axes, [x for x in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if x <= most])
        key(axes, lines, markers=True)
    return written()


def reliability(assessment: Assessment) -> str:
    """Draw how often predictions of each size came true, with 95 % Wilson intervals."""
    with picture("Reliability of the probabilities") as (axes, written):
        axes.plot([0, 1], [0, 1], color=INK, lw=0.9, alpha=0.6, ls=(0, (2, 2)))
        lines = []
        for style, (name, found) in zip(styles(), assessment.reliability.items(), strict=False):
            x = [each.predicted for each in found.bins]
            y = [each.observed for each in found.bins]
            bounds = [wilson(each.observed, each.count) for each in found.bins]
            axes.vlines(x, *zip(*bounds, strict=True), color=style.color, lw=1.2, alpha=0.7)
            lines.append(Line(f"{name}\nerror {found.error:.4f}", x, y, style))
        draw_lines(axes, lines, markers=True)
        axes.set(xlabel="predicted probability", ylabel="share that came true")
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        key(axes, lines, markers=True)
    return written()


def k_study(assessment: Assessment) -> str:
    """Draw stage one's recall over its number of neighbours, with and without their citations."""
    with picture("Recall by number of neighbours") as (axes, written):
        lines = _study(assessment.facts["k_study"], "citations", "neighbours", K_STUDY)
        draw_lines(axes, lines, markers=True)
        axes.set(xlabel="neighbours", ylabel="recall", xscale="log", ylim=(0, None))
        axes.set_xlim(right=lines[0].x[-1])
        plain_ticks(axes, lines[0].x)
        label(axes, lines)
    return written()


def self_citation(assessment: Assessment) -> str:
    """Draw at which ranks papers by the query's authors stand, with and without metadata."""
    with picture("Ranks of papers that share an author with the query") as (axes, written):
        lines = _study(assessment.facts["self_citation"], "metadata", "length", SELF_CITATION)
        draw_lines(axes, lines, markers=True)
        axes.set(
            xlabel="length of the list", ylabel="rank", xlim=(0, lines[0].x[-1]), ylim=(0, None)
        )
        label(axes, lines)
    return written()


def _study(
    rows: Sequence[Mapping[str, Any]], switch: str, x: str, names: Mapping[str, str]
) -> list[Line]:
    """Draw columns of a study's rows over x, a line each where the switch is on and where off."""
    lines, looks = [], styles()
    for column, name in names.items():
        for on in (True, False):
            chosen = sorted((row for row in rows if row[switch] is on), key=lambda row: row[x])
            if chosen:
                points = [row[x] for row in chosen], [row[column] for row in chosen]
                label = f"{name}{'with' if on else 'without'} {switch}"
                lines.append(Line(label, *points, next(looks)))
    return lines


def wilson(share: float, n: int) -> tuple[float, float]:
    """Return the 95 % score interval of a share of n (Wilson 1927)."""
    z = 1.959964  # 2.5 % of a normal distribution lie above.
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(centre - float(half), 0.0), min(centre + float(half), 1.0)


DRAWINGS: Mapping[str, tuple[Callable[[Assessment], str], str]] = {
    "precision-recall": (
        precision_recall,
        "Interpolated precision at 11 levels of recall, averaged over queries; bands: 95 % "
        "bootstrap intervals.",
    ),
    "recall-by-k": (recall_by_k, "Recall of the first k papers; bands: 95 % bootstrap intervals."),
    "precision-by-k": (
        precision_by_k,
        "Precision of the first k papers; bands: 95 % bootstrap intervals.",
    ),
    "recall-by-candidates": (
        recall_by_candidates,
        "Recall by number of candidates, in each system's own order; a ring marks all the "
        "candidates that stage one hands on.",
    ),
    "reliability": (
        reliability,
        "How often predictions of each size came true, with 95 % intervals; on the dotted line, as "
        "often as predicted. Each bin holds the same share of the probability.",
    ),
    "k-study": (
        k_study,
        "Recall of all the candidates and of the first 20 papers, by number of neighbours, with "
        "and without adding what they cite.",
    ),
    "self-citation": (
        self_citation,
        "Where papers by the query's own authors stand in lists of growing length; lower is more "
        "self-citation.",
    ),
}
"""name -> what draws it, and what to say below it."""


def draw(assessment: Assessment) -> dict[str, str]:
    """Draw every picture that the assessment has the figures for: name -> SVG.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    facts = assessment.facts
    absent = {
        "reliability": not assessment.reliability,
        "k-study": not _has(facts.get("k_study"), "neighbours", "citations", *K_STUDY),
        "self-citation": not _has(facts.get("self_citation"), "length", "metadata", *SELF_CITATION),
    }
    return {
        name: draws(assessment) for name, (draws, _) in DRAWINGS.items() if not absent.get(name)
    }


def _has(rows: Sequence[Mapping[str, Any]] | None, *columns: str) -> bool:
    return bool(rows) and all(column in row for row in rows or () for column in columns)


def write_pictures(folder: Path, assessment: Assessment) -> list[Path]:
    """Write every picture into a folder as NAME.svg."""
    paths = []
    for name, svg in draw(assessment).items():
        paths.append(folder / f"{name}.svg")
        write_lines(paths[-1], svg.splitlines())
    return paths


def _lines(
    assessment: Assessment, points: Callable[[SystemResult], tuple[Sequence[float], Band]]
) -> list[Line]:
    lines = []
    for style, system in zip(styles(), assessment.systems, strict=False):
        x, band = points(system)
        lines.append(Line(system.name, x, band.value, style, band.low, band.high))
    return lines


def _ks(band: Band) -> list[int]:
    return list(range(1, len(band.value) + 1))


def _ring(system: SystemResult) -> tuple[float, float] | None:
    """Return (candidates, their recall) on average."""
    number, recall = (system.measures.get(name) for name in ("candidates", "candidate recall"))
    return (number.value, recall.value) if number and recall else None
