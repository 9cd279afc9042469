"""Run the same program with the code of this checkout, and with that of one before."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from recsys.errors import InputError
from recsys.pipelines.jobs.engines import ONE_THREAD
from recsys.pipelines.jobs.programs import run_program

HERE = Path(__file__).resolve().parents[2]
"""The checkout that this code is part of."""


def run_with(checkout: Path, program: str, *arguments: str | Path) -> Any:  # noqa: ANN401 - JSON.
    """Run a program of this checkout with the code of any, and return the JSON that it writes.

    Args:
        checkout: whose code is imported.
        program: the name of a module in the folder of benchmarks, such as "scale.top_papers", that
            imports nothing but what both checkouts have.
        arguments: of the program.

    Raises:
        InputError: there is no checkout.
        RecsysError: the program failed.
    """
    file = (HERE / "benchmarks").joinpath(*program.split(".")).with_suffix(".py")
    # -P: not the folder of the program, nor the current one, whose modules are those of here.
    command = [sys.executable, "-P", file, *arguments]
    return json.loads(run_program(command, env=ONE_THREAD | code_of(checkout)).out)


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
