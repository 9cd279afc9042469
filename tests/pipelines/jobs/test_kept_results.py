"""Finished parts of unfinished work: they count for the same work, only whole, and once."""

import json
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.pipelines.jobs.engines import ProcessPool, Stage
from recsys.pipelines.jobs.kept_results import (
    NOTE,
    Entry,
    Gathered,
    MadeFiles,
    ShardFiles,
    Sidecar,
    do_shards,
    gather,
)
from recsys.protocols import Progress, silent
from tests.ended import killed_at
from tests.pipelines.jobs.counting_engine import CountingEngine


@pytest.fixture
def sidecar(tmp_path: Path) -> Sidecar:
    return Sidecar(tmp_path / "x.partial", "abc")


def fill(sidecar: Sidecar, *names: str) -> None:
    with sidecar.appending(sidecar.read()) as append:
        for name in names:
            append(name, {"score": 0.1, "papers": [name]})


def test_entries_are_kept_over_several_starts_until_work_is_finished(sidecar: Sidecar) -> None:
    assert sidecar.read() == {}
    fill(sidecar, "é")
    fill(sidecar, "b")
    assert sidecar.read() == {n: {"score": 0.1, "papers": [n]} for n in ("é", "b")}
    with sidecar.appending({}) as append:
        append("a", {})
        assert list(sidecar.read()) == ["a"]
    fill(sidecar, "a")
    sidecar.remove()
    sidecar.remove()
    assert not sidecar.path.exists()


def test_other_work_is_thrown_away(sidecar: Sidecar) -> None:
    fill(sidecar, "a")
    other = Sidecar(sidecar.path, "def")
    assert other.read() == {}
    fill(other, "b")
    assert list(other.read()) == ["b"]


@given(st.data())
def test_a_file_cut_anywhere_loses_at_most_the_last_entry(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    sidecar = Sidecar(tmp_path_factory.mktemp("cut") / "x.partial", "abc")
    fill(sidecar, "a", "b", "c")
    whole = sidecar.path.read_bytes()
    kept = data.draw(st.integers(0, len(whole)))
    sidecar.path.write_bytes(whole[:kept])
    expected = ["a", "b", "c"][: max(whole[:kept].count(b"\n") - 1, 0)]
    assert list(sidecar.read()) == expected
    fill(sidecar, "d")
    assert list(sidecar.read()) == [*expected, "d"]


QUERIES = ["a", "bb", "ccc", "dddd", "eeeee"]


def measure(factor: int) -> Callable[[str], Entry]:
    return lambda query: {"length": factor * len(query)}


def measured(path: Path, queries: list[str], progress: Progress = silent) -> Gathered:
    sidecar, start = Sidecar(path, "lengths"), partial(measure, 2)
    engine = ProcessPool(2)
    return gather("lengths", start, queries, sidecar=sidecar, engine=engine, progress=progress)


def test_work_that_was_stopped_is_continued_and_the_sidecar_stays(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        measured(tmp_path / "x", QUERIES, killed_at(3))
    seen: list[int] = []
    gathered = measured(tmp_path / "x", QUERIES, lambda stage, done, total: seen.append(done))
    assert (gathered.continued, seen) == (3, [3, 4, 5])
    assert list(gathered.entries) == QUERIES
    assert measured(tmp_path / "x", QUERIES).continued == 5
    assert list(measured(tmp_path / "x", ["ccc", "a"]).entries) == ["ccc", "a"]


WORDS = ["one", "two", "three"]


def spell(mark: str) -> Callable[[str], MadeFiles]:
    return lambda word: MadeFiles({"word": f"{word}{mark}".encode()}, {"letters": len(word)})


def refuse(word: str) -> MadeFiles:
    raise InputError(f"There is no {word}.", "Find one.")


SPELL = Stage("spell", partial(spell, "!"))


def contents(found: list[ShardFiles]) -> list[bytes]:
    return [(each.folder / "word").read_bytes() for each in found]


def test_the_pool_writes_every_shard_with_its_hash_in_their_order(tmp_path: Path) -> None:
    found = do_shards(ProcessPool(2), SPELL, WORDS, tmp_path / "x", "key")
    assert contents(found) == [b"one!", b"two!", b"three!"]
    assert [each.facts["letters"] for each in found] == [3, 3, 5]
    assert json.loads((found[2].folder / NOTE).read_bytes())["files"] == {
        "word": sha256(b"three!").hexdigest()
    }


def test_what_is_done_is_kept_and_the_rest_is_done(tmp_path: Path) -> None:
    steps: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        do_shards(CountingEngine(backwards=True), SPELL, WORDS, tmp_path, "key", killed_at(2))
    engine = CountingEngine(backwards=True)
    found = do_shards(engine, SPELL, WORDS, tmp_path, "key", lambda _, n, __: steps.append(n))
    assert (engine.done, steps, contents(found)) == (["one"], [2, 3], [b"one!", b"two!", b"three!"])
    again = CountingEngine(backwards=True)
    assert do_shards(again, SPELL, WORDS, tmp_path, "key") == found
    assert again.done == []


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / "word").write_bytes(b"tw0!"),
        lambda folder: (folder / "word").unlink(),
        lambda folder: (folder / NOTE).write_bytes(b'{"key'),
        lambda folder: (folder / NOTE).write_bytes(b"[]"),
        lambda folder: (folder / NOTE).unlink(),
    ],
)
def test_a_damaged_shard_is_done_again(tmp_path: Path, harm: Callable[[Path], object]) -> None:
    first = do_shards(CountingEngine(backwards=True), SPELL, WORDS, tmp_path, "key")
    harm(first[1].folder)
    engine = CountingEngine(backwards=True)
    assert do_shards(engine, SPELL, WORDS, tmp_path, "key") == first
    assert (engine.done, contents(first)[1]) == (["two"], b"two!")


def test_other_work_begins_anew_and_nothing_of_the_old_stays(tmp_path: Path) -> None:
    do_shards(CountingEngine(backwards=True), SPELL, WORDS, tmp_path, "key")
    for key, words in (("other", WORDS), ("other", WORDS[:2])):
        engine = CountingEngine(backwards=True)
        do_shards(engine, SPELL, words, tmp_path, key)
        assert len(engine.done) == len(words)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00000", "00001"]


def test_an_error_names_the_shard(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no one\. This was shard 1 of 1 of 'refuse'"):
        stage = Stage("refuse", partial(partial, refuse))
        do_shards(ProcessPool(1), stage, ["one"], tmp_path, "key")
