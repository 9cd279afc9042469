"""A stranger's files are read in a process that ends, whatever they are."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recsys.app.web.given import given_files
from recsys.app.web.given.given_files import GivenFile, ReadingLimits, read_given, read_given_list
from recsys.app.web.given.reading_messages import DRAFT, Request
from recsys.errors import DraftError, InputError, MissingExtraError, RecsysError
from recsys.formats.drafts.bundle import parse_bundle
from recsys.formats.files import MAX_BYTES
from tests.recsys.formats.drafts.small_docx import docx, packed, paragraph
from tests.torture import samples

WORD = docx(paragraph("From Word", style="Title"), paragraph("Words of a text " * 5))
ZIP = packed({"main.tex": samples.LATEX.encode()})
MIB = 2**20


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Check that no process, descriptor or thread is left by what a test reads."""
    descriptors, threads = set(os.listdir("/proc/self/fd")), threading.active_count()
    others = children()  # Of tests before, such as multiprocessing's own.
    yield
    assert len(set(os.listdir("/proc/self/fd")) - descriptors) <= 1  # Of the listing itself.
    assert threading.active_count() == threads
    assert children() == others


def children() -> list[str]:
    tasks = Path("/proc/self/task").glob("*/children")
    return [child for task in tasks for child in task.read_text().split()]


