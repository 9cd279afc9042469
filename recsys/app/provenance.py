"""Tell how a result was made, so that it can be made again."""

import shlex
import sys
from pathlib import Path


def command_line() -> str:
    """Return the command that runs, as a shell takes it."""
    return shlex.join(["recsys", *sys.argv[1:]])


def made(seed: int, **files: Path) -> dict[str, str]:
    """Tell what it takes to make a result again; files: what was read, by name."""
    from recsys.pipelines.evaluation.write_evaluation import versions
    from recsys.store.artifacts import sha256
    from recsys.version import CREATED_BY

    return {
        "command": command_line(),
        "program": CREATED_BY,
        "seed": str(seed),
        **{f"{name} sha256": sha256(path) for name, path in files.items() if path.is_file()},
        "versions": ", ".join(f"{name} {version}" for name, version in versions().items()),
    }
