"""Run a program of this folder with the code of a checkout, this one or one of a version before."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipelines.jobs.programs import run_program
from pipelines.jobs.workers import ONE_THREAD
from recsys.errors import InputError

HERE = Path(__file__).resolve().parents[3]
"""The checkout that this code is part of."""


def run_with(
    checkout: Path, program: str, *arguments: str | Path, env: Mapping[str, str] | None = None
) -> Any:  # noqa: ANN401 - JSON.
    """Run a program on one thread and return the JSON that it writes.

    Args:
        checkout: whose code is imported.
        program: the name of a module in this folder.
        arguments: of the program.
        env: variables set beside those of this process.

    Raises:
        InputError: there is no checkout.
        RecsysError: the program failed.
    """
    if not (checkout / "recsys" / "__init__.py").is_file():
        raise InputError(
            f"{checkout} is no checkout: there is no recsys/__init__.py.",
            "Make one, for instance with `git worktree add ../before COMMIT`.",
        )
    path = os.pathsep.join([str(checkout.resolve()), os.environ.get("PYTHONPATH", "")])
    # -P: not the folder of the program, nor the current one, whose modules are those of here.
    command = [sys.executable, "-P", Path(__file__).with_name(f"{program}.py"), *arguments]
    cost = run_program(command, env={**ONE_THREAD, **(env or {}), "PYTHONPATH": path})
    return json.loads(cost.out)
