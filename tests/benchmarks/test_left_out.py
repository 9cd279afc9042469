"""Left out: a ranker is asked a corpus that it has not learned from, and the page says how well."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import benchmarks.left_out as program
from benchmarks import unseen_corpora
from benchmarks.left_out import main, write_left_out
from benchmarks.unseen_corpora import OTHERS, OWN
from recsys.pipelines.jobs.programs import Bench
from recsys.pipelines.ranking import corpus_lessons
from recsys.pipelines.ranking.corpus_lessons import Lessons, teach_together
from recsys.pipelines.ranking.fit_ranker import FittedRanker
from recsys.pipelines.ranking.learn_on import learn_on
from recsys.pipelines.ranking.training_table import TrainingTable
from tests.benches import built_already

if TYPE_CHECKING:
    from tests.built_index import Built

NAMES = ("small", "twin", "third")
PAGE = "# Left out\n\n<!-- left-out -->\n<!-- /left-out -->\n"


@pytest.fixture
def data(built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three corpora of the same papers."""
    for name in NAMES:
        (tmp_path / name).mkdir()
        shutil.copy(built.split, tmp_path / name / "split.json")
        shutil.copytree(built.index, tmp_path / f"{name}.index")
    shutil.copytree(built.index, tmp_path / "small-titles.index")
    monkeypatch.setattr(corpus_lessons, "TITLES_TOO", ("small",))
    monkeypatch.setattr(corpus_lessons, "SNOWBALLED", ())
    monkeypatch.setattr(Bench, "built", built_already)
    monkeypatch.setattr(program, "CORPORA", NAMES)
    (tmp_path / "left-out.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


def test_each_corpus_is_asked_of_what_learned_from_the_others(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught = list[list[str]]()

    def watched(lessons: list[Lessons], *, seed: int) -> Any:  # noqa: ANN401
        taught.append([each.corpus for each in lessons])
        return teach_together(lessons, seed=seed)

    learned = list[tuple[int, int]]()

    def watched_on(ranker: FittedRanker, table: TrainingTable, *given: Any) -> Any:  # noqa: ANN401
        taught_on = learn_on(ranker, table, *given)
        learned.append((len(np.unique(table.queries)), taught_on.ranker.networks))
        return taught_on

    monkeypatch.setattr(unseen_corpora, "teach_together", watched)
    monkeypatch.setattr(unseen_corpora, "learn_on", watched_on)
    monkeypatch.setattr(program, "FEW", (5, 12))
    places = [text for place in ("--data", "--work", "--docs") for text in (place, str(data))]
    results = data / "results.json"
    given = [*places, "--results", str(results), "--most", "15"]
    assert main([*given, "--only", "no metadata", "--corpora", *NAMES]) == 0
    assert set(json.loads(results.read_text())) == {"no metadata"}
    assert main([*given, "--only", "metadata", "--corpora", *NAMES]) == 0
    alone = [[name] for name in NAMES]
    together = [["twin", "third"], ["small", "small", "third"], ["small", "small", "twin"]]
    expected = [each for pair in zip(together, alone, strict=True) for each in pair]
    assert taught == [*expected, *expected]
    assert learned == [(5, 4), (12, 4)] * 2 * len(NAMES)
    found = json.loads(results.read_text())
    assert set(found) == {"no metadata", "metadata"}
    for setting in found.values():
        for each in setting.values():
            one, other = (each["systems"][name]["F1@20"]["value"] for name in (OTHERS, OWN))
            assert each["difference"]["value"] == pytest.approx(one - other, abs=1e-9)
            assert each["most"] == 15
            assert 0 <= each["ECE"] <= 1
            assert each["networks"]
            assert set(each["few"]) == {"5", "12"}
    page = (data / "left-out.md").read_text()
    for name in NAMES:
        for setting in found:
            [row] = [row for row in page.splitlines() if f"| {name}, {setting} |" in row]
            assert "| trees and networks |" in row
            few = found[setting][name]["few"]["12"]
            told = f"{few['F1@20']['value']:.3f} / {few['MRR']['value']:.3f}, "
            assert row.split("|")[-2].strip().startswith(told) and row.endswith(" % |")
    older = found["metadata"]["small"] | {"networks": False}
    del older["few"]
    written = write_left_out({"metadata": {"small": older}})
    assert "| trees |" in written and written.rstrip().endswith("|  |  |")
