"""The feature table of local recommendation: what is read of a passage's candidates.

The features of drafts are read of the sentence alone; beside them stand the ranking for the draft
with the sentence in it, what the sentence names, and how a paper is spoken of by those who cite it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys.local.passage import (
    COLUMNS,
    MOST_CITERS,
    OUTSIDE,
    ContextSigns,
    PassageQuery,
    TitleMeans,
    means_of,
)
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.features import (
    Columns,
    compute,
    descending_rank,
    feature_names,
    table_of,
)
from recsys.store.arrays import Floats, Rows, look_up

# The profile of a paper: its own vector, pulled towards those who cite it and what they say.
#
# profile(p) = v(p) + mean over older citers c of v(title of c) + CONTEXT * mean over the older
# sentences s that cite p of v(s), as of the query's moment; the last only where such are known.

CONTEXT = np.float32(2)
"""On the sentences of 2010, papers on computational linguistics: R@10 of the profile alone .27
without sentences, .39 at 1, .42 at 2, .43 at 3; with the titles weighed by half or twice .42."""


def profile_cosines(
    context: FeatureContext, signs: ContextSigns | None = None, means: TitleMeans | None = None
) -> Floats:
    """Multiply the query with the candidates' profiles: (m,) float32 cosines.

    means: those that are known of other passages of the same draft.
    """
    titles = TitleMeans() if means is None else means
    profiles = context.collection.vectors[context.rows] + titles.of(context)
    if signs is not None and signs.view.has_vectors:
        latest = signs.edges.latest(MOST_CITERS)
        sentences = signs.view.contexts.vectors(latest.positions)
        places = np.arange(len(sentences))
        profiles += CONTEXT * means_of(sentences, places, latest.owner, len(signs.rows))
    length = np.maximum(np.linalg.norm(profiles, axis=1), np.float32(1e-9))
    cosines: Floats = (profiles @ context.query.vector) / length
    return cosines


SENTENCE, DRAFT = "sentence.", "draft."


@dataclass(frozen=True)
class LocalFacts:
    """Everything that local features and reasons may read of a passage and its candidates."""

    asked: PassageQuery
    sentence: FeatureContext

    @property
    def rows(self) -> Rows:
        """Rows of the candidates, ascending: (m,) int32."""
        return self.sentence.rows

    @cached_property
    def named(self) -> Floats:
        """How well each candidate fits a name in the sentence, 0 if none: (m,) float32."""
        return self._of_named(self.asked.named.scores)

    @cached_property
    def named_share(self) -> Floats:
        """The candidate's part of all that the same name could mean: (m,) float32."""
        return self._of_named(self.asked.named.shares)

    @cached_property
    def profile(self) -> Floats:
        """Cosine of the sentence with each candidate's profile: (m,) float32."""
        return profile_cosines(self.sentence, self.signs, self.asked.means)

    @cached_property
    def signs(self) -> ContextSigns | None:
        """What citing sentences say of the candidates; None where none may be read."""
        view = self.asked.contexts
        if view is None:
            return None
        return ContextSigns(view, self.rows, view.edges(self.rows, self.asked.query.before))

    @property
    def context_rank(self) -> Floats:
        """Position by the cosine of the nearest sentence that cites a candidate: (m,) float32."""
        best = self.sign("best")
        cited = self.signs is not None and self.signs.present
        return np.where(cited, descending_rank(best), OUTSIDE)

    def sign(self, name: str) -> Floats:
        """Read what citing sentences say, by its name in `ContextSigns`; OUTSIDE for nothing."""
        if self.signs is None:
            return np.full(len(self.rows), OUTSIDE, np.float32)
        values: Floats = getattr(self.signs, name)
        return values

    def _of_named(self, values: Floats) -> Floats:
        return look_up(self.asked.named.rows, values, self.rows)


@dataclass(frozen=True, slots=True)
class LocalFeature:
    """One column: `function(facts)` returns (m,) float32 for the m candidates."""

    name: str
    meaning: str
    unit: str
    function: Callable[[LocalFacts], Floats]


# fmt: off
OWN: tuple[LocalFeature, ...] = (
    LocalFeature("named", "how well surnames and year in the sentence fit", "score in [0, 1]",
                 lambda f: f.named),
    LocalFeature("named_share", "the part of it among all that the name fits", "share",
                 lambda f: f.named_share),
    LocalFeature("named_best", "the best such score of any candidate", "score in [0, 1]",
                 lambda f: np.full(len(f.rows), f.named.max(initial=0), np.float32)),
    LocalFeature("named_rank", "position by that score", "rank",
                 lambda f: descending_rank(f.named)),
    LocalFeature("profile", "sentence and how the candidate is spoken of", "cosine",
                 lambda f: f.profile),
    LocalFeature("profile_rank", "position by that cosine", "rank",
                 lambda f: descending_rank(f.profile)),
    LocalFeature("context_best", "the sentence and the nearest one that cites the candidate",
                 "cosine", lambda f: f.sign("best")),
    LocalFeature("context_mean", "the same, mean of the nearest three", "cosine",
                 lambda f: f.sign("mean")),
    LocalFeature("context_rank", "position by context_best", "rank",
                 lambda f: f.context_rank),
    LocalFeature("context_votes", "nearest citing sentences that cite the candidate",
                 "weighted share", lambda f: f.sign("votes")),
    LocalFeature("context_bm25", "words of the sentence and of the best that cites the candidate",
                 "share of the best", lambda f: f.sign("bm25")),
)
# fmt: on
_OWN = {each.name: each for each in OWN}
LOCAL_FEATURES = (
    *(SENTENCE + name for name in feature_names(metadata=False)),
    *(DRAFT + name for name in COLUMNS),
    *_OWN,
)
"""All columns, in their order."""


def compute_local(facts: LocalFacts, names: tuple[str, ...]) -> Floats:
    """Compute the named columns: (m, len(names)) float32, rows as in `facts.rows`."""
    of_sentence = [name for name in names if name.startswith(SENTENCE)]
    read = compute(facts.sentence, tuple(name.removeprefix(SENTENCE) for name in of_sentence))
    columns: Columns = dict(zip(of_sentence, read.T, strict=True))
    for name in names:
        if name.startswith(DRAFT):
            columns[name] = facts.asked.draft.column(name.removeprefix(DRAFT), facts.rows)
        elif name not in columns:
            columns[name] = _OWN[name].function(facts)
    return table_of(columns, names, len(facts.rows))
