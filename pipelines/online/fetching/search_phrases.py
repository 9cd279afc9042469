"""What a draft is searched by: the telling phrases of its title and its abstract."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from recsys.mapping.phrases import phrases_in
from recsys.pipelines.online.fetching.fetch_question import FetchQuestion

MOST_SEARCHES = 8
LONGEST_QUERY = 300
"""Characters that are sent of a title."""
_IN_TITLE = 3
"""A phrase of the title counts as one that stands so many times in the abstract."""
_ONE_WORD = 0.4
"""What a word alone is worth: it finds what is about anything."""


def searches(question: FetchQuestion) -> tuple[str, ...]:
    """Choose what to search for, the title or the query first; no phrase is part of another."""
    first = question.title[:LONGEST_QUERY].strip()
    found = [first] if first else []
    taken: list[frozenset[str]] = []
    for known, spelling in _ranked(question.title, question.abstract or ""):
        words = frozenset(known)
        if any(words <= other or other <= words for other in taken):
            continue
        taken.append(words)
        found.append(f'"{spelling}"')
        if len(found) == MOST_SEARCHES:
            break
    return tuple(dict.fromkeys(found))


def _ranked(title: str, abstract: str) -> Sequence[tuple[tuple[str, ...], str]]:
    """Order phrases by how often they stand there, and by how many words they have."""
    counts = Counter(known for known, _ in phrases_in(abstract))
    for known in {known for known, _ in phrases_in(title)}:
        counts[known] += _IN_TITLE
    spelt: dict[tuple[str, ...], str] = {}
    for known, spelling in chain(phrases_in(title), phrases_in(abstract)):
        spelt.setdefault(known, spelling)
    order = sorted(counts, key=lambda known: (-_worth(known, counts[known]), known))
    return [(known, spelt[known]) for known in order if len(set(known)) == len(known)]


def _worth(known: Sequence[str], count: int) -> float:
    if len(known) == 1:
        return _ONE_WORD * count
    return count * (1.0 if len(known) == 2 else 0.9)
