"""A small made corpus, for what measures on one."""

import pytest

import recsys.pipelines.index.build as building
from benchmarks.bench import PAPERS
from benchmarks.made_corpus import VECTORS, make_corpus, read_real
from benchmarks.timed_programs import build
from tests.benchmarks.small_real import Made, write_real
from tests.hashing_encoder import HashingEncoder

SIZE, LATER = 600, 40


@pytest.fixture(scope="package")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("scale")
    real = read_real(write_real(folder / "data"), folder / "cache", HashingEncoder())
    make_corpus(real, SIZE, folder, later=LATER)
    index = folder / "made.index"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "STAGES", building.STAGES)  # The program wraps them for good.
        costs = build(str(folder / PAPERS), str(folder / VECTORS), str(index), "exact")
    return Made(folder, index, costs, SIZE, LATER)
