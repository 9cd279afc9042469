"""Write the page on corpora that know few of their citations."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.result_tables import table
from benchmarks.unseen_corpora import OTHERS, OWN

PAGE = "few-links"
BM25, COSINE, FUSED = "BM25", "cosine", "both fused"
"""Systems that read no link."""
_COLUMNS = (BM25, COSINE, FUSED, OTHERS, OWN)


def write_few_links(found: Mapping[str, Any]) -> str:
    """Write both tables for the corpora that were measured: corpus -> see `few_links.measure`."""
    told = " ".join(_told(corpus, each) for corpus, each in found.items())
    header = ("corpus, share of its links", "links a paper", *_COLUMNS)
    figures = [_figures(*each) for each in _each(found)]
    gains = [_gains(*each) for each in _each(found)]
    second = (
        "corpus, share of its links",
        "F1@20",
        "MRR",
        "times the better of BM25 and cosine",
        f"less “{FUSED}”",
        f"less “{OWN}”",
        "calibration error",
    )
    return "\n\n".join(
        (
            f"{told} F1@20 / MRR:",
            table(header, figures),
            f"“{OTHERS.capitalize()}” with 95 % bootstrap intervals; differences are of F1@20, "
            "queries drawn in pairs:",
            table(second, gains),
        )
    )


def _each(found: Mapping[str, Any]) -> Sequence[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    return [(corpus, each, share) for corpus, each in found.items() for share in each["shares"]]


def _told(corpus: str, found: Mapping[str, Any]) -> str:
    rankers = "trees and networks" if found.get("networks") else "trees alone"
    return (
        f"{corpus}: {found['queries']} test queries, {found['papers']:,} papers, "
        f"{found['links']:,} links; at most {found['most']:,} train queries of each other corpus; "
        f"rankers of {rankers}."
    )


def _figures(corpus: str, found: Mapping[str, Any], at: Mapping[str, Any]) -> tuple[str, ...]:
    systems = found["systems"] | at["systems"]
    cells = (
        f"{_short(systems[each]['F1@20'])} / {_short(systems[each]['MRR'])}" for each in _COLUMNS
    )
    return _name(corpus, at), f"{at['links'] / found['papers']:.2f}", *cells


def _gains(corpus: str, found: Mapping[str, Any], at: Mapping[str, Any]) -> tuple[str, ...]:
    system, gains = at["systems"][OTHERS], at["gains"]
    return (
        _name(corpus, at),
        _between(system["F1@20"], ""),
        _between(system["MRR"], ""),
        f"{at['ratio']:.2f}",
        _between(gains[FUSED], "+"),
        _between(gains[OWN], "+"),
        f"{at['ECE']:.4f}",
    )


def _name(corpus: str, at: Mapping[str, Any]) -> str:
    return f"{corpus}, {at['share']:.0%}".replace("%", " %")


def _short(figure: Mapping[str, float]) -> str:
    return f"{figure['value']:.3f}".removeprefix("0")


def _between(figure: Mapping[str, float], sign: str) -> str:
    value, low, high = (f"{figure[each]:{sign}.3f}" for each in ("value", "low", "high"))
    return f"{value} ({low} to {high})"
