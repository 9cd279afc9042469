"""Papers whose authors are called almost as a sentence says: of misspelt and damaged names."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

import numpy as np

from recsys.local.named_mentions import Mention
from recsys.store.arrays import Floats, Rows
from recsys.store.corpus import Corpus
from recsys.store.name_keys import author_key

MOST_ROWS = 200
"""Papers that are compared; a name that so many bear tells nothing without the others."""
ALIKE = 0.75
"""How much of two surnames agrees, at least: "Adreevskaia" and "Andreevskaia" 0.96."""
RESEMBLING, MISDIVIDED = 0.6, 0.5
"""Scores: every name is alike, at most; all names are there, but not as that many authors."""
_SHORTEST = 4
"""Letters that a surname's begin has, at least, to be looked for."""


def find_resembling(
    corpus: Corpus, mention: Mention, ranges: Sequence[tuple[int, int]]
) -> tuple[Rows, Floats]:
    """Return papers of that very year whose authors resemble the named ones: rows, scores.

    Args:
        corpus: where to look.
        mention: a work that nobody has written who is called so.
        ranges: of each of its surnames, the codes of the authors so called: begin, end.
    """
    if mention.year is None:
        return np.empty(0, np.int32), np.empty(0, np.float32)
    nearly = [_called_nearly(corpus, surname) for surname in mention.surnames]
    papers = corpus.papers_of_author
    parts = [papers.values[papers.starts[a] : papers.starts[b]] for a, b in (*ranges, *nearly)]
    rows = np.concatenate(parts)
    rows = np.unique(rows[corpus.years[rows] == mention.year])[:MOST_ROWS]
    scores = np.array([_likeness(corpus, row, mention) for row in rows.tolist()], np.float32)
    return rows[scores > 0], scores[scores > 0]


def _called_nearly(corpus: Corpus, surname: str) -> tuple[int, int]:
    """Return the codes of authors whose names begin so, but for the last letter: begin, end."""
    stem = surname[: max(_SHORTEST, len(surname) - 1)]
    if len(stem) < _SHORTEST:
        return 0, 0
    begin = bisect_left(corpus.author_keys, stem)
    return begin, bisect_left(corpus.author_keys, stem + "\U0010ffff", lo=begin)


def _likeness(corpus: Corpus, row: int, mention: Mention) -> float:
    """Compare the authors of a paper, in their order, with the named ones: 0 where one differs."""
    authors = [corpus.author_keys[code].partition(" ")[0] for code in corpus.authors[row].tolist()]
    named = mention.surnames
    if len(authors) < len(named) or (len(authors) > len(named) and not mention.more):
        # Two names became one, or one became two.
        printed = _words(corpus.papers([row])[0].authors)
        near = 1 < len(named) >= len(authors) - 1
        return MISDIVIDED if near and printed.issuperset(named) else 0.0
    alike = [_alike(name, author) for name, author in zip(named, authors, strict=False)]
    return RESEMBLING * min(alike) if min(alike) >= ALIKE else 0.0


def _alike(first: str, second: str) -> float:
    return 1.0 if first == second else SequenceMatcher(None, first, second, autojunk=False).ratio()


def _words(names: Iterable[str]) -> set[str]:
    """Return the words of printed names as the keys of authors have them."""
    words = (author_key(word) for name in names for word in name.split())
    return {word for word in words if word}
