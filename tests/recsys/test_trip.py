"""Through how much of our code an answer goes: what somebody has to read to follow one."""

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built

TRACER = """
import json, sys
from inspect import CO_OPTIMIZED
from pathlib import Path
root, places, functions = sys.argv.pop(1), set(), set()
INLINE = {"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"}
def note(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(root):
        places.add(code.co_filename[len(root) + 1:])
        if code.co_flags & CO_OPTIMIZED and code.co_name not in INLINE:
            functions.add((code.co_filename, code.co_firstlineno, code.co_qualname))
sys.setprofile(note)
from recsys.app.cli import main
sys.argv[0] = "recsys"
code = main()
sys.setprofile(None)
told = {"code": code, "files": sorted(places), "functions": len(functions)}
print(json.dumps(told), file=sys.stderr)
"""
"""Notes the files of ours that run, be it as they are imported, and the functions that are called;
what is written inside of a function, as comprehensions are, is part of it."""
DRAFT = {"title": "Rivers and glaciers, measured again", "abstract": "We measure rivers."}
TEXT = """# Rivers measured

## Introduction

Glaciers melt into rivers, as others have shown before [CITE]. We measure rivers again, and deserts.
"""


@each_row(("command", "most_files", "most_functions"), [("recommend", 67, 443), ("cite", 90, 600)])
def test_an_answer_goes_through_few_files_and_functions(
    command: str, most_files: int, most_functions: int, built: "Built", tmp_path: Path
) -> None:
    draft = tmp_path / ("draft.json" if command == "recommend" else "draft.md")
    draft.write_text(json.dumps(DRAFT) if command == "recommend" else TEXT, encoding="utf-8")
    root = str(Path(__file__).resolve().parents[2] / "recsys")
    done = subprocess.run(
        [sys.executable, "-c", TRACER, root, command, str(draft), "--index", str(built.index)],
        capture_output=True,
        text=True,
        check=True,
    )
    trip = json.loads(done.stderr.strip().splitlines()[-1])
    assert trip["code"] == 0, done.stderr
    assert len(trip["files"]) <= most_files, trip["files"]
    assert trip["functions"] <= most_functions
