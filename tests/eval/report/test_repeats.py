import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.measures import Interval
from recsys.eval.report.compare import compare
from recsys.eval.report.repeats import RENDERERS as REPEATS_RENDERERS
from recsys.eval.report.repeats import Repeated, repeats
from tests.eval.small_evaluation import FAIR, GOOD, POOR, write_runs

if TYPE_CHECKING:
    from tests.conftest import RunCli

MANY = {f"q{i}": ("a",) for i in range(12)}


@pytest.fixture
def seeds(tmp_path: Path) -> list[Path]:
    """Two evaluations: in the second one, `good` and `fair` have changed places."""
    return [
        write_runs(tmp_path / "seed-0", {"good": GOOD, "fair": FAIR, "poor": POOR}),
        write_runs(tmp_path / "seed-1", {"good": FAIR, "fair": GOOD, "poor": POOR}),
    ]


def by_name(folders: list[Path]) -> dict[str, Repeated]:
    return {system.name: system for system in repeats(folders).systems}


def test_figures_are_those_of_each_evaluation(seeds: list[Path]) -> None:
    found = repeats(seeds)
    assert (found.queries, found.times) == (6, 2)
    for place, folder in enumerate(seeds):
        runs = [folder / "runs" / f"{name}.trec" for name in ("fair", "good", "poor")]
        alone = compare(runs, folder / "qrels.txt").assessment
        for system, one in zip(found.systems, alone.systems, strict=True):
            assert system.name == one.name
            for measure, figures in system.figures.items():
                assert figures[place] == pytest.approx(one.measures[measure].value, abs=1e-12)


def test_mean_and_deviation_by_hand(seeds: list[Path]) -> None:
    found = by_name(seeds)
    good, fair, poor = found["good"], found["fair"], found["poor"]
    # First hits: ranks 1, 1, 1, 2, 1, 3 of good; 2, 2, 2, 3, 2 and none of fair.
    reciprocal = ((4 + 1 / 2 + 1 / 3) / 6, (4 / 2 + 1 / 3) / 6)
    assert good.figures["MRR"] == pytest.approx(reciprocal)
    assert good.mean("MRR") == pytest.approx(sum(reciprocal) / 2)
    assert good.deviation("MRR") == pytest.approx((reciprocal[0] - reciprocal[1]) / 2**0.5)
    assert fair.mean("MRR") == pytest.approx(good.mean("MRR"))
    assert (poor.mean("MRR"), poor.deviation("MRR")) == (0, 0)
    assert by_name(seeds[:1])["good"].deviation("MRR") == 0


def write_many(folder: Path, ranks: dict[str, int]) -> Path:
    """Twelve queries; a system finds the only gold paper of each at its rank."""
    from recsys.eval.trec import write_qrels, write_run

    (folder / "runs").mkdir(parents=True)
    write_qrels(folder / "qrels.txt", MANY)
    scores = np.arange(4, 0, -1, dtype=np.float32)
    for name, rank in ranks.items():
        papers = ["x", "y", "z"]
        papers.insert(rank - 1, "a")
        rows = [(query, papers, scores) for query in MANY]
        write_run(folder / "runs" / f"{name}.trec", rows, tag=name)
    return folder


def test_a_system_beats_another_by_its_mean_over_the_seeds(tmp_path: Path) -> None:
    first = write_many(tmp_path / "0", {"steady": 1, "falling": 1, "last": 4})
    second = write_many(tmp_path / "1", {"steady": 1, "falling": 3, "last": 4})
    found = by_name([first, second])
    steady, falling, last = found["steady"], found["falling"], found["last"]
    assert set(steady.beats["MRR"]) == {"falling", "last"}
    assert falling.beats["MRR"] == ("last",)
    assert last.beats["MRR"] == ()
    assert steady.beats["query F1@20"] == ()  # All find it among the first 20.


def test_the_interval_of_a_mean_draws_queries_and_not_seeds(seeds: list[Path]) -> None:
    """Good and fair have changed places: their means are one, and so are their intervals."""
    found = by_name(seeds)
    for measure, mean in found["good"].means.items():
        assert mean == found["fair"].means[measure]
        assert mean.value == pytest.approx(found["good"].mean(measure))
        assert mean.low < mean.value < mean.high


def test_what_a_system_has_more_than_the_base(tmp_path: Path) -> None:
    ranks = ({"falling": 1, "last": 4, "steady": 1}, {"falling": 2, "last": 4, "steady": 1})
    folders = [write_many(tmp_path / str(i), each) for i, each in enumerate(ranks)]
    found = {each.name: each for each in repeats(folders, base="last").systems}
    assert found["last"].more == {}
    for name, more in (("steady", 1 - 1 / 4), ("falling", (1 + 1 / 2) / 2 - 1 / 4)):
        mrr = found[name].more["MRR"]
        assert (mrr.value, mrr.low, mrr.high) == pytest.approx((more, more, more))
        assert found[name].more["R@20"] == Interval(0, 0, 0)
    assert all(each.more == {} for each in repeats(folders).systems)
    with pytest.raises(InputError, match="Did you mean 'steady'"):
        repeats(folders, base="stedy")


def test_every_format_shows_every_system(seeds: list[Path]) -> None:
    found = repeats(seeds)
    for render in REPEATS_RENDERERS.values():
        assert all(name in render(found) for name in ("good", "fair", "poor"))
    assert "0.597 ± 0.295" in REPEATS_RENDERERS["table"](found)
    figures = json.loads(REPEATS_RENDERERS["json"](found))["systems"][0]["figures"]["MRR"]
    assert figures == pytest.approx(found.systems[0].figures["MRR"])


def test_evaluations_of_other_systems_or_queries_are_refused(tmp_path: Path) -> None:
    one = write_many(tmp_path / "0", {"a": 1, "b": 1})
    with pytest.raises(InputError, match="differ in their queries or systems"):
        repeats([one, write_many(tmp_path / "1", {"a": 1})])
    with pytest.raises(InputError, match="differ in their queries or systems"):
        repeats([write_runs(tmp_path / "2", {"good": GOOD}), one])


def test_the_command_prints_the_table(seeds: list[Path], run_cli: "RunCli") -> None:
    done = run_cli("repeats", *seeds, "--format", "markdown")
    assert done.code == 0
    assert "| b | good | " in done.out
    missing = run_cli("repeats", seeds[0], seeds[0].parent / "none")
    assert (missing.code, missing.out) == (1, "")
    beside = run_cli("repeats", *seeds, "--base", "poor", "--format", "markdown")
    assert beside.code == 0 and done.out in beside.out
    assert "More than poor" in beside.out and "| good | +" in beside.out
