"""Indexes that are missing, unfinished, damaged or of another kind: one line, and the next step."""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from recsys.pipelines.jobs.index_writer import writing
from recsys.ranking.ranker import KIND, SCHEMA
from recsys.store.artifacts import INDEX_SCHEMA, MANIFEST, seal
from recsys.store.generations import in_force
from tests.built_index import DRAFT
from tests.pipelines.small_index import write_small_split
from tests.rows import THOROUGH, each_row

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import CliResult, RunCli

STDIN = json.dumps(DRAFT).encode()


@pytest.fixture
def index(built: "Built", tmp_path: Path) -> Path:
    return built.copy(tmp_path)


@pytest.fixture
def parts(index: Path) -> Path:
    """Where the files of the index lie."""
    return in_force(index)


def contents(folder: Path) -> Mapping[Path, tuple[int, int]]:
    """Tell size and time of every file below a folder, so that a test sees whatever is written."""
    found = {path: path.stat() for path in folder.rglob("*") if path.is_file()}
    return {
        path: (stat.st_size, 0 if path.name == "lock" else stat.st_mtime_ns)
        for path, stat in found.items()
    }


def assert_refused(done: "CliResult", *said: str) -> None:
    """One line on stderr that names the thing and the next step; nothing on stdout."""
    assert (done.code, done.out) == (1, "")
    last = done.err.splitlines()[-1]
    assert last.startswith("error: ")
    assert done.err.count("error") == 1
    assert "Traceback" not in done.err and "internal error" not in done.err
    assert len(last) < 600
    for each in said:
        assert each in last


def every_command(index: Path, run_cli: "RunCli") -> list["CliResult"]:
    """Use an index in all ways, with outputs beside it."""
    split = write_small_split(index.parent / "split.json")
    before = contents(index.parent)
    results = [
        run_cli("recommend", "--index", index, "--out", index.parent / "answer.txt", stdin=STDIN),
        run_cli("inspect", index),
        run_cli("inspect", index, "--verify"),
        run_cli("train", "ranker", index, "--split", split),
        run_cli("batch", index, "--split", split, "--run", index.parent / "run.trec", "--jobs", 1),
    ]
    assert contents(index.parent) == before
    return results


