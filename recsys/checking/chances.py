"""How sure a check is: that a record is the work that is meant, and that a work does not exist.

The first is a logistic model over few numbers. `benchmarks.reference_checks fit` fits it to
references whose truth is known: those of real corpora as people print them, and others that were
altered or invented. The second weighs what the whole list shows.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import exp, log
from operator import mul
from pathlib import Path

from recsys.checking.fields import shared_authors
from recsys.checking.venues import same_venue
from recsys.query.matching import Title, title_likeness
from recsys.records import Reference

MODELS = Path(__file__).parent / "chances.json"
LIKE = 0.55
"""Titles less alike are not looked at any further, unless an identifier names the work."""
IDENTITY = (
    "titles",
    "titles_equal",
    "telling",
    "authors",
    "no_authors",
    "titles_and_authors",
    "year",
    "year_of_equal_titles",
    "venue",
    "doi",
)
"""What is known of a reference and a record: see `identity_numbers`."""
PRIOR = (
    (0.0, 0.34), (0.01, 0.12), (0.02, 0.08), (0.03, 0.08), (0.05, 0.08), (0.08, 0.06),
    (0.12, 0.06), (0.15, 0.05), (0.18, 0.05), (0.22, 0.03), (0.3, 0.05),
)  # fmt: skip
"""Shares of inventions in a list, and how likely each is before the list is seen: an assumption.

A third of all lists have none, as many have a few in a hundred, the others more."""
LACKING = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8)
"""Shares of works that sources lack, each as likely as the others."""
_ALTERED, _NOTICED, _FALSE_ALARMS = 2.0, 0.65, 0.01
"""References described wrongly for each invention; what of them print shows, and a check notices;
true ones that are taken for them. The second is an
estimate from lists with faults put in, the third was measured on lists without."""
_TELLING = 6


@dataclass(frozen=True, slots=True)
class Model:
    """A logistic model: the log-odds are `bias` + `weights` times the numbers."""

    names: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float

    def chance(self, numbers: Sequence[float]) -> float:
        """Return a probability."""
        odds = self.bias + sum(w * x for w, x in zip(self.weights, numbers, strict=True))
        return 1 / (1 + exp(-max(min(odds, 30.0), -30.0)))


@cache
def model(name: str) -> Model:
    """Read the model of this name."""
    record = json.loads(MODELS.read_text())[name]
    return Model(tuple(record["names"]), tuple(record["weights"]), record["bias"])


def identity_numbers(
    reference: Reference, title: Title, record: Reference, offered: Title
) -> tuple[float, ...]:
    """Return the numbers `IDENTITY` of a reference and a record, given both titles.

    Likeness of the titles, above one half; whether it is nearly 1; in that case the share of six
    telling words; the share of its authors that the record names; whether authors are unknown; the
    first times how many of three authors agree; years apart, at most 5, and this for equal titles;
    venue and DOI: 1 the same, -1 others, 0 unknown.
    """
    likeness = title_likeness(title, offered)
    equal = likeness > 0.95  # But for typing errors.
    people = shared_authors(reference, record)
    several = 0.0 if people is None else min(people * len(reference.authors), 3) / 3
    years = 0.0
    if reference.year and record.year:
        years = min(abs(reference.year - record.year), 5) / 5
    venue = None
    if reference.venue and record.venue:
        venue = same_venue(reference.venue, record.venue)
    dois = [doi for doi in (record.doi, *record.ids) if doi and doi.startswith("10.")]
    same_doi = 0.0 if not (reference.doi and dois) else 1.0 if reference.doi in dois else -1.0
    return (
        2 * max(likeness - 0.5, 0.0),
        float(equal),
        min(len(title.telling), _TELLING) / _TELLING if equal else 0.0,
        0.5 if people is None else people,
        float(people is None),
        2 * max(likeness - 0.5, 0.0) * several,
        years,
        years * equal,
        0.0 if venue is None else 1.0 if venue else -1.0,
        same_doi,
    )


def absent(*, missing: int, differing: int, confirmed: int) -> float:
    """Return the chance that a reference that was not found means a work that does not exist.

    A list has a share p of inventions, and twice as many references that are described wrongly,
    and its sources lack a share h of such works; both are unknown, and judged by the whole list:
    with the prior `PRIOR`, it is the mean of p / (p + (1 - p) h) over what the counts leave likely.
    So a reference is doubted that is missing from complete sources, and in a list that is wrong
    elsewhere; one that is missing among many is not.

    Args:
        missing: references of the list that were not found, of kinds that the sources hold.
        differing, confirmed: those that were found.
    """
    chances, evidence = list[float](), list[float]()
    for (p, weight), h in product(PRIOR, LACKING):
        wrong = (1 - h) * (_ALTERED * p * _NOTICED + (1 - (1 + _ALTERED) * p) * _FALSE_ALARMS)
        gone = p + (1 - p) * h
        counts = (missing, gone), (differing, wrong), (confirmed, 1 - gone - wrong)
        evidence.append(log(weight) + sum(n * log(max(share, 1e-9)) for n, share in counts))
        chances.append(p / gone if p else 0.0)
    best = max(evidence)
    weights = [exp(each - best) for each in evidence]
    return float(sum(map(mul, weights, chances)) / sum(weights))
