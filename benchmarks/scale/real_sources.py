"""The real papers out of which corpora are made: their texts, vectors and neighbours."""

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import InputError
from recsys.formats.bodies.sentence_splitting import sentences
from recsys.models.encoder import Text
from recsys.progress import Progress, silent
from recsys.protocols import Encoder
from recsys.store.arrays import Floats, Rows, load_array
from recsys.store.artifacts import fingerprint

NEAR = 32
"""Neighbours of a real paper that its sentences are mixed with."""
SHORTEST = 30
"""Words of an abstract that is worth taking apart."""
_AT_ONCE = 512
_JOINTS = frozenset("of for in with on from to by using via at as through and".split())


@dataclass(frozen=True, slots=True)
class RealPapers:
    """Real papers with an abstract, taken apart.

    titles: both halves of each title. abstracts: the sentences of each. venues: that of each paper.
    vectors: (m, d) float32, L2-normalised. near: (m, NEAR) int32, the closest others, best first.
    common_venues: of all papers, also those without an abstract, most frequent first.
    """

    titles: tuple[tuple[str, str], ...]
    abstracts: tuple[tuple[str, ...], ...]
    venues: tuple[str, ...]
    vectors: Floats
    near: Rows
    common_venues: tuple[str, ...]

    def __len__(self) -> int:
        """Count the papers."""
        return len(self.titles)


def read_real(
    data: Path, cache: Path, encoder: Encoder, *, progress: Progress = silent
) -> RealPapers:
    """Read the papers of all corpora below a folder; encode them, or take what the cache holds.

    Args:
        data: one folder per corpus, with papers.jsonl.gz.
        cache: where vectors and neighbours are kept.
        encoder: of the texts.
        progress: told about encoding.

    Raises:
        InputError: there are too few papers with abstracts.
    """
    every = [paper for path in sorted(data.glob("*/papers.jsonl.gz")) for paper in _papers(path)]
    papers = [paper for paper in every if len((paper.get("abstract") or "").split()) >= SHORTEST]
    if len(papers) <= NEAR:
        raise InputError(
            f"{data} holds {len(papers)} papers with an abstract of {SHORTEST} words or more.",
            "Give a folder of corpus folders, each with a papers.jsonl.gz.",
        )
    counted = Counter(venue for paper in every if (venue := paper.get("venue")))
    texts = [(paper["title"], paper["abstract"]) for paper in papers]
    key = fingerprint([encoder.fingerprint, texts])
    cache.mkdir(parents=True, exist_ok=True)
    vectors = _kept(cache / f"real-{key}.npy", lambda: _encode(encoder, texts, progress))
    return RealPapers(
        titles=tuple(halves(paper["title"]) for paper in papers),
        abstracts=tuple(tuple(sentences(paper["abstract"])) for paper in papers),
        venues=tuple(paper.get("venue") or "" for paper in papers),
        vectors=vectors,
        near=_kept(cache / f"near-{key}.npy", lambda: nearest(vectors, NEAR)),
        common_venues=tuple(venue for venue, _ in counted.most_common()),
    )


def halves(title: str) -> tuple[str, str]:
    """Cut a title before the small word that is closest to its middle, or else in the middle."""
    words = title.split()
    middle = (len(words) + 1) // 2
    joints = [at for at, word in enumerate(words) if at and word.lower() in _JOINTS]
    cut = min(joints, key=lambda at: abs(at - middle), default=middle)
    return " ".join(words[:cut]), " ".join(words[cut:])


def nearest(vectors: Floats, k: int) -> Rows:
    """Find the k other rows closest to each, best first: (n, k) int32. O(n^2)."""
    found = np.empty((len(vectors), k), np.int32)
    for begin in range(0, len(vectors), _AT_ONCE):
        cosines = vectors[begin : begin + _AT_ONCE] @ vectors.T
        own = np.arange(len(cosines))
        cosines[own, begin + own] = -np.inf
        best = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        order = np.argsort(-np.take_along_axis(cosines, best, axis=1), axis=1, kind="stable")
        found[begin : begin + _AT_ONCE] = np.take_along_axis(best, order, axis=1)
    return found


def _papers(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())


def _encode(encoder: Encoder, texts: Sequence[Text], progress: Progress) -> Floats:
    vectors = np.empty((len(texts), encoder.dim), np.float32)
    for begin in range(0, len(texts), _AT_ONCE):
        some = texts[begin : begin + _AT_ONCE]
        vectors[begin : begin + _AT_ONCE] = encoder.encode(some)
        progress("encode real papers", begin + len(some), len(texts))
    return vectors


def _kept(path: Path, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - Floats or Rows.
    if not path.is_file():
        temporary = path.with_suffix(".unfinished.npy")
        np.save(temporary, make())
        temporary.replace(path)
    return load_array(path)
