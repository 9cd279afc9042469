"""Words and names that nobody uses: what makes the vocabulary of a made corpus grow."""

import numpy as np
from numpy.typing import NDArray

from recsys.store.arrays import Longs

_SYLLABLES = tuple(begin + vowel for begin in "bdfgklmnprstvwzh" for vowel in "aeiou")
_BASE = len(_SYLLABLES)
_SHORT = _BASE**3
# Coprime with the base, so that every number has a word of its own; neighbours look different.
_STRIDE = 190_979
_GIVEN, _FAMILIES = 3_000, 120_000
_MIXING = 2_654_435_761


def invented_word(number: int) -> str:
    """Write a number from 0 as a word of three syllables, or more; no two numbers share one."""
    size = _SHORT
    length = 3
    while number >= size:
        number -= size
        size *= _BASE
        length += 1
    mixed = number * _STRIDE % size
    letters = []
    for _ in range(length):
        mixed, digit = divmod(mixed, _BASE)
        letters.append(_SYLLABLES[digit])
    return "".join(letters)


def invented_author(number: int) -> str:
    """Name a person; family names are shared, and few of many are frequent."""
    mixed = number * _MIXING % (1 << 32)
    family = int(_FAMILIES * (mixed / (1 << 32)) ** 2)
    given = invented_word(_FAMILIES + number % _GIVEN)
    initial = chr(ord("A") + number // _GIVEN % 26)
    return f"{given.capitalize()} {initial}. {invented_word(family).capitalize()}"


def growing_choice(known: Longs | NDArray[np.float64], rng: np.random.Generator) -> Longs:
    """Choose one of so many known things each, the early ones most: (n,) int64.

    The density of place x falls as x^-1/2, so that few are frequent and most are rare.
    """
    chosen: Longs = (known * rng.random(len(known)) ** 2).astype(np.int64)
    return chosen
