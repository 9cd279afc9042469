"""Whether a sentence needs a citation: a chance, and what is never asked of.

A sentence is judged by its words, by cues and by what stands around it: whether the sentences there
cite, point at figures or tell of the paper itself, and what their words say. A linear score of the
words and the cues go into gradient-boosted trees. `benchmarks.needs` trains it.
"""

import re
import zlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactCorrupt, ArtifactMismatch
from recsys.ranking.ranker import StoredTrees
from recsys.records import Sentence
from recsys.store.arrays import Floats, Longs, load_array
from recsys.store.artifacts import load_manifest

# Rules: which sentences never need a citation, whatever a model thinks of them.

FEWEST_WORDS = 5
_OWN_NOUNS = (
    "paper|study|work|article|manuscript|thesis|survey|report|section|chapter|contribution|letter|"
    "method|approach|model|framework|system|algorithm|technique|tool|package|implementation|"
    "results?|findings?|data|dataset|analys[ei]s|experiments?|hypothes[ei]s|proposal|contributions|"
    "evaluation|design|goals?|aims?|methods|models|observations|simulations|knowledge|solution"
)
_OWN_VERBS = (
    "propose|present|introduce|describe|contribute|show|showed|demonstrate|demonstrated|report|"
    "find|found|observe|observed|conclude|argue|discuss|evaluate|evaluated|investigate|"
    "investigated|aim|aimed|hypothesi[sz]ed?|outline|summari[sz]e|explore|explored|examined?|"
    "proposed|presented|introduced|described|developed|develop|designed|design|tested|test|"
    "thank|note|study|studied|address|assessed|assess|sought|identify|identified|provide|offer|"
    "performed|conducted|recruited|measured|calculated|computed|collected|asked|compared|compare"
)
_OWN = re.compile(
    rf"\b(?:in )?(?:this|the present|the current|the proposed|our|my|the remainder of this|"
    rf"the rest of this)(?: (?:new|novel|own|proposed|main|present|current|previous|experimental|"
    rf"first|second|overall|whole))? (?:{_OWN_NOUNS})\b"
    rf"|\b(?:we|i)(?: \w+ly| also| then| now| here| first| next| further| thus| therefore| will|"
    rf" can| only| have| instead| additionally)* (?:{_OWN_VERBS})\b"
    r"|\A(?:here|hereby|below|above|in what follows|for (?:the )?reproducibility),?\s"
    r"|\b(?:is|are) (?:organi[sz]ed|structured) as follows\b",
    re.IGNORECASE,
)
_THINGS = (
    "figs?|figures?|tables?|tabs?|sections?|secs?|eqs?|eqns?|equations?|appendix|appendices|"
    "algorithms?|listings?|theorems?|lemmas?|propositions?|corollary|definitions?|chapters?|"
    "texts?|files?|movies?|videos?|datasets?|protocols?|steps?|panels?|boxe?s?|subsections?|"
    "codes?|examples?|supplement(?:ary|al)?(?: \\w+)?|supporting information|additional files?"
)
_POINTERS = re.compile(
    rf"\b(?:{_THINGS})\.?[~\s]*[(\[]?[A-Z]?\d"
    rf"|\b(?:{_THINGS}) (?:[IVX]+|[A-Z])\b(?! [a-z]+ed\b)"
    r"|\bS\d+ (?:Fig|Table|Text|File|Appendix|Movie|Video|Data)\b"
    rf"|\A(?:{_THINGS}) (?:shows?|lists?|describes?|gives?|presents?|summari[sz]es?|depicts?|"
    r"illustrates?|reports?|contains?|provides?|compares?|displays?|plots?|explains?|discusse?s?)\b"
    rf"|\b(?:see|in|by|from) (?:the )?(?:{_THINGS})(?: (?:below|above))?\s*[.,;)]",
    re.IGNORECASE,
)
# A reader of LaTeX leaves no number behind these words.
_PARTS = re.compile(
    r"\b(?:Fig|Figure|Table|Section|Sec|Equation|Eq|Appendix|Algorithm|Listing|Theorem|Lemma)s?\b"
)
_WORD = re.compile(r"[^\W\d_]{1,40}")


def is_own(text: str) -> bool:
    """Whether a sentence tells of the paper's own contribution, or points at a part of it.

    >>> is_own("In this paper, we propose a method."), is_own("Figure 2 shows the flow.")
    (True, True)
    >>> is_own("Bees find their way home by the sun.")
    False
    """
    return bool(_OWN.search(text)) or _points(text)


def _points(text: str) -> bool:
    return bool(_POINTERS.search(text) or _PARTS.search(text))


def is_long_enough(text: str) -> bool:
    """Whether a sentence says enough to be judged: five words or more."""
    words = _WORD.finditer(text)
    return sum(1 for _ in zip(range(FEWEST_WORDS), words, strict=False)) == FEWEST_WORDS


