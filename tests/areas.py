"""Areas whose tests run when their files have changed since the last thorough run passed.

`make test-thorough` runs everything and then notes, by `python -m tests.areas`, a hash of what each
area holds. A usual run leaves out the tests of areas that hold the same, and says so in its first
lines. Tests that are named on the command line always run.
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTED = ROOT / "tests" / "areas.json"
AREAS: Mapping[str, tuple[str, ...]] = {
    "ray": (
        *("constraints.txt", "pipelines/jobs/engines.py", "pipelines/jobs/ray_cluster.py"),
        *("pipelines/jobs/shard_actor.py", "tests/pipelines/jobs/test_ray_cluster.py"),
        *("tests/ray_nodes.py", "tests/engine_check/ray_jobs.py"),
    ),
    "lance": (
        *("constraints.txt", "indexes", "tests/indexes"),
        *("pipelines/index/update.py", "pipelines/index/build.py"),
    ),
    "store": (
        *("constraints.txt", "pipelines/remote", "tests/pipelines/remote"),
        *("pipelines/corpora/source_files.py", "tests/pipelines/corpora/bucket_server.py"),
        *("recsys/app/cache.py", "recsys/app/cli/program.py"),
        "tests/recsys/app/test_remote_indexes.py",
    ),
    "wheel": (
        *("pyproject.toml", "constraints.txt", "Makefile", "recsys/store/kernels", ".ci"),
        *("recsys/errors.py", "tests/test_packaging.py", "tests/test_base_install.py"),
        "tests/without_extras.py",
    ),
    "docs": ("docs", "README.md", "CONTRIBUTING.md", "examples", "recsys/app/cli", "tests/docs"),
}
"""Name in `pytest.mark.area` -> the files and folders that its tests are about."""


def digest(area: str, root: Path = ROOT) -> str:
    """Hash the names and contents of an area's files."""
    made = hashlib.sha256()
    for place in AREAS[area]:
        top = root / place
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file() and path.suffix not in (".pyc", ".so", ".pyd"):
                made.update(f"{path.relative_to(root).as_posix()}\0".encode())
                made.update(hashlib.sha256(path.read_bytes()).digest())
    return made.hexdigest()


def unchanged() -> set[str]:
    """Name the areas that hold what they held when the thorough run passed."""
    noted = json.loads(NOTED.read_text(encoding="utf-8")) if NOTED.is_file() else {}
    return {area for area in AREAS if noted.get(area) == digest(area)}


def main() -> int:
    """Note what the areas hold now; return the exit code."""
    text = json.dumps({area: digest(area) for area in AREAS}, indent=2)
    NOTED.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
