"""Building: the same index from the same papers, whatever happens on the way."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipelines.index.build import STAGES, BuildOptions, BuildReport, build
from recsys.app.cache import cache_folder
from recsys.errors import CorpusError, InputError, RecsysError
from recsys.progress import Progress, silent
from recsys.store.artifacts import load_manifest, sha256, verify
from recsys.store.generations import in_force, pin
from tests.built_index import MANY, ROOT, finished_shards, stopped, write_many
from tests.ended import left_behind
from tests.pipelines.small_index import invented_papers

if TYPE_CHECKING:
    from tests.built_index import Built


def build_in(
    out: Path, papers: Path, *, force: bool = False, progress: Progress = silent
) -> BuildReport:
    return build([papers], out, BuildOptions(force=force), cache=cache_folder(), progress=progress)


def hashes(index: Path) -> Mapping[str, str]:
    """Hash every file that a build makes, by name."""
    folder = in_force(index)
    return {
        path.relative_to(folder).as_posix(): sha256(path)
        for part in STAGES
        for path in sorted((folder / part).rglob("*"))
        if path.is_file()
    }


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def others(tmp_path: Path) -> Path:
    """A file of other papers."""
    path = tmp_path / "others.jsonl"
    path.write_text("".join(json.dumps(paper) + "\n" for paper in invented_papers()[:9]))
    return path


@pytest.fixture
def index(built: "Built", tmp_path: Path) -> Path:
    return built.copy(tmp_path)


def test_an_index_is_sealed_and_says_what_it_holds(built: "Built") -> None:
    manifest = pin(built.index).manifest()
    verify(in_force(built.index), manifest)
    assert manifest.config["papers"] == len(invented_papers()) == 50
    assert manifest.config["dim"] == 384
    assert manifest.config["source"] == "papers.jsonl"
    assert manifest.config["ann"] == {"backend": "exact"}  # There are few papers.
    encoder = load_manifest(in_force(built.index) / "encoder", "encoder", 1)
    assert manifest.config["encoder"] == encoder.config["fingerprint"]
    assert names(built.index) == ["generations", "lock", "manifest.json"]
    assert len(names(built.index / "generations")) == 1
    assert names(in_force(built.index)) == sorted(
        ("corpus", "encoder", "manifest.json", "ranker", "ranker-no-metadata", "text", "vectors")
    )
    assert names(built.index.parent) == ["papers.jsonl", "small.index", "split.json"]


def test_an_encoder_that_is_missing_is_told_before_the_papers_are_read(
    others: Path, tmp_path: Path
) -> None:
    told: list[str] = []
    options = BuildOptions(encoder=str(tmp_path / "nowhere"))
    with pytest.raises(RecsysError, match="nowhere"):
        build(
            [others],
            tmp_path / "out.index",
            options,
            cache=cache_folder(),
            progress=lambda stage, done, total: told.append(stage),
        )
    assert not told
    assert names(tmp_path) == ["others.jsonl"]


def test_the_same_papers_give_the_same_bytes(built: "Built", tmp_path: Path) -> None:
    report = build_in(tmp_path / "again.index", built.papers)
    assert not report.unchanged
    assert report.lines()[0] == "50 papers read as recsys; 2 without abstract, 1 without year"
    assert report.lines()[-1] == f"Saved in {tmp_path / 'again.index'}."
    assert hashes(tmp_path / "again.index") == hashes(built.index)
    assert names(tmp_path) == ["again.index"]


def test_building_again_does_nothing(built: "Built", index: Path) -> None:
    before, stages = hashes(index), list[str]()
    report = build_in(index, built.papers, progress=lambda stage, done, total: stages.append(stage))
    assert report.unchanged and stages == []
    assert report.lines() == [
        f"{index} is up to date: same papers, same options. Nothing was done."
    ]
    assert hashes(index) == before
    assert (in_force(index) / "ranker").is_dir()


def test_another_source_needs_force(index: Path, others: Path) -> None:
    before = hashes(index)
    with pytest.raises(InputError, match="holds an index of other papers or options") as caught:
        build_in(index, others)
    assert "--force" in caught.value.hint
    assert hashes(index) == before
    (in_force(index) / "nnselect").mkdir()
    report = build_in(index, others, force=True)
    assert report.config["papers"] == 9
    assert {"nnselect", "ranker"} <= set(report.dropped)
    assert any("The old ranker went with the old index" in line for line in report.lines())
    assert pin(index).manifest().config["papers"] == 9
    assert names(index.parent) == ["others.jsonl", "small.index"]


def test_other_options_need_force(built: "Built", index: Path) -> None:
    options = BuildOptions(precision="f32")
    with pytest.raises(InputError, match="other papers or options"):
        build([built.papers], index, options, cache=cache_folder())


def test_what_searches_the_vectors_is_chosen_by_size_or_named(
    built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.index.build.by_size", lambda n: "int8" if n == 50 else "ivf")
    for name, found in ((None, "int8"), ("annoy", "annoy"), ("exact", "exact")):
        out = tmp_path / f"{name}.index"
        report = build([built.papers], out, BuildOptions(vectors=name), cache=cache_folder())
        assert report.config["ann"]["backend"] == found
        assert report.config["options"].get("vectors") == name
    assert len(set(map(_recipe, tmp_path.glob("*.index")))) == 3


def _recipe(index: Path) -> str:
    return str(pin(index).manifest().config["recipe"])


def test_force_replaces_a_damaged_index(built: "Built", index: Path) -> None:
    for damage in ("[]", "{", ""):
        (index / "manifest.json").write_text(damage)
        with pytest.raises(InputError, match="cannot be read") as caught:
            build_in(index, built.papers)
        assert "--force" in caught.value.hint
    build_in(index, built.papers, force=True)
    assert hashes(index) == hashes(built.index)


@pytest.mark.parametrize("force", [False, True])
def test_what_is_no_index_is_never_overwritten(built: "Built", tmp_path: Path, force: bool) -> None:
    folder, file, other = (tmp_path / name for name in ("thesis", "thesis.txt", "extension"))
    folder.mkdir()
    (folder / "chapter.tex").write_text("years of work")
    file.write_text("more work")
    other.mkdir()
    (other / "manifest.json").write_text('{"name": "of something else"}')
    for out in (folder, file, other):
        with pytest.raises(InputError, match="exists and is no index"):
            build_in(out, built.papers, force=force)
    assert (folder / "chapter.tex").read_text() == "years of work"
    assert file.read_text() == "more work"
    assert names(tmp_path) == ["extension", "thesis", "thesis.txt"]


def test_a_place_that_is_not_there_is_refused(built: "Built", tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no folder .*nowhere to write into"):
        build_in(tmp_path / "nowhere" / "x.index", built.papers)
    with pytest.raises(CorpusError, match=r"no file of papers at .*nothing\.jsonl"):
        build_in(tmp_path / "x.index", tmp_path / "nothing.jsonl")
    with pytest.raises(CorpusError, match="holds no files"):
        build_in(tmp_path / "x.index", tmp_path)
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["-", "/dev/null", "pipe"])
def test_papers_that_can_be_read_only_once_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with pytest.raises(CorpusError, match="is no regular file") as caught:
        build_in(tmp_path / "x.index", Path(name))
    assert "Save them in a file" in caught.value.hint
    assert names(tmp_path) == ["pipe"]


def test_a_place_that_cannot_be_written_is_refused(built: "Built") -> None:
    with pytest.raises(OSError) as caught:
        build_in(Path("/proc/x.index"), built.papers)
    assert caught.value.filename


def test_the_current_folder_can_be_the_index(
    built: "Built", index: Path, others: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(index)
    assert build_in(Path("."), built.papers).unchanged
    assert build_in(Path("."), others, force=True).config["papers"] == 9


def test_a_link_stays_a_link(index: Path, others: Path) -> None:
    link = index.parent / "link.index"
    link.symlink_to(index)
    build_in(link, others, force=True)
    assert link.is_symlink()
    assert pin(index).manifest().config["papers"] == 9


def test_no_usable_paper_leaves_no_index(tmp_path: Path) -> None:
    papers = tmp_path / "papers.jsonl"
    papers.write_text('{"id": "a"}\n{"id": "b"}\n')
    with pytest.raises(CorpusError):
        build_in(tmp_path / "x.index", papers)
    assert not (tmp_path / "x.index").exists()


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
        "from pipelines.index.build import BuildOptions, build\n"
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
            assert told == f"wait for the process that writes {out}\n"

    assert not build_in(out, built.papers, progress=start_another).unchanged
    told = other[0].communicate(timeout=60)[0].splitlines()
    assert told == [f"wait for the process that writes {out}", "True"]
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


def test_building_again_by_force_takes_vectors_over(built: "Built", index: Path) -> None:
    encoded: dict[str, int] = {}

    def watch(stage: str, done: int, total: int) -> None:
        encoded[stage] = total

    report = build_in(index, built.papers, force=True, progress=watch)
    assert not report.unchanged and encoded["encode papers"] == 0
    assert hashes(index) == hashes(built.index)


@pytest.mark.parametrize("name", ["vectors/vectors.npy", "corpus/papers.parquet"])
def test_vectors_that_may_be_damaged_are_not_taken_over(
    built: "Built", index: Path, name: str
) -> None:
    path = in_force(index) / name
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    encoded: dict[str, int] = {}

    def watch(stage: str, done: int, total: int) -> None:
        encoded[stage] = total

    build_in(index, built.papers, force=True, progress=watch)
    assert encoded["encode papers"] == 50
    assert hashes(index) == hashes(built.index)


class Stop(Exception):
    pass


@pytest.mark.parametrize("stage", ["read", "words", "encode papers", "nearest neighbours"])
def test_a_build_that_fails_in_any_stage_continues(
    built: "Built", tmp_path: Path, stage: str
) -> None:
    out, again = tmp_path / "x.index", list[str]()

    failing = stage

    def stop(stage: str, done: int, total: int) -> None:
        if stage == failing and done >= total:
            raise Stop

    with pytest.raises(Stop):
        build_in(out, built.papers, progress=stop)
    assert names(tmp_path) == ([] if failing == "read" else ["x.index"])
    build_in(out, built.papers, progress=lambda stage, done, total: again.append(stage))
    assert hashes(out) == hashes(built.index)
    assert names(tmp_path) == ["x.index"]
    order = ["read", "words", "encode papers", "nearest neighbours"]
    assert set(again).isdisjoint(order[: order.index(stage)])


def test_work_on_other_papers_is_not_continued(
    built: "Built", others: Path, tmp_path: Path
) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        if stage == "words":
            raise Stop

    out = tmp_path / "x.index"
    with pytest.raises(Stop):
        build_in(out, others, progress=stop)
    (out / "unfinished" / "build" / "corpus.json").write_text("{")
    build_in(out, built.papers)
    assert hashes(out) == hashes(built.index)


def test_a_build_that_was_killed_while_encoding_keeps_what_it_has(tmp_path: Path) -> None:
    papers, out = write_many(tmp_path / "papers.jsonl"), tmp_path / "x.index"
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
        if stage == "encode papers":
            encoded.append(done)
            assert finished_shards(partial)[: len(kept)] == kept
            assert [(p, p.stat().st_mtime_ns) for p in sorted(corpus.iterdir())] == state

    build_in(out, papers, progress=watch)
    assert {"read", "words"}.isdisjoint(shown)
    assert encoded[-1] == MANY
    build_in(tmp_path / "fresh.index", papers)
    assert hashes(out) == hashes(tmp_path / "fresh.index")
    assert names(tmp_path) == ["fresh.index", "papers.jsonl", "x.index"]


def test_a_cache_that_is_damaged_is_made_again(built: "Built", tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(cache_folder() / "encoders", cache / "encoders")
    model = next(cache.glob("encoders/minilm-int8-*/model.onnx"))
    os.truncate(model, 1000)
    build([built.papers], tmp_path / "x.index", BuildOptions(), cache=cache)
    assert hashes(tmp_path / "x.index") == hashes(built.index)
