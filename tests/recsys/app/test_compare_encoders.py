"""`recsys study compare-encoders` from the outside."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.pipelines.small_probe import small_probe

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli


def test_finished_rows_are_shown_though_one_fails(
    built: "Built", tmp_path: Path, run_cli: "RunCli"
) -> None:
    papers, out = small_probe(tmp_path).papers, tmp_path / "out"
    missing = tmp_path / "missing.npy"
    command = (
        "study", "compare-encoders", built.index, "--split", built.split, "--labels", papers,
        "--label", "labels.field", "--min-count", 8, "--queries", 0, "--dim", 8, "--jobs", 1,
        "--encoder", "random", "--encoder", f"gone={missing}", "--out", out,
    )  # fmt: skip
    done = run_cli(*command, "--format", "json")
    assert done.code == 1
    value = json.loads(done.out)
    assert value == json.loads((out / "encoders.json").read_text(encoding="utf-8"))
    random, gone = value["rows"]
    assert random["figures"]["F1@20"]["value"] > 0 and random["failed"] == []
    assert gone["figures"] == {} and str(missing) in gone["failed"][0]
    assert f"gone: There is no file {missing}." in done.err
    page = (out / "encoders.html").read_text(encoding="utf-8")
    assert "<dt>labelled papers sha256</dt>" in page and page.count("<svg ") == 1
    again = run_cli(*command[:-4], "--out", out)
    assert again.code == 0 and "random" in again.out and "encode" not in again.err
