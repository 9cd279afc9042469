import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.store.artifacts import seal

if TYPE_CHECKING:
    from tests.conftest import RunCli


@pytest.fixture
def artifact(tmp_path: Path) -> Path:
    """An index of one file with a ranker of one file inside it."""
    folder = tmp_path / "some.index"
    (folder / "ranker").mkdir(parents=True)
    (folder / "ranker" / "model.txt").write_bytes(b"trees")
    seal(folder / "ranker", "ranker", 3, {"features": ["cosine"]})
    (folder / "vectors.bin").write_bytes(b"1234567890")
    seal(folder, "index", 1, {"encoder": "minilm", "counts": {"papers": 7}})
    return folder


def test_inspect_shows_the_index_and_what_is_in_it(artifact: Path, run_cli: "RunCli") -> None:
    done = run_cli("inspect", artifact)
    assert (done.code, done.err) == (0, "")
    assert "index, schema 1, written by recsys" in done.out
    assert "counts   papers=7" in done.out
    assert "ranker, schema 3" in done.out


def test_people_are_told_of_long_lists_and_programs_get_them(
    tmp_path: Path, run_cli: "RunCli"
) -> None:
    names, scores = [f"feature-{number}" for number in range(1300)], [0.5 - n for n in range(40)]
    config = {"names": names, "curve": {"scores": scores}, "corpora": ["vis", "acl"]}
    seal(tmp_path, "ranker", 2, config)
    told = run_cli("inspect", tmp_path).out
    assert "names    1,300, from feature-0 to feature-1299\n" in told
    assert "curve    scores=40 numbers from -38.5 to 0.5\n" in told
    assert 'corpora  ["vis", "acl"]\n' in told
    value = json.loads(run_cli("inspect", tmp_path, "--format", "json").out)
    assert value["artifacts"][0]["config"] == config
