"""Chances on corpora left out: what corrects them is found, and written to what ships."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import benchmarks.chances as program
from benchmarks import shipped_ranker
from benchmarks.bench import Bench
from benchmarks.chances import Answers, Shown, fit_transfer, main, truth
from benchmarks.shipped_ranker import SHIPPED
from recsys.ranking.ranker import EVIDENCE, TreeRanker
from tests.benches import built_already, write_corpora

if TYPE_CHECKING:
    from tests.built_index import Built

NAMES = ("small", "twin")


def planted(seed: int, references: float, n: int = 20_000) -> Shown:
    """Papers whose odds are half as high as is said, times the references in their corpus."""
    rng = np.random.default_rng(seed)
    chances = rng.uniform(0.05, 0.6, n)
    evidence = np.zeros((n, len(EVIDENCE)))
    evidence[:, 0] = np.log(references)
    odds = 0.5 * chances / (1 - chances) * references
    return Shown(chances, evidence, rng.random(n) < odds / (1 + odds))


def test_what_was_planted_is_found_on_a_corpus_left_out() -> None:
    answers: Answers = {
        (str(at), "whole", "test", "links"): planted(at, 1.0 + at) for at in range(5)
    }
    transfer = fit_transfer(answers)
    assert transfer.slope == pytest.approx(1, abs=0.05)
    unseen = planted(9, 2.5)
    before = truth(unseen.chances, unseen.cited)
    after = truth(unseen.corrected(transfer), unseen.cited)
    assert after["ECE"] < 0.02 < before["ECE"]
    assert after["half"]["shown"] == pytest.approx(after["half"]["kept"], abs=0.05)


def test_corpora_count_alike_however_many_papers_they_have() -> None:
    answers: Answers = {
        ("large", "whole", "test", "links"): planted(0, 1.0, 50_000),
        ("small", "whole", "test", "links"): planted(1, 4.0, 2_000),
    }
    [large, small] = [each.corrected(fit_transfer(answers)).mean() for each in answers.values()]
    [in_large, in_small] = [each.cited.mean() for each in answers.values()]
    assert large - in_large == pytest.approx(in_small - small, abs=0.02)


def test_each_corpus_is_asked_and_what_ships_is_corrected(
    built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_corpora(built, tmp_path, *NAMES, "kept")
    for module, name, value in (
        (shipped_ranker, "TITLES_TOO", ()),
        (shipped_ranker, "SNOWBALLED", ()),
        (program, "TITLES_TOO", ()),
        (program, "CORPORA", NAMES),
        (program, "KEPT", ("kept",)),
        (program, "ASKED", 8),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(Bench, "built", built_already)
    (tmp_path / "chances.md").write_text("# Page\n<!-- chances -->\n<!-- /chances -->\n")
    ships = tmp_path / "ships"
    shutil.copytree(SHIPPED, ships)
    places = ["--work", str(tmp_path)]
    fitting = ["fit", *places, "--docs", str(tmp_path), "--out", str(ships)]
    fitting += ["--results", str(tmp_path / "x.json")]
    assert main(fitting) == 1, "nothing was asked"
    assert main(["ask", "--data", str(tmp_path), *places]) == 0
    asked = {path: path.read_bytes() for path in (tmp_path / "left-out").glob("*.npz")}
    assert len(asked) == 2 * len((*NAMES, "kept"))
    assert main(["ask", "--data", str(tmp_path), *places]) == 0, "what is there is not asked again"
    assert all(path.read_bytes() == content for path, content in asked.items())
    assert main(fitting) == 0
    found = json.loads((tmp_path / "x.json").read_text())
    for setting, folder in (("metadata", "ranker"), ("no metadata", "ranker-no-metadata")):
        transfer = TreeRanker.load(ships / folder).transfer
        assert transfer is not None
        assert transfer.slope == found[setting]["transfer"]["slope"]
        rows = found[setting]["rows"]
        assert [(row["corpus"], row["links"]) for row in rows] == [
            (name, links) for name in (*NAMES, "kept") for links in ("links", "no links")
        ]
    assert "| kept | none | " in (tmp_path / "chances.md").read_text()
