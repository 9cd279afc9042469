"""What searches the words of an index: one literal table, opened lazily.

As `backends` is for vectors: a new backend is a module with the functions below, and a row.
What a paper scores is BM25 as `recsys.indexes.bm25` computes it, whichever backend finds it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from recsys.indexes.backends import Former, Row, module_of

if TYPE_CHECKING:  # The command line reads the table whenever it starts.
    from recsys.protocols import TextIndex
    from recsys.store.graph import Years
    from recsys.store.terms import TermStore

OWN = "own"
"""What an index has whose manifest names none."""


class TextBackend(Protocol):
    """The functions of a backend's module. store: of n papers, saved in the same folder."""

    def build(
        self, store: "TermStore", folder: Path, *, years: "Years | None" = None
    ) -> dict[str, Any]:
        """Write into a folder what the search needs beside the terms; return its facts."""
        ...

    def carry(
        self, store: "TermStore", folder: Path, former: Former, *, years: "Years | None" = None
    ) -> dict[str, Any]:
        """Do as `build` does, with as much of the former as is worth it.

        The former folder is never written, and may be gone later.
        """
        ...

    def open_index(self, store: "TermStore", folder: Path) -> "TextIndex":
        """Open what `build` or `carry` wrote beside the same terms."""
        ...

    def summary(self, facts: Mapping[str, Any]) -> str:
        """Say in a sentence how words are searched."""
        ...


TEXT_BACKENDS: Mapping[str, Row] = {
    OWN: Row("recsys.indexes.bm25", "the papers of each term, in memory-mapped files"),
    "lance": Row(
        "recsys.indexes.lance.lance_words",
        "full-text search of LanceDB",
        "pip install 'recsys[lance]'",
    ),
}


def text_backend(name: str) -> TextBackend:
    """Import a backend.

    Raises:
        InputError: there is none of that name.
        MissingExtraError: its package is not installed.
    """
    found: TextBackend = module_of(TEXT_BACKENDS, name, "Words")
    return found


def build_words(
    name: str, store: "TermStore", folder: Path, *, years: "Years | None" = None
) -> dict[str, Any]:
    """Build a backend over the terms that are saved in a folder; return what the manifest says."""
    return {"backend": name, **text_backend(name).build(store, folder, years=years)}


def carry_words(
    name: str,
    store: "TermStore",
    folder: Path,
    former: Former,
    *,
    years: "Years | None" = None,
) -> dict[str, Any]:
    """Do as `build_words` does; what a former index of this backend holds is not written anew."""
    if former.facts.get("backend", OWN) != name:
        return build_words(name, store, folder, years=years)
    return {"backend": name, **text_backend(name).carry(store, folder, former, years=years)}


def open_words(store: "TermStore", folder: Path, facts: Mapping[str, Any]) -> "TextIndex":
    """Open what `build_words` built; facts that name no backend are those of our own."""
    return text_backend(facts.get("backend", OWN)).open_index(store, folder)


def words_summary(facts: Mapping[str, Any]) -> list[str]:
    """Say in a sentence how words are searched, if that was chosen."""
    return [text_backend(facts["backend"]).summary(facts)] if facts else []
