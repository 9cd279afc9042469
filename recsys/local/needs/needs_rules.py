"""Which sentences never need a citation, whatever a model thinks of them: rules."""

import re

from recsys.passages import Sentence

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
    return bool(_OWN.search(text) or _POINTERS.search(text) or _PARTS.search(text))


def is_long_enough(text: str) -> bool:
    """Whether a sentence says enough to be judged: five words or more."""
    words = _WORD.finditer(text)
    return sum(1 for _ in zip(range(FEWEST_WORDS), words, strict=False)) == FEWEST_WORDS


def may_be_flagged(sentence: Sentence) -> bool:
    """Whether a citation may be asked for in a sentence: nothing is cited there, nor noted down."""
    return not sentence.marks and is_long_enough(sentence.text) and not is_own(sentence.text)
