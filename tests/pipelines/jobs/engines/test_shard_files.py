"""Shards kept as files: done once, in order, and done again where they are not whole."""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest

from recsys.errors import InputError
from recsys.pipelines.jobs.engines import ProcessPool, Result, Shards, Stage, Task
from recsys.pipelines.jobs.kept_results import NOTE, MadeFiles, ShardFiles, kept

WORDS = ["one", "two", "three"]


@dataclass
class Here:
    """Works in this process, the last shard first. seen: what it was asked to do."""

    seen: list[object] = field(default_factory=list)
    here: bool = True

    def map(
        self, stage: Stage[Task, Result], shards: Shards[Task]
    ) -> Generator[tuple[int, Result], None, None]:
        do = stage.start()
        for at, shard in reversed([*enumerate(shards)]):
            self.seen.append(shard)
            yield at, do(shard)


def spell(mark: str) -> Callable[[str], MadeFiles]:
    return lambda word: MadeFiles({"word": f"{word}{mark}".encode()}, {"letters": len(word)})


def refuse(word: str) -> MadeFiles:
    raise InputError(f"There is no {word}.", "Find one.")


SPELL = Stage("spell", partial(spell, "!"))


def contents(found: list[ShardFiles]) -> list[bytes]:
    return [each.path("word").read_bytes() for each in found]


def test_the_pool_writes_every_shard_with_its_hash_in_the_order_of_the_shards(
    tmp_path: Path,
) -> None:
    found = kept(ProcessPool(2), SPELL, WORDS, tmp_path / "x", "key")
    assert contents(found) == [b"one!", b"two!", b"three!"]
    assert [each.facts["letters"] for each in found] == [3, 3, 5]
    assert found[2].hashes == {"word": sha256(b"three!").hexdigest()}


def test_what_is_done_is_kept_and_the_rest_is_done(tmp_path: Path) -> None:
    steps: list[int] = []

    def stop(stage: str, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept(Here(), SPELL, WORDS, tmp_path, "key", stop)
    engine = Here()
    found = kept(
        engine, SPELL, WORDS, tmp_path, "key", lambda stage, done, total: steps.append(done)
    )
    assert (engine.seen, steps, contents(found)) == (["one"], [2, 3], [b"one!", b"two!", b"three!"])
    again = Here()
    assert kept(again, SPELL, WORDS, tmp_path, "key") == found
    assert again.seen == []


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
    first = kept(Here(), SPELL, WORDS, tmp_path, "key")
    harm(first[1].folder)
    engine = Here()
    assert kept(engine, SPELL, WORDS, tmp_path, "key") == first
    assert (engine.seen, contents(first)[1]) == (["two"], b"two!")


def test_other_work_begins_anew_and_nothing_of_the_old_stays(tmp_path: Path) -> None:
    kept(Here(), SPELL, WORDS, tmp_path, "key")
    for key, words in (("other", WORDS), ("other", WORDS[:2])):
        engine = Here()
        kept(engine, SPELL, words, tmp_path, key)
        assert len(engine.seen) == len(words)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00000", "00001"]


def test_an_error_names_the_shard(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no one\. This was shard 1 of 1 of 'refuse'"):
        kept(ProcessPool(1), Stage("refuse", partial(partial, refuse)), ["one"], tmp_path, "key")
