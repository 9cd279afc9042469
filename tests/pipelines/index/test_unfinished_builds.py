"""Builds that meet another one, that fail, or that were killed: the same index in the end."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.app.cache import cache_folder
from recsys.errors import InputError
from recsys.pipelines.index.build import BuildOptions, build
from recsys.store.generations import in_force
from tests.built_index import ROOT, finished_shards, stopped, write_many
from tests.ended import left_behind
from tests.pipelines.index.built_folders import build_in, hashes, names

if TYPE_CHECKING:
    from tests.built_index import Built


def test_two_builds_at_once_do_not_mix(built: "Built", tmp_path: Path) -> None:
    out, refused = tmp_path / "x.index", list[str]()

    def start_another(stage: str, done: int, total: int) -> None:
        with pytest.raises(InputError, match=r"Another process is writing .*x\.index") as caught:
            build_in(out, built.papers)
        refused.append(caught.value.hint)

    build_in(out, built.papers, progress=start_another)
    assert refused
    assert hashes(out) == hashes(built.index)
    assert names(tmp_path) == ["x.index"]


def test_who_waits_for_a_first_build_finds_it_done(built: "Built", tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from recsys.pipelines.index.build import BuildOptions, build\n"
        "from recsys.app.cache import cache_folder\n"
        "papers, out = map(Path, sys.argv[1:])\n"
        "report = build([papers], out, BuildOptions(wait=True), cache=cache_folder(),\n"
        "               progress=lambda stage, done, total: print(stage, flush=True))\n"
        "print(report.unchanged)\n"
    )
    out = tmp_path / "x.index"
    other: list[subprocess.Popen[str]] = []

    def start_another(stage: str, done: int, total: int) -> None:
        if not other:
            command = [sys.executable, "-c", script, str(built.papers), str(out)]
            other.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
            assert other[0].stdout is not None
            told = other[0].stdout.readline()
            assert told == f"waiting for the process that writes {out}\n"

    assert not build_in(out, built.papers, progress=start_another).unchanged
    told = other[0].communicate(timeout=60)[0].splitlines()
    assert told == [f"waiting for the process that writes {out}", "True"]
    assert hashes(out) == hashes(built.index)
    assert names(tmp_path) == ["x.index"]


def test_a_first_build_that_was_killed_while_it_wrote_the_pointer_is_made_again(
    built: "Built", tmp_path: Path
) -> None:
    out = tmp_path / "x.index"
    out.mkdir()
    left_behind(out).write_text("{")
    build_in(out, built.papers)
    assert hashes(out) == hashes(built.index)
    assert names(out) == ["generations", "lock", "manifest.json"]


@pytest.mark.parametrize("damaged", [None, "vectors/vectors.npy", "corpus/papers.parquet"])
def test_building_again_by_force_takes_vectors_over_if_they_are_sound(
    built: "Built", index: Path, damaged: str | None
) -> None:
    if damaged is not None:
        path = in_force(index) / damaged
        content = bytearray(path.read_bytes())
        content[-3] ^= 1
        path.write_bytes(content)
    encoded: dict[str, int] = {}

    def watch(stage: str, done: int, total: int) -> None:
        encoded[stage] = total

    assert not build_in(index, built.papers, force=True, progress=watch).unchanged
    assert encoded["encoding papers"] == (0 if damaged is None else 50)
    assert hashes(index) == hashes(built.index)


class Stop(Exception):
    pass


@pytest.mark.parametrize(
    "stage", ["reading files", "indexing words", "encoding papers", "indexing vectors"]
)
def test_a_build_that_fails_in_any_stage_continues(
    built: "Built", tmp_path: Path, stage: str
) -> None:
    out, again, failing = tmp_path / "x.index", list[str](), stage

    def stop(stage: str, done: int, total: int) -> None:
        if stage == failing and done >= total:
            raise Stop

    with pytest.raises(Stop):
        build_in(out, built.papers, progress=stop)
    assert names(tmp_path) == ([] if failing == "reading files" else ["x.index"])
    build_in(out, built.papers, progress=lambda stage, done, total: again.append(stage))
    assert hashes(out) == hashes(built.index)
    assert names(tmp_path) == ["x.index"]
    order = ["reading files", "indexing words", "encoding papers", "indexing vectors"]
    assert set(again).isdisjoint(order[: order.index(stage)])


@pytest.mark.slow  # `test_encode` interrupts one here.
def test_a_build_that_was_killed_while_encoding_keeps_what_it_has(tmp_path: Path) -> None:
    papers, out = write_many(tmp_path / "papers.jsonl", 700), tmp_path / "x.index"
    partial = out / "unfinished" / "build"
    command = ("build", papers, "--out", out)
    code, err = stopped(signal.SIGKILL, command, when=lambda: bool(finished_shards(partial)))
    assert code == -signal.SIGKILL, err
    kept = finished_shards(partial)
    assert kept and not (out / "manifest.json").exists()
    corpus = partial / "finished" / "corpus"
    state = [(p, p.stat().st_mtime_ns) for p in sorted(corpus.iterdir())]

    shown, encoded = list[str](), list[int]()

    def watch(stage: str, done: int, total: int) -> None:
        shown.append(stage)
        if stage == "encoding papers":
            encoded.append(done)
            assert finished_shards(partial)[: len(kept)] == kept
            assert [(p, p.stat().st_mtime_ns) for p in sorted(corpus.iterdir())] == state

    build_in(out, papers, progress=watch)
    assert {"reading files", "indexing words"}.isdisjoint(shown)
    assert encoded[-1] == 700
    build_in(tmp_path / "fresh.index", papers)
    assert hashes(out) == hashes(tmp_path / "fresh.index")
    assert names(tmp_path) == ["fresh.index", "papers.jsonl", "x.index"]


@pytest.mark.slow  # The usual run shows it of a small encoder, in `test_export_encoder`.
def test_a_cache_that_is_damaged_is_made_again(built: "Built", tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(cache_folder() / "encoders", cache / "encoders")
    model = next(cache.glob("encoders/minilm-int8-*/model.onnx"))
    os.truncate(model, 1000)
    build([built.papers], tmp_path / "x.index", BuildOptions(), cache=cache)
    assert hashes(tmp_path / "x.index") == hashes(built.index)
