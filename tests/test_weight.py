"""No area grows: its modules, lines of code, functions and helpers of one caller have limits.

`python -m tests.test_weight` lowers the limits in weight.json to what was reached. Only people
raise them, in a commit that says why.
"""

import ast
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).resolve().parents[1]
LIMITS = Path(__file__).with_name("weight.json")
FOLDERS = ("recsys", "pipelines", "indexes", "eval", "benchmarks", "docs", "tests")
COUNTED = ("modules", "code", "functions", "helpers")
MEANING: Mapping[str, str] = {
    "modules": "modules",
    "code": "lines of code",
    "functions": "functions",
    "helpers": "private functions that are called in one place",
}

Weights: TypeAlias = dict[str, Counter[str]]
"""Area, which is the first one or two folders of a module -> what it has of each of COUNTED."""


def weigh(text: str) -> Counter[str]:
    """Count what a module has.

    Code is a line that is neither blank nor of a comment, a docstring or an import. A helper is a
    private function of the module that is named just once beside its definition.
    """
    module, lines = ast.parse(text), text.splitlines()
    nodes = [*ast.walk(module)]
    other = {at for at, line in enumerate(lines, 1) if not line.strip() or line.strip()[0] == "#"}
    for node in nodes:
        if isinstance(node, ast.stmt) and _is_no_code(node):
            other.update(range(node.lineno, (node.end_lineno or 0) + 1))
    words = Counter(re.findall(r"\w+", text))
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    helpers = [n for n in functions if n in module.body and n.name.startswith("_")]
    return Counter(
        modules=1,
        code=len(lines) - len(other),
        functions=len(functions),
        helpers=sum(words[each.name] == 2 for each in helpers),
    )


def _is_no_code(node: ast.stmt) -> bool:
    """Tell whether a statement is an import, or a text that says what something is."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return isinstance(node.value.value, str)
    return isinstance(node, ast.Import | ast.ImportFrom)


def areas() -> Weights:
    """Weigh every area of the repository."""
    found: Weights = defaultdict(Counter)
    for path in (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))):
        folders = path.relative_to(ROOT).parts[:-1]
        if not any((ROOT / Path(*folders[:n])).is_symlink() for n in range(1, len(folders) + 1)):
            found["/".join(folders[:2])] += weigh(path.read_text(encoding="utf-8"))
    return dict(found)


def read_limits() -> Weights:
    limits = json.loads(LIMITS.read_text(encoding="utf-8"))
    return {area: Counter(own) for area, own in limits.items()}


def excesses(weights: Weights, limits: Weights) -> Iterator[str]:
    """Say by how much areas are above their limits; an area without limits may have nothing."""
    for area, own in weights.items():
        for kind in COUNTED:
            limit = limits.get(area, Counter())[kind]
            if own[kind] > limit:
                yield f"{area}: {own[kind] - limit:,} {MEANING[kind]} more than {limit:,}"


def test_no_area_is_above_its_limits() -> None:
    assert list(excesses(areas(), read_limits())) == [], (
        "Join, inline or simplify; or raise the limits in tests/weight.json, and say in the commit "
        "what the growth is for."
    )


def test_what_is_counted_is_what_it_says() -> None:
    text = '''"""A module of
two lines of text."""

import os  # and more
from x import (
    y,
)

SIZE = 3
"""How large it is."""


def _once(at: int) -> int:
    """Help one."""
    return at  # here


async def twice() -> None:
    # Why.
    print(
        _once(SIZE),
        _other,
    )


def _other() -> None:
    def inner() -> None: ...

    _other()
'''
    assert weigh(text) == Counter(modules=1, code=11, functions=4, helpers=1)
    few, many = {"a": Counter(code=5, helpers=1)}, {"a": Counter(code=7, helpers=1)}
    assert list(excesses(few, many)) == []
    assert list(excesses(many, few)) == ["a: 2 lines of code more than 5"]
    assert list(excesses(few, {})) == [
        "a: 5 lines of code more than 0",
        "a: 1 private functions that are called in one place more than 0",
    ]


def main() -> int:
    """Lower the limits to what was reached; areas that have none get what they have."""
    limits = read_limits() if LIMITS.is_file() else {}
    lowered = {
        area: {kind: min(own[kind], limits.get(area, own)[kind]) for kind in COUNTED}
        for area, own in sorted(areas().items())
    }
    lines = (f" {json.dumps(area)}: {json.dumps(own)}" for area, own in lowered.items())
    LIMITS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
