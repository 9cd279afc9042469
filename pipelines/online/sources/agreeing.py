"""Choose, of the works that a source offers, the one that is wanted: two fields have to agree."""

from collections.abc import Iterable

from recsys.query.matching import THRESHOLD, named_among, score, title_of
from recsys.records import Paper, Reference
from recsys.store.words import STOP_WORDS, folded_words

_MOST_WORDS = 8


def agreed(wanted: Reference, offered: Iterable[Reference]) -> Reference | None:
    """Return the offered work that has the title, and the first author or about the year."""
    if not wanted.title:
        return None
    title = title_of(wanted.title)
    best, found = THRESHOLD, None
    for work in offered:
        if not work.title or not _second_field(wanted, work):
            continue
        paper = Paper("", work.title, None, work.year, work.authors)
        likeness = score(wanted, title, paper, title_of(work.title))
        if likeness > best or (likeness == best and found is None):
            best, found = likeness, work
    return found


def _second_field(wanted: Reference, work: Reference) -> bool:
    near = wanted.year and work.year and abs(wanted.year - work.year) <= 1
    return bool(near) or bool(named_among(wanted.authors, work.authors))


def telling_words(text: str, most: int = _MOST_WORDS) -> list[str]:
    """Return the longest words of a text, in its order: sources look for all that they are given.

    >>> telling_words("On the origin of species by means of natural selection", 3)
    ['species', 'natural', 'selection']
    """
    words = [w for w in dict.fromkeys(folded_words(text)) if len(w) > 1 and w not in STOP_WORDS]
    kept = set(sorted(words, key=lambda word: (-len(word), word))[:most])
    return [word for word in words if word in kept]
