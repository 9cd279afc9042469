import json
import subprocess
import sys

HEAVY = {"numpy", "torch", "transformers", "lightgbm", "pyarrow", "onnxruntime", "onnx", "sklearn"}
HELP_BUDGET = 0.4
"""CPU seconds of the whole process."""

_HELP = """
import json, resource, sys
sys.argv = ["recsys", "--help"]
from recsys.app.cli import main
code = main()
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([code, usage.ru_utime + usage.ru_stime, sorted(sys.modules)]))
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    runs = [json.loads(run(_HELP)) for _ in range(3)]
    assert [code for code, _, _ in runs] == [0, 0, 0]
    assert not HEAVY & set(runs[0][2])
    assert min(seconds for _, seconds, _ in runs) < HELP_BUDGET


def test_importing_recsys_imports_nothing_heavy() -> None:
    loaded = json.loads(run("import recsys, sys, json; print(json.dumps(list(sys.modules)))"))
    assert not (HEAVY | {"typer", "rich", "recsys.app"}) & set(loaded)
