"""The table of the systems that are evaluated. Adding one is a file of its own and a row here.

It imports nothing heavy: the command line reads the names whenever it starts.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from recsys.errors import check_name
from recsys.store.artifacts import NNRANK, NNSELECT

if TYPE_CHECKING:
    from recsys.pipelines.evaluation.systems import Ranked, SystemContext
    from recsys.query.query import Query

RANKER, WHOOSH, VECTORS = "ranker", "whoosh", "vectors"
"""What a system needs: a trained ranker, an extra index, the encoder's vectors. Else it is the name
of a trained model."""


@dataclass(frozen=True, slots=True)
class System:
    """One row: `module:function`, whose function ranks for a context, a query, its row and a k.

    needs: RANKER, WHOOSH, VECTORS, or some of `systems.MODELS`. settings: what the function is
    given by keyword.
    """

    place: str
    needs: frozenset[str] = frozenset()
    settings: Mapping[str, int] = field(default_factory=dict)

    def open(self, context: "SystemContext") -> "Callable[[Query, int, int], Ranked]":
        """Import the system; return what ranks papers for a query, its row, so many papers."""
        module, _, name = self.place.partition(":")
        return partial(getattr(import_module(module), name), context, **self.settings)


_ALL = "recsys.pipelines.evaluation.systems"
SYSTEMS: Mapping[str, System] = {
    "random": System(f"{_ALL}:shuffled"),
    "citations": System(f"{_ALL}:by_citations"),
    "bm25-whoosh": System(f"{_ALL}:bm25_whoosh", frozenset({WHOOSH})),
    "bm25": System(f"{_ALL}:bm25"),
    "embedding": System(f"{_ALL}:embedding", frozenset({VECTORS})),
    "nnselect": System(f"{_ALL}:nnselect", frozenset({NNSELECT})),
    "nnselect-100": System(f"{_ALL}:nnselect", frozenset({NNSELECT}), {"neighbours": 100}),
    "nnrank": System(f"{_ALL}:nnrank", frozenset({NNSELECT, NNRANK})),
    "nnrank-100": System(f"{_ALL}:nnrank", frozenset({NNSELECT, NNRANK}), {"neighbours": 100}),
    "stage-one": System(f"{_ALL}:stage_one", frozenset({VECTORS})),
    "two-stage": System(f"{_ALL}:two_stage", frozenset({RANKER, VECTORS})),
    "oracle": System(f"{_ALL}:oracle", frozenset({VECTORS})),
}
"""In the order in which tables show them."""


def check_systems(names: Iterable[str]) -> None:
    """Refuse names that are not in the table.

    Raises:
        InputError: naming the first one, and what it may have meant.
    """
    for name in names:
        check_name(name, SYSTEMS, "system")


def needs_of(names: Iterable[str]) -> frozenset[str]:
    """Unite what several systems need."""
    return frozenset[str]().union(*(SYSTEMS[name].needs for name in names))