def stand_in(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a process of other code read in place of the real one."""
    monkeypatch.setattr(given_files, "_CHILD", (sys.executable, "-c", code))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tex", samples.LATEX.encode()),
        ("a.md", samples.MARKDOWN.encode()),
        ("a.txt", samples.PLAIN.encode()),
        ("a.json", json.dumps(samples.DRAFT).encode()),
        ("a.pdf", samples.pdf()),
        ("a.docx", WORD),
        ("a.zip", ZIP),
        ("a.bib", samples.BIBTEX.encode()),
        ("a.ris", samples.RIS.encode()),
        ("a.csv", samples.CSV.encode()),
    ],
)
def test_a_file_is_read_as_it_is_in_this_process(name: str, content: bytes) -> None:
    assert read_given([GivenFile(name, content)]) == parse_bundle({name: content})


def test_several_files_are_read_together() -> None:
    files = {
        "a.tex": rb"\title{Mine}\cite{river1}\bibliography{b}",
        "b.bib": samples.BIBTEX.encode(),
    }
    found = read_given([GivenFile(name, content) for name, content in files.items()])
    assert found == parse_bundle(files)
    assert len(found.references) == 1


def test_lists_are_read_one_after_the_other() -> None:
    book, more = samples.BIBTEX.encode(), samples.RIS.encode()
    found = read_given_list([GivenFile("x/a.bib", book), GivenFile("a.bib", b"@article{x, t"),
                             GivenFile("b.ris", more)])  # fmt: skip
    assert len(found.references) == 4
    assert [problem.partition(":")[0] for problem in found.problems] == ["a (2).bib"] * 2
    assert read_given_list([GivenFile("list", b"10.1000/r1\n")]).references[0].doi == "10.1000/r1"
    with pytest.raises(InputError, match="NUL byte"):
        read_given_list([GivenFile("a.bib", b"\0")])


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.md", b" ", DraftError),
        ("a.md", b"\xff\xfe\xff", InputError),
        ("a.md", b"---\ntitle: [\n---\n", DraftError),
        ("a.docx", b"PK\3\4rest", DraftError),
        ("a.zip", packed({"main.tex": bytes(40 * MIB)}), DraftError),
        ("a.pdf", b"%PDF-1.4 and no more", DraftError),
    ],
)
def test_an_error_is_that_of_the_reader(name: str, content: bytes, kind: type[RecsysError]) -> None:
    with pytest.raises(RecsysError) as here:
        parse_bundle({name: content})
    with pytest.raises(RecsysError) as there:
        read_given([GivenFile(name, content)])
    assert type(there.value) is type(here.value) is kind
    assert str(there.value) == str(here.value)


def test_a_missing_extra_comes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys; sys.modules['docx'] = None; "
        "from recsys.app.web.given.reading_child import main; main()"
    )
    stand_in(code, monkeypatch)
    with pytest.raises(MissingExtraError) as caught:
        read_given([GivenFile("a.docx", WORD)])
    assert caught.value.hint == "pip install 'recsys[serve]'"


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "C:\\x", "a\0b.md", "", "-", ".", "\ud800", "\u202ex.md",
     "\n\n", "x" * 10_000, "~root", "file:///etc/passwd", "con.md"],
)  # fmt: skip
def test_a_name_is_a_label(name: str) -> None:
    text = b"On rivers\n\nAbstract\n\nWe measure rivers.\n"
    assert read_given([GivenFile(name, text)]).title == "On rivers"
    with pytest.raises(DraftError) as caught:
        read_given([GivenFile(name, b"")])
    assert str(caught.value).isprintable()
    assert len(caught.value.what) < 150
    assert "/" not in caught.value.what
    assert "\\" not in caught.value.what


def test_no_file_too_many_files_and_too_large_ones_start_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)
    with pytest.raises(DraftError, match="No file"):
        read_given([])
    with pytest.raises(InputError, match="101 files were given"):
        read_given([GivenFile("a.md", b"x")] * 101)
    half = GivenFile("a.md", bytes(MAX_BYTES // 2))
    with pytest.raises(InputError, match=r"a\.md and 2 more: more than 64 MB"):
        read_given_list([half, half, GivenFile("b", b"x")])


def test_fifty_megabytes_are_read_or_refused_in_time() -> None:
    found = read_given([GivenFile("a.md", b"# T\n\n" + b"word " * 10_000_000)])
    assert found.title == "T"
    with pytest.raises(DraftError, match="nested too deeply"):
        read_given([GivenFile("a.json", b"[" * 50_000_000)])


def pdf_bomb() -> bytes:
    """Write a page whose content unpacks to a gigabyte."""
    packer = zlib.compressobj(9)
    pieces = [packer.compress(b"BT (rivers) Tj ET " * 60_000) for _ in range(1_000)]
    content = b"".join((*pieces, packer.flush()))
    head = (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj\n"
    )
    stream = b"4 0 obj<</Filter/FlateDecode/Length %d>>stream\n" % len(content)
    return head + stream + content + b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n"


def zip_bomb() -> bytes:
    """Pack a gigabyte of sources, each of which is small enough."""
    return packed({f"{number}.tex": bytes(31 * MIB) for number in range(33)})


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("a.pdf", pdf_bomb),
        ("a.zip", zip_bomb),
        ("a.docx", lambda: docx(document="<x>" * 10_000_000)),
        ("a.docx", lambda: docx(paragraph("x") * 300_000)),
    ],
    ids=["pdf", "zip", "nested docx", "long docx"],
)
def test_a_bomb_is_refused_within_the_limits(name: str, make: Callable[[], bytes]) -> None:
    start = time.monotonic()
    with pytest.raises(DraftError) as caught:
        read_given([GivenFile(name, make())])
    assert "broke down" not in str(caught.value)
    assert caught.value.hint
    assert time.monotonic() - start < 60


def test_what_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    # It sleeps with its input unread, and has a process of its own that holds its output.
    stand_in("import os, time\nif os.fork() == 0: time.sleep(60)\ntime.sleep(60)", monkeypatch)
    start = time.monotonic()
    with pytest.raises(DraftError) as caught:
        read_given([GivenFile("a.md", bytes(10 * MIB))], ReadingLimits(seconds=1))
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
        read_given([GivenFile("a.md", b"x")], ReadingLimits(seconds=2))
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
    request = Request(DRAFT, 0.2, 2**30, ("a",), (1,))
    code = (
        "from recsys.app.web.given import reading_child as c\n"
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
        read_given([GivenFile("a.bib", entries)], ReadingLimits(seconds=120, memory=100 * MIB))
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
        """print('{"found": {"title": "T"}}')""",
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
        read_given([GivenFile("a.md", bytes(3 * MIB))])
    assert str(caught.value) == (
        "a.md could not be read: its reader broke down. Give title and abstract instead."
    )


def test_a_reader_that_the_system_kills_had_too_little_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stand_in("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", monkeypatch)
    with pytest.raises(DraftError, match="needs more than 1 GiB of memory"):
        read_given([GivenFile("a.md", b"x")])


def test_no_process_at_all_is_an_error_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_files, "_CHILD", ("/nowhere/at/all",))
    with pytest.raises(RecsysError, match="No process could be started") as caught:
        read_given([GivenFile("a.md", b"x")])
    assert not isinstance(caught.value, InputError)


def test_only_so_many_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in("import time; time.sleep(60)", monkeypatch)
    ended: list[str] = []

    def ask(seconds: float) -> None:
        with pytest.raises(RecsysError) as caught:
            read_given([GivenFile("a.md", b"x")], ReadingLimits(seconds=seconds, at_once=1))
        ended.append(caught.value.what)

    first = threading.Thread(target=ask, args=(3,))
    first.start()
    time.sleep(0.5)
    ask(0.3)
    first.join()
    assert ended == [
        "a.md was not read: others are being read.",
        "a.md took longer than 3 s to read.",
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
    found = read_given([GivenFile("a.tex", source)])
    assert "SECRET" not in str(found)
    Path("json.py").unlink()
    stand_in(
        "import json, os; print(json.dumps({'error': {'kind': 'InputError', "
        "'what': ' '.join(sorted(os.environ)), 'hint': ''}}))",
        monkeypatch,
    )
    with pytest.raises(InputError) as caught:
        read_given([GivenFile("a.tex", source)])
    assert "RECSYS_SECRET" not in caught.value.what
    assert "PYTHONPATH" in caught.value.what


def test_the_reader_can_write_no_file_and_open_few(tmp_path: Path) -> None:
    code = (
        "import os\n"
        "from recsys.app.web.given import reading_child as c\n"
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
    request = Request(DRAFT, 20, 2**30, ("a",), (1,))
    done = subprocess.run(
        [sys.executable, "-c", code], input=request.header() + b"x", capture_output=True, timeout=60
    )
    assert json.loads(done.stdout)["error"]["what"] == "File too large, Too many open files"
    assert done.stderr == b""


def test_nothing_of_a_draft_is_logged(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    text = b"%PDF-1.4 SECRETWORDS " * 100
    with pytest.raises(RecsysError) as caught:
        read_given([GivenFile("a.pdf", text)])
    said = "".join((caplog.text, *capfd.readouterr(), str(caught.value)))
    assert "SECRETWORDS" not in said
    assert caught.value.__cause__ is None
