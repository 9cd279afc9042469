"""A small index of invented papers, built and trained by the program itself."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from recsys.app.cache import cache_folder
from recsys.pipelines.index.build import STAGES, BuildOptions, build
from recsys.pipelines.jobs.index_writer import members_of, writing
from recsys.pipelines.ranking.train_ranker import TrainOptions, train_ranker
from recsys.store.artifacts import INDEX_KIND, INDEX_SCHEMA, load_manifest, sha256
from recsys.store.generations import pin
from tests.pipelines.small_index import invented_papers, write_small_split

DRAFT = {
    "title": "Rivers and glaciers, measured again",
    "abstract": "We measure rivers with an instrument for glaciers.",
}

MANY = 1100
"""Papers in the file that is encoded in several shards."""
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Built:
    """papers, split: files. index: with rankers of its own, with and without metadata."""

    papers: Path
    split: Path
    index: Path

    def copy(self, folder: Path) -> Path:
        """Copy the index to where a test may damage it."""
        return Path(shutil.copytree(self.index, folder / "small.index"))

    def without_models(self, folder: Path) -> Path:
        """Copy the index as it was before its rankers were trained."""
        index = self.copy(folder)
        with writing(index) as writer, pin(index) as base:
            built = {name: path for name, path in members_of(base).items() if name in STAGES}
            writer.commit(built, load_manifest(base, INDEX_KIND, INDEX_SCHEMA).config)
        return index


def write_papers(path: Path) -> Path:
    """Write the invented papers as JSON lines."""
    lines = (json.dumps(paper) for paper in invented_papers())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def built_in(folder: Path) -> Built:
    """Name what `build_small` has made in a folder."""
    return Built(folder / "papers.jsonl", folder / "split.json", folder / "small.index")


def build_small(folder: Path) -> Built:
    """Build and train below a folder: some seconds."""
    made = built_in(folder)
    write_papers(made.papers)
    write_small_split(made.split)
    build([made.papers], made.index, BuildOptions(), cache=cache_folder())
    for metadata in (True, False):
        train_ranker(made.index, made.split, TrainOptions(metadata=metadata))
    return made


def write_many(path: Path, papers: int = MANY) -> Path:
    """Write papers enough for several shards of vectors; titles only, to be quick."""
    lines = (
        json.dumps(
            {"id": f"p{i:04}", "title": f"Note {i % 40} on {i // 40}", "year": 2000 + i % 20}
        )
        for i in range(papers)
    )
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def hashes(folder: Path) -> dict[str, str]:
    """Hash all files of a folder, by their names in it."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path) for path in files}


def finished_shards(partial: Path) -> list[int]:
    """Read which shards of vectors a build has noted as finished."""
    try:
        notes = json.loads((partial / "vectors.shards" / "vectors.json").read_text())
    except FileNotFoundError:
        return []
    shards: list[int] = notes["finished"]
    return shards


def stopped(
    number: signal.Signals, arguments: tuple[object, ...], *, when: Callable[[], bool]
) -> tuple[int, str]:
    """Start `recsys` in a process of its own, send it a signal: its exit code and stderr."""
    command = [sys.executable, "-m", "tests.run_recsys", *map(str, arguments)]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 60
    while not when() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    process.send_signal(number)
    return process.wait(timeout=60), process.communicate()[1]
