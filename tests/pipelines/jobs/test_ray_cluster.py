"""Jobs on a cluster of two nodes: what the pool gives, whatever dies on the way."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.app.cache import cache_folder
from recsys.app.wiring import open_index
from recsys.errors import InputError, RecsysError
from recsys.pipelines.evaluation.evaluate import EvaluateOptions, evaluate
from recsys.pipelines.index.build import STAGES, BuildOptions, build
from recsys.pipelines.jobs import ray_cluster
from recsys.pipelines.jobs import ray_cluster as ray_connection
from recsys.pipelines.jobs.engines import ProcessPool, Stage
from recsys.pipelines.jobs.ray_cluster import RayCluster, connected
from recsys.pipelines.ranking.train_ranker import TrainOptions, train_ranker
from recsys.pipelines.studies.embed import EmbedOptions, embed
from recsys.store.generations import in_force
from tests.built_index import ROOT, hashes, stopped, write_many
from tests.ray_nodes import Nodes, two_nodes
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built

pytestmark = [pytest.mark.area("ray"), pytest.mark.timeout(300)]
"""Ray waits for ever where a cluster is ill."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Nodes]:
    with two_nodes() as nodes:
        yield nodes


@pytest.fixture(scope="module")
def engine(cluster: Nodes) -> Iterator[RayCluster]:
    with connected(cluster.address) as connection:
        yield connection


