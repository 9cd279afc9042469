"""A slice of every torture, in one process: the whole of it is `make torture`."""

import re
import subprocess
import sys

import pytest

from tests.built_index import ROOT
from tests.rows import THOROUGH, each_row
from tests.torture.table import TORTURES, chosen
from tests.torture.verdicts import FAILURES

SHARE = 0.001 if THOROUGH else 0.0001
"""Of the trials of the whole."""


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Run a slice of each torture, and take its line."""
    out = tmp_path_factory.mktemp("failures")
    # Tortures fork, and the process of the tests has threads by now.
    command = [sys.executable, "-m", "tests.torture", "--share", str(SHARE), "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    assert bool(list(out.iterdir())) == bool(done.returncode), done.stderr
    return {line.partition(":")[0]: line for line in done.stdout.splitlines()}


@each_row("name", TORTURES)
def test_a_slice_of_a_torture_does_no_harm(name: str, lines: dict[str, str]) -> None:
    line = lines[name]
    found = {kind: int(re.findall(rf"(\d+) {kind}\b", line)[0]) for kind in FAILURES}
    assert {kind: n for kind, n in found.items() if n} == {}, line
    trials = int(re.findall(r": ([\d,]+) ", line)[0].replace(",", ""))
    assert trials >= max(1, round(SHARE * TORTURES[name].count)), line


def test_an_unknown_torture_is_refused() -> None:
    with pytest.raises(SystemExit, match="no torture 'tickle'; there are kills, corruptions"):
        chosen(["tickle"])
