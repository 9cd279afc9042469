"""An index whose words must be learned, with NNSelect trained on it."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from recsys.app.cache import cache_folder
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.studies.citeomatic.negatives import Mining
from recsys.pipelines.studies.citeomatic.network_training import LoopOptions
from recsys.pipelines.studies.citeomatic.nnselect import (
    NNSelectOptions,
    SelectOptions,
    train_nnselect,
)
from tests.pipelines.small_index import write_small_split
from tests.pipelines.studies.citeomatic.many_words import papers_of_many_words

SELECT = NNSelectOptions(
    SelectOptions(dim=8, mining=Mining(depth=5, percentile=100)),
    LoopOptions(epochs=4, batch=32, patience=9, device="cpu"),
)


@dataclass(frozen=True, slots=True)
class Wordy:
    """An index with NNSelect, which no test may change; `copy` gives one to change."""

    index: Path
    split: Path

    def copy(self, folder: Path) -> Path:
        return Path(shutil.copytree(self.index, folder / "wordy.index"))


@pytest.fixture(scope="session")
def wordy(own_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Wordy:
    folder = tmp_path_factory.mktemp("wordy")
    lines = (
        json.dumps({**paper, "authors": [f"Ada {str(paper['id'])[:3]}"], "venue": "Forest Letters"})
        for paper in papers_of_many_words()
    )
    (folder / "papers.jsonl").write_text("\n".join(lines), encoding="utf-8")
    split = write_small_split(folder / "split.json")
    build([folder / "papers.jsonl"], folder / "index", BuildOptions(), cache=cache_folder())
    train_nnselect(folder / "index", split, SELECT)
    return Wordy(folder / "index", split)
