"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of the project."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```python (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
RECIPES: Mapping[str, list[tuple[str, str]]] = {
    section.partition("\n")[0]: steps
    for section in TEXT.split("\n## ")[1:]
    if (steps := BLOCK.findall(section))
}

FILES: Mapping[str, str] = {
    "draft.textile": "h1. On rivers\nWe measure rivers.\n",
    "unnamed": "h1. On rivers\nWe measure.\n",
    "shelf.txt": "SHELF LIST\nR 12|1893|On rivers\nnothing\n",
    "papers.jsonl": '{"shelfmark": "R 12", "heading": "On rivers", "printed": 1893}\n',
}
"""What lies in the current folder when a recipe is checked."""
CHECKS: Mapping[str, str] = {
    "A source of candidates": """
recommender = recsys.load(index, candidates=["bm25"])
answer = recommender.recommend("Rivers and glaciers, measured again", k=400)
assert any("newest" in item.sources for item in answer.recommendations)
assert "being new" in answer.write("markdown")
""",
    "A vector backend": """
run("build", papers, "--vectors", "half", "--out", "half.index")
assert recsys.load("half.index").recommend("Rivers and glaciers", k=3).recommendations
from recsys.store.generations import pin
assert pin(Path("half.index")).manifest().config["ann"]["backend"] == "half"
""",
    "A format of drafts": """
draft = recsys.read_draft("draft.textile")
assert (draft.title, draft.abstract) == ("On rivers", "We measure rivers."), draft
assert recsys.read_draft("unnamed").title == "On rivers"
""",
    "A format of papers": """
from recsys.formats.work_stream import open_works
with open_works(Path("shelf.txt")) as stream:
    found, rejected = stream.items
assert (found.work.title, found.work.year) == ("On rivers", 1893)
assert (rejected.line, rejected.reason) == (3, "no title")
assert recsys.read_references("shelf.txt").references[0].key == "R 12"
""",
    "A format of JSON records": """
from recsys.formats.work_stream import read_papers
(paper,) = read_papers(Path("papers.jsonl"))
assert (paper.id, paper.title, paper.year) == ("R 12", "On rivers", 1893)
""",
    "A feature": """
from recsys.ranking.features import compute, feature_names
recommender = recsys.load(index)
context = recommender.rank(recommender.query_of(10)).context
values = compute(context, ("title_words",))
assert "title_words" in feature_names(metadata=False)
assert np.isfinite(values).all() and values.max() > 0
""",
    "A measure": """
from recsys.eval.measures import Judged, per_query
found = per_query([Judged(np.array([True, False, True]), 2)])
assert abs(found["RBP@5"][0] - 0.2 * (1 + 0.64)) < 1e-9
""",
    "A system": """
asked = ("--split", split, "--system", "newest", "--jobs", "1")
run("batch", index, *asked, "--run", "run.trec")
assert Path("run.trec").read_text().count("\\n") > 5
""",
}
"""Programs that fail unless a recipe works; index, papers and split are paths."""
RUN = """
import json, sys
from pathlib import Path
import numpy as np, recsys
from recsys.app.cli import main

def run(*words):
    sys.argv = ["recsys", *words]
    assert main() == 0

checks, places = json.load(sys.stdin)
for name, program in checks.items():
    print("==", name, file=sys.stderr)
    exec(program, globals() | places)
"""


def test_every_recipe_is_followed() -> None:
    assert set(RECIPES) == set(CHECKS)


@each_row("name", CHECKS)
def test_a_recipe_is_one_row_and_at_most_one_file_or_line(name: str) -> None:
    places = [place for place, _ in RECIPES[name]]
    assert any(":" in place for place in places) and len(places) <= 2


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the packages and follow every recipe in the copy: none is in another one's way."""
    copy = tmp_path_factory.mktemp("copy")
    for package in ("recsys", "pipelines", "indexes", "eval"):
        ignored = shutil.ignore_patterns("*.pyc")
        shutil.copytree(ROOT / package, copy / package, symlinks=True, ignore=ignored)
    for place, text in (step for steps in RECIPES.values() for step in steps):
        file, _, table = place.partition(":")
        if table:
            insert(copy / file, table, text)
        else:
            assert not (copy / file).exists()
            (copy / file).write_text(text, encoding="utf-8")
    return copy


def test_every_recipe_works(project: Path, built: "Built", tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    places = {name: str(getattr(built, name)) for name in ("index", "papers", "split")}
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(project)},
        input=json.dumps([CHECKS, places]),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def insert(file: Path, table: str, row: str) -> None:
    """Put a row first into a literal table."""
    source = file.read_text(encoding="utf-8")
    opening = re.search(rf"^ *{table}\b[^\n]*= [({{][^\n]*\n", source, re.MULTILINE)
    assert opening, f"{file.name} has no table {table}"
    file.write_text(source[: opening.end()] + row + source[opening.end() :], encoding="utf-8")
