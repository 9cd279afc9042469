"""Small collections in memory: from papers written out by hand, or drawn at random."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsys.indexes.exact import ExactIndex
from recsys.records import Draft, Paper
from recsys.retrieval.propose import StageOne
from recsys.store.arrays import Floats, Ragged, SortedStrings
from recsys.store.collection import Collection, Space
from recsys.store.corpus import SHOWN, Corpus, HashedNames, hashes_of
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph
from recsys.store.names import initialled, name_keys
from recsys.store.stored_papers import ShownPapers, ShownWriter, StoredPapers
from recsys.store.terms import TermStore
from recsys.store.words import venue_key
from tests.indexes.small_indexes import bm25_of

SMALL = StageOne(neighbours=5, nnselect_neighbours=5, matches=5, per_seed=3, seeds=4, candidates=12)
WORDS = "graph ranking vector corpus beetle cloud fern honey engine gravel".split()
PEOPLE = ("Ann Ash", "A. Ash", "Alma Ash", "Bob Birch", "B. Birch", "Cid Cedar", "Dee Date")
VENUES = ("Forest Letters", "Acta Arborum", None)


def unit(vectors: NDArray[np.floating]) -> Floats:
    """Divide rows by their length."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / lengths, np.float32)


def collect(papers: Sequence[Paper], vectors: Floats) -> Collection:
    """Put papers with ascending ids into a collection; vectors: (n, d), one a paper."""
    corpus = _corpus(papers)
    row_of = {paper.id: row for row, paper in enumerate(papers)}
    edges = [
        (row, row_of[other])
        for row, paper in enumerate(papers)
        for other in dict.fromkeys(paper.references)
        if other in row_of and other != paper.id
    ]
    citing, cited = np.array(edges, np.int32).reshape(-1, 2).T
    terms = TermStore.build((paper.title, paper.abstract) for paper in papers)
    return Collection(
        corpus=corpus,
        graph=CitationGraph.build(citing, cited, corpus.years),
        terms=terms,
        vectors=vectors,
        vector_index=ExactIndex(vectors),
        text_index=bm25_of(terms),
    )


@dataclass(frozen=True, slots=True)
class World:
    """A random collection with a draft posed to it.

    vector: (d,) float32, the draft's; second: the same in the space of NNSelect, if there is one.
    """

    papers: tuple[Paper, ...]
    collection: Collection
    draft: Draft
    vector: Floats
    nnselect: Floats | None = None


def with_nnselect(world: World, seed: int) -> World:
    """Give a world NNSelect's space of random vectors, some papers and drafts unknown."""
    rng = np.random.default_rng(seed)
    vectors = unit(rng.standard_normal((len(world.papers), 6)))
    vectors[rng.random(len(vectors)) < 0.1] = 0
    second = unit(rng.standard_normal(6)) if rng.random() < 0.9 else np.zeros(6, np.float32)
    space = Space(vectors, ExactIndex(vectors))
    return replace(world, collection=replace(world.collection, nnselect=space), nnselect=second)


def random_world(seed: int) -> World:
    """Draw up to 40 papers of 2000 to 2009, a few of unknown year; citations go any way in time.

    Half of the drafts are papers of the collection, and half come with references.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 41))
    vectors = unit(rng.standard_normal((n, 8)))
    papers = tuple(_random_paper(rng, row, n) for row in range(n))
    model = papers[int(rng.integers(n))]
    draft = Draft(
        title=model.title if rng.random() < 0.8 else "unheard words",
        abstract=_phrase(rng, 4),
        authors=model.authors,
        venue=model.venue,
        references=_some_ids(rng, n, 3) if rng.random() < 0.5 else (),
        as_of=int(rng.integers(2000, 2011)),
    )
    if rng.random() < 0.5:
        draft = replace(draft, paper_id=model.id)
    return World(papers, collect(papers, vectors), draft, unit(rng.standard_normal(8)))


def _random_paper(rng: np.random.Generator, row: int, n: int) -> Paper:
    authors = rng.choice(PEOPLE, int(rng.integers(0, 3)), replace=False)
    return Paper(
        id=f"p{row:02}",
        title=_phrase(rng, 3) or "untitled",
        abstract=_phrase(rng, 6) or None,
        year=int(rng.integers(2000, 2010)) if rng.random() < 0.9 else None,
        authors=tuple(str(name) for name in authors),
        venue=VENUES[int(rng.integers(len(VENUES)))],
        references=_some_ids(rng, n, 6),
    )


def _phrase(rng: np.random.Generator, most: int) -> str:
    return " ".join(str(word) for word in rng.choice(WORDS, int(rng.integers(0, most + 1))))


def _some_ids(rng: np.random.Generator, n: int, most: int) -> tuple[str, ...]:
    return tuple(f"p{row:02}" for row in rng.integers(0, n, int(rng.integers(0, most + 1))))


def _corpus(papers: Sequence[Paper]) -> Corpus:
    keys = [name_keys(paper.authors) for paper in papers]
    people = sorted({key for row in keys for key in row})
    blocks = [bisect_left(people, initialled(key)) for key in people]
    venues = [venue_key(paper.venue) if paper.venue else "" for paper in papers]
    places = sorted({venue for venue in venues if venue})
    owners = np.repeat(np.arange(len(papers), dtype=np.int32), [len(row) for row in keys])
    codes = np.array([people.index(key) for row in keys for key in row], np.int32)
    years = [UNKNOWN_YEAR if paper.year is None else paper.year for paper in papers]
    records = [{name: getattr(paper, name) for name in SHOWN} for paper in papers]
    corpus = Corpus(
        folder=Path("nowhere"),
        ids=SortedStrings.build([paper.id for paper in papers]),
        years=np.array(years, np.int16),
        venues=np.array([places.index(v) if v else -1 for v in venues], np.int32),
        venue_keys=SortedStrings.build(places),
        authors=Ragged.from_pairs(owners, codes, len(papers)),
        author_names=SortedStrings.build(people),
        author_blocks=np.array(blocks, np.int32),
        papers_of_author=Ragged.from_pairs(codes, owners, len(people)),
        front_matter=np.empty(0, np.int32),
        **_described(records),
    )
    # What is read of a file otherwise.
    vars(corpus)["_shown"] = pa.Table.from_pylist(records)
    vars(corpus)["full_papers"] = lambda rows: [papers[row] for row in rows]
    return corpus


def redescribed(corpus: Corpus, records: Sequence[dict[str, Any]]) -> Corpus:
    """Let the papers of a world be shown otherwise. records: with the columns SHOWN."""
    other = replace(corpus, **_described(records))
    vars(other)["_shown"] = pa.Table.from_pylist([*records])
    return other


def hashed_names(records: Sequence[dict[str, Any]]) -> HashedNames:
    """Hash what papers are called, as an index holds it."""
    hashes, rows = hashes_of(records, 0)
    order = np.argsort(hashes, kind="stable")
    return HashedNames(hashes[order], rows[order])


def _described(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    with TemporaryDirectory() as name:
        with ShownWriter(Path(name)) as writer:
            writer.add(records)
        shown, firsts = ShownPapers.load(Path(name)), np.array([0, len(records)])
    stored = StoredPapers(Path(name), (), [shown], firsts, None)
    return {"stored": stored, "named": hashed_names(records)}
