"""A tiny corpus whose papers are cited in known sentences, to try local recommendation on."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from recsys.indexes.bm25 import Bm25Index
from recsys.local.local_features import LocalFacts
from recsys.local.local_recommender import LocalPool, gather
from recsys.local.named_works import NamedWorks
from recsys.local.passage import COLUMNS as OF_DRAFT
from recsys.local.passage import DraftView, Passage, PassageQuery, pose_passage
from recsys.pipelines.index.contexts import COLUMNS, in_order, taken, write_contexts
from recsys.query.query import make_query
from recsys.ranking.feature_context import FeatureContext
from recsys.records import Draft
from recsys.store.arrays import Floats
from recsys.store.collection import Collection, ContextSpace
from recsys.store.contexts import WORDS, Contexts
from recsys.store.terms import TermStore
from recsys.store.vectors import quantised
from tests.tiny import SMALL

Told = tuple[str, str, str]
"""Ids of the citing and of the cited paper, and the sentence."""
POOL = LocalPool(sentence=SMALL)


def with_told(
    collection: Collection, told: Sequence[Told], vectors: Floats | None, folder: Path
) -> Collection:
    """Give a collection citing sentences; vectors: (m, d), one a sentence, unit rows."""
    row = {collection.corpus.ids[at]: at for at in range(len(collection.corpus))}
    said = [
        {"cited": row[cited], "citing": row[citing], "text": text, "section": ""}
        for citing, cited, text in told
    ]
    table = pa.Table.from_pylist(said, COLUMNS)
    order = in_order(table, collection.corpus.years).order
    codes = None if vectors is None else quantised(vectors[order])
    write_contexts(folder, taken(table, order), collection.corpus.years, codes, {})
    terms = TermStore.load(folder / WORDS)
    contexts = Contexts.load(folder, len(collection.corpus))
    space = ContextSpace(contexts, terms, Bm25Index.load(folder / WORDS, terms))
    return replace(collection, contexts=space)


def asked(collection: Collection, draft: Draft, passage: Passage, vector: Floats) -> PassageQuery:
    """Pose a passage of a draft that has candidates of the passage alone."""
    nothing = np.empty((0, len(OF_DRAFT)), np.float32)
    query = make_query(collection, draft, vector, metadata=False)
    view = DraftView(query, np.empty(0, np.int32), nothing)
    return pose_passage(collection, NamedWorks(collection), view, passage, vector)


def facts_of(collection: Collection, query: PassageQuery) -> LocalFacts:
    """Gather what is known of a passage's candidates."""
    candidates = gather(collection, query, POOL)
    return LocalFacts(query, FeatureContext(collection, query.query, candidates))
