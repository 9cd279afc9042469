"""A small index of invented papers, built and trained by the program itself."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from pipelines.build import BuildOptions, build
from pipelines.train_ranker import TrainOptions, train_ranker
from recsys.app.cache import cache_folder
from tests.pipelines.small_index import invented_papers, write_small_split

DRAFT = {
    "title": "Rivers and glaciers, measured again",
    "abstract": "We measure rivers with an instrument for glaciers.",
}


@dataclass(frozen=True, slots=True)
class Built:
    """papers, split: files. index: with rankers of its own, with and without metadata."""

    papers: Path
    split: Path
    index: Path

    def copy(self, folder: Path) -> Path:
        """Copy the index to where a test may damage it."""
        return Path(shutil.copytree(self.index, folder / "small.index"))


def write_papers(path: Path) -> Path:
    """Write the invented papers as JSON lines."""
    lines = (json.dumps(paper) for paper in invented_papers())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def build_small(folder: Path) -> Built:
    """Build and train below a folder: some seconds."""
    papers = write_papers(folder / "papers.jsonl")
    split = write_small_split(folder / "split.json")
    index = folder / "small.index"
    build(papers, index, BuildOptions(), cache=cache_folder())
    for metadata in (True, False):
        train_ranker(index, split, TrainOptions(metadata=metadata))
    return Built(papers, split, index)
