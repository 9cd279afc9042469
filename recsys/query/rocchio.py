"""What a draft is about: its text, pulled towards its seeds (Rocchio 1971).

A reading list without any words is a draft, too: it points where its seeds point on average, and
speaks in the words of their titles.
"""

import numpy as np

from recsys.errors import DraftError
from recsys.protocols import Encoder
from recsys.records import Draft
from recsys.store.arrays import Floats, Rows
from recsys.store.terms import QueryText, TermStore
from recsys.store.top_k import top_k

PULL, DOUBT = 0.5, 2.0
"""The seeds' mean direction weighs PULL * s / (s + DOUBT) beside a text, for s seeds."""
MOST_WORDS = 40
"""So many words of the seeds' titles stand in for a text: those in many titles, and rare ones."""


def has_text(draft: Draft) -> bool:
    """Tell whether the draft has a title or an abstract."""
    return bool(draft.title.strip() or (draft.abstract or "").strip())


def text_vector(encoder: Encoder, draft: Draft) -> Floats | None:
    """Encode the draft's text: (d,) float32, L2-normalised; None when it has no text."""
    return encoder.encode([(draft.title, draft.abstract)])[0] if has_text(draft) else None


def rocchio_vector(text: Floats | None, seeds: Floats) -> Floats:
    """Return the vector that a draft is compared by: (d,) float32, L2-normalised.

    Args:
        text: (d,) float32, L2-normalised, of its title and abstract; None: the seeds stand in.
        seeds: (s, d) float32, of its seeds, L2-normalised rows.

    Raises:
        DraftError: there is neither.
    """
    if len(seeds) == 0:
        if text is None:
            raise DraftError(
                "The draft has neither a title nor an abstract, and none of its references is in "
                "the corpus.",
                "Give a title, an abstract, or a reference that this corpus holds.",
            )
        return text
    centre = _direction(seeds.mean(axis=0))
    if text is None:
        return centre
    return _direction(text + np.float32(PULL * len(seeds) / (len(seeds) + DOUBT)) * centre)


def _direction(vector: Floats) -> Floats:
    return vector / np.float32(max(float(np.linalg.norm(vector)), 1e-9))


def rocchio_text(terms: TermStore, draft: Draft, seeds: Rows) -> QueryText:
    """Look up a draft's words; without a text, the most telling words of its seeds' titles.

    A word is telling by its idf times the number of titles that have it, which is its count.
    """
    if has_text(draft):
        return terms.query(draft.title, draft.abstract)
    codes, counts = np.unique(terms.title_terms.take(seeds)[1], return_counts=True)
    kept = np.sort(top_k((terms.idf[codes] * counts).astype(np.float32), MOST_WORDS))
    return QueryText(
        title="",
        abstract=None,
        words=tuple(terms.vocabulary[code] for code in codes[kept].tolist()),
        codes=codes[kept].astype(np.int32),
        counts=counts[kept].astype(np.float32),
        in_title=np.ones(len(kept), bool),
    )
