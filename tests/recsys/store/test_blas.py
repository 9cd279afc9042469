import json
import os
import subprocess
import sys

import pytest

from recsys.machine import VARIABLES, one_thread, start_on_one_thread

PROGRAM = """
import json
from recsys.machine import one_thread, start_on_one_thread
{before}
import numpy
from threadpoolctl import threadpool_info
def blas():
    return max(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")
outside = blas()
with one_thread():
    inside = blas()
print(json.dumps([outside, inside, blas()]))
"""


def threads(before: str, **variables: str) -> list[int]:
    """Count the threads of BLAS before, inside and behind the block, in a process of its own."""
    rest = {name: value for name, value in os.environ.items() if "THREADS" not in name}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(before=before)],
        capture_output=True,
        text=True,
        env=rest | variables,
        check=True,
    )
    found: list[int] = json.loads(done.stdout)
    return found


def test_products_run_on_one_thread_inside_the_block_only() -> None:
    outside, inside, behind = threads("", OPENBLAS_NUM_THREADS="2")
    assert inside == 1 and outside == behind


def test_numpy_starts_no_threads_when_it_is_asked_before() -> None:
    assert threads("start_on_one_thread()") == [1, 1, 1]


def test_the_users_own_choice_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    start_on_one_thread()
    assert [os.environ[name] for name in VARIABLES] == ["4", "1", "1"]
    with one_thread():
        pass  # The libraries were loaded long ago: they are asked, not the environment.
