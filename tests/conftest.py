"""Fixtures that every folder of tests may use."""

import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
from filelock import FileLock
from hypothesis import settings

from recsys.records import Answer, Paper, Reason, Recommendation
from tests import areas
from tests.rows import THOROUGH

if TYPE_CHECKING:
    from tests.built_index import Built

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # Before LightGBM starts its threads.
# A shell's background ignores Ctrl-C, and so would all processes that tests start there.
signal.signal(signal.SIGINT, signal.default_int_handler)

if not THOROUGH:  # Tests share the processors: threads of one wait for those of another.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # Before numpy is imported.
# The machine may be busy: no deadline. The same examples each time, new ones in a thorough run.
settings.register_profile("usual", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=200)
settings.load_profile("thorough" if THOROUGH else "usual")


def left_out(config: pytest.Config) -> set[str]:
    """Name the areas whose tests a run does without: see `tests.areas`."""
    whole = [str(ROOT / "tests")] == [str(config.invocation_params.dir / a) for a in config.args]
    return areas.unchanged() if whole and not THOROUGH else set()


def pytest_report_header(config: pytest.Config) -> str:
    left = ", ".join(sorted(left_out(config))) or "none"
    return f"areas left out, unchanged since the last thorough run: {left}"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among what is imported and collected: it stays, and is a lot."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of unchanged areas; see that every mark names an area."""
    left, out = left_out(config), []
    for item in items:
        area = item.get_closest_marker("area")
        assert area is None or area.args[0] in areas.AREAS, f"{item.nodeid}: no such area"
        if area is not None and area.args[0] in left:
            out.append(item)
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in set(out)]


@dataclass(frozen=True, slots=True)
class CliResult:
    code: int
    out: str
    err: str


RunCli: TypeAlias = Callable[..., CliResult]


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of a run share: what is costly is made in it once."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session", autouse=True)
def own_cache(shared_folder: Path) -> Iterator[Path]:
    """Keep the tests out of the user's cache, and of what is remembered of drafts."""
    folder = shared_folder / "cache"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECSYS_CACHE", str(folder))
        patch.setenv("RECSYS_STATE", str(shared_folder / "state"))
        patch.setenv("ORT_DISABLE_TELEMETRY", "1")  # Where a test loads it by itself.
        if not THOROUGH:
            patch.setattr(os, "fsync", lambda descriptor: None)  # No power fails in these tests.
        patch.delenv("RECSYS_DEBUG", raising=False)
        yield folder


def usually_without_workers() -> AbstractContextManager[None]:
    """Share no work among processes meanwhile, but in the thorough run."""
    from tests.one_process import in_one_process

    return nullcontext() if THOROUGH else in_one_process()


@pytest.fixture(scope="session")
def built(own_cache: Path, shared_folder: Path) -> "Built":
    """A small index that no test may change; `copy` gives one to damage."""
    from tests.built_index import build_small, built_in

    folder = shared_folder / "built"
    with FileLock(shared_folder / "built.lock"):
        if not folder.exists():
            folder.mkdir()
            with usually_without_workers():
                return build_small(folder)
    return built_in(folder)


@pytest.fixture(scope="session")
def wheel(shared_folder: Path) -> Path:
    """The wheel of this checkout."""
    from tests.without_extras import build_wheel

    folder = shared_folder / "wheel"
    with FileLock(shared_folder / "wheel.lock"):
        return next(folder.glob("*"), None) or build_wheel(ROOT, folder)


@pytest.fixture(scope="module")
def one_process() -> Iterator[None]:
    """Let a pool of one process work in this one: to start another takes a second."""
    from tests.one_process import in_one_process

    with in_one_process(most=1):
        yield


@pytest.fixture(scope="module")
def no_workers() -> Iterator[None]:
    """Share no work of this module among processes, but in the thorough run."""
    with usually_without_workers():
        yield


@pytest.fixture
def run_cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunCli:
    """Run `recsys` in this process; `stdin` is what it reads there."""
    from recsys.app.cli import main

    def run(*arguments: object, stdin: bytes = b"") -> CliResult:
        monkeypatch.setattr(sys, "argv", ["recsys", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = main()
        captured = capsys.readouterr()
        return CliResult(code, captured.out, captured.err)

    return run


@pytest.fixture
def specter() -> Paper:
    return Paper(
        id="specter",
        title="SPECTER: Document-level Representation Learning using Citation-informed "
        "Transformers",
        year=2020,
        authors=("Arman Cohan", "Sergey Feldman", "Iz Beltagy", "Doug Downey", "Daniel S. Weld"),
        venue="ACL",
        doi="10.18653/v1/2020.acl-main.207",
    )


@pytest.fixture
def bare() -> Paper:
    """A paper of which nothing but the id and title is known."""
    return Paper(id="x1", title="On nothing in particular")


@pytest.fixture
def answer(specter: Paper, bare: Paper) -> Answer:
    reasons = (
        Reason("votes", "4 of the 12 most similar papers cite it"),
        Reason("terms", "shares the terms citation graph, triplet loss"),
    )
    return Answer(
        recommendations=(
            Recommendation(
                1, specter, 2.5, 0.934, ("ann", "bm25"), reasons, ("similar text", "shared words")
            ),
            Recommendation(2, bare, -0.25, 0.004, ("bm25",), (), ("shared words",)),
        ),
        understood="draft: a title of 6 words, no abstract",
        stages={"corpus": 400, "candidates": 2},
    )
