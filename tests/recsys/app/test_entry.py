"""The program's first moments: Ctrl-C ends it in one line, and little is imported."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.rows import each_row

LINE = "interrupted: run the same command again to continue.\n"
_INTERRUPTED_IMPORT = """
import sys, signal, os
from importlib.abc import MetaPathFinder

class Impatient(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Impatient())
sys.argv = ["recsys", "recommend", *{arguments!r}]
from recsys.app.cli import main
sys.exit(main())
"""


def interrupt(module: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the program, and press Ctrl-C where it imports a module."""
    code = _INTERRUPTED_IMPORT.format(module=module, arguments=arguments)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@each_row(
    ("module", "arguments"),
    [
        ("recsys.app.cli.program", ()),
        ("recsys.app.cli.recommending", ()),
        ("typer", ("--help",)),
    ],
)
def test_ctrl_c_while_the_program_starts_is_one_line(module: str, arguments: list[str]) -> None:
    done = interrupt(module, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", LINE)


def test_ctrl_c_while_it_starts_is_json_where_errors_are() -> None:
    done = interrupt("recsys.app.cli.recommending", "--json-errors")
    assert json.loads(done.stderr) == {
        "error": {
            "kind": "Interrupted",
            "what": "interrupted:",
            "hint": "run the same command again to continue.",
        }
    }


def test_ctrl_c_once_the_program_runs_is_the_same_line(tmp_path: Path) -> None:
    done = interrupt("recsys.app.wiring", "--title", "Rivers")
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == LINE


def test_the_entry_imports_no_command() -> None:
    code = "import sys, recsys.app.cli; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "recsys.app.cli.entry" in loaded
    assert not {"typer", "recsys.app.cli.program", "numpy", "rich"} & set(loaded)


@each_row(
    ("words", "expected"),
    [("recsys bat", "batch"), ("recsys recommend --out-", "--out-dir"),
     ("recsys recommend --format mark", "markdown"), ("recsys batch --system two", "two-stage")],
)  # fmt: skip
def test_the_shell_completes_without_anything_heavy(words: str, expected: str) -> None:
    code = """
import sys
sys.argv = ["recsys"]
from recsys.app.cli import main
try:
    main()
finally:
    heavy = {"numpy", "torch", "pyarrow", "onnxruntime", "lightgbm", "sklearn"} & set(sys.modules)
    print(*heavy, file=sys.stderr)
"""
    environment = os.environ | {
        "_RECSYS_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert (done.returncode, done.stderr.strip()) == (0, "")
    assert expected in done.stdout.split()


def test_the_completion_of_a_shell_is_shown() -> None:
    environment = os.environ | {"_RECSYS_COMPLETE": "source_zsh"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.run_recsys"],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "#compdef recsys" in done.stdout


def test_what_failed_ends_at_once() -> None:
    code = """
import atexit, os, sys
atexit.register(os.abort)  # A library that fails when it ends.
sys.argv = ["recsys", "inspect", "nowhere"]
from recsys.app.cli import console
console()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_what_went_well_ends_without_taking_python_apart() -> None:
    code = """
import atexit, os, sys, threading
class Last:
    def __del__(self, abort=os.abort): abort()
last = Last()
atexit.register(print, "left")
sys.argv = ["recsys", "--version"]
from recsys.app.cli import console
console()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == ["left"]


def test_threads_that_still_work_are_waited_for() -> None:
    code = """
import sys, threading
from recsys.app.cli import console
sys.argv = ["recsys", "--version"]
ended = threading.Event()
def work():
    ended.wait()
    print("worked")
threading.Thread(target=work).start()
console()
ended.set()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == ["worked"]
