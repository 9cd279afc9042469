"""Builds that are killed: the next one keeps every finished stage, up to the last rename."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recsys.formats.embeddings import Embeddings, write_embeddings
from recsys.pipelines.index import build as building
from recsys.pipelines.index.build import STAGES, BuildOptions
from recsys.store.arrays import load_array
from recsys.store.artifacts import CORPUS, ENCODER, MANIFEST, TEXT, VECTORS, fingerprint
from recsys.store.corpus import Corpus
from recsys.store.generations import in_force, pin
from tests.built_index import ROOT
from tests.pipelines.index.kill_builds import build_in, options_of
from tests.rows import THOROUGH
from tests.torture.small_world import CACHE, INDEX, OTHERS, PAPERS, export_into, write_world
from tests.torture.small_world import ENCODER as TINY


class Stop(Exception):
    pass


def interrupt(
    out: Path, world: Path, papers: str = PAPERS, *, options: BuildOptions | None = None
) -> None:
    """Stop a build at the end of its last stage, before that is noted as finished."""

    def stop(stage: str, done: int, total: int) -> None:
        if stage == "indexing vectors" and done >= total:
            raise Stop

    with pytest.raises(Stop):
        build_in(out, world, papers, options=options, progress=stop)


def files(index: Path) -> str:
    """Hash what a build made."""
    return fingerprint(pin(index).manifest().files)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Papers, others, a tiny encoder, and the index that a build makes of the papers."""
    folder = tmp_path_factory.mktemp("world")
    write_world(folder)
    build_in(folder / INDEX, folder)
    return folder


