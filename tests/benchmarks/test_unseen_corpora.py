"""Unseen corpora: a ranker is asked what it has not learned from, and the pages say how well."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchmarks.unseen_corpora as program
from benchmarks import shipped_ranker
from benchmarks.bench import Bench
from benchmarks.shipped_ranker import TrainingSet, teach_together
from benchmarks.unseen_corpora import BM25, COSINE, FUSED, FUSION, OTHERS, OWN, fuse, main
from recsys.pipelines.ranking.cross_fitting import learn_on
from recsys.pipelines.ranking.fit_ranker import FittedRanker
from recsys.pipelines.ranking.training_table import TrainingTable
from tests.benches import built_already, write_corpora
from tests.rows import THOROUGH

if TYPE_CHECKING:
    from tests.built_index import Built

NAMES = ("small", "twin", "third")[: None if THOROUGH else 2]
SETTINGS: dict[str, tuple[str, ...]] = {"metadata": ()}
if THOROUGH:
    SETTINGS |= {"no metadata": ("--no-metadata",)}


@pytest.fixture
def data(built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three corpora of the same papers, and the pages."""
    write_corpora(built, tmp_path, *NAMES, "small-titles")
    monkeypatch.setattr(shipped_ranker, "TITLES_TOO", ("small",))
    monkeypatch.setattr(shipped_ranker, "SNOWBALLED", ())
    monkeypatch.setattr(Bench, "built", built_already)
    monkeypatch.setattr(program, "CORPORA", NAMES)
    for page in ("few-links", "left-out"):
        (tmp_path / f"{page}.md").write_text(f"# Page\n<!-- {page} -->\n<!-- /{page} -->\n")
    return tmp_path


@pytest.fixture
def taught(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Tell of which corpora the rankers have learned that were trained."""
    names = list[list[str]]()

    def watched(sets: list[TrainingSet], *, seed: int) -> Any:  # noqa: ANN401
        names.append([each.corpus for each in sets])
        return teach_together(sets, seed=seed)

    monkeypatch.setattr(program, "teach_together", watched)
    return names


def run(folder: Path, page: str, *options: str) -> int:
    places = [text for place in ("--data", "--work", "--docs") for text in (place, str(folder))]
    return main([page, *places, "--results", str(folder / "x.json"), "--most", "15", *options])


def test_ranks_are_fused_by_hand() -> None:
    fused = fuse(np.array([7, 2, 9], np.int32), np.array([2, 5], np.int32))
    scores = {7: 1 / 61, 2: 1 / 62 + 1 / 61, 9: 1 / 63, 5: 1 / 62}
    assert FUSION == 60
    assert fused.tolist() == sorted(scores, key=lambda row: -scores[row]) == [2, 7, 5, 9]


@given(st.lists(st.integers(0, 50), unique=True), st.lists(st.integers(0, 50), unique=True))
def test_fusing_keeps_every_paper_once_and_what_both_agree_on(
    one: list[int], other: list[int]
) -> None:
    lists = np.array(one, np.int32), np.array(other, np.int32)
    assert sorted(fuse(*lists).tolist()) == sorted({*one, *other})
    assert fuse(*lists).tolist() == fuse(*lists[::-1]).tolist()
    assert fuse(lists[0], lists[0]).tolist() == one


def test_few_links_have_a_row_for_each_share(
    data: Path, taught: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "CORPORA", ("small", "twin"))
    monkeypatch.setattr(program, "TRIED_SHARES", (1.0, 0.0))
    whole = (data / "few-links.md").read_text(encoding="utf-8")
    (data / "few-links.md").write_text("nothing", encoding="utf-8")
    assert run(data, "few-links") == 1 and taught == [], "the page has no marks"
    (data / "few-links.md").write_text(whole, encoding="utf-8")
    assert run(data, "few-links", "--corpora", "small") == 0
    assert taught == [["twin"], ["small"], ["small"]]
    found = json.loads((data / "x.json").read_text())["small"]
    assert set(found["systems"]) == {BM25, COSINE, FUSED}
    assert found["networks"] is True
    assert [each["share"] for each in found["shares"]] == [1.0, 0.0]
    assert found["shares"][0]["links"] == found["links"] > found["shares"][1]["links"] == 0
    for each in found["shares"]:
        assert set(each["systems"]) == {OTHERS, OWN}
        best = max(found["systems"][name]["F1@20"]["value"] for name in (BM25, COSINE))
        others, own = (each["systems"][name]["F1@20"]["value"] for name in (OTHERS, OWN))
        assert each["ratio"] == pytest.approx(others / best)
        assert each["gains"][OWN]["value"] == pytest.approx(others - own, abs=1e-9)
    page = (data / "few-links.md").read_text()
    for row in ("rankers of trees and networks.", "| small, 100 % |", "| small, 0 % | 0.00 |"):
        assert row in page


def test_each_corpus_is_asked_of_what_learned_from_the_others(
    data: Path, taught: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    learned = list[tuple[int, int]]()

    def watched_on(ranker: FittedRanker, table: TrainingTable, *given: Any) -> Any:  # noqa: ANN401
        taught_on = learn_on(ranker, table, *given)
        learned.append((len(np.unique(table.queries)), taught_on.ranker.networks))
        return taught_on

    monkeypatch.setattr(program, "learn_on", watched_on)
    monkeypatch.setattr(program, "FEW", (5, 12))
    for number, option in enumerate(SETTINGS.values(), start=1):
        assert run(data, "left-out", *option) == 0
        assert set(json.loads((data / "x.json").read_text())) == set([*SETTINGS][:number])
    alone = [[name] for name in NAMES]
    # "small" teaches by its titles alone as well.
    together = [[each for each in ("small", *NAMES) if each != name] for name in NAMES]
    expected = [each for pair in zip(together, alone, strict=True) for each in pair]
    assert taught == expected * len(SETTINGS)
    assert learned == [(5, 4), (12, 4)] * len(SETTINGS) * len(NAMES)
    found = json.loads((data / "x.json").read_text())
    for each in (each for setting in found.values() for each in setting.values()):
        [whole] = each["shares"]
        assert (each["most"], whole["share"], set(each["few"])) == (15, 1, {"5", "12"})
        assert each["networks"]
    page = (data / "left-out.md").read_text()
    for name in NAMES:
        for setting in found:
            [row] = [row for row in page.splitlines() if f"| {name}, {setting} |" in row]
            few = found[setting][name]["few"]["12"]
            assert row.endswith(f"| {few['F1@20']['value']:.3f} / {few['MRR']['value']:.3f} |")
