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
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.evaluation.batch import BatchOptions, run_batch
from recsys.pipelines.evaluation.evaluate import EvaluateOptions, evaluate
from recsys.pipelines.index.build import STAGES, BuildOptions, build
from recsys.pipelines.index.encode import encode_corpus
from recsys.pipelines.jobs import ray_cluster
from recsys.pipelines.jobs import ray_cluster as ray_connection
from recsys.pipelines.jobs.engines import Engine, ProcessPool, Stage
from recsys.pipelines.jobs.kept_results import MadeFiles, do_shards
from recsys.pipelines.jobs.ray_cluster import RayCluster, connected
from recsys.pipelines.ranking.train_ranker import TrainOptions, train_ranker
from recsys.pipelines.studies.embed import EmbedOptions, embed
from recsys.store.artifacts import CORPUS, ENCODER, VECTOR_FILE, sha256
from recsys.store.corpus import Corpus
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


def meet(folder: Path, number: int) -> str:
    """Wait until a process of each node is here; name the node."""
    import ray

    node = str(ray.get_runtime_context().get_node_id())
    (folder / node).touch()
    until = time.monotonic() + 60
    while len([*folder.iterdir()]) < 2 and time.monotonic() < until:
        pass
    return node


def test_every_shard_is_done_once(engine: RayCluster) -> None:
    found = dict(engine.map(SQUARE, range(30)))
    assert {at: square for at, (square, _) in found.items()} == {at: at * at for at in range(30)}
    assert 1 <= len({pid for _, pid in found.values()} - {os.getpid()}) <= 2


def test_both_nodes_take_part(engine: RayCluster, tmp_path: Path) -> None:
    stage = Stage("meet", partial(partial, meet, tmp_path))
    assert len(set(dict(engine.map(stage, range(4))).values())) == 2


def test_no_shards_need_no_cluster(engine: RayCluster) -> None:
    assert dict(engine.map(SQUARE, [])) == {}


def test_processes_compute_on_one_thread(engine: RayCluster) -> None:
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]
    found = dict(engine.map(Stage("ask", partial(partial, os.getenv)), names))
    assert found == dict.fromkeys(range(3), "1")


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
        next(others)
        monkeypatch.setattr(ray_cluster, "START_PATIENCE", 0.2)
        with pytest.raises(RecsysError, match=r"'square' did not begin, .* 0\.2 s; .*`ray status`"):
            dict(engine.map(SQUARE, [1]))


def test_no_process_is_left_when_the_results_are_not_wanted_any_more(engine: RayCluster) -> None:
    with closing(engine.map(SQUARE, range(50))) as results:
        _, (_, pid) = next(results)
    assert gone(pid)


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
    return False


def test_another_version_on_a_node_is_refused(
    engine: RayCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_cluster, "VERSION", "9.9")
    with pytest.raises(RecsysError, match=r"has recsys .*, and this machine 9\.9.*same version"):
        dict(engine.map(SQUARE, [1]))


def test_a_cluster_without_gpus_is_refused_where_they_are_asked_for(engine: RayCluster) -> None:
    with pytest.raises(RecsysError, match=r"0 GPUs"):
        dict(RayCluster(gpus=0.5).map(replace(SQUARE, gpu_start=SQUARE.start), [1]))


def spell(word: str) -> MadeFiles:
    return MadeFiles({"word": word.encode()}, {"letters": len(word)})


def test_files_of_shards_are_those_of_the_pool(engine: RayCluster, tmp_path: Path) -> None:
    stage = Stage("spell", partial(partial, spell))
    ours = do_shards(ProcessPool(2), stage, ["a", "bb"], tmp_path / "pool", "key")
    theirs = do_shards(engine, stage, ["a", "bb"], tmp_path / "ray", "key")
    assert [(each.facts, each.hashes) for each in ours] == [
        (each.facts, each.hashes) for each in theirs
    ]


def encoded(built: "Built", engine: Engine, folder: Path) -> str:
    """Encode the small corpus in shards of five, and hash the vectors."""
    index = in_force(built.index)
    encoder, corpus = OnnxEncoder.load(index / ENCODER), Corpus.load(index / CORPUS)
    encode_corpus(encoder, corpus, folder, shard=5, engine=engine, exported=index / ENCODER)
    return sha256(folder / VECTOR_FILE)


def test_encoding_gives_equal_bytes(engine: RayCluster, built: "Built", tmp_path: Path) -> None:
    here = encoded(built, ProcessPool(), tmp_path / "here")
    assert encoded(built, engine, tmp_path / "ray") == here


def test_a_build_gives_an_equal_index(engine: RayCluster, built: "Built", tmp_path: Path) -> None:
    out = tmp_path / "x.index"
    build([built.papers], out, BuildOptions(engine=engine), cache=cache_folder())
    for part in STAGES:
        assert hashes(in_force(out) / part) == hashes(in_force(built.index) / part)


def test_batches_and_evaluations_are_equal(
    engine: RayCluster, built: "Built", tmp_path: Path
) -> None:
    written = []
    for name, each in (("pool", ProcessPool(2)), ("ray", engine)):
        run, out = tmp_path / f"{name}.trec", tmp_path / name
        run_batch(built.index, built.split, BatchOptions(engine=each), run, open_index=open_index)
        options = EvaluateOptions(systems=("two-stage",), engine=each)
        evaluate(built.index, built.split, options, out, open_index=open_index)
        written.append((run.read_bytes(), hashes(out / "runs")))
    assert written[0] == written[1]


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
    [(b"HTTP/1.1 400 Bad Request\r\n\r\n", "is no cluster of Ray"), (b"", "timed out")],
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
        ("nowhere", "'nowhere' is no address of a cluster"),
        ("127.0.0.1:99999999", "No cluster of Ray answers"),
    ],
)
def test_an_address_where_nothing_answers_is_refused(address: str, told: str) -> None:
    with pytest.raises(InputError, match=told), connected(address):
        pass
