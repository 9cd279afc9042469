"""An updated index answers as one that is built anew, whatever was done to it, and killed in it."""

import json
import subprocess
import sys
from collections.abc import Mapping

import pytest

from tests.built_index import ROOT


def checked(runs: int, steps: int, *, seconds: int) -> Mapping[str, int]:
    """Check the law in a process of its own: it forks, and that of the tests has threads by now."""
    command = [sys.executable, "-m", "tests.pipelines.index.check_update_law"]
    done = subprocess.run(
        [*command, str(runs), str(steps), "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert done.returncode == 0, done.stderr
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


def test_an_updated_index_is_as_a_rebuilt_one() -> None:
    counts = checked(2, 6, seconds=300)
    assert counts["steps"] >= 10 and counts["killed"]


@pytest.mark.slow  # 500 take hours: `python -m tests.pipelines.index.check_update_law 500 20 1`.
def test_updated_indexes_are_as_rebuilt_ones_after_many_steps() -> None:
    counts = checked(25, 20, seconds=800)
    assert counts["steps"] >= 400 and counts["killed"] > 25