def may_be_flagged(sentence: Sentence) -> bool:
    """Whether a citation may be asked for in a sentence: nothing is cited there, nor noted down."""
    return not sentence.marks and is_long_enough(sentence.text) and not is_own(sentence.text)


# What the wording and the place of a sentence tell about whether it needs a citation.
#
# Everything is counted from words, shapes and places; no mark of a citation is read, except
# whether the sentences around cite.

_WORDS: Mapping[str, str] = {
    "past_work": "previous previously prior earlier existing recent recently past "
    "decades traditional traditionally classical conventional seminal",
    "others": "studies researchers authors others works approaches scholars investigators groups "
    "reports surveys literature colleagues coworkers practitioners theorists experiments",
    "reported": "shown demonstrated reported proposed suggested found developed introduced "
    "described observed identified argued studied investigated implicated reviewed discussed "
    "documented pioneered revealed noted showed",
    "often": "widely commonly often frequently typically usually generally extensively popular "
    "common frequent increasingly",
    "known": "known established thought believed understood recognized recognised accepted "
    "considered regarded assumed estimated defined called",
    "own": "we our us ours i my",
    "here": "this these here present current above below following",
    "modal": "can could may might should would must will",
    "contrast": "however although though but while whereas despite unlike nevertheless contrast",
    "consequence": "thus therefore hence so then consequently because since",
    "done": "used using performed calculated computed measured obtained collected applied "
    "carried implemented adapted modified purchased recorded included",
    "measured": "mean median significant significantly p sd ci n respectively compared "
    "higher lower",
    "perfect": "has have been",
    "past": "was were did had",
    "present": "is are does do",
    "not": "not no nor neither without",
    "examples": "including include includes e.g instance example examples",
    "world": "world global countries population prevalence disease patients society "
    "million billion",
    "method_nouns": "method methods algorithms model models framework software package "
    "dataset datasets protocol test theory technique techniques system systems tool tools",
    "pointers": "figure fig figures table tables section sections equation eq appendix listing "
    "algorithm supplementary theorem lemma proposition chapter",
}
_PHRASES: Mapping[str, str] = {
    "as_others": "such as|based on|according to|due to|associated with|proposed by|developed by|"
    "introduced by|described by|described in|shown by|reported by|known as|referred to|"
    "and colleagues|et al",
    "perfect_passive": "has been|have been|it is|it has|been shown|been used|well known|"
    "well established|been proposed|been reported",
    "this_work": "this paper|this study|this work|this article|this section|our results|our study|"
    "our approach|our method|our data|present study|we propose|we present|we show|we found|"
    "we introduce|we use|we used|we also|we then",
}
_SHAPES: Mapping[str, re.Pattern[str]] = {
    "numbers": re.compile(r"\d+(?:[.,]\d+)?"),
    "years": re.compile(r"\b(?:1[6-9]|20)\d\d\b"),
    "percents": re.compile(r"%"),
    "brackets": re.compile(r"[(\[]"),
    "names": re.compile(r"(?<=[\w,] )[A-Z][a-z]{2,}\b"),
    "capitals": re.compile(r"\b(?=\w*[A-Z]\w*[A-Z])\w{2,}"),
    "possessives": re.compile(r"\b[A-Z]\w+['\u2019]s\b"),
    "formulas": re.compile(r"[=<>\u2264\u2265\u00b1\u2211\u223c]"),
    "quotes": re.compile('["\u201c\u201d]'),
    "commas": re.compile(r","),
    "superlatives": re.compile(r"\b(?:most|best|least|\w{3,}est)\b"),
    "ends_openly": re.compile(r"[:?]\s*\Z"),
}
_SECTIONS: Mapping[str, str] = {
    "related": "related|previous work|prior work|literature|background|state of the art|review",
    "introduction": "introduction|motivation|overview",
    "methods": "method|material|model|approach|implementation|algorithm|design|data|experimental",
    "results": "result|experiment|evaluation|finding|application|example|illustration|case stud",
    "discussion": "discussion|limitation",
    "conclusion": "conclusion|summary|future|outlook",
}
_KINDS = (*_SECTIONS, "other", "unknown")
_LENGTHS = ("words", "letters_per_word")
_PLACES = (
    "place",
    "place_in_paragraph",
    "sentences_in_paragraph",
    "begins",
    "ends",
    "place_in_section",
)
_NEAR = ("before", "two_before", "after", "two_after", *(f"within_{n}" for n in (3, 8)))
_AROUND = (*_NEAR, "paragraph", "section", "draft")
WORDING: tuple[str, ...] = (
    *_WORDS,
    *_PHRASES,
    *_SHAPES,
    *_LENGTHS,
    *(f"in_{kind}" for kind in _KINDS),
    "own",
    "points",
)
"""What `wording_of` counts, in the order of its columns."""
NAMES: tuple[str, ...] = (
    *WORDING,
    *_PLACES,
    "score",
    *(f"{where}_{what}" for what in ("score", "own", "points", "cites") for where in _AROUND),
    "since_cited",
    "until_cited",
)
"""The cues in the order of the columns of `cues_of`."""

