"""What a person may choose among the papers that an answer holds before any filter."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from recsys.formats.references.shown_facts import one_line
from recsys.machine import one_thread
from recsys.recommend import Recommender
from recsys.records import Draft
from recsys.store.vectors import dot_cache
from recsys.store.words import venue_key


@dataclass(frozen=True, slots=True)
class Choices:
    """What filters can choose among, each with its number of papers, the most frequent first.

    venues: (value of the filter, name, papers). types: (value, papers). papers: how many there
    are. probabilities: of the papers, by their rows.
    """

    venues: tuple[tuple[str, str, int], ...] = ()
    types: tuple[tuple[str, int], ...] = ()
    papers: int = 0
    probabilities: Mapping[int, float] = field(default_factory=dict)


def choices_of(recommender: Recommender, draft: Draft) -> Choices:
    """Count the venues and types of the papers that a draft finds."""
    corpus = recommender.collection.corpus
    with one_thread(), dot_cache():
        ranking = recommender.rank(recommender.query_to(draft))
    rows = ranking.rows
    names = Counter(corpus.venue_names.values[code] for code in corpus.venue_names.codes[rows])
    venues, papers_at = dict[str, str](), Counter[str]()
    for name, count in names.most_common():
        if key := venue_key(name):  # The most frequent spelling stands for all of that key.
            venues.setdefault(key, one_line(name))
            papers_at[key] += count
    types = Counter(kind for code in corpus.types.codes[rows] for kind in corpus.types.values[code])
    return Choices(
        tuple((key, venues[key], count) for key, count in papers_at.most_common()),
        tuple(types.most_common()),
        len(rows),
        dict(zip(rows.tolist(), ranking.probabilities.tolist(), strict=True)),
    )