@pytest.fixture(scope="module")
def kills(world: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What became of a build that replaces an index, killed at each step of its end."""
    folder = tmp_path_factory.mktemp("kills")
    state = folder / "state"
    state.mkdir()
    build_in(state / INDEX, world, OTHERS)
    interrupt(state / INDEX, world, options=replace(options_of(world), force=True))
    steps = () if THOROUGH else ("os.rename", "shutil.rmtree")  # All, or those that decide.
    arguments = (world, state, folder / "work" / INDEX, *steps)
    done = subprocess.run(
        [sys.executable, "-m", "tests.pipelines.index.kill_builds", *arguments],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def interrupted(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build that was stopped before its last stage was noted."""
    out = tmp_path_factory.mktemp("interrupted") / INDEX
    interrupt(out, world)
    return out


@pytest.fixture
def out(interrupted: Path, tmp_path: Path) -> Path:
    """A copy of an interrupted build, to continue."""
    return Path(shutil.copytree(interrupted, tmp_path / INDEX))


def test_a_build_was_killed_around_every_rename_and_thoroughly_around_every_file_that_is_hashed(
    kills: list[dict[str, Any]], world: Path
) -> None:
    steps = [kill["killed"] for kill in kills]
    new = "x.index/generations/2.new"
    for name in pin(world / INDEX).manifest().files if THOROUGH else ():
        assert f"open {new}/{name} r" in steps
    assert f"os.rename {new} x.index/generations/2" in steps
    build = "x.index/unfinished/build"
    assert f"os.rename {build}/vectors.unfinished {build}/finished/vectors" in steps
    pointer = [step for step in steps if step.endswith("tmp x.index/manifest.json")]
    assert len(pointer) == 1 and pointer[0].startswith("os.rename x.index/.")
    assert "shutil.rmtree x.index/generations/1" in steps
    assert f"shutil.rmtree {build}" in steps


def test_the_next_build_ends_with_the_same_index_wherever_one_was_killed(
    kills: list[dict[str, Any]], world: Path
) -> None:
    assert {kill["files"] for kill in kills} == {files(world / INDEX)}
    for kill in kills:
        left = set(kill["left"])
        assert len([path for path in left if path.startswith("x.index/generations/")]) == 1
        known = {"x.index", *(f"x.index/{name}" for name in ("generations", "lock", MANIFEST))}
        assert {path for path in left if path.count("/") < 2} == known, kill


def test_no_stage_that_was_finished_runs_again(kills: list[dict[str, Any]]) -> None:
    for kill in kills:
        if kill["unchanged"]:
            assert kill["shown"] == [], kill
        elif "vectors" in kill["kept"]:
            assert (kill["kept"], kill["shown"]) == (list(STAGES), []), kill
        else:  # Killed before the last stage was noted: what was encoded is kept all the same.
            assert kill["kept"] == [CORPUS, TEXT, ENCODER], kill
            assert kill["shown"] == ["indexing vectors"], kill
    again = [kill["killed"] for kill in kills if kill["shown"]]
    assert again == [kill["killed"] for kill in kills[: len(again)]]
    assert "os.rename" in again[-1] and again[-1].endswith("unfinished/build/vectors.json")


def test_a_reader_finds_the_old_index_or_the_new_one(kills: list[dict[str, Any]]) -> None:
    there = [kill["there"] for kill in kills]
    assert set(there) == {"others.jsonl", "papers.jsonl"}
    assert there == sorted(there)  # Once the new one is there, it stays.


def test_what_was_kept_is_said(world: Path, out: Path, tmp_path: Path) -> None:
    report = build_in(out, world)
    assert report.kept == (CORPUS, TEXT, ENCODER)
    assert "Kept from an interrupted build: corpus, text, encoder." in report.lines()[1]
    assert build_in(tmp_path / "y.index", world).kept == ()


def test_another_version_of_the_program_continues(
    world: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recsys.store.artifacts.CREATED_BY", "recsys 9.9.9")
    assert build_in(out, world).kept == (CORPUS, TEXT, ENCODER)
    assert pin(out).manifest().created_by == "recsys 9.9.9"
    assert files(out) == files(world / INDEX)


@pytest.mark.parametrize(
    ("raised", "kept"),
    [(CORPUS, (ENCODER,)), (TEXT, (CORPUS, ENCODER)), (ENCODER, (CORPUS, TEXT))],
)
def test_a_stage_whose_code_writes_something_else_runs_again_and_so_do_those_that_read_it(
    raised: str, kept: tuple[str, ...], world: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = {**STAGES, raised: replace(STAGES[raised], revision=STAGES[raised].revision + 1)}
    monkeypatch.setattr(building, "STAGES", changed)
    assert build_in(out, world).kept == kept
    assert files(out) == files(world / INDEX)


def test_other_options_keep_the_stages_that_do_not_depend_on_them(
    world: Path, out: Path, tmp_path: Path
) -> None:
    export_into(world / CACHE, world / TINY, "int8")
    options = replace(options_of(world), precision="int8")
    assert build_in(out, world, options=options).kept == (CORPUS, TEXT)
    build_in(tmp_path / "fresh.index", world, options=options)
    assert files(out) == files(tmp_path / "fresh.index")


def test_other_papers_keep_the_encoder_only(world: Path, tmp_path: Path) -> None:
    interrupt(tmp_path / INDEX, world, OTHERS)
    (tmp_path / INDEX / "unfinished" / "build" / "text.json").write_text("{")
    assert build_in(tmp_path / INDEX, world).kept == (ENCODER,)
    assert files(tmp_path / INDEX) == files(world / INDEX)


def test_a_stage_that_is_not_wanted_any_more_goes(world: Path, out: Path, tmp_path: Path) -> None:
    whole = in_force(world / INDEX)
    corpus, own = Corpus.load(whole / CORPUS), tmp_path / "own.npy"
    ids = tuple(corpus.ids[row] for row in range(len(corpus)))
    write_embeddings(own, Embeddings(ids, load_array(whole / VECTORS / "vectors.npy")))
    options = BuildOptions(encoder=None, embeddings=own)
    assert build_in(out, world, options=options).kept == (CORPUS, TEXT)
    assert not (out / ENCODER).exists()
    assert not (out / "unfinished").exists()
