"""A passage that lacks a citation, as a query."""

from dataclasses import dataclass, replace

import numpy as np

from recsys.local.context_view import ContextUse, ContextView
from recsys.local.draft_view import DraftView
from recsys.local.named_works import NamedRows, NamedWorks, find_names
from recsys.query.query import Query
from recsys.records import PaperId
from recsys.store.arrays import Floats, Rows, top_k
from recsys.store.collection import Collection
from recsys.store.vectors import dots

_NO_ROWS = np.empty(0, np.int32)
_MARK = " [1]"


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence in which a citation is missing, in the terms of the corpus.

    text: its words, citation marks taken out. beside: what is cited in the same sentence already:
    it is never recommended for it, and tells most of what is missing. at: how many characters stand
    before the place of the citation, where that is known: who stands there may be named without a
    year. contexts: which citing sentences of other papers may be read.
    """

    text: str
    beside: tuple[PaperId, ...] = ()
    at: int | None = None
    contexts: ContextUse = ContextUse.ALL

    @property
    def naming(self) -> str:
        """The words in which names are looked for: the gap stands there like a citation."""
        if self.at is None:
            return self.text
        return f"{self.text[: self.at]}{_MARK}{self.text[self.at :]}"


@dataclass(frozen=True, slots=True)
class PassageQuery:
    """A passage as the stages see it.

    query: that of the sentence; its seeds are what is cited beside the gap. draft: what the whole
    draft says. named: the papers that the sentence names. contexts: how papers were cited; None
    where that is not known, or hidden.
    """

    query: Query
    draft: DraftView
    named: NamedRows
    contexts: ContextView | None = None


def pose_passage(
    collection: Collection, works: NamedWorks, draft: DraftView, passage: Passage, vector: Floats
) -> PassageQuery:
    """Turn a passage into a query as of its draft's moment.

    What the draft cites elsewhere may be cited again here, if the sentence names it.

    vector: (d,) float32, L2-normalised, of the passage's words.
    """
    whole = draft.query
    beside = collection.corpus.rows(passage.beside)
    beside = beside[whole.allowed[beside]]
    named = works.resolve(find_names(passage.naming), allowed=whole.allowed)
    wanted = whole.wanted.copy()
    wanted[np.intersect1d(whole.seeds, named.rows)] = True
    wanted[beside] = False
    query = replace(
        whole,
        vector=vector,
        text=collection.terms.query(passage.text, None),
        wanted=wanted,
        seeds=beside[top_k(dots(collection.vectors, beside, vector), len(beside))],
        disliked=_NO_ROWS,
        authors=_NO_ROWS,
        own_papers=_NO_ROWS,
        venue=-1,
        nnselect=None,
    )
    view = None
    if passage.contexts is not ContextUse.HIDDEN:
        view = ContextView.of(collection, query, passage.text)
    if passage.contexts is ContextUse.ONLY:
        wanted &= False if view is None else view.spoken_of(len(wanted))
    return PassageQuery(query, draft, named.among(wanted), view)


def rows_of(found: NamedRows, *, least: float, most: int) -> Rows:
    """Return the papers that are named clearly enough, the clearest first."""
    return found.rows[found.scores >= least][:most]
