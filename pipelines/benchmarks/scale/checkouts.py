"""Run a program of this folder with the code of a checkout, this one or one of a version before."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from pipelines.jobs.programs import run_program
from pipelines.jobs.workers import ONE_THREAD
from recsys.errors import InputError

HERE = Path(__file__).resolve().parents[3]
"""The checkout that this code is part of."""
# -P: not the folder of the program, nor the current one, whose modules are those of here.
_PYTHON = (sys.executable, "-P")


def run_with(checkout: Path, program: str, *arguments: str | Path) -> Any:  # noqa: ANN401 - JSON.
    """Run a program of this folder on one thread and return the JSON that it writes.

    Args:
        checkout: whose code is imported.
        program: the name of a module in this folder.
        arguments: of the program.

    Raises:
        InputError: there is no checkout.
        RecsysError: the program failed.
    """
    file = Path(__file__).with_name(f"{program}.py")
    cost = run_program([*_PYTHON, file, *arguments], env=ONE_THREAD | code_of(checkout))
    return json.loads(cost.out)


def run_theirs(checkout: Path, module: str, *arguments: str | Path) -> Any:  # noqa: ANN401 - JSON.
    """Run a checkout's own module and return the JSON that it writes; errors as `run_with`."""
    cost = run_program([*_PYTHON, "-m", module, *arguments], env=code_of(checkout))
    return json.loads(cost.out)


def code_of(checkout: Path) -> dict[str, str]:
    """Return the environment of a process that imports the code of a checkout.

    Raises:
        InputError: there is none.
    """
    if not (checkout / "recsys" / "__init__.py").is_file():
        raise InputError(
            f"{checkout} is no checkout: there is no recsys/__init__.py.",
            "Make one, for instance with `git worktree add ../before COMMIT`.",
        )
    inherited = os.environ.get("PYTHONPATH")
    folders = [str(checkout.resolve()), *([inherited] if inherited else [])]
    return {"PYTHONPATH": os.pathsep.join(folders)}
