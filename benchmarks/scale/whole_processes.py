"""Whole processes of two versions, taking turns: an answer from the shell, and bulk encoding."""

import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.bench import recsys_program, run_module, run_program
from benchmarks.scale.checkouts import code_of, run_with
from recsys.store.blas import VARIABLES

ROUNDS = 9
DRAFT = Path("examples/draft.json")
ENCODED = 200
"""Papers that are encoded, in every way."""


def measure_start(versions: Mapping[str, tuple[Path, Path]], draft: Path = DRAFT) -> dict[str, Any]:
    """Run `recsys recommend` of each version by turns, and the floor that no version gets below.

    Args:
        versions: checkout and index of each; the floor is that of the last one's models.
        draft: what is asked.

    Returns:
        Median CPU seconds, and how many times the floor they are.
    """
    taken: dict[str, list[float]] = {name: [] for name in versions}
    for turn in range(ROUNDS + 1):  # The first turn warms the disk cache and compiles modules.
        for name, (checkout, index) in versions.items():
            asked: list[str | Path] = ["recommend", draft, "--index", index, "--quiet", "-k", "20"]
            one = dict.fromkeys(VARIABLES, "1")
            cost = run_program([recsys_program(), *asked], env=one | code_of(checkout))
            if turn:
                taken[name].append(cost.cpu_seconds)
    _, index = list(versions.values())[-1]
    floor = run_module("benchmarks.start_floor", index)["cpu_seconds"]["floor"]
    seconds = {name: statistics.median(each) for name, each in taken.items()}
    return {
        "cpu_seconds": seconds | {"floor": floor},
        "floors": {name: each / floor for name, each in seconds.items()},
    }


def measure_encoding(versions: Mapping[str, Path], corpus: Path) -> dict[str, Any]:
    """Compare the encoders of each version with sentence_transformers, by the same program.

    Args:
        versions: the checkout of each.
        corpus: the corpus folder of a built index that all of them read.
    """
    options = ("--papers", str(ENCODED), "--threads", "1")
    return {
        name: run_with(checkout, "encoding", corpus, *options)
        for name, checkout in versions.items()
    }
