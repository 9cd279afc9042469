"""Where the two stages of whole drafts answer a passage, and what their chances are worth there.

The local ranker that ships has learned from one corpus. Where a corpus is unlike it, the two
stages order, which have learned from many; works that the sentence names come before all others.
"""

from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.local.named_works import Named, NamedRows
from recsys.ranking.feature_context import FeatureContext
from recsys.store.arrays import Longs
from recsys.store.collection import Collection

Doubles: TypeAlias = NDArray[np.float64]

MOST_WORDS, LEAST_LINKS = 20.0, 2.0
"""Distinct words of a paper, and citations that it makes, on average over the papers older than a
draft. Where papers have fewer words and more citations, the shipped local ranker orders. The corpus
that it learned from (acl, titles) has 6 words and 3.5 citations in 2006, 4.6 in 2012. Those of
elife, plantsci and taxonomy have at most 1.3 citations, and others with abstracts 25 words and
more: there it was worse than the two stages, or was never tried (docs/notes/local.md)."""
LOOKED_AT = 20_000
"""Papers that are counted, evenly spread."""


def is_like_learned(collection: Collection, before: int) -> bool:
    """Tell whether a corpus, as of a draft's moment, is like what the shipped ranker learned from.

    before: only papers of earlier years count.
    """
    return collection.graph.once(("like learned", before), lambda: _is_like(collection, before))


def _is_like(collection: Collection, before: int) -> bool:
    n = len(collection.corpus)
    rows = np.linspace(0, n - 1, min(n, LOOKED_AT)).astype(np.int32)
    rows = rows[collection.graph.older(rows, before)]
    if not len(rows):
        return False
    links = collection.graph.cites.lengths(rows).mean()
    words = collection.terms.terms.lengths(rows).mean()
    return bool(links >= LEAST_LINKS and words <= MOST_WORDS)


# Works that the sentence names come first: each name means one work.


def in_turn(named: NamedRows, ranks: Sequence[float]) -> Longs:
    """Order named papers: the best one for each name, then the second best for each, and so on.

    ranks: of each in the ranking that decides where a name fits several equally well.

    Returns:
        (m,) places in `named`.
    """
    turns, keyed = Counter[Named](), list[tuple[int, int]]()
    for place in np.lexsort((np.array(ranks), -named.scores)).tolist():
        name = named.named[place]
        keyed.append((turns[name], place))
        turns[name] += 1
    keyed.sort(key=itemgetter(0))
    return np.array([place for _, place in keyed], np.int64)


# The chance that a paper belongs to a sentence, of the chance that it belongs to the draft.

SENTENCE_EVIDENCE = (
    *("rank", "draft given", "references given"),
    *("named", "name score", "name share", "others named"),
)
"""What the transfer of a local ranker reads, which corrects the chances of the two stages."""


def sentence_evidence(context: FeatureContext, named: NamedRows, m: int) -> dict[str, Doubles]:
    """Read all SENTENCE_EVIDENCE of m papers in order, the first of which are named: (m,) each.

    rank is a logarithm; a name's score and share are 0 for the other papers, which read how well
    the best of those named fits: where a sentence names a work, the others are less likely.

    context: of the draft with the sentence in it.
    """
    # A sentence alone is the title of its query.
    drafted = context.query.text.abstract is not None
    evidence = {name: np.zeros(m) for name in SENTENCE_EVIDENCE}
    evidence["rank"][:] = np.log(np.arange(1, m + 1))
    evidence["draft given"][:] = drafted
    evidence["references given"][:] = context.seeds is not None
    number = len(named.rows)
    evidence["named"][:number] = 1
    evidence["name score"][:number] = named.scores
    evidence["name share"][:number] = named.shares
    evidence["others named"][number:] = named.scores.max(initial=0)
    return evidence
