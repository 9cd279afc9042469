"""Propensities that were estimated where the truth is known: a section of a report."""

from collections.abc import Sequence
from typing import Any

from recsys.eval.report.page import Picture, Section
from recsys.eval.report.tables import Table, cells
from recsys.eval.studies.clicks.pages.click_pictures import propensity_curves
from recsys.eval.studies.clicks.recovery import Recovered

_CAPTION = (
    "Propensities found by each method where readers click by the {} model; dashed: the truth; "
    "vertical lines: 95 % bootstrap intervals."
)


def recovery_section(found: Sequence[Recovered]) -> Section:
    """Show how far each method is off, for every click model."""
    rows = tuple(
        cells(
            each.model,
            each.estimate.method,
            f"{each.estimate.impressions:,}",
            f"{100 * each.mean_error:.1f} %",
            f"{100 * each.max_error:.1f} %",
            f"{100 * each.covered:.0f} %",
        )
        for each in found
    )
    header = ("click model", "method", "impressions", "mean error", "largest error", "covered")
    table = Table(
        "recovery",
        "Estimated propensities against the truth.",
        header,
        rows,
        2,
        "Errors are relative, over the positions after the first. Covered: the share of them with "
        "the truth inside their 95 % interval.",
    )
    text = (
        "Every method assumes the position-based model. Where readers stop at what they like "
        "(cascade) or trust the order (trust), no curve is right for every paper: the truth is "
        "what moving the average paper does to its clicks."
    )
    return Section("recovery", "Propensities", text, (table,), tuple(_names(found)))


def recovery_pictures(found: Sequence[Recovered]) -> dict[str, Picture]:
    """Draw the curves of all methods beside the truth, a picture for each click model."""
    return {
        name: Picture(
            propensity_curves([each.estimate for each in same], same[0].truth),
            _CAPTION.format(same[0].model),
        )
        for name, same in _names(found).items()
    }


def recovery_figures(found: Sequence[Recovered]) -> list[dict[str, Any]]:
    """Put what was found in JSON values."""
    return [
        {
            "model": each.model,
            "method": each.method,
            "mean_error": each.mean_error,
            "max_error": each.max_error,
            "covered": each.covered,
            **{
                name: None if values is None else values.tolist()
                for name, values in (
                    ("truth", each.truth),
                    ("estimate", each.estimate.values),
                    ("low", each.estimate.low),
                    ("high", each.estimate.high),
                )
            },
        }
        for each in found
    ]


def _names(found: Sequence[Recovered]) -> dict[str, list[Recovered]]:
    """Group by click model: name of its picture -> what was found."""
    names: dict[str, list[Recovered]] = {}
    for each in found:
        names.setdefault(f"recovery-{each.model}", []).append(each)
    return names
