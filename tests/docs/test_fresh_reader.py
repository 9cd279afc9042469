"""Tasks of people who have read README or a tutorial and nothing else, in a fresh clone."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.docs.written_pages import MAKEFILE, PAGES, README, ROOT, lines, words_of

if TYPE_CHECKING:
    from tests.conftest import RunCli

pytestmark = pytest.mark.area("docs")

TASKS = {
    "You write a paper": {"new.bib": b"@", "map.html": b"<!doctype html>"},
    "Your group has a library": {"library.index/manifest.json": b"{"},
    "You measure recommenders": {
        "report/report.html": b"<!doctype html>",
        "report/figures/recall-by-k-column.pdf": b"%PDF",
        "table.tex": b"%",
    },
}
"""Heading of a task in README -> the files that its commands leave, and how they begin."""
TUTORIALS = sorted(page for page in PAGES if page.startswith("docs/tutorials/"))


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What of a fresh clone the commands name; nothing else is there."""
    folder = tmp_path / "clone"
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "recsys" / "data").mkdir(parents=True)
    shutil.copy(ROOT / "recsys" / "data" / "starter.jsonl", folder / "recsys" / "data")
    return folder


def commands(task: str) -> list[str]:
    """List the commands of a task, but the one that serves until it is stopped."""
    [section] = re.findall(rf"^### {task}\n(.*?)(?=^##)", README, re.MULTILINE | re.DOTALL)
    shown = re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    return [line for line in "".join(shown).splitlines() if not line.startswith("recsys serve")]


@pytest.mark.parametrize("task", TASKS)
def test_a_reader_of_readme_alone_does_the_task(task: str, clone: Path, tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    variables = {
        **os.environ,
        "PATH": path,
        "PYTHONPATH": str(ROOT),
        "RECSYS_CACHE": str(tmp_path / "cache"),
    }
    for line in commands(task):
        done = subprocess.run(
            line, shell=True, cwd=clone, env=variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        assert "error:" not in done.stderr and "Traceback" not in done.stderr, done.stderr
    for name, begins in TASKS[task].items():
        assert (clone / name).read_bytes().lstrip().startswith(begins), name


@pytest.mark.parametrize("page", TUTORIALS)
def test_every_command_of_a_tutorial_runs_in_order(
    page: str, clone: Path, run_cli: "RunCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(clone)
    for line in lines(page, "sh"):
        words, _ = words_of(line)
        if words[0] != "serve":  # README's and the guide's are started in test_shown.py.
            done = run_cli(*words)
            assert done.code == 0, f"{line}\n{done.err}"


def test_readme_tells_what_its_tour_needs_and_make_demo_installs_it() -> None:
    recipe = MAKEFILE.split("$(RUNTIME): ")[1].split("$(DEV): ")[0]
    installed = set(re.findall(r"'\.\[([a-z,]+)\]'", recipe))
    assert installed and all("app" in extras.split(",") for extras in installed)
