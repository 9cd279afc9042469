"""Change bytes of a valid file at random, the way that fuzzers do."""

from collections.abc import Callable, Sequence

import numpy as np

Mutation = Callable[[bytes, "Source"], bytes]
LONGEST = 20_000
"""Bytes of an input: what is nested or long is bounded by tests of their own."""


class Source:
    """Where mutations draw from: chance, other samples, the words of the format."""

    def __init__(
        self, seed: Sequence[int], others: Sequence[bytes], words: Sequence[bytes]
    ) -> None:
        self.rng = np.random.default_rng(seed)
        self.others, self.words = others, words

    def below(self, n: int) -> int:
        """Draw a number from 0 to n - 1; 0 where there is none."""
        return int(self.rng.integers(n)) if n > 0 else 0

    def word(self) -> bytes:
        """Draw a word of the format, or one that upsets most of them."""
        every = (*self.words, *_UPSETTING)
        return every[self.below(len(every))]


def mutated(samples: Sequence[bytes], source: Source) -> bytes:
    """Draw a sample and change it one to six times."""
    raw = samples[source.below(len(samples))]
    for _ in range(1 + source.below(6)):
        raw = MUTATIONS[source.below(len(MUTATIONS))](raw, source)
    return raw[:LONGEST]


def _flip(raw: bytes, source: Source) -> bytes:
    data = bytearray(raw)
    for _ in range(1 + source.below(4) if data else 0):
        data[source.below(len(data))] ^= 1 << source.below(8)
    return bytes(data)


def _set(raw: bytes, source: Source) -> bytes:
    data = bytearray(raw)
    if data:
        data[source.below(len(data))] = (0, 255, 10, 34, 92, 123, 48, 128)[source.below(8)]
    return bytes(data)


def _cut(raw: bytes, source: Source) -> bytes:
    return raw[: source.below(len(raw))]


def _drop(raw: bytes, source: Source) -> bytes:
    at = source.below(len(raw))
    return raw[:at] + raw[at + 1 + source.below(40) :]


def _double(raw: bytes, source: Source) -> bytes:
    at = source.below(len(raw))
    part = raw[at : at + 1 + source.below(60)]
    return raw[:at] + part * (2 + source.below(20)) + raw[at:]


def _splice(raw: bytes, source: Source) -> bytes:
    other = source.others[source.below(len(source.others))]
    at = source.below(len(raw))
    return raw[:at] + other[source.below(len(other)) :]


def _swap(raw: bytes, source: Source) -> bytes:
    lines = raw.split(b"\n")
    one, two = source.below(len(lines)), source.below(len(lines))
    lines[one], lines[two] = lines[two], lines[one]
    return b"\n".join(lines)


def _insert(raw: bytes, source: Source) -> bytes:
    at = source.below(len(raw) + 1)
    return raw[:at] + source.word() * (1 + source.below(3) ** 4) + raw[at:]


def _noise(raw: bytes, source: Source) -> bytes:
    at = source.below(len(raw) + 1)
    return raw[:at] + source.rng.bytes(1 + source.below(30)) + raw[at:]


def _number(raw: bytes, source: Source) -> bytes:
    """Put a number that few expect in the place of one that is there."""
    digits = [at for at, byte in enumerate(raw) if 48 <= byte <= 57]
    if not digits:
        return raw
    at = digits[source.below(len(digits))]
    return raw[:at] + _NUMBERS[source.below(len(_NUMBERS))] + raw[at + 1 :]


MUTATIONS: Sequence[Mutation] = (
    _flip,
    _set,
    _cut,
    _drop,
    _double,
    _splice,
    _swap,
    _insert,
    _insert,
    _noise,
    _number,
)
_NUMBERS = (
    *(b"-1", b"0", b"99999999999999999999", b"1e999", b"NaN", b"-Infinity", b"0x10", b"1.5"),
    *(b"2147483648", b"-9223372036854775809", "٣".encode(), b"1" * 5_000),
)
_UPSETTING = (
    *(b"\0", b"\r", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\\ud800", b"\xc3\x28"),
    *(b"null", b"true", b"[]", b"{}", b'""', b"[", b"{", b'"', b",", b":", b"\t", b"\x1b[31m"),
    *("\u202e".encode(), "\u2028".encode(), "İ".encode(), "ﬁ".encode(), "\U0001f600".encode()),
)
