import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt, InputError, OnlineError
from recsys.pipelines.remote.push_index import PushReport, push_index
from recsys.pipelines.remote.store_pointer import find_pointer, need_pointer
from recsys.pipelines.remote.working_copy import copy_of_own, copy_to_change, copy_to_read
from tests.built_index import ROOT
from tests.pipelines.remote.made_index import FILES, LANCE, files_of, make_index
from tests.pipelines.remote.store_server import BROKEN, StoreServer, folder_at

pytestmark = [pytest.mark.area("store"), pytest.mark.usefixtures("server")]

_numbers = count()


@pytest.fixture
def place() -> str:
    """A place of the bucket that no other test has."""
    return f"push-{next(_numbers)}"


def push(index: Path, place: str, *, anew: bool = False) -> PushReport:
    store = folder_at(place)
    return push_index(store, index, find_pointer(store), anew=anew)


def read(place: str, cache: Path) -> dict[str, bytes]:
    return files_of(copy_to_read(folder_at(place).address, cache))


def counted(report: PushReport) -> tuple[int, int, int]:
    return report.sent[0], report.copied[0], report.kept[0]


def test_what_is_brought_to_a_store_is_fetched_from_it(place: str, tmp_path: Path) -> None:
    report = push(make_index(tmp_path / "my.index"), place)
    assert counted(report) == (len(FILES), 0, 0)
    assert report.sent[1] == sum(map(len, FILES.values()))
    assert read(place, tmp_path / "elsewhere") == FILES


def test_the_same_index_is_not_sent_again(server: StoreServer, place: str, tmp_path: Path) -> None:
    index = make_index(tmp_path / "my.index")
    push(index, place)
    server.asked.clear()
    assert push(index, place).unchanged
    assert server.writes() == []


def test_what_the_generation_before_has_is_copied_on_the_store(place: str, tmp_path: Path) -> None:
    push(make_index(tmp_path / "my.index"), place)
    moved = FILES["encoder/model.onnx"]
    changed = {"corpus/ids.npy": b"", "corpus/model": moved, "text/postings.npy": b"others"}
    report = push(make_index(tmp_path / "my.index", changed), place)
    assert counted(report) == (1, 2, 0)
    assert report.copied[1] == len(moved)
    assert read(place, tmp_path / "elsewhere") == changed


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=st.none()
    | st.dictionaries(st.sampled_from(sorted(FILES)), st.binary(max_size=4), min_size=1),
    writes=st.integers(0, 7),
)
def test_a_push_that_fails_anywhere_leaves_the_old_index_and_continues(
    one_server: StoreServer,
    tmp_path_factory: pytest.TempPathFactory,
    before: Mapping[str, bytes] | None,
    writes: int,
) -> None:
    one_server.work()
    place, folder = f"push-{next(_numbers)}", tmp_path_factory.mktemp("push")
    index = folder / "my.index"
    if before is not None:
        push(make_index(index, before), place)
    make_index(index)
    one_server.asked.clear()
    one_server.fail_after(writes)
    try:
        push(index, place)
    except OnlineError as error:
        assert "answers '400 Bad Request'" in error.what
        one_server.failure = lambda method, path: None
        if before is None:
            assert find_pointer(folder_at(place)) is None
        else:
            assert read(place, folder / "then") == before
        push(index, place)
    one_server.failure = lambda method, path: None
    assert read(place, folder / "elsewhere") == FILES
    written = Counter(path for path in one_server.writes() if "/encoder/" in path)
    assert set(written.values()) == {1}


_PUSH = """
import sys
from pathlib import Path
from recsys.pipelines.remote.push_index import push_index
from recsys.pipelines.remote.store_pointer import find_pointer
from tests.pipelines.remote.store_server import folder_at
store = folder_at(sys.argv[2])
push_index(store, Path(sys.argv[1]), find_pointer(store))
"""


def test_a_push_that_is_killed_leaves_the_old_index_and_continues(
    server: StoreServer, place: str, tmp_path: Path
) -> None:
    push(make_index(tmp_path / "my.index", {"corpus/ids.npy": b"old"}), place)
    index = make_index(tmp_path / "my.index")
    command = [sys.executable, "-c", _PUSH, str(index), place]
    process = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT)})

    def kill(method: str, path: str) -> None:
        if method == "PUT" and path.endswith("postings.npy"):
            process.send_signal(signal.SIGKILL)
            process.wait()

    server.failure = kill
    process.wait()
    assert process.returncode == -signal.SIGKILL
    server.failure = lambda method, path: None
    assert read(place, tmp_path / "then") == {"corpus/ids.npy": b"old"}
    report = push(index, place)
    assert sum(counted(report)) == len(FILES)
    assert read(place, tmp_path / "elsewhere") == FILES


