"""The commands `embed`, `scidocs` and `study scidocs-generate`, from options to output."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.formats.embeddings import Embeddings, read_embeddings, write_embeddings
from tests.conftest import RunCli

if TYPE_CHECKING:
    from tests.built_index import Built


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of two small tasks, and vectors that solve them."""
    root = tmp_path / "suite"
    for name, lines in {
        "cite/test.qrel": ["q 0 a 1", "q 0 b 0", "p 0 a 0", "p 0 b 1"],
        "mesh/train.csv": ["pid,class_label", *(f"{'ab'[i % 2]},{i % 2}" for i in range(6))],
        "mesh/test.csv": ["pid,class_label", "a,0", "b,1"],
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    vectors = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], np.float32)
    write_embeddings(tmp_path / "good.jsonl", Embeddings(("a", "q", "b", "p"), vectors))
    return root


def test_embed_writes_the_vectors_of_an_index(
    built: "Built", tmp_path: Path, run_cli: RunCli
) -> None:
    found = run_cli("embed", built.index, "--out", tmp_path / "v.parquet")
    assert (found.code, found.out) == (0, "")
    assert f"Saved in {tmp_path / 'v.parquet'}." in found.err
    assert read_embeddings(tmp_path / "v.parquet").dim == 384
    quiet = run_cli("embed", built.index, "--out", tmp_path / "w.npy", "--quiet")
    assert (quiet.code, quiet.err) == (0, "")


def test_scidocs_prints_the_table(suite: Path, tmp_path: Path, run_cli: RunCli) -> None:
    found = run_cli(
        "study", "scidocs", suite, "--embeddings", tmp_path / "good.jsonl", "--random",
        "--queries", tmp_path / "q.jsonl", "--jobs", 1,
    )  # fmt: skip
    assert found.code == 0
    figures = [line.split()[:3] for line in found.out.splitlines()[4:7]]
    assert figures == [
        ["mesh", "F1", "100.00"],
        ["cite", "MAP", "100.00"],
        ["cite", "nDCG", "100.00"],
    ]
    lines = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text().splitlines()]
    assert [(line["encoder"], line["query"]) for line in lines] == [
        ("good", "q"), ("good", "p"), ("random", "q"), ("random", "p"),
    ]  # fmt: skip
    assert "random: tasks: done" in found.err


def test_wrong_input_is_an_error_in_words(suite: Path, tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "bad.jsonl").write_text('{"paper_id": "a", "embedding": [1]}\n[]\n')
    for arguments, message in (
        (("study", "scidocs", suite), "There are no vectors to evaluate."),
        (("study", "scidocs", suite, "--embeddings", tmp_path / "bad.jsonl"), "bad.jsonl, line 2"),
        (("study", "scidocs", tmp_path / "none", "--random"), "There is no directory"),
        (("study", "scidocs", suite, "--random", "--tasks", "mash"), "Did you mean 'mesh'?"),
        (
            ("study", "scidocs", suite, "--random", "--queries", tmp_path / "x" / "q"),
            "There is no folder",
        ),
        (("embed", suite, "--out", tmp_path / "v.npy"), "holds no texts"),
        (("study", "scidocs-generate", tmp_path, "--out", tmp_path / "s"), "not a finished index"),
    ):
        found = run_cli(*arguments)
        assert (found.code, found.out) == (1, "")
        assert message in found.err and "Traceback" not in found.err


def test_a_suite_is_made_of_an_index(built: "Built", tmp_path: Path, run_cli: RunCli) -> None:
    out = tmp_path / "suite"
    found = run_cli("study", "scidocs-generate", built.index, "--out", out, "--split", built.split)
    assert found.code == 0
    assert "nothing for mag, mesh, recomm" in found.err
    assert (
        len({line.split()[0] for line in (out / "cite/test.qrel").read_text().splitlines()}) == 12
    )
    run_cli("embed", built.index, "--out", tmp_path / "v.npy", "--quiet")
    scored = run_cli("study", "scidocs", out, "--embeddings", tmp_path / "v.npy", "--quiet")
    assert scored.code == 0 and "This suite was generated" in scored.out
