import json
import shutil
import threading
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

import recsys
from recsys.app.cache import followed, read_here
from recsys.app.cli.options import IndexPlace
from recsys.app.cli.program import COMMANDS, load
from recsys.pipelines.remote.working_copy import copy_of_own
from recsys.protocols import silent
from tests.built_index import DRAFT
from tests.pipelines.remote.made_index import FILES, files_of, make_index
from tests.pipelines.remote.store_server import REFUSED, StoreServer, folder_at, served
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli

CHANGING = {
    *("update", "add-contexts", "train ranker", "train local", "train nnselect", "train nnrank"),
    *(
        "study tune-nnrank",
        "study ablate-nnrank",
    ),  # They may lack NNSelect's folds, which an index keeps.
}
TITLE = "Rivers and glaciers of the north"
NEW = {"id": "new", "title": TITLE, "year": 2012}
ADDRESS = "s3://bucket/small.index"
ON_STORE = pytest.mark.area("store")


@pytest.fixture(scope="module")
def one_store(built: "Built", own_cache: Path) -> Iterator[StoreServer]:
    with served() as server:
        address = folder_at("small.index").address
        copy_of_own(address, own_cache, built.index, force=False).push()
        yield server


@pytest.fixture
def store(one_store: StoreServer) -> Iterator[StoreServer]:
    """A store that holds the small index."""
    one_store.work()
    yield one_store
    one_store.work()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> Path:
    """Another machine: a cache with the starter index, and nothing of the store."""
    monkeypatch.setenv("RECSYS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "draft.json").write_text(json.dumps(DRAFT), encoding="utf-8")
    (tmp_path / "new.jsonl").write_text(json.dumps(NEW) + "\n", encoding="utf-8")
    return tmp_path


def places(name: str) -> dict[str, IndexPlace]:
    """Name the parameters of a command that take the place of an index."""
    return {
        each.name: note
        for each in signature(load(name)).parameters.values()
        for note in get_args(each.annotation)
        if isinstance(note, IndexPlace)
    }


@each_row("name", COMMANDS)
def test_wherever_an_index_is_taken_an_address_is_taken(name: str) -> None:
    named = {"index", "indexes"} & signature(load(name)).parameters.keys()
    assert named <= places(name).keys()
    assert any(place.changed for place in places(name).values()) == (name in CHANGING)


@ON_STORE
def test_an_answer_is_the_same_from_a_store(
    built: "Built", store: StoreServer, elsewhere: Path, run_cli: "RunCli"
) -> None:
    asked = ("recommend", elsewhere / "draft.json", "--format", "json", "--index")
    here, there = run_cli(*asked, built.index), run_cli(*asked, ADDRESS)
    assert (there.code, there.out) == (0, here.out)
    assert "pull s3://bucket/small.index, MB: done" in there.err
    store.asked.clear()
    assert run_cli(*asked, ADDRESS).out == here.out
    assert len(store.asked) == 1


@ON_STORE
def test_python_opens_an_index_on_a_store(store: StoreServer, elsewhere: Path) -> None:
    found = recsys.load(ADDRESS).recommend(elsewhere / "draft.json", k=3)
    assert len(found.recommendations) == 3


@ON_STORE
def test_other_commands_read_it_too(
    built: "Built", store: StoreServer, elsewhere: Path, run_cli: "RunCli"
) -> None:
    assert "checksums match" in run_cli("inspect", ADDRESS, "--verify").out
    asked = ("--split", built.split, "--system", "bm25", "--jobs", 1, "--run")
    for index in (built.index, ADDRESS):
        run = elsewhere / f"{Path(index).parent.name}.trec"
        assert run_cli("batch", index, *asked, run, "--quiet").code == 0
    first, second = (path.read_text(encoding="utf-8") for path in elsewhere.glob("*.trec"))
    assert first == second


@ON_STORE
def test_an_update_changes_the_index_on_the_store(
    store: StoreServer, elsewhere: Path, run_cli: "RunCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run_cli("update", ADDRESS, elsewhere / "new.jsonl")
    assert done.code == 0, done.err
    assert "In force at s3://bucket/small.index." in done.err
    again = run_cli("update", ADDRESS, elsewhere / "new.jsonl", "--quiet")
    assert (again.code, again.err) == (0, "")
    monkeypatch.setenv("RECSYS_CACHE", str(elsewhere / "third"))
    found = run_cli("recommend", "--title", TITLE, "--index", ADDRESS, "-k", 50)
    assert TITLE in found.out


@ON_STORE
def test_an_index_is_built_on_a_store_and_a_failed_push_is_continued(
    built: "Built", store: StoreServer, elsewhere: Path, run_cli: "RunCli"
) -> None:
    papers = elsewhere / "few.jsonl"
    lines = built.papers.read_text(encoding="utf-8").splitlines()[:40]
    papers.write_text("\n".join(lines), encoding="utf-8")
    words = ("build", papers, "--store", "s3://bucket/few.index")
    store.fail_after(9, REFUSED)
    failed = run_cli(*words)
    assert failed.code == 1
    assert "refuses the key for s3://bucket/few.index (InvalidAccessKeyId)" in failed.err
    assert "There is no index at s3://bucket/few" in run_cli("inspect", words[-1]).err
    store.work()
    done = run_cli(*words)
    assert done.code == 0, done.err
    assert "Nothing was done." in done.err and "In force at s3://bucket/few.index." in done.err
    assert " and found 0 files" not in done.err
    assert "few.index" in run_cli("inspect", words[-1], "--verify").out
    # As with a folder: another index is replaced by --force alone.
    other = run_cli("build", built.papers, "--store", "s3://bucket/few.index")
    assert other.code == 1
    assert "s3://bucket/few.index holds an index of other papers or options" in other.err
    assert "Give another --store, or replace it with --force." in other.err


@ON_STORE
def test_a_folder_of_ones_own_is_brought_to_a_store(
    built: "Built", store: StoreServer, elsewhere: Path, run_cli: "RunCli"
) -> None:
    own = built.without_models(elsewhere)
    done = run_cli("build", built.papers, "--out", own, "--store", "s3://bucket/own.index")
    assert done.code == 0, done.err
    assert "Nothing was done." in done.err and "In force at s3://bucket/own.index." in done.err
    shutil.rmtree(own)
    assert run_cli("inspect", "s3://bucket/own.index").code == 0


@ON_STORE
@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("build", "new.jsonl"), 2, "Missing option '--out' or '--store'."),
        (
            ("build", "new.jsonl", "--store", "my.index"),
            2,
            "'my.index' is not the address of a store",
        ),
        (("inspect", "s3://bucket"), 2, "'s3://bucket' names no place in a bucket"),
        (("inspect", "s3://none/x"), 1, "There is no bucket 'none'"),
        (("update", "s3://bucket/none", "new.jsonl"), 1, "There is no index at s3://bucket/none"),
        (("serve", "s3://bucket/none"), 1, "There is no index at s3://bucket/none"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    store: StoreServer,
    elsewhere: Path,
    run_cli: "RunCli",
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    code: int,
    told: str,
) -> None:
    monkeypatch.chdir(elsewhere)
    done = run_cli(*words)
    assert (done.code, done.out) == (code, "")
    [line] = done.err.splitlines()
    assert line.startswith(f"error: {told}")


@ON_STORE
def test_what_is_changed_meanwhile_is_fetched_for_what_runs_on(
    built: "Built", store: StoreServer, elsewhere: Path
) -> None:
    address, fetched = folder_at("followed.index").address, threading.Event()
    make_index(elsewhere / "my.index")
    copy_of_own(address, elsewhere / "own", elsewhere / "my.index", force=False).push()
    index = read_here(Path(f"{address}"), silent)
    make_index(elsewhere / "my.index", {"text/new": b"new"})

    def look(method: str, path: str) -> None:
        if index.is_dir() and files_of(index) != FILES:
            fetched.set()

    with followed(Path(f"{address}"), seconds=0.01):
        store.failure = look
        copy_of_own(address, elsewhere / "own", elsewhere / "my.index", force=False).push()
        assert fetched.wait(60)
    assert files_of(index) == {"text/new": b"new"}
