"""`recsys study probe` from the outside."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.pipelines.small_probe import small_probe

if TYPE_CHECKING:
    from tests.conftest import RunCli


def test_embeddings_are_compared_on_stdout_and_in_a_folder(
    tmp_path: Path, run_cli: "RunCli"
) -> None:
    small, out = small_probe(tmp_path), tmp_path / "out"
    done = run_cli(
        "study", "probe", small.papers, "--embeddings", small.good,
        "--embeddings", f"other={small.poor}",
        "--label", "labels.field", "--min-count", 8, "--probes", "linear,map", "--out", out,
        "--format", "json",
    )  # fmt: skip
    assert done.code == 0
    value = json.loads(done.out)
    assert value["embeddings"] == ["good", "other"]
    assert value == json.loads((out / "probes.json").read_text(encoding="utf-8"))
    page = (out / "probes.html").read_text(encoding="utf-8")
    assert "<dt>vectors of other sha256</dt>" in page and "<dt>papers sha256</dt>" in page
    assert (out / "map-other-dark.png").read_bytes().startswith(b"\x89PNG")
    assert "linear: done" in done.err


def test_what_was_left_out_is_noted(tmp_path: Path, run_cli: "RunCli") -> None:
    small = small_probe(tmp_path)
    ids = small.good.with_name("good.ids.txt")
    ids.write_text(ids.read_text().replace("p03", "q03"))
    command = ("study", "probe", small.papers, "--embeddings", small.good, "--label", "venue")
    done = run_cli(*command, "--min-count", 8, "--probes", "retrieval")
    assert (done.code, done.err.count("good has no vector of 1 of 80 papers.")) == (0, 1)
    assert "79 papers of 4 classes" in done.out
    quiet = run_cli(*command, "--min-count", 8, "--probes", "retrieval", "--quiet")
    assert (quiet.out, quiet.err) == (done.out, "")
