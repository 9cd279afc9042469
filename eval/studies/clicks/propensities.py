"""Propensities: how likely a reader is to examine each position, relative to the first one."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.trec import write_lines
from recsys.formats.files import read_text

_FORM = 'Give {"scores": [p1, p2, ...]}, one number above 0 for each position.'


@dataclass(frozen=True, slots=True)
class Propensities:
    """A propensity for each position.

    method: how they were found; values: (m,) float64 > 0, the first of them 1 unless they were
    read from a file. low, high: (m,) bounds of the 95 % interval, None where there is none.
    impressions: how many they were estimated from, None where unknown.

    Raises:
        InputError: there is no position, a propensity is not above 0 and finite, or the bounds
            are not as many and finite.
    """

    method: str
    values: Doubles
    low: Doubles | None = None
    high: Doubles | None = None
    impressions: int | None = None

    def __post_init__(self) -> None:
        if not len(self.values):
            raise InputError("The propensity table has no positions.", _FORM)
        wrong = np.flatnonzero(~(np.isfinite(self.values) & (self.values > 0)))
        if wrong.size:
            raise InputError(
                f"The propensity of position {wrong[0] + 1} is {self.values[wrong[0]]}.",
                "A propensity is a finite number above 0: clicks are divided by it.",
            )
        for bounds in (self.low, self.high):
            if bounds is not None and (
                len(bounds) != len(self.values) or not np.isfinite(bounds).all()
            ):
                raise InputError(
                    f"{len(self.values)} propensities cannot have the bounds {bounds}.",
                    "Give a finite lower and upper bound for each position, or none at all.",
                )

    def __len__(self) -> int:
        """Count the positions."""
        return len(self.values)

    def at(self, columns: NDArray[np.integer]) -> Doubles:
        """Return the propensity of each column (position - 1), any shape.

        Raises:
            InputError: a position is beyond the table.
        """
        outside = columns[(columns < 0) | (columns >= len(self))]
        if outside.size:
            raise InputError(
                f"Position {outside[0] + 1} is not one of the {len(self)} that have a propensity.",
                "Estimate the propensities from lists as long as these.",
            )
        found: Doubles = self.values[columns]
        return found


def read_propensities(path: Path) -> Propensities:
    """Read `{"scores": [p1, p2, ...]}`, SciDocs' propensity_scores.json, or what was written here.

    Other keys are passed over: nothing is known of what else SciDocs' own file holds.

    Raises:
        InputError: the file is not readable, has no scores, or one that is not above 0 and finite.
    """
    try:
        record = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}.", _FORM) from error
    if not isinstance(record, dict):
        raise InputError(f"{path} holds no JSON object.", _FORM)
    if "scores" not in record:
        raise InputError(f"{path} has no scores.", _FORM)
    method, impressions = record.get("method"), record.get("impressions")
    try:
        return Propensities(
            method if isinstance(method, str) else f"read from {path.name}",
            _numbers(record["scores"], "scores"),
            None if record.get("low") is None else _numbers(record["low"], "low"),
            None if record.get("high") is None else _numbers(record["high"], "high"),
            impressions if type(impressions) is int else None,
        )
    except InputError as error:
        raise InputError(f"{path}: {error.what}", error.hint) from error


def write_propensities(path: Path, propensities: Propensities) -> None:
    """Write SciDocs' `{"scores": [...]}`, with method, bounds and impressions beside them."""
    record = {
        "scores": propensities.values.tolist(),
        "method": propensities.method,
        "low": None if propensities.low is None else propensities.low.tolist(),
        "high": None if propensities.high is None else propensities.high.tolist(),
        "impressions": propensities.impressions,
    }
    known = {key: value for key, value in record.items() if value is not None}
    write_lines(path, [json.dumps(known, indent=1, allow_nan=False)])


def _numbers(value: object, key: str) -> Doubles:
    """Check a JSON list of numbers: (m,) float64."""
    if not isinstance(value, list):
        raise InputError(f"{key} is no list of numbers.", _FORM)
    for position, number in enumerate(value, 1):
        if type(number) not in (int, float):
            raise InputError(f"Position {position} of {key!r} is {number!r}, no number.", _FORM)
    try:
        return np.array(value, np.float64)
    except OverflowError as error:
        raise InputError(f"A number of {key!r} is too large.", _FORM) from error
