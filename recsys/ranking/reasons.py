"""Reasons in words: what speaks for a recommended paper, strongest kinds first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice, pairwise

import numpy as np

from recsys.ranking.feature_context import FeatureContext
from recsys.records import Paper, Reason
from recsys.retrieval.propose import WeightedPapers, votes
from recsys.store.arrays import Floats, Rows, find_rows, top_k
from recsys.store.words import Parted, spoken, token_of, tokens, word_list, word_pairs

MOST_REASONS = 3
ASKED = 20
"""How many of the nearest papers are asked whom they cite."""
NEAR = 10
"""A candidate this close to the draft is said to be among the nearest."""
LONGEST_TITLE = 60
"""Characters of another paper's title in a reason."""


@dataclass(frozen=True)
class Findings:
    """Counts behind the reasons, for all candidates at once: (m,) float32 each.

    chosen: positions of those that reasons are given for. best: corpus rows of the candidates with
    the highest scores; see `explain`.
    """

    context: FeatureContext
    chosen: Sequence[int]
    best: Sequence[int] | Rows = ()

    @cached_property
    def asked(self) -> Rows:
        """The nearest papers that are old enough to be asked whom they cite."""
        rows = self.context.candidates.nearest.rows[:ASKED]
        return rows[self.context.graph.older(rows, self.context.query.before)]

    @cached_property
    def near_citers(self) -> Floats:
        """How many of them cite the candidate."""
        return self._count(self.asked)

    @cached_property
    def author_citers(self) -> Floats:
        """Older papers by the draft's authors that cite the candidate."""
        return self._count(self.context.candidates.found["authors"].rows)

    @cached_property
    def best_citers(self) -> Floats:
        """How many of the best candidates cite the candidate."""
        return self._count(np.asarray(self.best, np.int32))

    @cached_property
    def nearness(self) -> Floats:
        """Position by cosine among the candidates, from 1."""
        return _positions(self.context.candidates.cosines)

    @cached_property
    def seed_nearness(self) -> Floats:
        """Position by the cosine with the nearest seed, from 1; endless without seeds."""
        if self.context.seeds is None:
            return np.full(len(self.context), np.inf, np.float32)
        return _positions(self.context.seeds.cosines.max(axis=1))

    @cached_property
    def words(self) -> "DraftWords":
        """The draft's words."""
        return DraftWords.of(self.context, self.chosen)

    def _count(self, citing: Rows) -> Floats:
        papers, before = WeightedPapers.equal(citing), self.context.query.before
        return votes(self.context.graph, papers, before, self.context.rows)


def explain(
    context: FeatureContext,
    chosen: Sequence[int],
    papers: Sequence[Paper],
    best: Sequence[int] | Rows = (),
) -> list[tuple[Reason, ...]]:
    """Give up to MOST_REASONS reasons for each of the chosen candidates.

    best: corpus rows of the candidates with the highest scores, whether they are chosen or not, so
    that a paper's reasons do not depend on what else is shown.
    """
    findings = Findings(context, chosen, best)
    return [
        tuple(islice(reasons_for(findings, at, paper), MOST_REASONS))
        for at, paper in zip(chosen, papers, strict=True)
    ]


def reasons_for(findings: Findings, at: int, paper: Paper) -> Iterator[Reason]:
    """Give all reasons for the candidate at a position, in the order in which they are told."""
    context, best = findings.context, findings.best
    if (seeds := context.seeds) is not None:
        for tie, shares in (  # The most direct tie to the draft's references.
            ("{} cite{} it", seeds.votes),
            ("cites {}", seeds.referred[0]),
            ("cited together with {}", seeds.company_share),
        ):
            if number := round(float(shares[at]) * len(seeds.rows)):
                of_yours = f"{number} of your references"
                yield Reason("seeds", tie.format(of_yours, "s" * (number == 1)))
                break
        if findings.seed_nearness[at] <= NEAR:
            from textwrap import shorten

            nearest = int(seeds.rows[seeds.cosines[at].argmax()])
            title = context.collection.corpus.title(nearest)
            short = shorten(title, LONGEST_TITLE, placeholder=" …")
            yield Reason("seed-near", f"similar to “{short}” in your references")
    if number := int(findings.near_citers[at]):
        yield Reason("votes", cited_by(number, len(findings.asked), "most similar papers"))
    if number := int(findings.author_citers[at]):
        what = "an earlier paper" if number == 1 else f"{number} earlier papers"
        cite = "cites" if number == 1 else "cite"
        yield Reason("authors", f"{what} by the draft's authors {cite} it")
    if shared := findings.words.shared(at, paper):
        plural = "term" if len(shared) == 1 else "terms"
        yield Reason("terms", f"shares the {plural} {', '.join(shared)}")
    if (rank := int(findings.nearness[at])) <= NEAR:
        yield Reason("near", similar_to(rank, "your draft"))
    if context.rows[at] in context.query.own_papers:
        yield Reason("own", "by an author of the draft")
    if number := int(findings.best_citers[at]):  # What the second pass has seen, see `ranker`.
        yield Reason("top", cited_by(number, len(best), "best-ranked papers"))
    if number := int(context.citations[at]):
        times = "once" if number == 1 else f"{number} times"
        yield Reason("citations", f"cited {times} in this corpus")


