"""What would end the process without memory is refused before."""

import mmap
import subprocess
import sys
from pathlib import Path

import pytest

from recsys.machine import MIB
from recsys.store.arrays import release

ASK = """
import resource
from recsys.machine import MIB, require_room
with open("/proc/self/statm", encoding="ascii") as file:
    mapped = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (mapped + 64 * MIB,) * 2)
require_room(16 * MIB)
try:
    require_room(128 * MIB)
except MemoryError as error:
    print(error)
"""


def test_room_is_asked_for_where_there_is_a_limit() -> None:
    done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    assert done.stdout == "128 MiB are needed.\n"


HOLD = """
import sys, threading
from recsys.machine import return_large_blocks

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def work():
    bytearray(12 << 20)  # glibc takes blocks of this size for small ones from now on.
    before, blocks, behind = resident(), [], []
    for _ in range(4):
        blocks.append(bytearray(12 << 20))
        behind.append([bytes(5000) for _ in range(30)])
    blocks.clear()
    print((resident() - before) >> 20)

if sys.argv[1] == "returned":
    return_large_blocks()
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_large_blocks_go_back_to_the_system() -> None:
    command = [sys.executable, "-c", HOLD, "returned"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert int(done.stdout) < 6


def of_files() -> int:
    """Bytes of files that are mapped and in memory."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if "RssFile" in line) << 10


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_pages_of_a_file_that_were_read_are_let_go_and_read_again(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abcdefgh" * MIB)
    with (
        (tmp_path / "file").open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
    ):
        assert mapped.find(b"z") == -1
        held = of_files()
        release(mapped)
        assert held - of_files() >= 7 * MIB
        assert mapped[:8] == mapped[-8:] == b"abcdefgh"
