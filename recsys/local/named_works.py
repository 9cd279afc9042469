"""Which papers of a corpus a sentence names: by surnames and year, or by the name of a system."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import TypeAlias

import numpy as np

from recsys.local.mentions import (
    Mention,
    SystemName,
    find_mentions,
    find_system_names,
    is_system_shaped,
    system_key,
)
from recsys.records import Reason
from recsys.store.arrays import Floats, Longs, Mask, Ragged, Rows
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.graph import UNKNOWN_YEAR, Years
from recsys.store.names import author_key
from recsys.store.words import tokens

# Names that titles give: "BERT: Pre-training of ...", looked up without a look at all titles.

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
        words = tokens(system.name)
        code = self.collection.terms.vocabulary.find(words[0]) if len(words) == 1 else None
        titles = np.empty(0, np.int32) if code is None else self._rows_of_term[code]
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

    @cached_property
    def _heads(self) -> dict[str, dict[int, float]]:
        """Key of a name -> row -> score."""
        import pyarrow.compute as compute

        heads: dict[str, dict[int, float]] = defaultdict(dict)
        titles = self.collection.corpus.column("title")
        for score, pattern in _HEADS:
            found = compute.struct_field(compute.extract_regex(titles, pattern), "name")
            # A title in capitals says nothing of its first word.
            rows = np.flatnonzero(found.is_valid().to_numpy())
            for row, name in zip(rows.tolist(), found.drop_null().to_pylist(), strict=True):
                if score == HEAD or (is_system_shaped(name) and not titles[row].as_py().isupper()):
                    named = heads[system_key(name)]
                    named[row] = max(score, named.get(row, 0.0))
        return heads

    @cached_property
    def _rows_of_term(self) -> Ragged:
        """The titles with each term: code of the term -> rows, ascending."""
        terms = self.collection.terms
        titles = terms.title_terms
        owners = np.repeat(np.arange(len(titles), dtype=np.int32), np.diff(titles.starts))
        return Ragged.from_pairs(owners=titles.values, values=owners, n=len(terms.vocabulary))


# Papers whose authors are called almost as a sentence says: of misspelt and damaged names.

MOST_ROWS = 200
"""Papers that are compared; a name that so many bear tells nothing without the others."""
ALIKE = 0.75
"""How much of two surnames agrees, at least: "Adreevskaia" and "Andreevskaia" 0.96."""
RESEMBLING, MISDIVIDED = 0.6, 0.5
"""Scores: every name is alike, at most; all names are there, but not as that many authors."""
_SHORTEST = 4
"""Letters that a surname's begin has, at least, to be looked for."""


def find_resembling(
    corpus: Corpus, mention: Mention, ranges: Sequence[tuple[int, int]]
) -> tuple[Rows, Floats]:
    """Return papers of that very year whose authors resemble the named ones: rows, scores.

    Args:
        corpus: where to look.
        mention: a work that nobody has written who is called so.
        ranges: of each of its surnames, the codes of the authors so called: begin, end.
    """
    if mention.year is None:
        return np.empty(0, np.int32), np.empty(0, np.float32)
    # Those whose names begin so, but for the last letter.
    stems = [surname[: max(_SHORTEST, len(surname) - 1)] for surname in mention.surnames]
    nearly = [_codes(corpus, stem) for stem in stems if len(stem) >= _SHORTEST]
    papers = corpus.papers_of_author
    parts = [papers.values[papers.starts[a] : papers.starts[b]] for a, b in (*ranges, *nearly)]
    rows = np.concatenate(parts)
    rows = np.unique(rows[corpus.years[rows] == mention.year])[:MOST_ROWS]
    scores = np.array([_likeness(corpus, row, mention) for row in rows.tolist()], np.float32)
    return rows[scores > 0], scores[scores > 0]


def _codes(corpus: Corpus, begin: str) -> tuple[int, int]:
    """Return the codes of authors whose keys begin so: begin, end."""
    return corpus.author_names.place(begin), corpus.author_names.place(begin + "\U0010ffff")


def _likeness(corpus: Corpus, row: int, mention: Mention) -> float:
    """Compare the authors of a paper, in their order, with the named ones: 0 where one differs."""
    authors = [corpus.author_names[code].partition(" ")[0] for code in corpus.authors[row].tolist()]
    named = mention.surnames
    if len(authors) < len(named) or (len(authors) > len(named) and not mention.more):
        # Two names became one, or one became two.
        printed = {author_key(w) for name in corpus.papers([row])[0].authors for w in name.split()}
        near = 1 < len(named) >= len(authors) - 1
        return MISDIVIDED if near and printed.issuperset(named) else 0.0
    alike = min(
        1.0 if name == author else SequenceMatcher(None, name, author, autojunk=False).ratio()
        for name, author in zip(named, authors, strict=False)
    )
    return RESEMBLING * alike if alike >= ALIKE else 0.0


Named: TypeAlias = Mention | SystemName

NEXT_YEAR, NO_YEAR, UNDATED_PAPER = 0.45, 0.3, 0.5
"""Factors: the year is off by one, the sentence says none, the corpus knows none."""
LEAST = 0.05
"""Scores below are no match."""
CLEARLY_WORSE = 0.4
"""What matches a name less than so many times as well as another paper is not meant."""


