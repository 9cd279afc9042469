"""Give every reader mutated files: only errors of recsys may come out, soon, in bounded memory.

Bytes of valid files are changed at random, the way that fuzzers do.
"""

import base64
import json
import mmap
import signal
import struct
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from recsys.errors import RecsysError
from tests.torture.children import CRASH, FOREIGN, HANG, HANGS, MEMORY, OK, done, in_child
from tests.torture.readers import READERS, samples_of
from tests.torture.runner import Case, Failure, Torture, Verdict
from tests.torture.small_world import copy_small_world

BATCH = 250
"""Inputs that one process reads."""
SAMPLES = "samples.json"
MOST_FAILURES = 5
"""Failures of a batch that are told; all are counted."""


T = TypeVar("T")
LONGEST = 20_000
"""Bytes of an input: what is nested or long is bounded by tests of their own."""


_SIGNS: Sequence[bytes] = tuple(bytes([sign]) for sign in (0, 255, 10, 34, 92, 123, 48, 128))
_NUMBERS = (
    *(b"-1", b"0", b"99999999999999999999", b"1e999", b"NaN", b"-Infinity", b"0x10", b"1.5"),
    *(b"2147483648", b"-9223372036854775809", "٣".encode(), b"1" * 5_000),
)
_UPSETTING = (
    *(b"\0", b"\r", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\\ud800", b"\xc3\x28"),
    *(b"null", b"true", b"[]", b"{}", b'""', b"[", b"{", b'"', b",", b":", b"\t", b"\x1b[31m"),
    *("\u202e".encode(), "\u2028".encode(), "İ".encode(), "ﬁ".encode(), "\U0001f600".encode()),
)


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

    def one(self, choices: Sequence[T]) -> T:
        """Draw one of several."""
        return choices[self.below(len(choices))]


def mutated(samples: Sequence[bytes], source: Source) -> bytes:
    """Draw a sample and change it one to six times."""
    raw = source.one(samples)
    for _ in range(1 + source.below(6)):
        raw = source.one(MUTATIONS)(raw, source)
    return raw[:LONGEST]


def _flip(raw: bytes, source: Source) -> bytes:
    data = bytearray(raw)
    for _ in range(1 + source.below(4) if data else 0):
        data[source.below(len(data))] ^= 1 << source.below(8)
    return bytes(data)


def _cut_out(raw: bytes, source: Source) -> bytes:
    at = source.below(len(raw))
    return raw[:at] + raw[at + 1 + source.below(40) :]


def _double(raw: bytes, source: Source) -> bytes:
    at = source.below(len(raw))
    part = raw[at : at + 1 + source.below(60)]
    return raw[:at] + part * (2 + source.below(20)) + raw[at:]


def _splice(raw: bytes, source: Source) -> bytes:
    other, at = source.one(source.others), source.below(len(raw))
    return raw[:at] + other[source.below(len(other)) :]


def _swap_lines(raw: bytes, source: Source) -> bytes:
    lines = raw.split(b"\n")
    one, two = source.below(len(lines)), source.below(len(lines))
    lines[one], lines[two] = lines[two], lines[one]
    return b"\n".join(lines)


def _insert_word(raw: bytes, source: Source) -> bytes:
    """Insert a word of the format, or one that upsets most of them."""
    at, word = source.below(len(raw) + 1), source.one((*source.words, *_UPSETTING))
    return raw[:at] + word * (1 + source.below(3) ** 4) + raw[at:]


def _insert_noise(raw: bytes, source: Source) -> bytes:
    at = source.below(len(raw) + 1)
    return raw[:at] + source.rng.bytes(1 + source.below(30)) + raw[at:]


def _replace(raw: bytes, source: Source, places: Sequence[int], by: Sequence[bytes]) -> bytes:
    if not places:
        return raw
    at = source.one(places)
    return raw[:at] + source.one(by) + raw[at + 1 :]


MUTATIONS: Sequence[Callable[[bytes, Source], bytes]] = (
    _flip,
    lambda raw, source: _replace(raw, source, range(len(raw)), _SIGNS),
    lambda raw, source: raw[: source.below(len(raw))],
    _cut_out,
    _double,
    _splice,
    _swap_lines,
    _insert_word,
    _insert_word,
    _insert_noise,
    # A number that few expect, in the place of one that is there.
    lambda raw, source: _replace(
        raw, source, [at for at, byte in enumerate(raw) if 48 <= byte <= 57], _NUMBERS
    ),
)


def prepare(shared: Path, count: int) -> None:
    """Write the samples, and an index whose papers a split may name."""
    copy_small_world(shared)
    done(partial(_write, shared))


def _write(shared: Path) -> None:
    found = {
        name: [base64.b64encode(each).decode() for each in those]
        for name, those in samples_of(shared).items()
    }
    (shared / SAMPLES).write_text(json.dumps(found), encoding="utf-8")


def cases(shared: Path, count: int, seed: int) -> Iterator[Case]:
    """Share the inputs among the readers, in batches."""
    parts = sum(reader.share for reader in READERS.values())
    for name, reader in READERS.items():
        wanted = -(-count * reader.share // parts)
        for first in range(0, wanted, BATCH):
            number = min(BATCH, wanted - first)
            yield {"reader": name, "seed": seed, "first": first, "number": number}


def trial(shared: Path, own: Path, case: Case) -> Verdict:
    """Read a batch; what ends the process is a failure of one input, and the rest goes on."""
    counts: Counter[str] = Counter()
    failures: list[Failure] = []
    at, end = case["first"], case["first"] + case["number"]
    progress = mmap.mmap(-1, 8)
    while at < end:
        progress[:] = struct.pack("q", at)
        work = partial(_read_all, shared, own, case | {"first": at, "number": end - at}, progress)
        outcome = in_child(work, seconds=HANG * BATCH, memory=MEMORY)
        if outcome.kind == OK:
            counts.update(outcome.value["counts"])
            found = [tuple(each) for each in outcome.value["failures"]]
            at = end
        else:
            last = struct.unpack("q", progress[:])[0]
            counts["answered"] += last - at  # Or refused: the process took its tally with it.
            kind = outcome.kind if outcome.kind in (HANGS, FOREIGN) else CRASH
            if outcome.said == f"exit code {-signal.SIGPROF}":  # The alarm ended it.
                kind = HANGS
            found, at = [(last, kind, outcome.said)], last + 1
            counts[kind] += 1
        for number, kind, said in found:
            one = case | {"first": number, "number": 1}
            raw = input_of(_samples(shared), one, number)
            name = f"input{READERS[case['reader']].suffix}"
            failures.append(Failure(one, kind, said, {name: raw}))
    return Verdict(counts, tuple(failures))


def _read_all(shared: Path, own: Path, case: Case, progress: mmap.mmap) -> dict[str, Any]:
    """Read inputs one after the other; says how it went, and what failed."""
    reader, known = READERS[case["reader"]], _samples(shared)
    name = "manifest.json" if case["reader"] == "manifest" else f"input{reader.suffix}"
    counts: Counter[str] = Counter()
    failures: list[tuple[int, str, str]] = []
    for number in range(case["first"], case["first"] + case["number"]):
        progress[:] = struct.pack("q", number)
        (own / name).write_bytes(input_of(known, case, number))
        # Its default action ends the process: also one that is deep in a compiled library.
        signal.setitimer(signal.ITIMER_PROF, HANG)
        kind, said = "answered", ""
        try:
            reader.read(own / name, shared)
        except RecsysError as error:
            one_line = "\n" not in str(error) and len(str(error)) < 2_000
            kind = "refused" if one_line else "refused at length"
        except Exception as error:
            kind, said = FOREIGN, "".join(traceback.format_exception(error))[-4000:]
        signal.setitimer(signal.ITIMER_PROF, 0)
        counts[kind] += 1
        if said and len(failures) < MOST_FAILURES:
            failures.append((number, kind, said))
    return {"counts": counts, "failures": failures}


def input_of(known: dict[str, list[bytes]], case: Case, number: int) -> bytes:
    """Make an input again: it depends on the reader, the seed and its number only."""
    name = case["reader"]
    place = list(READERS).index(name)
    others = [each for those in known.values() for each in those]
    source = Source([case["seed"], place, number], others, READERS[name].words)
    return mutated(known[name], source)


def _samples(shared: Path) -> dict[str, list[bytes]]:
    held = json.loads((shared / SAMPLES).read_text(encoding="utf-8"))
    return {name: [base64.b64decode(each) for each in those] for name, those in held.items()}


FUZZ = Torture(
    name="fuzz",
    meaning="mutated files given to every reader",
    unit="inputs",
    count=200_000,
    prepare=prepare,
    cases=cases,
    trial=trial,
)
