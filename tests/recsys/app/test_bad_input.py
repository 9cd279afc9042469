"""What people hand in by mistake: one line with the next step, the right exit code, no traces."""

import json
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.built_index import finished_shards, stopped, write_many
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli

Drafts = dict[str, bytes]

BAD_DRAFTS: Drafts = {
    "empty": b"",
    "not-json": b"title: A draft",
    "cut-short": b'{"title": "A dra',
    "a-list": b'[{"title": "x"}]',
    "a-string": b'"x"',
    "no-text": b'{"title": "", "abstract": " "}',
    "nothing": b"{}",
    "wrong-type": b'{"title": 3}',
    "wrong-list": b'{"title": "x", "authors": "Ada"}',
    "unknown-key": b'{"title": "x", "abtract": "y"}',
    "far-year": b'{"title": "x", "year": 20210}',
    "deep": b"[" * 200_000,
    "latin-1": b'{"title": "caf\xe9"}',
    "utf-16-of-nothing": "{}".encode("utf-16"),
    "nul": b'{"title": "x\x00"}',
    "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
}


GOOD_TEXTS = {"not-json", "a-string"}
"""Read from stdin, where no suffix says that it is JSON, these are plain text: a title."""


def assert_one_line(err: str) -> None:
    assert err.startswith("error: ")
    assert err.count("\n") == 1 and err.endswith("\n")
    assert "Traceback" not in err and "internal error" not in err
    assert len(err) < 400


@each_row("name", BAD_DRAFTS)
def test_a_bad_draft_is_one_line_and_nothing_is_written(
    name: str, tmp_path: Path, run_cli: "RunCli"
) -> None:
    draft = tmp_path / "draft.json"
    draft.write_bytes(BAD_DRAFTS[name])
    for source in (draft,) if name in GOOD_TEXTS else (draft, "-"):
        out = tmp_path / "answer.json"
        done = run_cli("recommend", source, "--out", out, stdin=BAD_DRAFTS[name])
        assert (done.code, done.out) == (1, "")
        assert_one_line(done.err)
        assert os.listdir(tmp_path) == ["draft.json"]


def test_a_bad_draft_can_be_reported_as_json(run_cli: "RunCli") -> None:
    done = run_cli("recommend", "--json-errors", stdin=b'{"titel": "x"}')
    error = json.loads(done.err)["error"]
    assert done.code == 1
    assert error["kind"] == "DraftError"
    assert error["hint"] == "Did you mean 'title'?"


@pytest.mark.parametrize(
    "abstract",
    ["rivers and glaciers " * 50_000, "x" * 1_000_000, "河" * 340_000, "<a>\n\t" * 200_000],
    ids=["words", "one-word", "no-spaces", "markup"],
)
def test_an_abstract_of_a_megabyte_is_answered_in_seconds(
    abstract: str, built: "Built", run_cli: "RunCli"
) -> None:
    stdin = json.dumps({"title": "Rivers", "abstract": abstract}, ensure_ascii=False).encode()
    assert len(stdin) > 900_000
    begun = time.process_time()
    done = run_cli("recommend", "--index", built.index, "-k", 3, stdin=stdin)
    assert time.process_time() - begun < 5
    assert done.code == 0, done.err
    assert done.out.startswith("  1 ")
    assert len(done.err) < 200


def test_an_interrupted_build_is_one_line_and_continues(tmp_path: Path, run_cli: "RunCli") -> None:
    papers, out = write_many(tmp_path / "papers.jsonl"), tmp_path / "x.index"
    partial = tmp_path / "x.index" / "unfinished" / "build"
    command = ("build", papers, "--out", out, "--quiet")
    code, err = stopped(signal.SIGINT, command, when=lambda: bool(finished_shards(partial)))
    assert (code, err) == (
        130,
        "interrupted: run the same command again to continue.\n",
    )
    assert sorted(os.listdir(tmp_path)) == ["papers.jsonl", "x.index"]
    kept = finished_shards(partial)
    assert kept
    done = run_cli("build", papers, "--out", out)
    assert done.code == 0
    assert "read: " not in done.err
    assert f"encoding papers: done ({512 * len(kept):,}" not in done.err
    assert sorted(os.listdir(tmp_path)) == ["papers.jsonl", "x.index"]


def test_an_interrupted_batch_is_one_line_and_continues(
    built: "Built", tmp_path: Path, run_cli: "RunCli"
) -> None:
    run = tmp_path / "run.trec"
    partial = tmp_path / "run.trec.partial"
    arguments = ("batch", built.index, "--split", built.split, "--part", "train")
    command = (*arguments, "--run", run, "--jobs", 2, "--quiet")
    code, err = stopped(signal.SIGINT, command, when=partial.is_file)
    assert (code, err) == (
        130,
        "interrupted: run the same command again to continue.\n",
    )
    assert os.listdir(tmp_path) == ["run.trec.partial"]
    whole = tmp_path / "whole.trec"
    assert run_cli(*arguments, "--run", whole, "--jobs", 1).code == 0
    assert run_cli(*arguments, "--run", run, "--jobs", 2).code == 0
    assert run.read_bytes() == whole.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["run.trec", "whole.trec"]
