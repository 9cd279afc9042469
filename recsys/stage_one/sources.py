"""The sources of candidates: one row each.

A new source is a file with `find`, and `prior` if it says more of a paper than by votes; and a row.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recsys.errors import InputError, near_miss
from recsys.stage_one import by_authors, by_bm25, by_embedding, by_nnselect, by_seeds
from recsys.stage_one.options import Asked
from recsys.stage_one.voters import Voters
from recsys.store.arrays import Floats, Mask, Rows


@dataclass(frozen=True, slots=True)
class Source:
    """One source.

    key: what `Candidates.found` calls it, and `--candidates` if it is a search. name: what answers
    call it. in_words: how it found a paper, for people.
    find: papers for a query, among the (n,) bool allowed ones.
    prior: what it says of (p,) rows whose cosines with the draft are known, besides votes: (p,)
    float32; None: nothing.
    cites: what answers call a paper that the older of its papers cite; None: these have no vote,
    and what they cite is not proposed.
    search: whether it compares the draft with all papers. Only searches can be switched off, and
    only they look further when filters leave little.
    """

    key: str
    name: str
    in_words: str
    find: Callable[[Asked, Mask], Voters]
    prior: Callable[[Asked, Voters, Rows, Floats], Floats] | None = None
    cites: str | None = None
    search: bool = False


CITED = "cited-by-neighbour"

# fmt: off
SOURCES: tuple[Source, ...] = (
    Source("embedding", "ann", "similar meaning",
           by_embedding.find, by_embedding.prior, cites=CITED, search=True),
    Source("nnselect", "nnselect", "similar papers are cited together",
           by_nnselect.find, by_nnselect.prior, cites=CITED, search=True),
    Source("bm25", "bm25", "shared words",
           by_bm25.find, by_bm25.prior, cites=CITED, search=True),
    Source("authors", "author", "the draft's authors",
           by_authors.find, cites="author"),
    Source("seeds", "seed", "the papers of your list",
           by_seeds.find, by_seeds.prior),
)
# fmt: on

SEARCHES = tuple(each.key for each in SOURCES if each.search)
"""Keys of the sources that can be asked for or left out."""
IN_WORDS = {CITED: "citations of similar papers", **{each.name: each.in_words for each in SOURCES}}
"""What a source is called for people, by its name in answers."""


def names() -> tuple[str, ...]:
    """Name the sources as answers do; source i is bit 1 << i of `Pool.sources`."""
    found = (name for each in SOURCES for name in (each.name, each.cites) if name)
    return tuple(dict.fromkeys(found))


def bit(name: str) -> int:
    """Return the bit of a source's name."""
    return 1 << names().index(name)


def source_names(bits: int) -> tuple[str, ...]:
    """Name the sources of a candidate by its bits."""
    return tuple(name for i, name in enumerate(names()) if bits >> i & 1)


def asked_of(searches: Sequence[str]) -> tuple[Source, ...]:
    """Return the sources that propose papers when these searches are asked."""
    return tuple(each for each in SOURCES if not each.search or each.key in searches)


def check_searches(wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the searches in the order of the table, each once.

    Raises:
        InputError: one of them is unknown, or there is none.
    """
    for name in wanted:
        if name not in SEARCHES:
            raise InputError(
                f"Candidates cannot come from {name!r}.{near_miss(name, SEARCHES)}",
                f"Name some of {', '.join(SEARCHES)}; commas between them.",
            )
    if not wanted:
        raise InputError(
            "There is nothing that candidates could come from.",
            f"Name some of {', '.join(SEARCHES)}; commas between them.",
        )
    return tuple(name for name in SEARCHES if name in wanted)
