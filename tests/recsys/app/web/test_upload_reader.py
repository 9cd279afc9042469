"""The process that reads a stranger's files ends, whatever they or it may do."""

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from recsys.app.web import uploads
from recsys.app.web.upload_reader import DRAFT, ReadingTask
from recsys.app.web.uploads import ReadingLimits, UploadedFile, read_uploaded_draft
from recsys.errors import DraftError, InputError, RecsysError
from tests.recsys.app.web.stand_in import stand_in

pytestmark = pytest.mark.usefixtures("nothing_is_left")

MIB = 2**20


def test_what_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    # It sleeps with its input unread, and has a process of its own that holds its output.
    stand_in("import os, time\nif os.fork() == 0: time.sleep(60)\ntime.sleep(60)", monkeypatch)
    start = time.monotonic()
    with pytest.raises(DraftError) as caught:
        read_uploaded_draft([UploadedFile("a.md", bytes(10 * MIB))], ReadingLimits(seconds=1))
    assert str(caught.value) == (
        "a.md took longer than 1 s to read. Give title and abstract instead."
    )
    assert time.monotonic() - start < 10


def test_a_process_that_the_reader_starts_ends_with_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = tmp_path / "pid"
    stand_in(
        "import os, time\nchild = os.fork()\n"
        "if child == 0: time.sleep(60)\n"
        f"open({str(told)!r}, 'w').write(str(child))\n"
        """os.write(1, b'{"error": {"kind": "DraftError", "what": "W.", "hint": "H."}}')\n"""
        "os.close(1)",
        monkeypatch,
    )
    with pytest.raises(DraftError, match=r"W\. H\."):
        read_uploaded_draft([UploadedFile("a.md", b"x")], ReadingLimits(seconds=2))
    assert gone(int(told.read_text()))


def gone(process: int) -> bool:
    for _ in range(100):
        try:
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def test_a_reader_that_loops_is_ended_by_its_own_clock_too() -> None:
    request = ReadingTask(DRAFT, 0.2, 2**30, ("a",), (1,))
    code = (
        "from recsys.app.web import upload_reader as c\n"
        "def loop(*a):\n    while True: pass\n"
        "c._read = loop\nc.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=request.header() + b"x", capture_output=True, timeout=60
    )
    assert done.returncode == -signal.SIGKILL or done.returncode == -signal.SIGXCPU
    assert done.stdout == b""


def test_what_takes_too_much_memory_is_ended() -> None:
    # What a list holds takes more memory than its file.
    entries = b"".join(b"@misc{k%d, title={Work %d}}\n" % (i, i) for i in range(90_000))
    with pytest.raises(DraftError) as caught:
        read_uploaded_draft(
            [UploadedFile("a.bib", entries)], ReadingLimits(seconds=120, memory=100 * MIB)
        )
    assert str(caught.value) == (
        "a.bib needs more than 0.098 GiB of memory to read. Give title and abstract instead."
    )


@pytest.mark.parametrize(
    "code",
    [
        "",
        "raise SystemExit(3)",
        "import os; os.abort()",
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "import os; os.close(0); os.close(1)",
        "print('no answer')",
        "print('{}')",
        """print('{"found": {"title": 3}}')""",
        """print('{"error": {"kind": "KeyboardInterrupt", "what": "", "hint": ""}}')""",
        "import os\nwhile True: os.write(1, bytes(2**20))",
    ],
    ids=range(10),
)
def test_a_reader_that_breaks_down_is_one_clear_error(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(code, monkeypatch)
    with pytest.raises(DraftError) as caught:
        read_uploaded_draft([UploadedFile("a.md", bytes(3 * MIB))])
    assert str(caught.value) == (
        "a.md could not be read: its reader broke down. Give title and abstract instead."
    )


def test_a_reader_that_the_system_kills_had_too_little_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stand_in("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", monkeypatch)
    with pytest.raises(DraftError, match="needs more than 1 GiB of memory"):
        read_uploaded_draft([UploadedFile("a.md", b"x")])


def test_no_process_at_all_is_an_error_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_CHILD", ("/nowhere/at/all",))
    with pytest.raises(RecsysError, match="No process could be started") as caught:
        read_uploaded_draft([UploadedFile("a.md", b"x")])
    assert not isinstance(caught.value, InputError)


def test_only_so_many_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in("import time; time.sleep(60)", monkeypatch)
    ended: list[str] = []

    def ask(seconds: float) -> None:
        with pytest.raises(RecsysError) as caught:
            read_uploaded_draft(
                [UploadedFile("a.md", b"x")], ReadingLimits(seconds=seconds, at_once=1)
            )
        ended.append(caught.value.what)

    first = threading.Thread(target=ask, args=(1.5,))
    first.start()
    time.sleep(0.5)
    ask(0.3)
    first.join()
    assert ended == [
        "a.md was not read: others are being read.",
        "a.md took longer than 1.5 s to read.",
    ]
    ask(0.3)
    assert ended[2] == "a.md took longer than 0.3 s to read."


def test_the_reader_gets_no_environment_and_opens_no_file_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RECSYS_SECRET", "x")
    monkeypatch.chdir(tmp_path)
    Path("secret.tex").write_text("SECRET", encoding="utf-8")
    Path("json.py").write_text("raise SystemExit", encoding="utf-8")
    source = rb"\title{T}\begin{abstract}\input{secret}\end{abstract}"
    found = read_uploaded_draft([UploadedFile("a.tex", source)])
    assert "SECRET" not in str(found)
    Path("json.py").unlink()
    stand_in(
        "import json, os; print(json.dumps({'error': {'kind': 'InputError', "
        "'what': ' '.join(sorted(os.environ)), 'hint': ''}}))",
        monkeypatch,
    )
    with pytest.raises(InputError) as caught:
        read_uploaded_draft([UploadedFile("a.tex", source)])
    assert "RECSYS_SECRET" not in caught.value.what
    assert "PYTHONPATH" in caught.value.what


def test_the_reader_can_write_no_file_and_open_few(tmp_path: Path) -> None:
    code = (
        "import os\n"
        "from recsys.app.web import upload_reader as c\n"
        "from recsys.errors import InputError\n"
        "def attempt(*a):\n"
        "    said = []\n"
        "    try:\n"
        f"        with open({str(tmp_path / 'x')!r}, 'wb', buffering=0) as file: file.write(b'x')\n"
        "    except OSError as error: said.append(error.strerror)\n"
        "    try: [os.open('/dev/null', os.O_RDONLY) for _ in range(100)]\n"
        "    except OSError as error: said.append(error.strerror)\n"
        "    print('to nobody')\n"
        "    raise InputError(', '.join(said))\n"
        "c._read = attempt\nc.main()"
    )
    request = ReadingTask(DRAFT, 20, 2**30, ("a",), (1,))
    done = subprocess.run(
        [sys.executable, "-c", code], input=request.header() + b"x", capture_output=True, timeout=60
    )
    assert json.loads(done.stdout)["error"]["what"] == "File too large, Too many open files"
    assert done.stderr == b""
