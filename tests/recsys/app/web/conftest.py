"""The small index, served, and what may be left of reading a stranger's files: nothing."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.built_index import Built
from tests.recsys.app.web.served import serving, settings_of


@pytest.fixture(scope="module")
def client(built: Built) -> Iterator[TestClient]:
    """Ask the small index; its counters are shown."""
    with serving(settings_of(built.index, metrics=True)) as client:
        yield client


@pytest.fixture
def nothing_is_left() -> Iterator[None]:
    """Check that no process, descriptor or thread is left by what a test reads."""
    descriptors, threads = set(os.listdir("/proc/self/fd")), threading.active_count()
    others = children()  # Of tests before, such as multiprocessing's own.
    yield
    assert len(set(os.listdir("/proc/self/fd")) - descriptors) <= 1  # Of the listing itself.
    assert threading.active_count() == threads
    assert children() == others


def children() -> list[str]:
    """Name the processes that this one has started and that are there."""
    tasks = Path("/proc/self/task").glob("*/children")
    return [child for task in tasks for child in task.read_text().split()]
