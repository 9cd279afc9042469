"""Which encoders differ from a reference by more than chance, column by column."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from recsys.eval.measures import Interval
from recsys.eval.significance import bootstrap_difference, holm, sign_flip_tests
from recsys.eval.studies.encoders.encoder_figures import COLUMNS, Encoders, Figure


@dataclass(frozen=True, slots=True)
class Difference:
    """An encoder minus the reference, in the means of what is tested.

    p: paired randomisation test, Holm-corrected over the encoders of the column.
    """

    change: Interval
    p: float


Differences = Mapping[str, Mapping[str, Difference]]
"""Encoder -> column -> difference, where both have the values of the same queries or papers."""


def differences(found: Encoders) -> Differences:
    """Compare every encoder with the reference in every column that is tested."""
    by_name = {row.name: row.figures for row in found.rows}
    reference = by_name.get(found.reference, {})
    table: dict[str, dict[str, Difference]] = {row.name: {} for row in found.rows}
    for column in COLUMNS:
        if column in reference:
            mine = {
                name: figures[column]
                for name, figures in by_name.items()
                if name != found.reference and column in figures
            }
            for name, each in _column(mine, reference[column], found.seed).items():
                table[name][column] = each
    return table


def _column(
    figures: Mapping[str, Figure], reference: Figure, seed: int
) -> Mapping[str, Difference]:
    """Compare the encoders of a column, all with the same draws and coin tosses."""
    kept = {name: each for name, each in figures.items() if _comparable(each, reference)}
    if not kept:
        return {}
    base = np.array(reference.values)
    values = {name: np.array(each.values) for name, each in kept.items()}
    gaps = np.stack([each - base for each in values.values()], axis=1)
    adjusted = holm(sign_flip_tests(gaps, rng=np.random.default_rng(seed)))
    return {
        name: Difference(
            bootstrap_difference(each, base, rng=np.random.default_rng(seed)), float(p)
        )
        for (name, each), p in zip(values.items(), adjusted, strict=True)
    }


def _comparable(one: Figure, other: Figure) -> bool:
    return bool(one.values) and one.asked == other.asked and len(one.values) == len(other.values)