@dataclass(frozen=True, slots=True)
class NamedRows:
    """Papers that a sentence names, best first, ties by ascending row.

    rows: (m,) int32, each once. scores: (m,) float32 in (0, 1], how well names and year agree.
    shares: (m,) float32 in (0, 1], the score's part of all scores for the same name: 1 where
    nothing else could be meant. named: what names each of them.
    """

    rows: Rows
    scores: Floats
    shares: Floats
    named: tuple[Named, ...]

    def among(self, wanted: Mask) -> "NamedRows":
        """Keep the papers that a (n,) bool mask allows."""
        return self.at(np.flatnonzero(wanted[self.rows]))

    def clearest(self, *, least: float, most: int | None = None) -> "NamedRows":
        """Keep those that are named clearly enough, at most so many; None: all of them."""
        return self.at(np.flatnonzero(self.scores >= least)[:most])

    def at(self, places: Longs) -> "NamedRows":
        """Return the papers at some places, in this order."""
        names = tuple(self.named[place] for place in places.tolist())
        return NamedRows(self.rows[places], self.scores[places], self.shares[places], names)

    def reason(self, place: int) -> Reason:
        """Say what names the paper at a place of `rows`."""
        return Reason(kind="named", text=f"named in the sentence: {self.named[place]}")


NO_NAMES = NamedRows(np.empty(0, np.int32), np.empty(0, np.float32), np.empty(0, np.float32), ())
"""Of a sentence that names no paper."""


def find_names(text: str) -> tuple[Named, ...]:
    """Find all that a sentence names: works by author and year first, then systems."""
    mentions = find_mentions(text)
    spans = [(mention.start, mention.end) for mention in mentions]
    return (*mentions, *find_system_names(text, taken=spans))


@dataclass(frozen=True)
class NamedWorks:
    """Resolves names against a corpus; made once for a collection, its tables when first needed."""

    collection: Collection

    def resolve(
        self, named: Sequence[Named], *, as_of: int | None = None, allowed: Mask | None = None
    ) -> NamedRows:
        """Find the papers that are named: O(log n) and the papers of the authors named.

        Args:
            named: what `find_names` found in a sentence.
            as_of: papers of later years are left out; None leaves out none.
            allowed: (n,) bool, papers that may be found; None allows all.
        """
        best: dict[int, tuple[float, float, Named]] = {}
        # Papers that no name may mean never speak against one of the others.
        years = self.collection.corpus.years
        known = np.ones(len(years), bool) if as_of is None else years <= as_of
        known = known if allowed is None else known & allowed
        for name in named:
            rows, scores = self._candidates(name, known)
            shares = scores / max(float(scores.sum()), 1e-9)
            for row, score, share in zip(
                rows.tolist(), scores.tolist(), shares.tolist(), strict=True
            ):
                if row not in best or (score, share) > best[row][:2]:
                    best[row] = score, share, name
        order = sorted(best, key=lambda row: (-best[row][0], -best[row][1], row))
        return NamedRows(
            np.array(order, np.int32),
            np.array([best[row][0] for row in order], np.float32),
            np.array([best[row][1] for row in order], np.float32),
            tuple(best[row][2] for row in order),
        )

    @cached_property
    def _titles(self) -> TitleNames:
        return TitleNames(self.collection)

    def _candidates(self, name: Named, known: Mask) -> tuple[Rows, Floats]:
        if isinstance(name, SystemName):
            return self._titles.find(name, known)
        ranges = [_codes(self.collection.corpus, f"{each} ") for each in name.surnames]
        # "In Prague, Ash and Elm" begins with no author.
        for skipped in range(max(1, len(ranges) - 1)):
            rows, scores = _among(known, *self._by_authors(name, ranges[skipped:]))
            if len(rows):
                kept = scores >= CLEARLY_WORSE * scores.max()
                return rows[kept], scores[kept]
        return _among(known, *find_resembling(self.collection.corpus, name, ranges))

    def _by_authors(
        self, mention: Mention, ranges: Sequence[tuple[int, int]]
    ) -> tuple[Rows, Floats]:
        """Return papers whose first authors are so called: rows ascending, scores."""
        corpus = self.collection.corpus
        papers, (begin, end) = corpus.papers_of_author, ranges[0]
        rows = papers.values[papers.starts[begin] : papers.starts[end]]
        rows = np.unique(rows[_year_fits(corpus.years[rows], mention.year) > 0])
        fits = _year_fits(corpus.years[rows], mention.year)
        starts, counts = corpus.authors.starts[rows], corpus.authors.lengths(rows)
        for place, (low, high) in enumerate(ranges):
            there = counts > place
            codes = corpus.authors.values[np.where(there, starts + place, 0)]
            fits = fits * (there & (codes >= low) & (codes < high))
        named = len(ranges)
        if mention.more:  # "A et al." are three or more.
            share = np.select([counts > named + 1, counts == named + 1], [1.0, 0.6], 0.15)
        else:  # "A and B" are two.
            share = np.select([counts == named, counts > named], [1.0, 0.35], 0.0)
        scores: Floats = fits * share.astype(np.float32)
        kept = scores >= LEAST
        return rows[kept], scores[kept]


def _among(known: Mask, rows: Rows, scores: Floats) -> tuple[Rows, Floats]:
    kept = known[rows]
    return rows[kept], scores[kept]


def _year_fits(years: Years, year: int | None) -> Floats:
    if year is None:
        return np.full(len(years), NO_YEAR, np.float32)
    apart = np.abs(years.astype(np.int32) - year)
    fits = np.select([apart == 0, apart == 1], [1.0, NEXT_YEAR], 0.0)
    return np.where(years == UNKNOWN_YEAR, UNDATED_PAPER, fits).astype(np.float32)
