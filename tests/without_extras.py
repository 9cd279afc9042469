"""The program where nothing is installed but what `pip install citerec` brings.

Every package of another origin is made impossible to import, in child processes, too.
"""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from recsys.errors import EXTRAS

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT = 240

_BLOCKER = """
import sys

BLOCKED = frozenset({blocked!r})


class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Blocker())
"""

_RUN = """
import contextlib, io, json, sys

if __name__ == "__main__":
    import recsys
    from recsys.app.cli import main

    assert recsys.__file__.startswith(sys.argv[1]), recsys.__file__
    for arguments in json.load(sys.stdin):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            sys.argv = ["recsys", *arguments]
            code = main()
        print(json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command did."""

    arguments: tuple[str, ...]
    code: int
    out: str
    err: str


def base_distributions() -> set[str]:
    """Name all that the base dependencies bring with them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: set[str] = {"citerec"}
    waiting = [Requirement(each) for each in project["dependencies"]]
    while waiting:
        needed = waiting.pop()
        name = canonicalize_name(needed.name)
        if name not in found:
            found.add(name)
            waiting += _needed_by(name)
    return found


def _needed_by(name: str) -> Iterator[Requirement]:
    try:
        written = metadata.requires(name) or []
    except metadata.PackageNotFoundError:  # Of another platform.
        return
    for requirement in map(Requirement, written):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield requirement


def blocked_modules() -> list[str]:
    """Name the installed modules that no base installation has, or need not have.

    What an extra brings may come with a newer version of something else, too: tokenizers brings
    huggingface-hub, and that httpx2 since it no longer brings requests.
    """
    base = base_distributions()
    owners = metadata.packages_distributions()
    foreign = {
        module
        for module, names in owners.items()
        if base.isdisjoint(canonicalize_name(name) for name in names)
    }
    return sorted(foreign | set(EXTRAS))


def build_wheel(project: Path, folder: Path) -> Path:
    """Build the wheel of a project into a folder."""
    from hatchling.builders.wheel import WheelBuilder

    (path,) = WheelBuilder(str(project)).build(directory=str(folder), versions=["standard"])
    return Path(path)


def run_all(
    folder: Path, commands: Sequence[Sequence[object]], *, code: Path = ROOT, cache: Path
) -> list[Ran]:
    """Run commands one after the other, in one process that starts in a folder.

    code: the checkout, or what a wheel holds. cache: that of the program.
    """
    (folder / "blocked").mkdir(parents=True)
    blocker = _BLOCKER.format(blocked=blocked_modules())
    (folder / "blocked" / "sitecustomize.py").write_text(blocker, encoding="utf-8")
    (folder / "run.py").write_text(_RUN, encoding="utf-8")
    lists = [[str(argument) for argument in command] for command in commands]
    done = subprocess.run(
        [sys.executable, folder / "run.py", str(code)],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": f"{folder / 'blocked'}{os.pathsep}{code}",
            "RECSYS_CACHE": str(cache),
        },
        input=json.dumps(lists),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [Ran(tuple(given), *ran) for given, ran in zip(lists, answers, strict=True)]
