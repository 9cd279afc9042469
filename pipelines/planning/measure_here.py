"""Measure this machine in about a minute: how many times as long it takes as that of the results.

It builds and asks an index of NEAR made papers, as the results were measured at that size, and
encodes some of their texts. What is compared are CPU seconds of one thread.
"""

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scale.checkouts import HERE, run_with
from benchmarks.scale.made_corpus import DRAFTS, PAPERS, VECTORS, make_corpus
from benchmarks.scale.real_sources import RealPapers, halves, nearest
from benchmarks.scale.scale_figures import AFTER
from recsys.formats.bodies.sentence_splitting import sentences
from recsys.models.encoder import OnnxEncoder, Text
from recsys.pipelines.encoders.checkpoints import MINILM
from recsys.pipelines.encoders.export_encoder import cached_encoder
from recsys.pipelines.planning.measured_rates import NEAR, RATES, Rate, speed_of
from recsys.progress import Progress, silent
from recsys.protocols import Encoder

TEXTS, WARM_UP = 200, 8
WORDS = 150
"""Words of an abstract, as those of real corpora have in the middle."""
STAGE = "measure this machine"
_STEPS = 5
_NEIGHBOURS = 32


def measured_here(
    known: Mapping[str, Rate],
    source: Path,
    cache: Path,
    *,
    papers: int = NEAR,
    progress: Progress = silent,
) -> dict[str, Rate]:
    """Return the rates with what this machine takes, as a multiple of what the other one took.

    Args:
        known: rates of the results.
        source: JSON lines of papers, of whose texts others are made.
        cache: where exported encoders are kept.
        papers: how many are made. Fewer than NEAR are no fair comparison.
        progress: told about the steps.
    """
    encoder = OnnxEncoder.load(cached_encoder(MINILM, cache), threads=1)
    figures = figures_here(long_texts(source), encoder, papers, progress)
    found = {}
    for name, rate in known.items():
        times = None if rate.near is None else times_of(name, rate.near, figures, papers)
        found[name] = replace(rate, times=times)
    return found


def times_of(name: str, near: float, figures: Mapping[str, Any], papers: int) -> float:
    """Compare what tells the speed of a machine for a rate: measured here, and of the results."""
    return speed_of(figures, RATES[name], papers) / near


def figures_here(
    texts: Sequence[Text], encoder: Encoder, papers: int, progress: Progress
) -> dict[str, Any]:
    """Measure building, answering and encoding; the figures have the shape of the results'."""
    progress(STAGE, 0, _STEPS)
    vectors, taken = _encoded(encoder, texts)
    progress(STAGE, 1, _STEPS)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        make_corpus(_real(texts, vectors), papers, work)
        progress(STAGE, 2, _STEPS)
        index = work / "made.index"
        built = run_with(HERE, "scale.build_costs", work / PAPERS, work / VECTORS, index)
        progress(STAGE, 3, _STEPS)
        answered = run_with(HERE, "scale.answer_costs", index, work / DRAFTS)
    progress(STAGE, _STEPS, _STEPS)
    rate = {"recsys int8": {"cpu": len(texts) / taken}}
    sizes = {str(papers): {"build": {AFTER: built}, "answers": {AFTER: answered}}}
    return {"sizes": sizes, "encoding": {AFTER: {"texts_per_second": rate}}}


def long_texts(source: Path) -> list[Text]:
    """Make texts of a common length: abstracts that are too short get those of the next papers."""
    with source.open(encoding="utf-8") as file:
        told = [paper for line in file if (paper := json.loads(line)).get("abstract")]
    made: list[Text] = []
    for at, paper in enumerate(told[:TEXTS]):
        words: list[str] = []
        while len(words) < WORDS:
            words += told[at % len(told)]["abstract"].split()
            at += 1
        made.append((paper["title"], " ".join(words)))
    return made


def _encoded(encoder: Encoder, texts: Sequence[Text]) -> tuple[Any, float]:
    encoder.encode(texts[:WARM_UP])
    begun = time.process_time()
    vectors = encoder.encode(texts)
    return vectors, time.process_time() - begun


def _real(texts: Sequence[Text], vectors: Any) -> RealPapers:  # noqa: ANN401 - an array.
    near = nearest(np.ascontiguousarray(vectors), min(_NEIGHBOURS, len(texts) - 1))
    return RealPapers(
        titles=tuple(halves(title) for title, _ in texts),
        abstracts=tuple(tuple(sentences(abstract or "")) for _, abstract in texts),
        venues=("",) * len(texts),
        vectors=vectors,
        near=near,
        common_venues=("Proceedings", "Journal"),
    )
