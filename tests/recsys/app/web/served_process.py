"""The program that serves, as a process."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.built_index import ROOT

_ADDRESS = re.compile(r"on (http://\S+) - ")


@contextmanager
def started(*words: object) -> "Iterator[tuple[subprocess.Popen[str], str]]":
    """Start `recsys serve` on a free port: the process, and the address that it prints."""
    command = [sys.executable, "-m", "tests.run_recsys", "serve", "--port", "0", *map(str, words)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        match = _ADDRESS.search(line)
        assert match, line + process.stderr.read()
        yield process, match[1]
    finally:
        process.kill()
        process.communicate()
