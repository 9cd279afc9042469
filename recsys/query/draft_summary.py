"""What was understood of a draft, in words: the first line that its author reads."""

from collections.abc import Iterable

from recsys.keyphrases import without_keyphrases
from recsys.records import Draft
from recsys.store.corpus import Corpus


def understood(corpus: Corpus, draft: Draft, lists: Iterable[str]) -> str:
    """Say what there is and what the corpus knows of it.

    lists: what `matched` says of each list of papers.
    """
    words = len((without_keyphrases(draft.abstract, draft.keyphrases) or "").split())
    parts = [
        "title" if draft.title.strip() else "no title",
        f"abstract ({some(words, 'word')})" if words else "no abstract",
    ]
    if draft.keyphrases:
        parts.append(some(len(draft.keyphrases), "keyphrase"))
    if draft.authors:
        known = len(corpus.author_codes(draft.authors))
        parts.append(f"{some(len(draft.authors), 'author')} ({known} in the corpus)")
    if draft.venue:
        known = corpus.venue_code(draft.venue) >= 0
        parts.append("venue" if known else "venue (not in the corpus)")
    parts += lists
    if draft.as_of is not None:
        parts.append(f"as of {draft.as_of}")
    return f"Understood: {', '.join(parts)}."


def matched(name: str, found: int, missing: int) -> str:
    """Say how many papers of a list the corpus holds.

    >>> matched("reference", 27, 4)
    '31 references: 27 matched, 4 not in the corpus'
    """
    rest = f", {missing} not in the corpus" if missing else ""
    return f"{some(found + missing, name)}: {found} matched{rest}"


def some(number: int, what: str) -> str:
    """Count things: `1 word`, `2 words`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
