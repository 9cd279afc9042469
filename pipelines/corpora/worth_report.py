"""Say what a corpus is worth: to people in lines, to programs as JSON, and what to expect of it."""

import json

import numpy as np

from recsys.pipelines.corpora.corpus_worth import CorpusWorth
from recsys.pipelines.corpora.query_years import ENOUGH_REFERENCES, FEWEST_TRAIN, FEWEST_TUNED

SCHEMA = "recsys.corpus-worth/1"
FEW_LINKS = 1.0
"""Links a paper below which most candidates have no citation near them to be ranked by.

Of the corpora that recsys is measured on, the sparsest has 1.2, and still gains by its links.
"""
GAIN_BY_LINKS: tuple[tuple[float, float], ...] = (
    (0.00, 1.34), (0.08, 1.39), (0.16, 1.39), (0.25, 1.43), (0.49, 1.44), (0.77, 1.49),
    (1.47, 1.55), (2.55, 1.65), (4.97, 1.71),
)  # fmt: skip
"""Links a paper, and how many times the F1@20 of the better of BM25 and cosine answers have.

By rankers that have not seen the corpus and learned from others as the one that comes with recsys,
on the test queries of vis and archaeology with 0, 3, 10, 30 and 100 % of their links: the rising
curve that is nearest to these, by least squares, from docs/results/few-links.md.
"""
FEW_ABSTRACTS = 0.5
"""Share of papers with an abstract below which most are found by a title of some ten words."""


def worth_lines(worth: CorpusWorth) -> list[str]:
    """Write the figures for people, and last what to expect."""
    papers = worth.papers
    years = "" if worth.years is None else ", {0}-{2}, half of them since {1}".format(*worth.years)
    resolved = ""
    if worth.references:
        resolved = (
            f", {share(worth.links, worth.references)} of the {worth.references:,} references given"
        )
    lines = [
        f"{papers:,} papers{years}; {share(worth.abstracts, papers)} with abstract, "
        f"{share(worth.dated, papers)} with year.",
        f"{worth.links:,} links{resolved}; {worth.citing:,} papers have any, the median of these "
        f"is {worth.median_links:g}; {share(worth.uncited, papers)} of all papers are cited by "
        "none.",
        f"{worth.train + worth.dev + worth.test:,} papers could be asked as queries, with "
        f"{ENOUGH_REFERENCES} links or more to what is not newer: {worth.train:,} train, "
        f"{worth.dev:,} dev, {worth.test:,} test, by year.",
    ]
    if worth.languages:
        told = ", ".join(f"{name} {share(part, 1)}" for name, part in worth.languages.items())
        lines.append(f"Languages, by a guess from words: {told}.")
    for name, counts in (("venues", worth.venues), ("types", worth.types)):
        if counts:
            told = "; ".join(f"{each} ({count:,})" for each, count in counts.items())
            lines.append(f"Largest {name}: {told}.")
    return [*lines, f"Expect: {expectation(worth)}."]


def expectation(worth: CorpusWorth) -> str:
    """Say in one sentence, without its full stop, what answers will rest on."""
    thin = ", and most papers have no abstract" if _thin(worth) else ""
    gain = f"about {expected_gain(worth):.1f} times the F1@20 of BM25 or cosine{thin}"
    if not worth.links:
        return f"no links: answers rest on words and embedding alone, train no ranker; {gain}"
    if worth.train >= FEWEST_TRAIN:
        return f"enough links for a ranker of its own: {worth.train:,} train queries; {gain}"
    if worth.links < FEW_LINKS * worth.papers:
        return f"few links: answers rest on words and embedding, {_few_queries(worth)}; {gain}"
    return f"links help to rank, {_few_queries(worth)}; {gain}"


def _few_queries(worth: CorpusWorth) -> str:
    if worth.train >= FEWEST_TUNED:
        return (
            f"and {worth.train:,} train queries are enough for the ranker that comes with recsys "
            "to learn on from, by `recsys train ranker`"
        )
    return (
        f"but {worth.train:,} train queries are too few to learn from: the ranker that comes with "
        "recsys answers as it is"
    )


def expected_gain(worth: CorpusWorth) -> float:
    """Tell how many times the F1@20 of the better of BM25 and cosine answers should have.

    Read off GAIN_BY_LINKS by the links a paper, on straight lines; beyond the last, no more.
    """
    links, gains = zip(*GAIN_BY_LINKS, strict=True)
    return float(np.interp(worth.links / max(worth.papers, 1), links, gains))


def worth_json(worth: CorpusWorth) -> str:
    """Write one JSON object of schema `recsys.corpus-worth/1`."""
    value = {"schema": SCHEMA, **worth.facts(), "expect": expectation(worth)}
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def share(part: float, whole: float) -> str:
    """Write a share in whole per cent that says 0 and 100 only where that is exact.

    >>> share(1, 3), share(1, 1000), share(999, 1000), share(7, 7), share(0, 0)
    ('33 %', 'under 1 %', 'over 99 %', '100 %', '0 %')
    """
    if not part:
        return "0 %"
    per_cent = round(100 * part / whole)
    if part < whole and per_cent == 100:
        return "over 99 %"
    return f"{per_cent} %" if per_cent else "under 1 %"


def _thin(worth: CorpusWorth) -> bool:
    return worth.abstracts < FEW_ABSTRACTS * worth.papers
