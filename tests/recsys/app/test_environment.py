"""The program in places where things are missing: the answer if it is possible, else one line."""

import json
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from recsys.errors import CorpusError
from recsys.formats.work_stream import read_papers
from tests.built_index import DRAFT, ROOT, Built
from tests.rows import each_row


@dataclass(frozen=True, slots=True)
class Place:
    """A command in bash, where RECSYS is `recsys recommend` with an index and JSON as its format.

    answers: whether stdout, or out.json, holds an answer. says: how the last line of stderr begins;
    None where nobody can read it.
    """

    command: str
    answers: bool
    says: str | None = "Understood"
    code: int = 0


FULL = "No space left on device. Check the path, its permissions and the free disk space"
FULL_STDOUT = f"error: standard output: {FULL}"
NO_INPUT = "error: Standard input cannot be read"
CLOSED = "error: Standard input is closed. Give"
NO_STDOUT = "error: Standard output is closed. Give"
CAFE = r"cp draft.json $'caf\xe9.json'; RECSYS $'caf\xe9.json'"  # A name in Latin-1.
ASCII = "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 PYTHONIOENCODING=ascii"
PLACES = {
    "closed stdin": Place("RECSYS draft.json <&-", True),
    "closed stderr": Place("RECSYS draft.json 2>&-", True, None),
    "full stderr": Place("RECSYS draft.json 2>/dev/full", True, None),
    "closed stdout": Place("RECSYS draft.json >&-", False, NO_STDOUT, 1),
    "closed stdout, a file": Place("RECSYS draft.json --out out.json >&-", True),
    "all closed": Place("RECSYS draft.json --out out.json <&- >&- 2>&-", True, None),
    "full stdout": Place("RECSYS draft.json >/dev/full", False, FULL_STDOUT, 1),
    "full file": Place("RECSYS draft.json --out /dev/full", False, f"error: /dev/full: {FULL}", 1),
    "all full": Place("RECSYS draft.json >/dev/full 2>&1", False, None, 1),
    "draft of closed stdin": Place("RECSYS - <&-", False, CLOSED, 1),
    "no draft, closed stdin": Place("RECSYS <&-", False, CLOSED, 1),
    "stdin to write": Place("RECSYS - 0>/dev/null", False, NO_INPUT, 1),
    "stdout by name": Place("RECSYS draft.json --out /dev/stdout", True),
    "stdout by name, early end": Place("RECSYS draft.json --out /dev/stdout | true", False),
    "nowhere": Place("RECSYS draft.json --out /dev/null", False),
    "a pipe as draft": Place("RECSYS <(cat draft.json)", True),
    "empty device": Place("RECSYS /dev/null", False, "error: /dev/null is empty. Give", 1),
    "endless device": Place("RECSYS /dev/zero", False, "error: /dev/zero is larger than 64 MB.", 1),
    "ascii": Place(f"{ASCII} RECSYS draft.json", True),
    "no environment": Place("env -i PYTHONPATH=$PYTHONPATH RECSYS draft.json", True),
    "a name of no UTF-8": Place(CAFE, True),
    "two names of no UTF-8": Place(CAFE + r" --out $'o\xe9.json'; cat $'o\xe9.json'", True),
    "no such name": Place(r"RECSYS $'\xe9.tex'", False, r"error: There is no file \udce9.", 1),
}  # fmt: skip
USUALLY = (
    *("closed stdin", "closed stderr", "closed stdout", "full stdout", "full file"),
    *("a pipe as draft", "a name of no UTF-8"),
)


@pytest.fixture(scope="module")
def shell(
    built: Built, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], "subprocess.CompletedProcess[str]"]:
    """Run a command in bash, in a folder with a draft."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "draft.json").write_text(json.dumps(DRAFT), encoding="utf-8")
    words = [sys.executable, "-m", "tests.run_recsys", "recommend", "--index", str(built.index)]
    program = shlex.join([*words, "--format", "json"])

    def run(command: str) -> "subprocess.CompletedProcess[str]":
        (folder / "out.json").unlink(missing_ok=True)
        done = subprocess.run(
            ["bash", "-c", re.sub(r"\bRECSYS\b", lambda _: program, command)],
            cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, input="",
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        if (folder / "out.json").exists():
            done.stdout += (folder / "out.json").read_text(encoding="utf-8")
        return done

    return run


@each_row("name", sorted(PLACES, key=lambda name: name not in USUALLY), usually=len(USUALLY))
def test_the_answer_if_it_is_possible_else_one_line(
    name: str, shell: Callable[[str], "subprocess.CompletedProcess[str]"]
) -> None:
    place = PLACES[name]
    done = shell(place.command)
    assert done.returncode == place.code, done.stderr
    if place.answers:
        assert json.loads(done.stdout)["recommendations"]
    else:
        assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines == [] if place.says is None else lines[-1].startswith(place.says)
    assert sum(line.startswith("error: ") for line in lines) <= 1
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_user_who_is_not_there_is_one_line(
    shell: Callable[[str], "subprocess.CompletedProcess[str]"],
) -> None:
    program = f"{sys.executable} -m tests.run_recsys recommend draft.json"
    done = shell(f"RECSYS_CACHE='~no-such-user' {program}")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: RECSYS_CACHE is '~no-such-user'")
    assert done.stderr.count("\n") == 1


def test_no_file_is_opened_in_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    code = (
        "import os, sys; from recsys.app.terminal import hold_streams; hold_streams()\n"
        "file = open('data', 'w'); os.write(2, b'from a library'); os.write(1, b'and another')\n"
        "sys.exit(3 if file.fileno() < 3 else 0)"
    )
    command = f"{shlex.join([sys.executable, '-c', code])} <&- >&- 2>&-"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 0
    assert (tmp_path / "data").read_bytes() == b""


def test_papers_are_read_from_a_pipe_of_any_length(tmp_path: Path) -> None:
    pipe = tmp_path / "papers"
    os.mkfifo(pipe)
    text = "".join(f'{{"id": "p{n}", "title": "On river {n}"}}\n' for n in range(5000))
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    assert sum(1 for _ in read_papers(pipe)) == 5000
    writer.join()


@each_row(
    ("device", "said"),
    [("null", "it is empty"), ("zero", "Line 1 has no end"), ("urandom", "holds no JSON objects")],
)
def test_a_device_is_no_corpus(device: str, said: str) -> None:
    with pytest.raises(CorpusError, match=said):
        next(read_papers(Path("/dev", device)))


@each_row(
    "words",
    [
        ("-m", "recsys", "recommend", "--title", "Rivers"),
        ("-c", "import recsys; recsys.load().recommend(recsys.Draft('Rivers'))"),
    ],
)
def test_an_answer_leaves_nothing_in_the_home(words: tuple[str, ...], tmp_path: Path) -> None:
    """ONNX Runtime would: an identifier, and what it means to send to its maker."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    done = subprocess.run(
        [sys.executable, *words],
        env={**own, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, [*tmp_path.rglob("*")]) == (0, []), done.stderr