_FARTHEST = 30
"""Sentences to the next one that cites, at most; as many where none does."""

_TOKEN = re.compile(r"[^\W\d_][\w.-]*[^\W_]|[^\W\d_]")
_CATEGORY = {word: i for i, words in enumerate(_WORDS.values()) for word in words.split()}
_CATEGORY_OF_TWO = {
    two: len(_WORDS) + i for i, twos in enumerate(_PHRASES.values()) for two in twos.split("|")
}
_SECTION = tuple((kind, re.compile(rf"\b(?:{words})")) for kind, words in _SECTIONS.items())


def cues_of(sentences: Sequence[Sentence], scores: Floats) -> Floats:
    """Count the cues of the sentences of one draft, given in its order: (n, len(NAMES)) float32.

    scores: (n,) what their words say, as a chance.
    """
    wording = wording_of(sentences)
    return np.hstack([wording, around_of(sentences, wording, scores, cites_of(sentences))])


def cites_of(sentences: Sequence[Sentence]) -> Floats:
    """Return 1 where a sentence cites something, else 0: (n,) float32."""
    return np.array([any(not mark.gap for mark in s.marks) for s in sentences], np.float32)


def words_of(text: str) -> list[str]:
    """Return the words of a sentence in lower case."""
    return [word.lower() for word in _TOKEN.findall(text)]


def section_kind(title: str) -> str:
    """Tell what kind of section a title names, "other" if none that is common.

    >>> section_kind("2. Related Work"), section_kind("The bees"), section_kind("")
    ('related', 'other', 'unknown')
    """
    lower = title.lower()
    found = (kind for kind, pattern in _SECTION if pattern.search(lower))
    return next(found, "other" if lower.strip() else "unknown")


def wording_of(sentences: Sequence[Sentence]) -> Floats:
    """Count what each sentence says by itself: (n, len(WORDING)) float32."""
    rows = [_wording(sentence) for sentence in sentences]
    return np.array(rows, np.float32).reshape(len(sentences), len(WORDING))


def _wording(sentence: Sentence) -> list[float]:
    words = words_of(sentence.text)
    counts = [0.0] * (len(_WORDS) + len(_PHRASES))
    for word in words:
        if (category := _CATEGORY.get(word)) is not None:
            counts[category] += 1
    for two in pairwise(words):
        if (category := _CATEGORY_OF_TWO.get(" ".join(two))) is not None:
            counts[category] += 1
    shapes = [len(pattern.findall(sentence.text)) for pattern in _SHAPES.values()]
    letters = sum(map(len, words)) / max(len(words), 1)
    kind = section_kind(sentence.section)
    kinds = [float(kind == other) for other in _KINDS]
    own = bool(_OWN.search(sentence.text))
    return [*counts, *shapes, len(words), letters, *kinds, own, _points(sentence.text)]


def around_of(
    sentences: Sequence[Sentence], wording: Floats, scores: Floats, cites: Floats
) -> Floats:
    """Return where each sentence of a draft stands, and what stands around it: (n, c) float32.

    Whether a sentence itself cites is left out of the shares that cite. Those of its section and of
    the draft leave its whole paragraph out: else all sentences of a draft but those that cite would
    have the same share, and trees would learn to see that.

    Args:
        sentences: of one draft, in its order.
        wording: (n, len(WORDING)), see `wording_of`.
        scores: (n,) what their words say, as a chance.
        cites: (n,) 1 where a sentence is known to cite, else 0.
    """
    number, at = len(sentences), np.arange(len(sentences))
    if not number:
        return np.empty((0, len(NAMES) - len(WORDING)), np.float32)
    paragraph = _numbered((sentence.file, sentence.paragraph) for sentence in sentences)
    section = _numbered(sentence.section for sentence in sentences)
    size = np.bincount(paragraph)[paragraph]
    inside = at - np.unique(paragraph, return_index=True)[1][paragraph]
    in_section = at - np.unique(section, return_index=True)[1][section]
    places = [at / number, inside / size, np.minimum(size, 20), inside == 0, inside == size - 1]
    cited = np.flatnonzero(cites)
    bounds = np.concatenate([[-_FARTHEST], cited, [number + _FARTHEST]])
    since = at - bounds[np.searchsorted(cited, at)]
    until = bounds[np.searchsorted(cited, at, "right") + 1] - at
    own, points = wording[:, WORDING.index("own")], wording[:, WORDING.index("points")]
    columns = [*places, np.minimum(in_section, 50), scores]
    for values in (scores, own, points, cites):
        columns += _means_around(values, paragraph, section)
    distances = [np.minimum(since, _FARTHEST), np.minimum(until, _FARTHEST)]
    return np.stack([*columns, *distances], axis=1).astype(np.float32)


