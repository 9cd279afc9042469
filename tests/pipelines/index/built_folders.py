"""Build small indexes, and look at what lies in their folders."""

import json
from collections.abc import Mapping
from pathlib import Path

from recsys.app.cache import cache_folder
from recsys.pipelines.index.build import STAGES, BuildOptions, BuildReport, build
from recsys.protocols import Progress, silent
from recsys.store.artifacts import sha256
from recsys.store.generations import in_force
from tests.pipelines.small_index import invented_papers


def build_in(
    out: Path, papers: Path, *, force: bool = False, progress: Progress = silent
) -> BuildReport:
    return build([papers], out, BuildOptions(force=force), cache=cache_folder(), progress=progress)


def hashes(index: Path) -> Mapping[str, str]:
    """Hash every file that a build makes, by name."""
    folder = in_force(index)
    return {
        path.relative_to(folder).as_posix(): sha256(path)
        for part in STAGES
        for path in sorted((folder / part).rglob("*"))
        if path.is_file()
    }


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_others(folder: Path) -> Path:
    """Write a file of other papers than those of the index that all tests share."""
    path = folder / "others.jsonl"
    path.write_text("".join(json.dumps(paper) + "\n" for paper in invented_papers()[:9]))
    return path
