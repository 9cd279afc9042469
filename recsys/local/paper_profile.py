"""The profile of a paper: its own vector, pulled towards those who cite it and what they say.

profile(p) = v(p) + mean over older citers c of v(title of c), as of the query's moment. Where the
sentences are known in which p is cited, these weigh most:
profile(p) = v(p) + CONTEXT * mean over older contexts of v(context) + TITLE * mean of the titles.
"""

import numpy as np

from recsys.local.context_view import ContextSigns
from recsys.stage_two.evidence import Evidence
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.lookup import distinct

MOST_CITERS = 30
"""Of a much cited paper, this many of its latest citers, and contexts, describe it."""
CONTEXT, TITLE = np.float32(1), np.float32(1)


def profile_cosines(evidence: Evidence, signs: ContextSigns | None = None) -> Floats:
    """Multiply the query with the candidates' profiles: (m,) float32 cosines."""
    vectors, query, rows = evidence.collection.vectors, evidence.query, evidence.rows
    profiles = vectors[rows] + _of_titles(evidence, signs)
    if signs is not None and signs.view.has_vectors:
        profiles += CONTEXT * _of_contexts(signs)
    length = np.maximum(np.linalg.norm(profiles, axis=1), np.float32(1e-9))
    cosines: Floats = (profiles @ query.vector) / length
    return cosines


def _of_titles(evidence: Evidence, signs: ContextSigns | None) -> Floats:
    """Average the latest citers' titles: (m, d) float32."""
    vectors, query, rows = evidence.collection.vectors, evidence.query, evidence.rows
    owner, citing = evidence.graph.citers(rows, query.before, most=MOST_CITERS)
    once = distinct(citing)
    means = _means(vectors[once], np.searchsorted(once, citing), owner, len(rows))
    if signs is not None and signs.view.has_vectors:
        means[signs.present] *= TITLE
    return means


def _of_contexts(signs: ContextSigns) -> Floats:
    """Average the latest contexts of each candidate: (m, d) float32."""
    owner, positions = signs.edges.owner, signs.edges.positions
    number = np.bincount(owner, minlength=len(signs.rows))
    from_last = np.repeat(np.cumsum(number), number) - np.arange(len(owner))
    latest: Mask = from_last <= MOST_CITERS
    owner, positions = owner[latest], positions[latest]
    told = signs.view.contexts.vectors(positions)
    return _means(told, np.arange(len(owner)), owner, len(signs.rows))


def _means(vectors: Floats, places: Rows, owner: Rows, n: int) -> Floats:
    """Average vectors by owner, 0 for owners without any: (n, d) float32; owners ascend."""
    number = np.bincount(owner, minlength=n).astype(np.float32)
    sums = np.zeros((n, vectors.shape[1]), np.float32)
    having = np.flatnonzero(number)
    if len(having):
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        sums[having] = np.add.reduceat(vectors[places], first, axis=0)
    means: Floats = sums / np.maximum(number, 1)[:, None]
    return means
