"""The version: written once, and no key of kept work depends on it."""

import ast
import re
from pathlib import Path

from recsys.store.artifacts import VERSION

ROOT = Path(__file__).parents[2]
SOURCES = [
    path
    for package in ("recsys", "pipelines", "indexes", "eval")
    for path in sorted((ROOT / package).rglob("*.py"))
]


def test_the_version_is_a_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", VERSION)


def test_no_other_source_repeats_the_version() -> None:
    repeating = {
        path.relative_to(ROOT).as_posix()
        for path in [*SOURCES, ROOT / "pyproject.toml", ROOT / "Makefile"]
        if re.search(rf'["\s]{re.escape(VERSION)}"', path.read_text(encoding="utf-8"))
    }
    assert repeating == {"recsys/store/artifacts.py"}


def test_no_key_depends_on_the_version() -> None:
    # Keys are hashes of lists; manifests and facts, which name the program, are mappings.
    keyed = {
        f"{path.relative_to(ROOT).as_posix()}:{node.lineno}"
        for path in SOURCES
        if re.search("CREATED_BY|VERSION", text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.List)
        and any(
            isinstance(part, ast.Name) and part.id in ("CREATED_BY", "VERSION")
            for part in node.elts
        )
    }
    assert keyed == set()