def _numbered(names: Iterable[Hashable]) -> Longs:
    """Number names in the order of their first appearance."""
    seen = dict[Hashable, int]()
    return np.array([seen.setdefault(name, len(seen)) for name in names], np.int64)


def _means_around(values: Floats, paragraph: Longs, section: Longs) -> list[Floats]:
    """Return the values of the neighbours, and the means of what is farther, as `_AROUND` says."""
    number, at = len(values), np.arange(len(values))
    padded = np.pad(values, 2)
    columns = [padded[1:-3], padded[:-4], padded[3:-1], padded[4:]]
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    for reach in (3, 8):
        first, end = np.maximum(at - reach, 0), np.minimum(at + reach + 1, number)
        columns.append((sums[end] - sums[first] - values) / np.maximum(end - first - 1, 1))
    of_paragraph = np.bincount(paragraph, values)[paragraph]
    size = np.bincount(paragraph)[paragraph]
    others = np.bincount(section, values)[section] - of_paragraph
    other_size = np.bincount(section)[section] - size
    return [
        *columns,
        (of_paragraph - values) / np.maximum(size - 1, 1),
        others / np.maximum(other_size, 1),
        (sums[-1] - of_paragraph) / np.maximum(number - size, 1),
    ]


# The words of a sentence as places in a table of weights.

SIZE = 1 << 17
"""Places: what falls on the same one shares its weight."""


def places_of(text: str) -> np.typing.NDArray[np.int64]:
    """Return the places of a sentence's words and pairs of neighbours, each once, ascending."""
    words = words_of(text)
    pairs = (f"{first} {second}" for first, second in pairwise(words))
    places = {zlib.crc32(term.encode("utf-8", "replace")) % SIZE for term in (*words, *pairs)}
    return np.array(sorted(places), np.int64)


def weigh(texts: Sequence[str], weights: Floats, bias: float) -> Floats:
    """Sum the weights of each text's words, divided by the root of their number: (n,) float32."""
    found = [places_of(text) for text in texts]
    sums = [weights[places].sum() / max(len(places), 1) ** 0.5 for places in found]
    return np.array(sums, np.float32) + np.float32(bias)


# The model.

KIND = "needs-citation"
SCHEMA = 2
WORD_WEIGHTS = "word_weights.npy"
_AGAIN = "Train it again with `python -m benchmarks.needs ...` in a checkout."


@dataclass(frozen=True, slots=True)
class CitationWorthiness:
    """Judges sentences.

    trees: their score is the log of the odds. word_weights: (SIZE,) float32. bias: of the score of
    the words. least: the chance from which on a sentence is flagged.
    """

    trees: StoredTrees
    word_weights: Floats
    bias: float
    least: float

    def probabilities(self, sentences: Sequence[Sentence]) -> Floats:
        """Return the chance that each sentence of a draft needs a citation: (n,) float32.

        Whether a sentence itself cites is not looked at, only whether those around it do.

        Args:
            sentences: of one draft, in its order.
        """
        texts = [sentence.text for sentence in sentences]
        scores = chances_of(weigh(texts, self.word_weights, self.bias))
        return chances_of(self.trees.score(cues_of(sentences, scores)))

    @classmethod
    def load(cls, folder: Path) -> "CitationWorthiness":
        """Open a trained judge.

        Raises:
            ArtifactError: the folder is missing, damaged, of another schema, or was trained with
                cues that this version does not have.
        """
        config = load_manifest(folder, KIND, SCHEMA).config
        try:
            cues = tuple(config["cues"])
            judge = cls(
                trees=StoredTrees.load(folder),
                word_weights=np.ravel(load_array(folder / WORD_WEIGHTS)).astype(np.float32),
                bias=float(config["bias"]),
                least=float(config["least"]),
            )
        except (KeyError, TypeError, ValueError, IndexError, OSError) as error:
            raise ArtifactCorrupt(
                f"The sentence classifier in {folder} cannot be read ({error}).", _AGAIN
            ) from error
        if cues != NAMES:
            raise ArtifactMismatch(
                f"The sentence classifier in {folder} was trained with other cues.", _AGAIN
            )
        if judge.trees.width != len(NAMES) or judge.word_weights.shape != (SIZE,):
            raise ArtifactCorrupt(f"The parts of {folder} do not fit one another.", _AGAIN)
        return judge


def chances_of(scores: Floats) -> Floats:
    """Turn logs of odds into chances: (n,) float32."""
    return (1 / (1 + np.exp(-np.clip(scores, -50, 50)))).astype(np.float32)
