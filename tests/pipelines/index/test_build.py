"""Building: the same index from the same papers, and nothing else overwritten."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.app.cache import cache_folder
from recsys.errors import CorpusError, InputError, RecsysError
from recsys.pipelines.index.build import BuildOptions, build
from recsys.store.artifacts import load_manifest, verify
from recsys.store.generations import in_force, pin
from tests.pipelines.index.built_folders import build_in, hashes, names
from tests.pipelines.small_index import invented_papers

LONGEST_ENDING = 5
"""Lines that a build says at its end, whatever there is to say."""

if TYPE_CHECKING:
    from tests.built_index import Built


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
    out = tmp_path / "again.index"
    assert report.lines()[0] == f"{out}: 50 papers, 86 citations among them."
    assert report.lines()[-1] == f"Next: recsys recommend paper.tex --index {out}"
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
    assert len(report.lines()) <= LONGEST_ENDING
    assert any("The ranker of the old index was removed" in line for line in report.lines())
    assert pin(index).manifest().config["papers"] == 9
    assert names(index.parent) == ["others.jsonl", "small.index"]


def test_what_searches_the_vectors_is_chosen_by_size_or_named(
    built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "recsys.pipelines.index.build.by_size", lambda n: "int8" if n == 50 else "ivf"
    )
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
    with pytest.raises(CorpusError, match="is not a regular file") as caught:
        build_in(tmp_path / "x.index", Path(name))
    assert "Save them in a file" in caught.value.hint
    assert names(tmp_path) == ["pipe"]


def test_a_place_that_cannot_be_written_is_refused(built: "Built") -> None:
    with pytest.raises(OSError) as caught:
        build_in(Path("/proc/x.index"), built.papers)
    assert caught.value.filename


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
