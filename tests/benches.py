"""Corpora whose indexes lie as they shall be, so that nothing is built."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.bench import Bench

if TYPE_CHECKING:
    from tests.built_index import Built


def built_already(bench: Bench, corpus: str, *, titles_only: bool = False) -> Path:
    """Stand in for `Bench.built`."""
    return bench.index(f"{corpus}-titles" if titles_only else corpus)


def write_corpora(built: "Built", folder: Path, *names: str) -> None:
    """Write corpora that are the same, but for their names: the split and the index of each."""
    for name in names:
        (folder / name).mkdir()
        shutil.copy(built.split, folder / name / "split.json")
        (folder / f"{name}.index").symlink_to(built.index)
