import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.built_index import DRAFT

if TYPE_CHECKING:
    from tests.built_index import Built

HEAVY = {"numpy", "torch", "transformers", "lightgbm", "pyarrow", "onnxruntime", "onnx", "sklearn"}
UNASKED = HEAVY - {"numpy", "onnxruntime"} | {
    *("pydantic", "rich", "scipy", "filelock", "threadpoolctl"),
    *("numpy.ma", "numpy.random", "concurrent.futures", "ssl", "tempfile"),
    *("recsys.local", "recsys.models.nnselect", "recsys.formats.answer_pages"),
    *("recsys.pipelines", "recsys.eval"),
    *("recsys.app.cli.building", "recsys.app.web", "obstore"),
}
"""What an answer on a pipe can do without."""
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


_COMMAND = """
import json, sys
sys.argv = ["recsys", *sys.argv[1:]]
from recsys.app.cli import main
code = main()
print(json.dumps([code, sorted(sys.modules)]))
"""


def run(code: str, *arguments: str | Path) -> str:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    runs = [json.loads(run(_HELP)) for _ in range(3)]
    assert [code for code, _, _ in runs] == [0, 0, 0]
    assert not HEAVY & set(runs[0][2])
    assert min(seconds for _, seconds, _ in runs) < HELP_BUDGET


def test_importing_recsys_imports_nothing_heavy() -> None:
    loaded = json.loads(run("import recsys, sys, json; print(json.dumps(list(sys.modules)))"))
    assert not (HEAVY | {"typer", "rich", "recsys.app"}) & set(loaded)


@pytest.mark.parametrize(("form", "references"), [("table", 0), ("jsonl", 3)])
def test_an_answer_imports_what_it_needs(
    built: "Built", tmp_path: Path, form: str, references: int
) -> None:
    cited = [{"id": f"p{number}"} for number in range(references)]
    draft = tmp_path / "draft.json"
    draft.write_text(json.dumps(DRAFT | {"references": cited}), encoding="utf-8")
    options = ("--index", built.index, "-k", "5", "--format", form)
    code, loaded = json.loads(run(_COMMAND, "recommend", draft, *options))
    assert code == 0
    assert {"numpy", "onnxruntime", "recsys.ranking.features"} <= set(loaded)
    assert sorted(UNASKED & set(loaded)) == []


def test_an_answer_lets_no_library_report_where_it_runs(
    built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "TMPDIR"):  # ONNX Runtime keeps an id of the machine there, and reports.
        monkeypatch.setenv(name, str(tmp_path / name))
        (tmp_path / name).mkdir()
    draft = ("--title", "Rivers", "--index", built.index)
    code, loaded = json.loads(run(_COMMAND, "recommend", *draft))
    assert code == 0 and "onnxruntime" in loaded
    assert [each.name for name in ("HOME", "TMPDIR") for each in (tmp_path / name).iterdir()] == []


def test_an_answer_from_python_imports_no_program(built: "Built", tmp_path: Path) -> None:
    code = f"""
import json, sys, recsys
recsys.load({str(built.without_models(tmp_path))!r}).recommend("Rivers and their valleys")
print(json.dumps([*sys.modules]))
"""
    imported = set(json.loads(run(code)))
    assert "recsys.ranking.feature_context" in imported
    assert not {"typer", "pydantic", "pyarrow", "numpy.ma", "sklearn", "torch"} & imported
