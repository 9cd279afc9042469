"""Queries of local recommendation: sentences of papers whose citation was taken away.

A query is a citing sentence, its gold are the papers cited there, and its draft is the citing paper
without them. Everything is as of the citing paper's year, as for whole drafts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from recsys.errors import InputError
from recsys.local.mentions import mask
from recsys.local.named_works import NamedWorks, find_names
from recsys.local.passage import ContextUse, Passage
from recsys.pipelines.corpora.paper_names import NOBODY
from recsys.pipelines.local.store_contexts import ContextWorks
from recsys.query.query import draft_of
from recsys.records import Context, Draft, PaperId
from recsys.store.arrays import Rows
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR

KNOWN = ("sentence", "title", "references")
"""What is known beside the sentence: nothing; the draft's title; title, abstract and what else it
cites."""


@dataclass(frozen=True, slots=True)
class LocalQuery:
    """A citing sentence. citing: row. text: as printed. gold: (g,) int32 rows, ascending."""

    citing: int
    text: str
    gold: Rows


@dataclass(frozen=True, slots=True)
class LocalQueries:
    """The queries of some contexts, in the order of citing row and text, and what was left out.

    unknown: contexts of which a paper is not in the corpus. untimely: those whose cited paper is
    newer than the citing one, or of unknown year.
    """

    queries: tuple[LocalQuery, ...]
    unknown: int = 0
    untimely: int = 0

    def lines(self) -> tuple[str, ...]:
        """Say what was left out."""
        left = (
            (self.unknown, "of papers that the corpus does not hold"),
            (self.untimely, "of papers that cite a newer one, or of unknown years"),
        )
        return tuple(f"Left out: {count:,} contexts {why}." for count, why in left if count)

    def of_years(self, collection: Collection, first: int, last: int) -> "LocalQueries":
        """Keep the queries whose citing paper is of these years."""
        years = collection.corpus.years
        kept = tuple(each for each in self.queries if first <= years[each.citing] <= last)
        return replace(self, queries=kept)

    def at_most(self, number: int, *, seed: int) -> "LocalQueries":
        """Draw at most so many queries of each citing paper: its lot is its own and the seed's."""
        by_paper: dict[int, list[LocalQuery]] = {}
        for query in self.queries:
            by_paper.setdefault(query.citing, []).append(query)
        kept = []
        for citing, of_paper in by_paper.items():
            drawn = lots(seed, citing).permutation(len(of_paper))[:number]
            kept += [of_paper[i] for i in np.sort(drawn)]
        return replace(self, queries=tuple(kept))


def local_queries(collection: Collection, contexts: Iterable[Context]) -> LocalQueries:
    """Make one query of all contexts that share citing paper and words.

    Raises:
        InputError: no context is left.
    """
    listed, corpus = list(contexts), collection.corpus
    cited_rows, citing_rows = ContextWorks.of(corpus).rows(listed)
    found: dict[tuple[int, str], set[int]] = {}
    unknown = untimely = 0
    for context, cited, citing in zip(
        listed, cited_rows.tolist(), citing_rows.tolist(), strict=True
    ):
        if NOBODY in (cited, citing):
            unknown += 1
            continue
        years = corpus.years[citing], corpus.years[cited]
        if UNKNOWN_YEAR in years or years[1] > years[0] or citing == cited:
            untimely += 1
            continue
        found.setdefault((citing, context.text), set()).add(cited)
    if not found:
        raise InputError(
            f"None of the contexts has both papers in the corpus ({unknown:,} unknown, "
            f"{untimely:,} of unknown or impossible years).",
            "Give contexts whose `citing` and `cited` are ids of this corpus.",
        )
    queries = tuple(
        LocalQuery(citing, text, np.array(sorted(rows), np.int32))
        for (citing, text), rows in sorted(found.items())
    )
    return LocalQueries(queries, unknown, untimely)


@dataclass(frozen=True, slots=True)
class Posed:
    """A query as it is asked: what is known, and whether names and years were taken out."""

    passage: Passage
    draft: Draft


def pose_query(
    collection: Collection,
    works: NamedWorks,
    query: LocalQuery,
    known: str,
    *,
    masked: bool,
    contexts: ContextUse = ContextUse.ALL,
) -> Posed:
    """Ask a query as its author might have, before the citation stood there.

    The gold papers never stand in the draft's references. A masked sentence has neither names nor
    years; only then can be known what else it cites, as its marks would tell in a draft.
    """
    paper = collection.corpus.full_papers([query.citing])[0]
    whole = replace(draft_of(paper), authors=(), venue=None)
    others: tuple[PaperId, ...] = ()
    match known:
        case "sentence":
            draft = replace(whole, title="", abstract=None)
        case "title":
            draft = replace(whole, abstract=None)
        case _:
            references = references_of(collection, query)
            draft = replace(whole, references=references)
            others = beside(collection, works, query, references) if masked else ()
    text = mask(query.text) if masked else query.text
    return Posed(Passage(text, others, contexts=contexts), draft)


def references_of(collection: Collection, query: LocalQuery) -> tuple[PaperId, ...]:
    """Return what the citing paper cites besides the gold."""
    corpus = collection.corpus
    cited = corpus.full_papers([query.citing])[0].references
    gold = {corpus.ids[row] for row in query.gold.tolist()}
    return tuple(each for each in dict.fromkeys(cited) if each not in gold)


def beside(
    collection: Collection, works: NamedWorks, query: LocalQuery, others: Sequence[PaperId]
) -> tuple[PaperId, ...]:
    """Find what else the sentence cites: those of the other references that it names.

    A name that means a gold paper means no other one, though its authors have written others.
    """
    corpus, beside = collection.corpus, set[int]()
    listed, told = (np.zeros(len(corpus), bool) for _ in range(2))
    listed[corpus.rows(others)] = told[query.gold] = True
    for name in find_names(query.text):
        found = works.resolve([name], as_of=int(corpus.years[query.citing])).among(listed | told)
        best = found.rows[found.scores == found.scores.max(initial=0)]
        if not told[best].any():
            beside.update(best.tolist())
    return tuple(corpus.ids[row] for row in sorted(beside))


def lots(seed: int, name: int | str) -> np.random.Generator:
    """Return a source of chance of its own for each name."""
    digest = sha256(str(name).encode()).digest()[:8]
    return np.random.default_rng([seed, int.from_bytes(digest, "little")])
