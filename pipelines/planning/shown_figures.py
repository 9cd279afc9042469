"""Write figures with their units, in so many digits as tell something."""

from math import isinf

from recsys.pipelines.planning.plan_values import Figure

_SMALLER = (("h", 60, "min"), ("min", 60, "s"), ("GB", 1000, "MB"))
"""Units, and what becomes of less than one of them."""
_SECOND = 1000


def shown(value: float | None) -> str:
    """Write a number with three digits that tell something."""
    if value is None:
        return "unknown"
    if isinf(value):
        return "never"
    if value >= 100:
        return f"{value:,.0f}"
    digits = 3 if value < 0.1 else 2 if value < 10 else 1
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") or "0"


def count(papers: float) -> str:
    """Write a number of papers: 4.2 million."""
    if isinf(papers):
        return "never"
    for size, name in ((1e9, "billion"), (1e6, "million")):
        if papers >= size:
            return f"{shown(papers / size)} {name}"
    return f"{papers:,.0f}"


def said(figure: Figure) -> str:
    """Write a figure in a unit that suits its size."""
    value, unit = figure.value, figure.unit
    if value is None:
        return "unknown"
    for name, factor, smaller in _SMALLER:
        if unit == name and 0 < value < 1:
            value, unit = value * factor, smaller
    if unit == "ms" and value >= _SECOND:
        value, unit = value / _SECOND, "s"
    return f"{shown(value)} {unit}".strip()
