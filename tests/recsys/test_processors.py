"""The processors of this process: those it may use, wherever it runs."""

import ast
import os
from pathlib import Path

import pytest

from recsys.machine import processors

ROOT = Path(__file__).parents[2]
COUNTING = {"sched_getaffinity", "cpu_count", "process_cpu_count"}


def test_only_the_processors_that_the_process_may_use_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert 1 <= processors() <= (os.cpu_count() or 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {2, 5}, raising=False)
    assert processors() == 2


@pytest.mark.parametrize(("counted", "expected"), [(6, 6), (None, 1)])
def test_systems_without_affinity_count_all(
    counted: int | None, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.delattr(os, "process_cpu_count", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: counted)
    assert processors() == expected
    monkeypatch.setattr(os, "process_cpu_count", lambda: 3, raising=False)
    assert processors() == 3


def test_processors_are_counted_in_one_place() -> None:
    counting = {
        path.relative_to(ROOT).as_posix()
        for package in ("recsys", "pipelines", "indexes", "eval")
        for path in (ROOT / package).rglob("*.py")
        if any(name in (text := path.read_text(encoding="utf-8")) for name in COUNTING)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and node.attr in COUNTING
    }
    assert counting == {"recsys/machine.py"}