def test_of_two_writers_the_second_is_told_and_the_first_stays(place: str, tmp_path: Path) -> None:
    push(make_index(tmp_path / "my.index"), place)
    address = folder_at(place).address
    copies = [copy_to_change(address, tmp_path / name) for name in ("one", "other")]
    theirs = FILES | {"text/of": b"one"}
    make_index(copies[0].index, theirs)
    make_index(copies[1].index, FILES | {"text/of": b"other"})
    copies[0].push()
    with pytest.raises(InputError, match="Another index was put in force") as caught:
        copies[1].push()
    assert "Run the same command again" in caught.value.hint
    assert read(place, tmp_path / "elsewhere") == theirs
    # The same command starts from what is there.
    assert files_of(copy_to_change(address, tmp_path / "other").index) == theirs


def test_a_writer_that_is_overtaken_at_the_very_end_does_not_win(
    server: StoreServer, place: str, tmp_path: Path
) -> None:
    address = folder_at(place).address
    index = make_index(tmp_path / "my.index")
    theirs = make_index(tmp_path / "their.index", {"corpus/ids.npy": b"theirs"})
    overtaken = iter((False,))

    def overtake(method: str, path: str) -> None:
        pointer = method == "PUT" and path.endswith(f"{place}/manifest.json")
        if pointer and next(overtaken, True) is False:
            push(theirs, place)

    server.failure = overtake
    with pytest.raises(InputError, match="Another index was put in force"):
        push(index, place)
    assert files_of(copy_to_read(address, tmp_path / "cache")) == {"corpus/ids.npy": b"theirs"}


def test_what_was_done_and_not_sent_is_kept_for_the_same_command(
    place: str, tmp_path: Path
) -> None:
    push(make_index(tmp_path / "my.index"), place)
    address, changed = folder_at(place).address, FILES | {"text/more": b"more"}
    make_index(copy_to_change(address, tmp_path / "cache").index, changed)
    again = copy_to_change(address, tmp_path / "cache")
    assert files_of(again.index) == changed
    assert counted(again.push()) == (1, len(FILES), 0)


def test_a_folder_of_ones_own_replaces_no_other_index_unless_forced(
    place: str, tmp_path: Path
) -> None:
    push(make_index(tmp_path / "their.index"), place)
    address = folder_at(place).address
    mine = make_index(tmp_path / "my.index", {"corpus/ids.npy": b"mine"})
    with pytest.raises(InputError, match="holds another index than"):
        copy_of_own(address, tmp_path / "cache", mine, force=False)
    copy_of_own(address, tmp_path / "cache", mine, force=True).push()
    assert read(place, tmp_path / "elsewhere") == {"corpus/ids.npy": b"mine"}
    # It is its own from then on.
    make_index(mine)
    copy_of_own(address, tmp_path / "cache", mine, force=False).push()
    assert read(place, tmp_path / "elsewhere") == FILES


def test_what_is_damaged_on_the_store_is_sent_anew_on_demand(place: str, tmp_path: Path) -> None:
    index, store = make_index(tmp_path / "my.index"), folder_at(place)
    push(index, place)
    pointer = need_pointer(store)
    store.send(f"{pointer.folder}/encoder/model.onnx", b"MODEL" * 1000)
    with pytest.raises(ArtifactCorrupt, match=r"encoder/model\.onnx does not have the checksum"):
        read(place, tmp_path / "elsewhere")
    assert counted(push(index, place, anew=True)) == (len(FILES), 0, 0)
    assert read(place, tmp_path / "elsewhere") == FILES


def test_a_damaged_index_is_not_brought_to_a_store(place: str, tmp_path: Path) -> None:
    index = make_index(tmp_path / "my.index")
    [model] = index.rglob("model.onnx")
    model.write_bytes(b"MODEL" * 1000)
    with pytest.raises(ArtifactCorrupt, match=r"model\.onnx does not have the checksum"):
        push(index, place)
    assert find_pointer(folder_at(place)) is None


def test_old_generations_go_but_not_the_one_before_and_not_young_ones(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, index = folder_at(place), tmp_path / "my.index"
    store.send("generations/9000000000000000/text/half", b"of a writer that was killed")

    def push_next(number: int) -> str:
        push(make_index(index, FILES | LANCE | {"text/n": b"%d" % number}), place)
        pointer = need_pointer(store)
        return pointer.generation

    def there() -> set[str]:
        return {name.split("/")[1] for name in store.listed("generations")}

    first, second = push_next(1), push_next(2)
    third = push_next(3)
    assert there() == {first, second, third, "9000000000000000"}
    monkeypatch.setattr("recsys.pipelines.remote.push_index.YOUNG", timedelta(seconds=-2))
    fourth = push_next(4)
    assert there() == {third, fourth}


def test_a_lost_answer_is_not_taken_for_another_writer(
    server: StoreServer, place: str, tmp_path: Path
) -> None:
    index, first = make_index(tmp_path / "my.index"), iter((True,))

    def lose(method: str, path: str) -> tuple[str, bytes] | None:
        if method == "PUT" and path.endswith(f"{place}/manifest.json") and next(first, False):
            push(index, place)  # As if what is asked had been done.
            return BROKEN[0].replace("400", "503"), b""
        return None

    server.failure = lose
    push(index, place)
    assert read(place, tmp_path / "elsewhere") == FILES
