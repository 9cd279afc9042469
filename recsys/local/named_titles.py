"""Names that titles give: "BERT: Pre-training of ...", looked up without a look at all titles."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.local.named_systems import SystemName, is_system_shaped, system_key
from recsys.store.arrays import Floats, Mask, Ragged, Rows
from recsys.store.collection import Collection
from recsys.store.words import tokens

HEAD, OPENING, BRACKETED = 1.0, 0.3, 0.3
"""Scores of a name before a colon or dash, of a title's first word, of one in brackets."""
MOST_TITLES = 6
"""A name in more titles than these is the name of a field, not of one work."""
_WITHIN, _MOST_WITHIN, _SHORTEST_WITHIN = 0.2, 2, 4
"""Score of a name somewhere in a title, in how many it is at most, and how long at least."""

# In RE2, which Arrow runs over all titles at once.
_DASH = r"[-\x{2013}\x{2014}]{1,3}"
_NAME = r"(?P<name>[\pL\pN][^\s:,()]{1,29}"
_HEADS = (
    (HEAD, rf"^(?:The )?{_NAME}?)(?:\s?:|\s{_DASH}\s|{_DASH}\s)"),
    (OPENING, rf"^(?:The )?{_NAME})\s"),
    (BRACKETED, rf"\({_NAME})\)"),
)


@dataclass(frozen=True)
class TitleNames:
    """The names that titles give. Its tables are made when the first is looked up."""

    collection: Collection

    def find(self, system: SystemName, known: Mask) -> tuple[Rows, Floats]:
        """Return the papers so named with scores in (0, 1]: rows ascending.

        known: (n,) bool, papers whose titles are read.
        """
        named = self._heads.get(system.key, {})
        heads = {row: score for row, score in named.items() if known[row]}
        titles = self._titles_with(system)
        titles = titles[known[titles]]
        if len(titles) > MOST_TITLES or system.plain:  # A field's name, or any word: not sure.
            heads = {row: score for row, score in heads.items() if score == HEAD}
        if len(titles) > MOST_TITLES and system.plain:
            heads = {}
        rare = 0 < len(titles) <= _MOST_WITHIN and len(system.key) >= _SHORTEST_WITHIN
        if not heads and not system.plain and rare:
            heads = dict.fromkeys(titles.tolist(), _WITHIN / len(titles))
        rows = np.array(sorted(heads), np.int32)
        return rows, np.array([heads[row] for row in rows.tolist()], np.float32)

    def _titles_with(self, system: SystemName) -> Rows:
        words = tokens(system.name)
        code = self.collection.terms.vocabulary.find(words[0]) if len(words) == 1 else None
        return np.empty(0, np.int32) if code is None else self._rows_of_term[code]

    @cached_property
    def _heads(self) -> dict[str, dict[int, float]]:
        """Key of a name -> row -> score."""
        heads: dict[str, dict[int, float]] = {}
        for key, row, score in self._named():
            rows = heads.setdefault(key, {})
            rows[row] = max(score, rows.get(row, 0.0))
        return heads

    def _named(self) -> Iterator[tuple[str, int, float]]:
        import pyarrow.compute as compute

        titles = self.collection.corpus.column("title")
        for score, pattern in _HEADS:
            found = compute.struct_field(compute.extract_regex(titles, pattern), "name")
            # A title in capitals says nothing of its first word.
            rows = np.flatnonzero(found.is_valid().to_numpy())
            for row, name in zip(rows.tolist(), found.drop_null().to_pylist(), strict=True):
                if score == HEAD or (is_system_shaped(name) and not titles[row].as_py().isupper()):
                    yield system_key(name), row, score

    @cached_property
    def _rows_of_term(self) -> Ragged:
        """The titles with each term: code of the term -> rows, ascending."""
        terms = self.collection.terms
        titles = terms.title_terms
        owners = np.repeat(np.arange(len(titles), dtype=np.int32), np.diff(titles.starts))
        return Ragged.from_pairs(owners=titles.values, values=owners, n=len(terms.vocabulary))
