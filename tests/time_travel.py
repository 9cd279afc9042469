"""Time travel: small collections as they would be if nothing unseen had been written.

Everything unseen is scrambled (papers newer than the draft, the draft's own paper, in evaluations
papers of unknown year), and every citation that a paper of the draft's year or later made, or that
leads to an unseen paper, is gone. Only what BM25 knows of word frequencies stays.
"""

from dataclasses import replace

import numpy as np

from recsys.indexes.exact import ExactIndex
from recsys.store.arrays import Mask, Ragged
from recsys.store.collection import Collection, Space
from recsys.store.corpus import Corpus
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph
from recsys.store.terms import TermStore
from tests.indexes.small_indexes import bm25_of
from tests.tiny import World, redescribed, unit


def moment(world: World) -> int:
    """The draft's year, or its own paper's if that is earlier."""
    own = [paper.year for paper in world.papers if paper.id == world.draft.paper_id and paper.year]
    assert world.draft.as_of is not None
    return min([world.draft.as_of, *own])


def may_be_seen(world: World) -> Mask:
    """The rule once more, paper by paper."""
    evaluation = world.draft.paper_id is not None
    return np.array(
        [
            paper.id != world.draft.paper_id
            and (not evaluation if paper.year is None else paper.year <= moment(world))
            for paper in world.papers
        ]
    )


def back_in_time(world: World, rng: np.random.Generator) -> Collection:
    """Scramble what is unseen; drop citations of and to it, and those not older than the draft."""
    collection, seen = world.collection, may_be_seen(world)
    noise = unit(rng.standard_normal(collection.vectors.shape))
    vectors = np.where(seen[:, None], collection.vectors, noise)
    graph = collection.graph
    citing, cited = graph.references(np.arange(len(seen), dtype=np.int32))
    years = graph.years[citing]
    kept = (years != UNKNOWN_YEAR) & (years < moment(world)) & seen[cited]
    nnselect = collection.nnselect
    if nnselect is not None:
        unlike = unit(rng.standard_normal(nnselect.vectors.shape))
        other = np.where(seen[:, None], nnselect.vectors, unlike)
        nnselect = Space(other, ExactIndex(other))
    terms = _scrambled_words(collection.terms, seen, rng)
    return Collection(
        corpus=_scrambled_papers(collection.corpus, seen),
        graph=CitationGraph.build(citing[kept], cited[kept], graph.years),
        terms=terms,
        vectors=vectors,
        vector_index=ExactIndex(vectors),
        text_index=bm25_of(terms),
        nnselect=nnselect,
    )


def _scrambled_words(store: TermStore, seen: Mask, rng: np.random.Generator) -> TermStore:
    """Let the unseen papers have their words any number of times, and any length."""
    known = np.repeat(seen, np.diff(store.terms.starts))
    noise = rng.integers(1, 9, len(known))
    frequencies = np.where(known, store.frequencies, noise).astype(store.frequencies.dtype)
    norms = np.where(seen, store.norms, rng.random(len(seen)) * 9)
    return replace(store, frequencies=frequencies, norms=norms)


def _scrambled_papers(corpus: Corpus, seen: Mask) -> Corpus:
    """Let the first author of all write the unseen papers, in the first venue, as one title."""
    owner, codes = corpus.authors.take(np.arange(len(corpus), dtype=np.int32))
    codes = np.where(seen[owner], codes, 0).astype(np.int32)
    scrambled = replace(
        corpus,
        venues=np.where(seen, corpus.venues, 0).astype(np.int32),
        authors=Ragged.from_pairs(owner, codes, len(corpus)),
        papers_of_author=Ragged.from_pairs(codes, owner, len(corpus.author_names)),
    )
    shown = vars(corpus)["_shown"].to_pylist()  # See `tests.tiny`.
    unseen = {"title": "Beech: unseen", "authors": ["Ann Ash"]}
    told = [row if known else row | unseen for row, known in zip(shown, seen, strict=True)]
    return redescribed(scrambled, told)
