"""Which places of a draft lack a citation: those that are marked, then those that need one."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from recsys.passages import Gap, Sentence
from recsys.protocols import Encoder
from recsys.store.arrays import Floats

_STOPS = ".!?:;"


class Needs(Protocol):
    """Judges which sentences need a citation."""

    def probabilities(self, sentences: Sequence[Sentence], vectors: Floats) -> Floats:
        """Return the chance that each sentence of a draft needs a citation: (n,) float32.

        vectors: (n, d) float32, of the sentences.
        """
        ...

    def threshold(self, sentences: Sequence[Sentence]) -> float:
        """Return the chance from which on a sentence of this draft is worth a look."""
        ...

    def may_be_flagged(self, sentence: Sentence) -> bool:
        """Tell whether a sentence could lack a citation at all."""
        ...


def marked(sentences: Sequence[Sentence]) -> tuple[Gap, ...]:
    """Return the places that the author marked, in the order of the text."""
    return tuple(
        Gap(sentence, mark.at, mark)
        for sentence in sentences
        for mark in sentence.marks
        if mark.gap
    )


def unmarked(
    needs: Needs, encoder: Encoder, sentences: Sequence[Sentence], most: int
) -> tuple[Gap, ...]:
    """Return the sentences that most likely need a citation and have none, the likeliest first.

    most: how many at most.
    """
    if most < 1 or not sentences:
        return ()
    vectors = encoder.encode([(each.text, None) for each in sentences])
    chances = needs.probabilities(sentences, vectors)
    least = needs.threshold(sentences)
    likely = [
        place
        for place in np.argsort(-chances, kind="stable").tolist()
        if chances[place] >= least and needs.may_be_flagged(sentences[place])
    ]
    return tuple(
        Gap(sentences[place], end_of(sentences[place]), None, float(chances[place]))
        for place in likely[:most]
    )


def end_of(sentence: Sentence) -> int:
    """Return where a citation would stand at the end of a sentence: before its full stop."""
    text = sentence.text.rstrip()
    return len(text) - 1 if text.endswith(tuple(_STOPS)) else len(text)
