"""What a model must not be able to tell citing sentences by: controls."""

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from recsys.store.arrays import Floats, Mask

_CLOSED = frozenset(
    "a an the of in on at by to from for with and or but as than that which who is are was were be "
    "been has have had see both between into through via per et al e.g i.e cf also".split()
)
_BEFORE_STOP = re.compile(r"([^\W\d_]+)?(\W?)([.,;:)\]])")
_LETTERS, _CAPITALS, _DIGITS = (
    re.compile(r"[^\W\d_A-Z]+"),
    re.compile(r"[A-Z]+"),
    re.compile(r"\d+"),
)


def seams(text: str) -> str:
    """Return what stands before each stop of a sentence: closed-class words, and signs.

    That is all that a removed citation could leave.

    >>> seams("As shown by , bees see colours.")
    'by_, x.'
    """
    found = _BEFORE_STOP.findall(text)
    words = (word.lower() if word.lower() in _CLOSED else "x" for word, _, _ in found)
    return " ".join(
        f"{word}{gap.replace(' ', '_')}{stop}"
        for word, (_, gap, stop) in zip(words, found, strict=True)
    )


def shape(text: str) -> str:
    """Return a sentence as shapes: runs of letters, capitals and digits are one sign each.

    >>> shape("Bees see 12 colours (Fig. 2).")
    'Aa a 9 a (Aa. 9).'
    """
    return _DIGITS.sub("9", _CAPITALS.sub("A", _LETTERS.sub("a", text)))


def length(text: str) -> str:
    """Return a sentence's length in steps, as a word."""
    return f"length{min(len(text) // 20, 20)}"


CONTROLS: Mapping[str, Callable[[str], str]] = {
    "what stands before stops": seams,
    "shapes of the characters": shape,
    "length": length,
}


def control_scores(texts: Sequence[str], cites: Mask, train: Mask, name: str) -> Floats:
    """Train a control on some sentences and score all: (n,) float32."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    written = [CONTROLS[name](text) for text in texts]
    by_signs = name == "shapes of the characters"
    counts = CountVectorizer(
        analyzer="char" if by_signs else "word",
        ngram_range=(1, 3) if by_signs else (1, 2),
        token_pattern=None if by_signs else r"\S+",
        min_df=5,
        lowercase=False,
        binary=True,
    )
    matrix = counts.fit_transform(written)
    model = LogisticRegression(C=0.3, max_iter=200).fit(matrix[np.flatnonzero(train)], cites[train])
    return np.asarray(model.decision_function(matrix), np.float32)
