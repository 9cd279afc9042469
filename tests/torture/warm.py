"""Import what children will need, once, before they are forked.

Only imports: whatever computes may start threads, which a fork would lose with their locks held.
"""

import importlib
import multiprocessing
import os
from types import SimpleNamespace

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

MODULES = (
    "annoy",
    "asyncio",
    "recsys.eval.judge_runs",
    "filelock",
    "recsys.indexes.annoy_index",
    "recsys.indexes.int8_index",
    "recsys.indexes.ivf_index",
    "lightgbm",
    "onnx.checker",
    "onnxruntime",
    "recsys.pipelines.evaluation.evaluate",
    "recsys.pipelines.index.build",
    "recsys.pipelines.ranking.train_ranker",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "recsys.app.inspection",
    "recsys.app.wiring",
    "recsys.formats.drafts.objects",
    "recsys.formats.drafts.plain",
    "recsys.formats.papers.paper_formats",
    "recsys.public",
    "rich.progress",
    "safetensors.numpy",
    "scipy.stats",
    "threadpoolctl",
    "tokenizers",
)
"""What opening, answering, building, training, asking in bulk and evaluating import in the end."""


def warm() -> None:
    """Import all of it, let libraries compute on one thread, and wait for no disk.

    A kill loses nothing that the system has been given; to wait takes half of the time.
    """
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    vars(os)["fsync"] = lambda descriptor: None
    for name in MODULES:
        importlib.import_module(name)


def fork_workers() -> None:
    """Let a job of this process fork its workers instead of spawning them: a second each.

    Only for children: their workers inherit no threads, and are killed with their group.
    """
    from recsys.pipelines.jobs import engines as workers

    context = multiprocessing.get_context("fork")
    vars(workers)["multiprocessing"] = SimpleNamespace(get_context=lambda method: context)
