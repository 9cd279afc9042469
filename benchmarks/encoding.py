"""Bulk encoding: sentence_transformers against the exported f32 and int8 encoders.

Run as `python -m benchmarks.encoding CORPUS_FOLDER --papers 1500`; JSON on stdout. All
encode the same texts with the same number of threads, taking turns, so that a busy machine slows
all of them. `wall` and `cpu` are texts per second (of one processor, for `cpu`, which also pays
for threads that wait busily for each other). The library sorts texts by length and is measured at
several batch sizes; every ratio is to its best one by that clock. What the products of matrices
alone would take of the f32 encoder, of all that it does, no exact encoder gets below.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from recsys.models.encoder import MODEL, OnnxEncoder, Text
from recsys.pipelines.encoders.checkpoints import MINILM, minilm_folder
from recsys.pipelines.encoders.export_encoder import export_encoder
from recsys.pipelines.index.paper_rows import read_texts
from recsys.store.corpus import Corpus

SIZES = (8, 16, 32, 64, 128)
"""The library's batch sizes; 32 is its default."""
PROFILED = 50
"""Texts that are encoded while ONNX Runtime notes what each operator takes."""
LIBRARY = "sentence_transformers"
F32, PRODUCTS = "recsys f32", "recsys f32, products of matrices alone"

System: TypeAlias = Callable[[Sequence[Text]], Any]
Seconds: TypeAlias = tuple[float, float]


def measure(texts: Sequence[Text], *, threads: int, rounds: int) -> dict[str, Any]:
    """Measure every system on the same texts: texts per second and ratios to the library."""
    with tempfile.TemporaryDirectory() as folder:
        systems = _systems(Path(folder), threads)
        for system in systems.values():
            system(texts[:32])
        taken: dict[str, list[Seconds]] = {name: [] for name in systems}
        for turn in range(rounds):
            names = list(systems) if turn % 2 == 0 else list(reversed(systems))
            for name in names:
                taken[name].append(_time(partial(systems[name], texts)))
        share = share_of_products(Path(folder) / "f32", texts[:PROFILED])
    rates = {name: _rates(seconds, len(texts)) for name, seconds in taken.items()}
    rates[PRODUCTS] = {clock: round(rate / share, 1) for clock, rate in rates[F32].items()}
    facts = {"texts": len(texts), "threads": threads, "rounds": rounds}
    return facts | {"texts_per_second": rates, "ratio": _ratios(rates)}


def share_of_products(encoder: Path, texts: Sequence[Text]) -> float:
    """Tell which share of an f32 encoder's time its products with weights take, on one thread.

    Those within attention are not counted: they are part of a fused operator.
    """
    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(folder) / "profile")
        session = onnxruntime.InferenceSession(
            str(encoder / MODEL), options, providers=["CPUExecutionProvider"]
        )
        replace(OnnxEncoder.load(encoder, threads=1), session=session).encode(texts)
        return _share(json.loads(Path(session.end_profiling()).read_text(encoding="utf-8")))


def _share(events: Sequence[Mapping[str, Any]]) -> float:
    """Divide the time of products by that of all operators of a profile."""
    run = [each for each in events if each.get("name", "").endswith("_kernel_time")]
    products = sum(each["dur"] for each in run if each["args"]["op_name"] == "MatMul")
    return float(products / sum(each["dur"] for each in run))


def sample(corpus: Corpus, papers: int, rng: np.random.Generator) -> list[Text]:
    """Draw papers' texts, without replacement."""
    rows = rng.choice(len(corpus), min(papers, len(corpus)), replace=False)
    wanted = set(rows.tolist())
    texts = (text for shard in read_texts(corpus, 4096) for text in shard)
    return [text for row, text in enumerate(texts) if row in wanted]


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, measure, and write JSON to stdout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, help="a corpus folder of a built index")
    parser.add_argument("--papers", type=int, default=200)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    texts = sample(Corpus.load(given.corpus), given.papers, np.random.default_rng(0))
    json.dump(measure(texts, threads=given.threads, rounds=given.rounds), sys.stdout, indent=1)


def _systems(folder: Path, threads: int) -> dict[str, System]:
    import torch
    import transformers
    from sentence_transformers import SentenceTransformer

    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call] # untyped
    torch.set_num_threads(threads)
    model = SentenceTransformer(str(minilm_folder()), device="cpu")

    def library(texts: Sequence[Text], size: int) -> object:
        joined = [". ".join(part for part in text if part) for text in texts]
        return model.encode(joined, batch_size=size, show_progress_bar=False)

    systems: dict[str, System] = {
        f"{LIBRARY}, batch {size}": partial(library, size=size) for size in SIZES
    }
    for precision in ("f32", "int8"):
        path = export_encoder(MINILM, folder / precision, precision=precision)
        systems[f"recsys {precision}"] = OnnxEncoder.load(path, threads=threads).encode
    return systems


def _time(work: Callable[[], object]) -> Seconds:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def _rates(seconds: Sequence[Seconds], texts: int) -> dict[str, float]:
    wall, cpu = (statistics.median(column) for column in zip(*seconds, strict=True))
    return {"wall": round(texts / wall, 1), "cpu": round(texts / cpu, 1)}


def _ratios(rates: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Divide by the best rate of the library, each clock by its own."""
    peers = [rate for name, rate in rates.items() if name.startswith(LIBRARY)]
    best = {clock: max(rate[clock] for rate in peers) for clock in peers[0]}
    return {
        name: {clock: round(rate[clock] / best[clock], 2) for clock in best}
        for name, rate in rates.items()
    }


if __name__ == "__main__":
    main()
