"""Rates in round numbers, whose plans one can compute by hand."""

from recsys.pipelines.planning.measured_rates import RATES, Rate

MILLION = 1_000_000


def round_rates(**values: float) -> dict[str, Rate]:
    """Return every rate as 100 at a million papers, but for those that are named; _ for blanks."""
    given = {name.replace("_", " "): value for name, value in values.items()}
    return {name: Rate(name, given.get(name, 100.0), MILLION) for name in RATES}