def squares(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


SQUARE = Stage("square", partial(partial, squares))


def meet(folder: Path, number: int) -> tuple[int, str, str | None]:
    """Wait until a process of each node is here; give the square, the node and the threads."""
    import ray

    node = str(ray.get_runtime_context().get_node_id())
    (folder / node).touch()
    until = time.monotonic() + 60
    while len([*folder.iterdir()]) < 2 and time.monotonic() < until:
        pass
    return number * number, node, os.getenv("OMP_NUM_THREADS")


def test_every_shard_is_done_once_by_both_nodes_on_one_thread_each(
    engine: RayCluster, tmp_path: Path
) -> None:
    found = dict(engine.map(Stage("meet", partial(partial, meet, tmp_path)), range(30)))
    assert {at: square for at, (square, *_) in found.items()} == {at: at * at for at in range(30)}
    assert len({node for _, node, _ in found.values()}) == 2
    assert {threads for *_, threads in found.values()} == {"1"}
    assert dict(engine.map(SQUARE, [])) == {}


def refuse(number: int) -> int:
    if number == 2:
        raise InputError("There is a two.", "Leave it out.")
    return number


def cannot_begin() -> Callable[[int], int]:
    raise InputError("Nothing is there.", "Bring it.")


def test_an_error_is_raised_here_with_its_shard_and_its_hint(engine: RayCluster) -> None:
    for each in (engine, ProcessPool(2)):
        with pytest.raises(InputError) as raised:
            dict(each.map(Stage("read", partial(partial, refuse)), [1, 2, 3]))
        assert str(raised.value) == (
            "There is a two. This was shard 2 of 3 of 'read'. Leave it out."
        )
        with pytest.raises(InputError, match=r"^Nothing is there\. Bring it\.$"):
            dict(each.map(Stage("read", cannot_begin), [1]))


def die_once(folder: Path, number: int) -> int:
    with suppress(FileExistsError):
        (folder / str(number)).touch(exist_ok=False)
        os.kill(os.getpid(), signal.SIGKILL)
    return -number


def test_what_a_killed_process_had_is_done_again(engine: RayCluster, tmp_path: Path) -> None:
    found = dict(engine.map(Stage("die", partial(partial, die_once, tmp_path)), range(3)))
    assert found == {0: 0, 1: -1, 2: -2}


def test_a_shard_that_ends_every_process_is_named(engine: RayCluster) -> None:
    with pytest.raises(RecsysError, match=r"3 processes were lost .*: shard 1 of 1 of 'end'"):
        dict(engine.map(Stage("end", partial(partial, os._exit)), [3]))


def test_processes_that_never_begin_are_given_up(
    engine: RayCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(engine.map(SQUARE, range(50))) as others:
        _, (_, pid) = next(others)
        monkeypatch.setattr(ray_cluster, "START_PATIENCE", 0.2)
        with pytest.raises(RecsysError, match=r"'square' did not begin, .* 0\.2 s; .*`ray status`"):
            dict(engine.map(SQUARE, [1]))
    assert gone(pid)  # The results are not wanted any more.


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
    return False


def test_another_version_and_missing_gpus_are_refused(
    engine: RayCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_cluster, "VERSION", "9.9")
    with pytest.raises(RecsysError, match=r"has recsys .*, and this machine 9\.9.*same version"):
        dict(engine.map(SQUARE, [1]))
    with pytest.raises(RecsysError, match=r"0 GPUs"):
        dict(RayCluster(gpus=0.5).map(replace(SQUARE, gpu_start=SQUARE.start), [1]))


def test_a_build_gives_an_equal_index(engine: RayCluster, built: "Built", tmp_path: Path) -> None:
    out = tmp_path / "x.index"
    build([built.papers], out, BuildOptions(engine=engine), cache=cache_folder())
    for part in STAGES:
        assert hashes(in_force(out) / part) == hashes(in_force(built.index) / part)


def test_evaluations_are_equal(engine: RayCluster, built: "Built", tmp_path: Path) -> None:
    for name, each in (("pool", ProcessPool(2)), ("ray", engine)):
        options = EvaluateOptions(systems=("two-stage",), engine=each)
        evaluate(built.index, built.split, options, tmp_path / name, open_index=open_index)
    assert hashes(tmp_path / "pool" / "runs") == hashes(tmp_path / "ray" / "runs")


def test_training_gives_an_equal_ranker(engine: RayCluster, built: "Built", tmp_path: Path) -> None:
    index = built.copy(tmp_path)
    train_ranker(index, built.split, TrainOptions(engine=engine))
    for name in ("trees.npz", "model.txt", "manifest.json"):
        ours = in_force(built.index) / "ranker" / name
        assert (in_force(index) / "ranker" / name).read_bytes() == ours.read_bytes()


def test_a_command_that_is_interrupted_ends_and_continues(cluster: Nodes, tmp_path: Path) -> None:
    """As a user runs it, with a connection of its own."""
    papers, out = write_many(tmp_path / "many.jsonl"), tmp_path / "many.npy"
    command = ("embed", papers, "--out", out, "--engine", "ray", "--address", cluster.address)
    notes = tmp_path / "many.npy.partial" / "vectors" / "vectors.json"
    code, err = stopped(signal.SIGINT, command, when=notes.exists)
    assert code == 130, err
    words = [sys.executable, "-m", "tests.run_recsys", *map(str, command), "--quiet"]
    ended = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE)
    assert (ended.returncode, ended.stdout) == (0, b"")
    embed(papers, tmp_path / "here.npy", EmbedOptions(), cache=cache_folder())
    assert out.read_bytes() == (tmp_path / "here.npy").read_bytes()


@contextmanager
def listener(says: bytes) -> Iterator[str]:
    """Answer the first caller with some bytes; none: say nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            line, _ = server.accept()
            with line:
                line.sendall(says)
                asked.wait()

        asked = threading.Event()
        thread = threading.Thread(target=answer)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        asked.set()
        thread.join()


@pytest.mark.parametrize(
    ("says", "told"),
    [(b"HTTP/1.1 400 Bad Request\r\n\r\n", "is not a Ray cluster"), (b"", "timed out")],
)
def test_what_is_no_cluster_is_refused(
    says: bytes, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_connection, "PATIENCE", 0.2)
    with listener(says) as address, pytest.raises(InputError, match=told), connected(address):
        pass


@each_row(
    ("address", "told"),
    [
        ("127.0.0.1:1", "No cluster of Ray answers at 127.0.0.1:1"),
        ("ray://127.0.0.1:1", "No cluster of Ray answers at ray://127.0.0.1:1"),
        ("nowhere", "'nowhere' is not the address of a cluster"),
        ("127.0.0.1:99999999", "No cluster of Ray answers"),
    ],
)
def test_an_address_where_nothing_answers_is_refused(address: str, told: str) -> None:
    with pytest.raises(InputError, match=told), connected(address):
        pass