def test_what_is_no_index_is_refused_by_every_command(
    index: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("{}")
    for path, said in (
        (index.with_name("smal.index"), "Did you mean 'small.index'?"),
        (tmp_path / "folder", "folder has no manifest.json"),
        (tmp_path / "file", "file"),
    ):
        for done in every_command(path, run_cli):
            assert_refused(done, path.name, said, "recsys build")


def test_a_half_built_index_says_that_the_build_continues(index: Path, run_cli: "RunCli") -> None:
    (index / MANIFEST).unlink()
    for done in every_command(index, run_cli):
        assert_refused(done, "not a finished index", "an interrupted build continues")


@pytest.mark.parametrize("schema", [INDEX_SCHEMA - 1, INDEX_SCHEMA + 1])
def test_an_index_of_another_schema_is_refused(
    index: Path, parts: Path, schema: int, run_cli: "RunCli"
) -> None:
    said = f"schema {schema}", f"reads schema {INDEX_SCHEMA}", "Build it again with this version."
    value = json.loads((index / MANIFEST).read_text())
    (index / MANIFEST).write_text(json.dumps(value | {"schema": schema}))
    for done in every_command(index, run_cli):
        assert_refused(done, *said)
    value = json.loads((parts / MANIFEST).read_text())  # As one without generations was.
    (index / MANIFEST).write_text(json.dumps(value | {"schema": schema}))
    assert_refused(run_cli("recommend", "--index", index, stdin=STDIN), *said)


@each_row(
    "text",
    [
        *(
            "",
            "no JSON",
            "[]",
            "{}",
            '{"kind": "index"}',
            "\x00",
            '{"kind": "index", "schema": 1e999}',
        ),
        '{"kind": "index", "schema": 1, "created_by": "", "config": {}, '
        '"files": {"a": {"bytes": 1e999}}}',
    ],
)
def test_a_manifest_that_is_none_is_refused(index: Path, text: str, run_cli: "RunCli") -> None:
    (index / MANIFEST).write_text(text)
    for done in every_command(index, run_cli):
        assert_refused(done, str(index / MANIFEST), "not a readable manifest", "Build it again")


def test_a_manifest_that_is_a_pipe_is_not_waited_for(index: Path, run_cli: "RunCli") -> None:
    (index / MANIFEST).unlink()
    os.mkfifo(index / MANIFEST)
    for command in (["recommend", "--index", index], ["inspect", index]):
        assert_refused(run_cli(*command, stdin=STDIN), str(index / MANIFEST), "a named pipe")


@each_row("name", ["corpus/papers.parquet", "vectors/vectors.npy", "text/postings.rows.npy"])
def test_a_file_that_is_missing_or_short_is_named(
    index: Path, parts: Path, name: str, run_cli: "RunCli"
) -> None:
    whole = (parts / name).read_bytes()
    size = len(whole)
    os.truncate(parts / name, size - 1)
    for done in every_command(index, run_cli):
        assert_refused(done, f"{parts / name} has {size - 1} bytes instead of {size}.", "Build")
    (parts / name).unlink()
    for done in every_command(index, run_cli):
        assert_refused(done, f"{parts / name} is missing.", "Build it again")
    (parts / name).write_bytes(whole)


@each_row("name", ["encoder", "encoder/model.onnx", "encoder/tokenizer.json"])
def test_a_missing_part_of_the_encoder_is_named(
    index: Path, parts: Path, name: str, run_cli: "RunCli"
) -> None:
    path, aside = parts / name, index.parent / "aside"
    path.rename(aside)
    assert_refused(run_cli("recommend", "--index", index, stdin=STDIN), str(path), "uild")
    aside.rename(path)


def flip(path: Path, at: int) -> None:
    """Change one bit; a negative place counts from the end."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << 5
    path.write_bytes(data)


def own_files(parts: Path) -> list[str]:
    value: dict[str, Any] = json.loads((parts / MANIFEST).read_text())
    return list(value["files"])


def test_verifying_finds_a_flipped_byte_in_any_file(
    index: Path, parts: Path, run_cli: "RunCli"
) -> None:
    names = [*own_files(parts), "encoder/model.onnx", "ranker/trees.npz", "ranker/model.txt"]
    assert len(names) > 30
    assert run_cli("inspect", index, "--verify").code == 0
    for name in names:
        flip(parts / name, (parts / name).stat().st_size // 2)
        if not name.endswith(MANIFEST):
            assert run_cli("inspect", index).code == 0
        done = run_cli("inspect", index, "--verify")
        assert_refused(done, f"{parts / name} does not have the checksum", "build it again")
        flip(parts / name, (parts / name).stat().st_size // 2)
    assert run_cli("inspect", index, "--verify").code == 0


@pytest.mark.parametrize(
    "at", [60, pytest.param(3, marks=pytest.mark.slow), pytest.param(-3, marks=pytest.mark.slow)]
)
def test_answering_with_a_flipped_byte_answers_or_names_the_file(
    index: Path, parts: Path, at: int, run_cli: "RunCli"
) -> None:
    refused, names = 0, own_files(parts)[:: 1 if THOROUGH else 3]
    for name in names:
        flip(parts / name, at)
        done = run_cli("recommend", "--index", index, "--format", "json", stdin=STDIN)
        if done.code == 0:
            assert json.loads(done.out)["schema"] == "recsys.answer/1"
        else:
            refused += 1
            assert_refused(done, str(parts / name), "uild")
        flip(parts / name, at)
    assert len(names) > 10 and refused > len(names) // 5


def test_a_flipped_byte_is_named_by_batch_and_training_too(
    index: Path, parts: Path, run_cli: "RunCli"
) -> None:
    flip(parts / "corpus" / "cites.starts.npy", 60)
    recommended, _, _, trained, batched = every_command(index, run_cli)
    for done in (recommended, trained, batched):
        assert_refused(done, "cites.starts.npy does not have the checksum", "--force")


def change_ranker(parts: Path, change: Callable[[dict[str, Any]], None]) -> None:
    folder = parts / "ranker"
    config: dict[str, Any] = json.loads((folder / MANIFEST).read_text())["config"]
    change(config)
    seal(folder, KIND, SCHEMA, config)


def test_a_ranker_with_an_unknown_feature_is_refused(
    index: Path, parts: Path, run_cli: "RunCli"
) -> None:
    change_ranker(parts, lambda config: config["feature_names"].append("moon_phase"))
    done = run_cli("recommend", "--index", index, stdin=STDIN)
    assert_refused(done, str(parts / "ranker"), "'moon_phase'", "recsys train ranker")
    blind = run_cli("recommend", "--index", index, "--no-metadata", stdin=STDIN)
    assert blind.code == 0


def test_a_damaged_ranker_is_refused_and_training_mends_it(
    built: "Built", index: Path, parts: Path, run_cli: "RunCli"
) -> None:
    (parts / "ranker" / "trees.npz").write_bytes(b"\x00" * 99)
    change_ranker(parts, lambda config: None)
    done = run_cli("recommend", "--index", index, stdin=STDIN)
    assert_refused(done, str(parts / "ranker" / "trees.npz"), "cannot be read")
    assert run_cli("train", "ranker", index, "--split", built.split).code == 0
    assert run_cli("recommend", "--index", index, stdin=STDIN).code == 0


def test_nothing_found_is_exit_code_3_and_says_which_stage(
    tmp_path: Path, run_cli: "RunCli"
) -> None:
    papers = tmp_path / "papers.jsonl"
    papers.write_text('{"id": "a", "title": "On rivers", "year": 2000}\n')
    assert run_cli("build", papers, "--out", tmp_path / "x.index", "--quiet").code == 0
    out = tmp_path / "answer.json"
    done = run_cli(
        "recommend", "--index", tmp_path / "x.index", "--as-of", 1900, "--out", out, stdin=STDIN
    )
    assert (done.code, done.out, out.exists()) == (3, "", False)
    understood, error = done.err.splitlines()
    assert understood.startswith("Understood: ")
    assert error.startswith("error: No paper is left to recommend: 1 papers in the corpus, 0 ")
    assert "--as-of" in error


def test_an_answer_says_that_the_index_had_a_ranker_of_its_own(
    built: "Built", index: Path, run_cli: "RunCli"
) -> None:
    lost = "This index lost its own ranker when it was rebuilt"
    assert lost not in run_cli("recommend", "--index", index, stdin=STDIN).err
    for _ in range(2):  # It is not forgotten when the index is built once more.
        assert run_cli("build", built.papers, "--out", index, "--force").code == 0
        assert lost in run_cli("recommend", "--index", index, stdin=STDIN).err
    assert run_cli("train", "ranker", index, "--split", built.split).code == 0
    assert lost not in run_cli("recommend", "--index", index, stdin=STDIN).err
    assert lost in run_cli("recommend", "--index", index, "--no-metadata", stdin=STDIN).err


def test_a_second_writer_that_shall_not_wait_is_refused(
    built: "Built", index: Path, run_cli: "RunCli"
) -> None:
    with writing(index):
        for command in (
            ("build", built.papers, "--out", index, "--force"),
            ("update", index, built.papers),
            ("train", "ranker", index, "--split", built.split),
        ):
            done = run_cli(*command, "--no-wait")
            assert_refused(done, f"Another process is writing {index}.", "Wait for it")


def test_inspect_tells_how_old_a_ranker_is(index: Path, run_cli: "RunCli") -> None:
    told = run_cli("inspect", index).out
    assert re.search(r"learned until +\d+\.\d% of the papers are newer than 20\d\d", told)


def test_a_build_over_a_damaged_index_names_force(
    built: "Built", index: Path, run_cli: "RunCli"
) -> None:
    (index / MANIFEST).write_text("{")
    before = contents(index)
    done = run_cli("build", built.papers, "--out", index)
    assert_refused(done, str(index), "cannot be read", "--force")
    assert contents(index) == before
