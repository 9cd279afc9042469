"""Test the plugin for Zotero against a real `recsys serve`: `python -m tests.zotero_check`."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from recsys.app.cache import cache_folder
from recsys.pipelines.index.build import BuildOptions, build
from tests.built_index import ROOT, write_papers
from tests.pipelines.small_index import invented_papers
from tests.recsys.app.web.test_listening import started

PLUGIN = ROOT / "editors" / "zotero"
TOKEN = "a-token-of-many-letters"
WORKS = 3
"""Papers of the index that the library has."""


def main() -> int:
    """Run the tests of the plugin by its own node; return their exit code."""
    known = ("title", "authors", "year", "abstract")
    works = [{name: paper[name] for name in known} for paper in [*invented_papers()][:WORKS]]
    with tempfile.TemporaryDirectory(prefix="recsys-") as folder:
        index = Path(folder, "small.index")
        build(
            [write_papers(Path(folder, "papers.jsonl"))],
            index,
            BuildOptions(),
            cache=cache_folder(),
        )
        with started(index, "--token", TOKEN) as (_, address):
            told = {
                "RECSYS_ADDRESS": address,
                "RECSYS_TOKEN": TOKEN,
                "RECSYS_WORKS": json.dumps(works),
            }
            path = f"{PLUGIN / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"
            command = ["npm", "run", "--silent", "test"]
            environment = {**os.environ, **told, "PATH": path}
            return subprocess.run(command, cwd=PLUGIN, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
