"""The query: a draft in the corpus's own terms, what may be seen from its moment, and filters."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import translate

import numpy as np

from recsys.errors import DraftError
from recsys.protocols import Encoder
from recsys.query.question_schema import Filters
from recsys.records import Draft, Paper
from recsys.store.arrays import Floats, Mask, Rows, top_k
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus, paper_type
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.terms import QueryText, TermStore
from recsys.store.vectors import dots
from recsys.store.words import fold, venue_key

# What a draft is about: its text, pulled towards its seeds (Rocchio 1971).
#
# A reading list without any words is a draft, too: it points where its seeds point on average,
# and speaks in the words of their titles.

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


_NO_ROWS = np.empty(0, np.int32)


@dataclass(frozen=True, slots=True)
class Query:
    """A draft as the two stages see it.

    vector: (d,) float32, L2-normalised. before: only citations by papers with year < before count.
    allowed: (n,) bool, papers old enough to be known and not the draft itself: they are evidence.
    wanted: (n,) bool, those of them that may be recommended. withheld: allowed rows that may not,
    though the draft does not name them: they are front matter. seeds: allowed rows that the draft
    cites already. disliked: allowed rows whose like shall sink. Both lists come closest to the
    draft first, so that whoever reads a part of a long one reads what is most about the draft.
    authors, venue: codes, empty and -1 when metadata is switched off. own_papers: allowed papers by
    the draft's authors. nnselect: the vector in NNSelect's space, if the collection has one; zero
    when nothing is known of the draft there.
    """

    vector: Floats
    text: QueryText
    before: int
    allowed: Mask
    wanted: Mask
    seeds: Rows
    disliked: Rows
    authors: Rows
    own_papers: Rows
    venue: int
    nnselect: Floats | None = None
    withheld: Rows = field(default_factory=lambda: _NO_ROWS)


def make_query(
    collection: Collection,
    draft: Draft,
    vector: Floats | None,
    *,
    nnselect: Floats | None = None,
    metadata: bool = True,
    front_matter: bool = False,
) -> Query:
    """Translate a draft. Its own paper (`draft.paper_id`, `draft.itself`) is invisible to it.

    Without `as_of`, the draft is written in the year after the corpus's latest paper; a draft that
    is a paper of the corpus, at the latest in that paper's year: else its own citations would show.

    Args:
        collection: what the draft is asked of.
        draft: the draft.
        vector: of its text, see `rocchio.text_vector`; None: its seeds stand in for a text.
        nnselect: the same for NNSelect's space, if the collection has one.
        metadata: whether authors and venue may be read.
        front_matter: whether prefaces, indexes, errata and the like may be recommended, too.

    Raises:
        DraftError: there is neither a vector nor a seed that may be seen.
    """
    corpus = collection.corpus
    own_row = None if draft.paper_id is None else corpus.row(draft.paper_id)
    as_of = written_in(corpus, draft)
    allowed = np.ones(len(corpus), bool) if as_of is None else corpus.years <= as_of
    if draft.paper_id is not None:  # In an evaluation, a paper of unknown year might be newer.
        allowed = allowed & (corpus.years != UNKNOWN_YEAR)
    if own_row is not None:
        allowed[own_row] = False
    allowed[corpus.rows(draft.itself)] = False
    seeds, disliked = (
        rows[allowed[rows]] for rows in map(corpus.rows, (draft.references, draft.disliked))
    )
    wanted = allowed.copy()
    wanted[seeds] = wanted[disliked] = False
    withheld = _NO_ROWS if front_matter else corpus.front_matter[wanted[corpus.front_matter]]
    wanted[withheld] = False
    own = corpus.written_by(draft.authors if metadata else (), allowed)
    centre = rocchio_vector(vector, collection.vectors[seeds])
    text = centre if vector is None else vector
    space, other = collection.nnselect, None
    if space is not None:
        blank = nnselect is None and len(seeds) == 0
        zeros = np.zeros(space.vectors.shape[1], np.float32)
        other = zeros if blank else rocchio_vector(nnselect, space.vectors[seeds])
    return Query(
        vector=centre,
        text=rocchio_text(collection.terms, draft, seeds),
        before=moment(corpus, draft),
        allowed=allowed,
        wanted=wanted,
        seeds=_closest_first(collection, seeds, text),
        disliked=_closest_first(collection, disliked, text),
        authors=own.codes,
        own_papers=own.papers,
        venue=corpus.venue_code(draft.venue) if metadata else -1,
        nnselect=other,
        withheld=withheld,
    )


def written_in(corpus: Corpus, draft: Draft) -> int | None:
    """Return the year as of which a draft is answered; None: nobody has said, see `moment`."""
    row = None if draft.paper_id is None else corpus.row(draft.paper_id)
    years = (draft.as_of, None if row is None else corpus.year(row))
    return min((year for year in years if year is not None), default=None)


def moment(corpus: Corpus, draft: Draft) -> int:
    """Return the year before which papers cite as far as a draft may know, see `make_query`."""
    as_of = written_in(corpus, draft)
    return int(corpus.years.max()) + 1 if as_of is None else as_of


def draft_of(paper: Paper) -> Draft:
    """Pose a corpus paper as the draft it once was: as of its year, its references unknown."""
    return Draft(
        title=paper.title,
        abstract=paper.abstract,
        authors=paper.authors,
        venue=paper.venue,
        as_of=paper.year,
        paper_id=paper.id,
    )


def _closest_first(collection: Collection, rows: Rows, vector: Floats) -> Rows:
    """Order rows by their cosine with a (d,) vector, ties by ascending row."""
    return rows[top_k(dots(collection.vectors, rows, vector), len(rows))]


# Filters: each says which papers it lets through, and counts what it takes away.

REMOVED = "removed by "
"""How the stage of a filter is called in an answer, before the name of the filter."""
FRONT_MATTER = "the rule on front matter (--keep-front-matter lifts it)"
"""What removes front matter; no mask does it, for a query wants none: see `Query.withheld`."""
MOST_NAMED = 5
"""So many venues or types of the corpus are named to somebody who asked for another."""


def removed_in_words(stages: Mapping[str, int]) -> str:
    """Say of the stages of an answer how many papers each filter removed; "" where none did."""
    counts = [f"{n:,} {name}" for name, n in stages.items() if name.startswith(REMOVED)]
    return f"Of the papers proposed: {', '.join(counts)}." if counts else ""


@dataclass(frozen=True, slots=True)
class AppliedFilter:
    """A filter that is on.

    name: option and setting. passes: (n,) bool, the papers that it lets through. advice: what to
    tell of the corpus where there is none.
    """

    name: str
    passes: Mask
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Filtering:
    """The filters that are on, in the order in which they are applied."""

    filters: tuple[AppliedFilter, ...]

    @property
    def keep(self) -> Mask | None:
        """(n,) bool, what passes all of them; None when there is none."""
        masks = [applied.passes for applied in self.filters]
        return np.logical_and.reduce(masks) if masks else None

    def removed(self, rows: Rows) -> dict[str, int]:
        """Count what each filter takes away of what those before it have left of some rows."""
        counts = {}
        for applied in self.filters:
            left = rows[applied.passes[rows]]
            counts[applied.name] = len(rows) - len(left)
            rows = left
        return counts

    def advice(self, wanted: Mask) -> str:
        """Say which filter to loosen when none of the wanted papers passes all of them."""
        left_without = {}
        for applied in self.filters:
            if not applied.passes.any():
                return f"No paper of the corpus passes {applied.name}. {applied.advice}".strip()
            others = [other.passes for other in self.filters if other is not applied]
            left_without[applied.name] = int(np.logical_and.reduce([wanted, *others]).sum())
        name = max(left_without, key=left_without.__getitem__)
        if left := left_without[name]:
            papers = "1 paper" if left == 1 else f"{left:,} papers"
            return f"Loosen {name}: without it there would be {papers}."
        return f"Loosen more than one of {', '.join(left_without)}."


def apply_filters(
    filters: Filters, corpus: Corpus, draft: Draft, allowed: Mask | None = None
) -> Filtering:
    """Ask each filter that is on.

    allowed: (n,) bool, papers whose names may tell who is an author of the draft; None: all.

    Raises:
        InputError: a value makes no sense, see `Filters.check`.
    """
    filters.check()
    asked: list[AppliedFilter] = []
    dated: Mask = corpus.years != UNKNOWN_YEAR
    for name, bound, within in (
        ("--min-year", filters.min_year, np.greater_equal),
        ("--max-year", filters.max_year, np.less_equal),
    ):
        if bound is not None:
            years = corpus.years[dated]
            span = f"Its years are {years.min()} to {years.max()}." if len(years) else ""
            passes = dated & within(corpus.years, bound)
            asked.append(AppliedFilter(f"{name} {bound}", passes, span or "It has no years."))
    if filters.venues:
        pattern = re.compile("|".join(translate(fold(glob.strip())) for glob in filters.venues))
        passes = corpus.venue_names.holds(
            lambda venue: any(
                form and pattern.match(form) for form in (fold(venue), venue_key(venue))
            )
        )
        names = "; ".join([name for name in corpus.venue_names.common() if name][:MOST_NAMED])
        advice = f"Its most frequent venues are {names}." if names else "It has no venues."
        asked.append(AppliedFilter(f"--venue {', '.join(filters.venues)}", passes, advice))
    if filters.types:
        wanted = {paper_type(name) for name in filters.types}
        passes = corpus.types.holds(lambda types: not wanted.isdisjoint(types))
        known = [*dict.fromkeys(name for types in corpus.types.common() for name in types)]
        advice = f"Its types are {', '.join(known[:MOST_NAMED])}." if known else "It has no types."
        asked.append(AppliedFilter(f"--type {', '.join(filters.types)}", passes, advice))
    papers_of = corpus.papers_of_author
    left_out = []
    if filters.exclude_authors:
        name = f"--exclude-author {', '.join(filters.exclude_authors)}"
        left_out.append((name, papers_of.take(corpus.namesakes(filters.exclude_authors))[1]))
    if filters.exclude_own:
        left_out.append(("--exclude-own", corpus.written_by(draft.authors, allowed).papers))
    if filters.library:
        left_out.append(("--exclude-library", corpus.rows(filters.library)))
    for name, rows in left_out:
        passes = np.ones(len(corpus), bool)
        passes[rows] = False
        asked.append(AppliedFilter(name, passes))
    return Filtering(tuple(asked))