def cited_by(number: int, asked: int, papers: str) -> str:
    """Say how many of some papers cite a candidate.

    >>> cited_by(7, 20, "most similar papers"), cited_by(1, 20, "most similar papers")
    ('7 of the 20 most similar papers cite it', '1 of the 20 most similar papers cites it')
    """
    if asked == 1:
        return f"the {papers.replace('papers', 'paper')} cites it"
    return f"{number} of the {asked} {papers} {'cites' if number == 1 else 'cite'} it"


def similar_to(rank: int, other: str) -> str:
    """Say that a paper is the most similar to something, or among so many of the most similar."""
    return f"{'the most similar' if rank == 1 else f'among the {rank} most similar'} to {other}"


def _positions(values: Floats) -> Floats:
    """Number from 1 (highest), ties in order: (m,) float32."""
    numbers = np.empty(len(values), np.float32)
    numbers[top_k(values, len(values))] = np.arange(1, len(values) + 1)
    return numbers


# What a draft and a paper are both about: the words that they share and that mean something.
#
# A word means something where it is found more often among the papers nearest to the draft than
# chance has it: "badminton" is, "thereby" is not, however rare it may be in the corpus.

MOST_TERMS = 3
SHORTEST = 3
"""Letters of a word."""
AROUND = 100
"""Papers nearest to the draft whose words are counted."""
FEW_PAPERS = 300
"""In a smaller corpus, the nearest papers are too much of it to tell anything."""
COMMON = 0.5
"""A word that so many of them have tells none of them apart, unless the corpus has few such."""
SELDOM = 0.1
"""Share of the papers of a corpus that have a word which tells them apart from all others."""
IN_TITLE = 1.6
"""What a word weighs more for standing in the draft's title, and again for the paper's."""
ALIKE = 4
"""Letters that two spellings of one word share: "perceptual" beside "perception" tells nothing."""
GENERIC = frozenset(word_list("generic").split())
"""Words of papers about anything, and pieces of addresses; singular, as `token_of` has them."""
_INFLECTED = (("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("ied", "y"), ("er", "e"))
_NO_END = ("ed", "ly")
"""How a term of two words does not end: with a participle or an adverb."""


@lru_cache(maxsize=1 << 14)
def means_something(word: str) -> bool:
    """Whether a word may stand in a reason: no figure, no fragment, no word of any paper.

    >>> [word for word in ("badminton", "studies", "2019", "https", "a3f9", "vr") if
    ...  means_something(word)]
    ['badminton']
    """
    token = token_of(word)
    whole = len(token) >= SHORTEST and token.isalpha()
    stems = {token[: -len(end)] + other for end, other in _INFLECTED if token.endswith(end)}
    stems |= {stem[:-1] for stem in stems if stem[-1:] == stem[-2:-1]}  # "controlled"
    return whole and not token.endswith("ly") and GENERIC.isdisjoint({token, word.lower(), *stems})


@dataclass(frozen=True, slots=True)
class DraftWords:
    """The words of a draft, and which of them mean something around it.

    words: of the draft that the corpus knows. weights: the idf of each, more of those in its title.
    informative: whether the papers nearest to the draft have a word more often than chance has it.
    places: of each chosen candidate, by its position, the places of the telling words that it has.
    spellings: the draft's words as it spells them, by token. pairs: words beside each other in the
    draft, as it spells them, by their tokens.
    """

    words: Sequence[str]
    weights: Sequence[float]
    informative: Sequence[bool]
    places: dict[int, list[int]]
    spellings: dict[str, str]
    pairs: dict[tuple[str, str], str]

    @classmethod
    def of(cls, context: FeatureContext, chosen: Sequence[int]) -> "DraftWords":
        """Look at the words of a draft. chosen: positions of the candidates asked about."""
        text, store = context.query.text, context.collection.terms
        papers, idf = len(context.collection.corpus), store.idf[text.codes]
        weights = np.where(text.in_title, IN_TITLE * idf, idf)
        informative, telling_title = np.ones(len(text.codes), bool), text.in_title
        if papers >= FEW_PAPERS:
            nearest = context.candidates.nearest.rows[:AROUND]
            near = find_rows(text.codes, store.terms.take(nearest)[1])
            counts = np.bincount(near[near >= 0], minlength=len(text.codes))
            around = (counts / max(len(nearest), 1)).astype(np.float32)
            inverse, half = np.exp(idf) - np.float32(1), np.float32(0.5)  # See `terms.idf_of`.
            in_corpus = (papers + half - half * inverse) / (1 + inverse) / np.float32(papers)
            apart = (around <= COMMON) | (in_corpus <= SELDOM)
            expected = in_corpus * len(nearest)
            informative = around * len(nearest) >= expected + 2 * np.sqrt(expected) + 1
            informative, telling_title = informative & apart, telling_title & apart
        # The title's spelling goes first.
        abstract, title = Parted.of(text.abstract), Parted.of(text.title)
        spellings = abstract.spellings() | title.spellings()
        telling = [
            place
            for place in np.flatnonzero(informative | telling_title).tolist()
            if means_something(word := text.words[place])
            and means_something(spellings.get(word, word))
        ]
        owner, terms = store.terms.take(context.rows[np.array(chosen, np.int32)])
        known = find_rows(text.codes[telling], terms)
        there = known >= 0
        places = np.array(telling, np.int32)[known[there]].tolist()
        ends = np.cumsum(np.bincount(owner[there], minlength=len(chosen))).tolist()
        spans = zip(chosen, pairwise((0, *ends)), strict=True)
        return cls(
            text.words,
            weights.tolist(),
            informative.tolist(),
            {at: places[begin:end] for at, (begin, end) in spans},
            spellings,
            abstract.pairs() | title.pairs(),
        )

    def shared(self, at: int, paper: Paper) -> list[str]:
        """Name what the draft shares with a candidate, the most telling first.

        Words that follow each other in the draft and in the candidate's title make one term.

        Args:
            at: position of the candidate, one of the chosen.
            paper: the candidate.
        """
        title = tokens(paper.title)
        titled = set(title)
        telling = {
            word: self.weights[place] * (IN_TITLE if word in titled else 1.0)
            for place in self.places[at]
            if (word := self.words[place]) in titled or self.informative[place]
        }
        terms: dict[tuple[str, ...], float] = {}
        if not self.pairs.keys().isdisjoint(pairwise(title)):  # Seldom: places in it take time.
            terms = self._phrases(paper.title, telling)
        inside = {part for phrase in terms for part in phrase}
        terms |= {(word,): weight for word, weight in telling.items() if word not in inside}
        ordered = sorted((-weight, self._spelt(words)) for words, weight in terms.items())
        shared: list[str] = []  # None has a word that begins as another's.
        begun: set[str] = set()
        for _, term in ordered:
            beginnings = {part[:ALIKE] for part in term.replace("-", " ").split()}
            if begun.isdisjoint(beginnings) and len(shared) < MOST_TERMS:
                shared.append(term)
                begun |= beginnings
        return shared

    def _phrases(self, title: str, weights: dict[str, float]) -> dict[tuple[str, ...], float]:
        """Chain pairs of words, of which one at least tells something: at most three words."""
        chains: list[tuple[str, ...]] = []
        for left, right in word_pairs(title, spoken(title), self.pairs):
            if left not in weights and right not in weights:
                continue
            if not (means_something(left) and means_something(right)):
                continue
            if chains and chains[-1][-1] == left and len(chains[-1]) == 2:
                chains[-1] = (*chains[-1], right)
            else:
                chains.append((left, right))
        phrases = {}
        for chain in chains:
            while chain and self.spellings.get(chain[-1], "").endswith(_NO_END):
                chain = chain[:-1]  # It ends with what is no noun.
            if len(chain) > 1:
                phrases[chain] = sum(weights.get(word, 1.0) for word in chain)
        return phrases

    def _spelt(self, words: tuple[str, ...]) -> str:
        if len(words) == 1:
            return self.spellings.get(words[0], words[0])
        first, *rest = (self.pairs[pair] for pair in pairwise(words))
        for pair in rest:  # Each begins with the word that ends the one before.
            last = self.spellings[words[1]]
            first += pair[len(last) :] if pair.startswith(last) else f" {pair}"
        return first
