"""The house rules that can be counted."""

import ast
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).parents[1]
PACKAGES = ("recsys", "pipelines", "indexes", "eval")
MODULE_LINES = 700
FUNCTION_LINES = 60
FOLDER_MODULES = 25
COMMAND_LINES = 40
"""Of a command without its imports: it checks its values, calls the library and renders."""
HARNESSES = {"engine_check", "inputs", "torture", "web_check"}
"""Folders of tests that try all of it at once."""
HEAVY = {"torch", "transformers", "lightgbm", "sklearn", "onnx", "onnxscript", "pandas"}
LOADING = (".from_pretrained", ".from_config")
"""How `transformers` loads what may bring code of its own."""
ANSWERING = ("recsys", "indexes")
"""Packages on the path of an answer: heavy libraries are imported where they are used."""
DEPENDENCIES = HEAVY | {
    "annoy",
    "numpy",
    "pyarrow",
    "typer",
    "rich",
    "pydantic",
    "onnxruntime",
    "whoosh",
}

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def modules(*packages: str) -> list[Path]:
    return [path for name in packages or PACKAGES for path in sorted((ROOT / name).rglob("*.py"))]


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(parse(path)):
        if isinstance(node, Function):
            yield node


def code_lines(function: Function) -> int:
    """Count the lines of a function's body, its docstring and its imports left out.

    A command's options are its parameters: they count as the tables that they are.
    """
    body = function.body
    first = body[1] if ast.get_docstring(function) and len(body) > 1 else body[0]
    imports = [each for each in ast.walk(function) if isinstance(each, ast.Import | ast.ImportFrom)]
    imported = sum((each.end_lineno or 0) - each.lineno + 1 for each in imports)
    return (function.end_lineno or 0) - first.lineno + 1 - imported


def top_level_imports(module: ast.Module) -> Iterator[str]:
    """Name the packages imported when the module is: TYPE_CHECKING blocks are not."""
    for node in module.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Try):
            yield from top_level_imports(ast.Module(node.body, []))


def test_there_are_modules_to_check() -> None:
    assert all(modules(package) for package in PACKAGES)


def test_no_module_function_or_folder_is_too_large() -> None:
    """`pytest -rP -k too_large` prints the figures."""
    lines = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    lengths = {
        f"{name(path)}:{function.name}": code_lines(function)
        for path in modules()
        for function in functions(path)
    }
    rooms = Counter(name(path.parent) for path in modules() if path.name != "__init__.py")
    module, function = max(lines, key=lambda p: lines[p]), max(lengths, key=lambda p: lengths[p])
    figures = [
        *(f"{rooms[room]:4} modules in {room}" for room in sorted(rooms)),
        f"{lines[module]:4} lines: the longest module, {module}",
        f"{lengths[function]:4} lines: the longest function, {function}",
        f"{statistics.median(lengths.values()):4} lines: the median of {len(lengths)} functions",
    ]
    sys.stdout.write("\n".join(figures) + "\n")
    assert {path: count for path, count in lines.items() if count > MODULE_LINES} == {}
    assert {place: count for place, count in lengths.items() if count > FUNCTION_LINES} == {}
    assert {room: count for room, count in rooms.items() if count > FOLDER_MODULES} == {}


def test_commands_are_thin() -> None:
    bodies = {
        f"{name(path)}:{function.name}": code_lines(function)
        for path in modules("recsys/app/cli")
        for function in functions(path)
    }
    assert {key: count for key, count in bodies.items() if count > COMMAND_LINES} == {}


def test_no_module_is_named_after_the_standard_library_or_a_dependency() -> None:
    taken = (sys.stdlib_module_names | DEPENDENCIES) - {"__init__", "__main__"}
    assert {name(path) for path in modules() if path.stem in taken} == set()
    folders = {path.parent for path in modules()}
    assert {name(folder) for folder in folders if folder.name in taken} == set()


def test_package_modules_hold_no_logic() -> None:
    logic = {
        f"{name(path)}:{node.lineno}"
        for path in modules()
        if path.name == "__init__.py"
        for node in parse(path).body
        if not _is_declaration(node)
    }
    # The one exception: `recsys` imports what it offers when that is asked for, and lists it.
    assert {place.partition(":")[0] for place in logic} <= {"recsys/__init__.py"}
    assert len(logic) <= 2


def _is_declaration(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == "__all__"
    return isinstance(node, ast.Import | ast.ImportFrom)


def test_heavy_libraries_are_imported_where_they_are_used() -> None:
    heavy = {
        f"{name(path)} imports {imported}"
        for path in modules(*ANSWERING)
        for imported in top_level_imports(parse(path))
        if imported.partition(".")[0] in HEAVY
    }
    assert heavy == set()


def test_nothing_is_pickled() -> None:
    pickling = {"pickle", "joblib", "dill", "cloudpickle", "shelve", "marshal"}
    found = {
        name(path)
        for path in modules()
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for imported in top_level_imports(ast.Module([node], []))
        if imported.partition(".")[0] in pickling
    }
    assert found == set()


def test_no_code_beside_a_model_is_trusted() -> None:
    trusting = {
        f"{name(path)}:{node.lineno}"
        for path in modules(*PACKAGES, "benchmarks")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(LOADING)
        if "trust_remote_code=False" not in map(ast.unparse, node.keywords)
    }
    assert trusting == set()


def test_tests_mirror_the_folders() -> None:
    known = {path.name for package in PACKAGES for path in (ROOT / package).rglob("*")}
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    mirrored = known | {*PACKAGES, "benchmarks", "docs"}
    assert folders - mirrored - {"__pycache__", "golden", *HARNESSES} == set()
