"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of the project."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest

from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```python (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
RECIPES: Mapping[str, list[tuple[str, str]]] = {
    section.partition("\n")[0]: BLOCK.findall(section) for section in TEXT.split("\n## ")[1:]
}

Check: TypeAlias = Callable[["Built", Path], str]
"""Writes what it needs into a folder; returns a program that fails unless the recipe works."""


def asked(built: "Built", folder: Path) -> str:
    return f"""
import recsys
recommender = recsys.load({str(built.index)!r}, candidates=["bm25"])
answer = recommender.recommend("Rivers and glaciers, measured again", k=400)
assert any("newest" in item.sources for item in answer.recommendations)
assert "being new" in answer.write("table")
"""


def searched(built: "Built", folder: Path) -> str:
    papers, index = str(built.papers), str(folder / "half.index")
    return f"""
import json, sys
from recsys.app.cli import main
sys.argv = ["recsys", "build", {papers!r}, "--vectors", "half", "--out", {index!r}]
assert main() == 0
import recsys
assert recsys.load({index!r}).recommend("Rivers and glaciers", k=3).recommendations
from pathlib import Path
from recsys.store.generations import pin
assert pin(Path({index!r})).manifest().config["ann"]["backend"] == "half"
"""


def read(built: "Built", folder: Path) -> str:
    (folder / "draft.adoc").write_text("= On rivers\nWe measure rivers.\n", encoding="utf-8")
    (folder / "unnamed").write_text("= On rivers\nWe measure.\n", encoding="utf-8")
    return f"""
import recsys
draft = recsys.read_draft({str(folder / "draft.adoc")!r})
assert (draft.title, draft.abstract) == ("On rivers", "We measure rivers."), draft
assert recsys.read_draft({str(folder / "unnamed")!r}).title == "On rivers"
"""


def listed(built: "Built", folder: Path) -> str:
    text = "SHELF LIST\nR 12|1893|On rivers\nnothing\n"
    (folder / "shelf.txt").write_text(text, encoding="utf-8")
    return f"""
from pathlib import Path
import recsys
from recsys.formats.work_stream import open_works
with open_works(Path({str(folder / "shelf.txt")!r})) as stream:
    found, rejected = stream.items
assert (found.work.title, found.work.year) == ("On rivers", 1893)
assert (rejected.line, rejected.reason) == (3, "no title")
assert recsys.read_references({str(folder / "shelf.txt")!r}).references[0].key == "R 12"
"""


def recognised(built: "Built", folder: Path) -> str:
    record = {"shelfmark": "R 12", "heading": "On rivers", "printed": 1893}
    (folder / "papers.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    return f"""
from pathlib import Path
from recsys.formats.work_stream import read_papers
(paper,) = read_papers(Path({str(folder / "papers.jsonl")!r}))
assert (paper.id, paper.title, paper.year) == ("R 12", "On rivers", 1893)
"""


def computed(built: "Built", folder: Path) -> str:
    return f"""
import numpy as np, recsys
from recsys.ranking.features import compute, feature_names
recommender = recsys.load({str(built.index)!r})
context = recommender.rank(recommender.query_of(10)).context
values = compute(context, ("title_words",))
assert "title_words" in feature_names(metadata=False)
assert np.isfinite(values).all() and values.max() > 0
"""


def measured(built: "Built", folder: Path) -> str:
    return """
import numpy as np
from recsys.eval.measures import Judged, per_query
found = per_query([Judged(np.array([True, False, True]), 2)])
assert abs(found["RBP@5"][0] - 0.2 * (1 + 0.64)) < 1e-9
"""


def evaluated(built: "Built", folder: Path) -> str:
    words = ["recsys", "batch", built.index, "--split", built.split, "--system", "newest", "--jobs"]
    arguments = [*map(str, words), "1", "--run", str(folder / "run.trec")]
    return f"""
import sys
from recsys.app.cli import main
sys.argv = {arguments!r}
assert main() == 0
assert open({str(folder / "run.trec")!r}).read().count("\\n") > 5
"""


CHECKS: Mapping[str, Check] = {
    "A source of candidates": asked,
    "A vector backend": searched,
    "A format of drafts": read,
    "A format of papers": listed,
    "A format of JSON records": recognised,
    "A feature": computed,
    "A measure": measured,
    "A system": evaluated,
}


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


@pytest.mark.parametrize("name", CHECKS)
def test_a_recipe_works(name: str, project: Path, built: "Built", tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHECKS[name](built, tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(project)},
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
