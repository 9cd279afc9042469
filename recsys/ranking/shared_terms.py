"""Name what a draft and a paper are both about: the words that they share and that mean something.

A word means something where it is found more often among the papers nearest to the draft than
chance has it: "badminton" is, "thereby" is not, however rare it may be in the corpus.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from recsys.ranking.evidence import Evidence
from recsys.records import Paper
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.kernels import fastest
from recsys.store.words import Parted, Spoken, spoken, token_of, tokens, word_pairs

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
GENERIC = frozenset(
    "ability able academic accordingly achieve across actual add additional address adopt advance "
    "advantage affect aim allow along already alternative although always among amount analyse "
    "analysing analysis analyze appear application apply approach appropriate area argue around "
    "article aspect assess associated assumption attempt author available aware background base "
    "based become begin behind benefit best better big brief bring broad build built case cause "
    "century certain challenge chance change choice choose claim clear close collect collecting "
    "combine come common compare comparison complete complex component comprehensive concept "
    "conclude condition conduct consider consist contain content contribute contribution control "
    "correspond cover create crucial current data deal demonstrate depend derive describe design "
    "detail determine develop development differ difference different difficult direct "
    "disadvantage discuss distinct domain due early easy effect effective efficient effort "
    "element eliminate emerge enable end enhance ensure entire especially essential establish "
    "estimate evaluate evaluation evidence examine example exemplify existing expect experiment "
    "explain explore exploring expert extensive extract facilitate factor fail far feature field "
    "find finding first fit five focus follow form formulate four framework frequent full function "
    "fundamental future gain gap general generate give given global goal good great greatly "
    "group grow handle help high highlight history hold idea ideal identify illustrate impact "
    "implement "
    "implementation implication implies imply important improve include increase increasing "
    "indicate individual influence inform information initial insight instance instead interest "
    "interesting introduce introduction investigate involve issue item keep key know known lack "
    "large late later lead learn least leave led less level like likely limit limitation limited "
    "line list little local long look low main maintain major make making manner mean means "
    "measure mechanism method methodology model modern moreover mostly move multi multiple "
    "myriad name namely necessary need new next non note novel now number objective observe "
    "obtain obtained occur offer often open order original outcome overview paper part particular "
    "perform performance period person perspective phase place play point poor position possible "
    "possibly potential practical practice present previous primary principle prior probably "
    "problem procedure process produce product promising proper property proportion propose "
    "provide purpose quality quantitative quantity question quick quite range rare rate rather "
    "real reality reason recent record reduce refer regard related relation relationship "
    "relative relevant remain report represent require required research researcher respect "
    "result reveal review rich right role run sample say scale scheme science second section see "
    "seek select selection sense separate serve set seven several shape share short show side "
    "significant similar simple since single situation six size small solution solve sometime "
    "source space special specific stage standard start state step still strategy strong "
    "structure study subject success suffer suggest suitable support survey system systematic "
    "systematically take target task team technique tend term test text theory thereby therefore "
    "thing third three thus time title together tool top total toward towards tradition "
    "traditional treat trend true try type typical understand understanding unique unit unknown "
    "unlike usage useful user usual usually valuable value variety various vary verify version "
    "view want way web well whereas whether whole wide widely work world year yet "
    "abs arxiv com doi edu github html http https org pdf pmid url www".split()
)
"""Words of papers about anything, and pieces of addresses; singular, as `token_of` has them."""
_INFLECTED = (("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("ied", "y"), ("er", "e"))
_NO_END = ("ed", "ly")
"""How a term of two words does not end: with a participle or an adverb."""


@lru_cache(maxsize=1 << 14)
def means_something(word: str) -> bool:
    """Whether a word may stand in a reason: no figure, no fragment, no word of any paper.

    >>> [each for each in ("badminton", "studies", "2019", "https", "a3f9", "vr") if
    ...  means_something(each)]
    ['badminton']
    """
    token = token_of(word)
    whole = len(token) >= SHORTEST and token.isalpha()
    stems = {token[: -len(end)] + other for end, other in _INFLECTED if token.endswith(end)}
    stems |= {stem[:-1] for stem in stems if stem[-1:] == stem[-2:-1]}  # "controlled"
    return whole and not token.endswith("ly") and GENERIC.isdisjoint({token, word.lower(), *stems})


@dataclass(frozen=True)
class DraftWords:
    """The words of a draft, and which of them mean something around it.

    chosen: positions of the candidates that are asked about.
    """

    evidence: Evidence
    chosen: Sequence[int]

    def shared(self, at: int, paper: Paper) -> list[str]:
        """Name what the draft shares with a candidate, the most telling first.

        Words that follow each other in the draft and in the candidate's title make one term.

        Args:
            at: position of the candidate, one of the chosen.
            paper: the candidate.
        """
        title = tokens(paper.title)
        titled = set(title)
        words, weights = self.evidence.query.text.words, self._weights
        telling = {
            words[place]: weights[place] * (IN_TITLE if words[place] in titled else 1.0)
            for place in self._places[at]
            if words[place] in titled or self._informative_places[place]
        }
        found = {}
        if not self._pairs.keys().isdisjoint(pairwise(title)):  # Seldom: places in it take time.
            found = self._phrases(paper.title, spoken(paper.title), telling)
        inside = {part for phrase in found for part in phrase}
        found |= {(word,): weight for word, weight in telling.items() if word not in inside}
        ordered = sorted((-weight, self._spelt(words)) for words, weight in found.items())
        return _apart(spelt for _, spelt in ordered)

    @cached_property
    def _places(self) -> dict[int, list[int]]:
        """Places in the draft's text of the telling words that a candidate has, by its position."""
        rows = self.evidence.rows[np.array(self.chosen, np.int32)]
        owner, terms = self.evidence.collection.terms.terms.take(rows)
        found = fastest.places(self.evidence.query.text.codes[self._telling], terms)
        there = found >= 0
        places = self._telling[found[there]].tolist()
        ends = np.cumsum(np.bincount(owner[there], minlength=len(rows))).tolist()
        spans = zip(self.chosen, pairwise((0, *ends)), strict=True)
        return {at: places[begin:end] for at, (begin, end) in spans}

    def _phrases(
        self, title: str, said: Spoken, weights: dict[str, float]
    ) -> dict[tuple[str, ...], float]:
        """Chain pairs of words, of which one at least tells something: at most three words."""
        chains: list[tuple[str, ...]] = []
        for left, right in word_pairs(title, said, self._pairs):
            if left not in weights and right not in weights:
                continue
            if not (means_something(left) and means_something(right)):
                continue
            if chains and chains[-1][-1] == left and len(chains[-1]) == 2:
                chains[-1] = (*chains[-1], right)
            else:
                chains.append((left, right))
        whole = [chain for chain in map(self._trimmed, chains) if len(chain) > 1]
        return {chain: sum(weights.get(word, 1.0) for word in chain) for chain in whole}

    def _trimmed(self, chain: tuple[str, ...]) -> tuple[str, ...]:
        """Cut a chain off that ends with what is no noun."""
        while chain and self._spellings.get(chain[-1], "").endswith(_NO_END):
            chain = chain[:-1]
        return chain

    def _spelt(self, words: tuple[str, ...]) -> str:
        if len(words) == 1:
            return self._spellings.get(words[0], words[0])
        first, *rest = (self._pairs[pair] for pair in pairwise(words))
        for pair in rest:  # Each begins with the word that ends the one before.
            last = self._spellings[words[1]]
            first += pair[len(last) :] if pair.startswith(last) else f" {pair}"
        return first

    @cached_property
    def _weights(self) -> list[float]:
        """The idf of each of the draft's words, more of those in its title."""
        text = self.evidence.query.text
        idf = self.evidence.collection.terms.idf[text.codes]
        weights: list[float] = np.where(text.in_title, IN_TITLE * idf, idf).tolist()
        return weights

    @cached_property
    def _telling_title(self) -> Mask:
        """Whether a word of the draft's title is one that few of the papers around it have."""
        if len(self.evidence.collection.corpus) < FEW_PAPERS:
            return self.evidence.query.text.in_title
        return self.evidence.query.text.in_title & self._apart_from_others

    @cached_property
    def _telling(self) -> Rows:
        """Places of the words that may stand in a reason, be it in a title alone."""
        words = self.evidence.query.text.words
        places = np.flatnonzero(self._informative | self._telling_title)
        spoken_of = [place for place in places.tolist() if self._speaks(words[place])]
        return np.array(spoken_of, np.int32)

    def _speaks(self, word: str) -> bool:
        return means_something(word) and means_something(self._spellings.get(word, word))

    @cached_property
    def _informative(self) -> Mask:
        """Whether the papers nearest to the draft have a word more often than chance has it."""
        if len(self.evidence.collection.corpus) < FEW_PAPERS:
            return np.ones(len(self.evidence.query.text.codes), bool)
        asked = len(self._neighbours)
        expected = self._in_corpus * asked
        lifted: Mask = self._around * asked >= expected + 2 * np.sqrt(expected) + 1
        return lifted & self._apart_from_others

    @cached_property
    def _informative_places(self) -> list[bool]:
        informative: list[bool] = self._informative.tolist()
        return informative

    @cached_property
    def _apart_from_others(self) -> Mask:
        return (self._around <= COMMON) | (self._in_corpus <= SELDOM)

    @cached_property
    def _in_corpus(self) -> Floats:
        """The share of all papers that have each of the draft's words."""
        collection = self.evidence.collection
        idf = collection.terms.idf[self.evidence.query.text.codes]
        return _shares(idf, len(collection.corpus))

    @cached_property
    def _neighbours(self) -> Rows:
        return self.evidence.candidates.nearest.first(AROUND).rows

    @cached_property
    def _around(self) -> Floats:
        """The share of the papers nearest to the draft that have each of its words."""
        codes, terms = self.evidence.query.text.codes, self.evidence.collection.terms.terms
        places = fastest.places(codes, terms.take(self._neighbours)[1])
        counts = np.bincount(places[places >= 0], minlength=len(codes))
        return (counts / max(len(self._neighbours), 1)).astype(np.float32)

    @cached_property
    def _spellings(self) -> dict[str, str]:
        """The draft's words as it spells them, by token; the title's spelling goes first."""
        abstract, title = self._parted
        return abstract.spellings() | title.spellings()

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], str]:
        """Words beside each other in the draft, as it spells them, by their tokens."""
        abstract, title = self._parted
        return abstract.pairs() | title.pairs()

    @cached_property
    def _parted(self) -> tuple[Parted, Parted]:
        """The words of the draft's abstract and of its title."""
        text = self.evidence.query.text
        return Parted.of(text.abstract), Parted.of(text.title)


def _apart(terms: Iterable[str]) -> list[str]:
    """Keep the first so many terms of which none has a word that begins as another's."""
    kept: list[str] = []
    begun: set[str] = set()
    for term in terms:
        beginnings = {part[:ALIKE] for part in _parts(term)}
        if begun.isdisjoint(beginnings):
            kept.append(term)
            if len(kept) == MOST_TERMS:
                break
            begun |= beginnings
    return kept


def _parts(text: str) -> list[str]:
    return text.replace("-", " ").split()


def _shares(idf: Floats, papers: int) -> Floats:
    """Return the share of papers that have a word, of its idf: see `terms.idf_of`."""
    inverse = np.exp(idf) - np.float32(1)
    half = np.float32(0.5)
    shares: Floats = (papers + half - half * inverse) / (1 + inverse) / np.float32(papers)
    return shares.astype(np.float32)
