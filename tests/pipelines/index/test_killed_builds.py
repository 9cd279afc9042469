"""Builds that are killed: the next one keeps every finished stage, up to the last rename."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from recsys.app.cache import cache_folder
from recsys.pipelines.index import build as building
from recsys.pipelines.index.build import STAGES, BuildOptions, BuildReport, build
from recsys.protocols import Progress, silent
from recsys.store.artifacts import CORPUS, ENCODER, MANIFEST, TEXT, VECTORS, fingerprint
from recsys.store.generations import in_force, pin
from tests.built_index import ROOT
from tests.pipelines.index.built_folders import write_others
from tests.rows import THOROUGH

if TYPE_CHECKING:
    from tests.built_index import Built

SHOWN_BY = {
    CORPUS: "read",
    TEXT: "words",
    VECTORS: "nearest neighbours",
}


class Stop(Exception):
    pass


def build_in(
    out: Path, papers: Path, options: BuildOptions | None = None, progress: Progress = silent
) -> BuildReport:
    return build([papers], out, options or BuildOptions(), cache=cache_folder(), progress=progress)


def interrupt(
    out: Path, papers: Path, options: BuildOptions | None = None, *, after: str = VECTORS
) -> None:
    """Stop a build at the end of a stage, before that is noted as finished."""

    def stop(stage: str, done: int, total: int) -> None:
        if stage == SHOWN_BY[after] and done >= total:
            raise Stop

    with pytest.raises(Stop):
        build_in(out, papers, options, stop)


def files(index: Path) -> str:
    """Hash what a build made."""
    found = pin(index).manifest().files
    return fingerprint({name: found[name] for name in found if name.split("/")[0] in STAGES})


@pytest.fixture(scope="module")
def kills(built: "Built", tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What became of a build that replaces an index, killed at each step of its end."""
    folder = tmp_path_factory.mktemp("kills")
    state = folder / "state"
    state.mkdir()
    build_in(state / "x.index", write_others(folder))
    interrupt(state / "x.index", built.papers, BuildOptions(force=True))
    steps = () if THOROUGH else ("os.rename", "shutil.rmtree")  # All, or those that decide.
    arguments = (built.papers, state, folder / "work" / "x.index", *steps)
    done = subprocess.run(
        [sys.executable, "-m", "tests.pipelines.index.kill_builds", *arguments],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def interrupted(built: "Built", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build that was stopped before its last stage was noted."""
    out = tmp_path_factory.mktemp("interrupted") / "x.index"
    interrupt(out, built.papers)
    return out


@pytest.fixture
def out(interrupted: Path, tmp_path: Path) -> Path:
    """A copy of an interrupted build, to continue."""
    return Path(shutil.copytree(interrupted, tmp_path / "x.index"))


def test_a_build_was_killed_around_every_rename_and_thoroughly_around_every_file_that_is_hashed(
    kills: list[dict[str, Any]], built: "Built"
) -> None:
    steps = [kill["killed"] for kill in kills]
    new = "x.index/generations/2.new"
    for name in pin(built.index).manifest().files if THOROUGH else ():
        if name.split("/")[0] in STAGES:
            assert f"open {new}/{name} r" in steps
    assert f"os.rename {new} x.index/generations/2" in steps
    build = "x.index/unfinished/build"
    assert f"os.rename {build}/vectors.unfinished {build}/finished/vectors" in steps
    pointer = [step for step in steps if step.endswith("tmp x.index/manifest.json")]
    assert len(pointer) == 1 and pointer[0].startswith("os.rename x.index/.")
    assert "shutil.rmtree x.index/generations/1" in steps
    assert f"shutil.rmtree {build}" in steps


def test_the_next_build_ends_with_the_same_index_wherever_one_was_killed(
    kills: list[dict[str, Any]], built: "Built"
) -> None:
    assert len({kill["files"] for kill in kills}) == 1
    whole = pin(built.index).manifest()
    papers = {name: facts for name, facts in whole.files.items() if name.split("/")[0] in STAGES}
    assert kills[0]["files"] == fingerprint(papers)
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
            assert kill["shown"] == ["nearest neighbours"], kill
    again = [kill["killed"] for kill in kills if kill["shown"]]
    assert again == [kill["killed"] for kill in kills[: len(again)]]
    assert "os.rename" in again[-1] and again[-1].endswith("unfinished/build/vectors.json")


def test_a_reader_finds_the_old_index_or_the_new_one(kills: list[dict[str, Any]]) -> None:
    there = [kill["there"] for kill in kills]
    assert set(there) == {"others.jsonl", "papers.jsonl"}
    assert there == sorted(there)  # Once the new one is there, it stays.


def test_what_was_kept_is_said(built: "Built", out: Path, tmp_path: Path) -> None:
    report = build_in(out, built.papers)
    assert report.kept == (CORPUS, TEXT, ENCODER)
    assert "Kept from an interrupted build: corpus, text, encoder." in report.lines()
    assert build_in(tmp_path / "y.index", built.papers).kept == ()


def test_another_version_of_the_program_continues(
    built: "Built", out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recsys.store.artifacts.CREATED_BY", "recsys 9.9.9")
    assert build_in(out, built.papers).kept == (CORPUS, TEXT, ENCODER)
    assert pin(out).manifest().created_by == "recsys 9.9.9"
    assert files(out) == files(built.index)


@pytest.mark.parametrize(
    ("raised", "kept"),
    [(CORPUS, (ENCODER,)), (TEXT, (CORPUS, ENCODER)), (ENCODER, (CORPUS, TEXT))],
)
def test_a_stage_whose_code_writes_something_else_runs_again_and_so_do_those_that_read_it(
    raised: str, kept: tuple[str, ...], built: "Built", out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = {**STAGES, raised: replace(STAGES[raised], revision=STAGES[raised].revision + 1)}
    monkeypatch.setattr(building, "STAGES", changed)
    assert build_in(out, built.papers).kept == kept
    assert files(out) == files(built.index)


def test_other_options_keep_the_stages_that_do_not_depend_on_them(
    built: "Built", out: Path, tmp_path: Path
) -> None:
    report = build_in(out, built.papers, BuildOptions(precision="f32"))
    assert report.kept == (CORPUS, TEXT)
    build_in(tmp_path / "fresh.index", built.papers, BuildOptions(precision="f32"))
    assert files(out) == files(tmp_path / "fresh.index")


def test_other_papers_keep_the_encoder_only(built: "Built", tmp_path: Path) -> None:
    interrupt(tmp_path / "x.index", write_others(tmp_path))
    assert build_in(tmp_path / "x.index", built.papers).kept == (ENCODER,)
    assert files(tmp_path / "x.index") == files(built.index)


def test_a_stage_that_is_not_wanted_any_more_goes(
    built: "Built", out: Path, tmp_path: Path
) -> None:
    from recsys.formats.embeddings.embedding_files import write_embeddings
    from recsys.formats.embeddings.vectors import Embeddings
    from recsys.store.arrays import load_array
    from recsys.store.corpus import Corpus

    corpus = Corpus.load(in_force(built.index) / CORPUS)
    ids = tuple(corpus.ids[row] for row in range(len(corpus)))
    vectors = load_array(in_force(built.index) / VECTORS / "vectors.npy")
    write_embeddings(tmp_path / "own.npy", Embeddings(ids, vectors))
    options = BuildOptions(encoder=None, embeddings=tmp_path / "own.npy")
    report = build_in(out, built.papers, options)
    assert report.kept == (CORPUS, TEXT)
    assert not (out / ENCODER).exists()
    assert not (out / "unfinished").exists()
