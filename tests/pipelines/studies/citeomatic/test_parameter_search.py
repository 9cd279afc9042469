"""The search for parameters, on functions whose best is known."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from recsys.pipelines.studies.citeomatic.tuning import Parameters, Search, TuneOptions

SPACE = {"width": range(0, 200, 10), "rate": (1e-3, 1e-2, 1e-1)}
USUAL: Parameters = {"width": 0, "rate": 1e-3}
OPTIONS = TuneOptions(trials=30, short=2, finalists=3, long=9, seed=1)


def hill(values: Parameters) -> float:
    """Highest, 0, at width 130 and rate 0.01."""
    return -abs(values["width"] - 130) - 50 * (values["rate"] != 1e-2)


class Counting:
    """An objective that remembers what it was asked, and fails when told to."""

    def __init__(self, fail_at: int | None = None) -> None:
        self.asked: list[tuple[Parameters, int]] = []
        self.fail_at = fail_at

    def __call__(self, values: Parameters, epochs: int) -> float:
        if len(self.asked) == self.fail_at:
            raise KeyboardInterrupt
        self.asked.append((values, epochs))
        return hill(values)


def search(
    folder: Path, objective: Callable[[Parameters, int], float], options: TuneOptions = OPTIONS
) -> Search:
    return Search(SPACE, USUAL, objective, options, folder / "journal", "a name")


def test_the_best_distinct_trials_and_the_usual_one_are_trained_longer(tmp_path: Path) -> None:
    objective = Counting()
    made = search(tmp_path, objective)
    made.explore()
    tried = sorted({hill(values) for values, _ in objective.asked}, reverse=True)
    finals = made.finish()
    assert [epochs for _, epochs in objective.asked[30:]] == [9, 9, 9, 9]
    assert len({str(trial.values) for trial in finals}) == 4
    assert finals[-1].values == USUAL
    assert finals[0].figure == tried[0]
    assert [trial.figure for trial in finals] == sorted(
        (trial.figure for trial in finals), reverse=True
    )


def test_a_killed_search_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    whole = Counting()
    search(tmp_path / "whole", whole).explore()
    killed, rest = Counting(fail_at=13), Counting()
    with pytest.raises(KeyboardInterrupt):
        search(tmp_path, killed).explore()
    assert search(tmp_path, rest).explore() == (13, 30)
    assert killed.asked + rest.asked == whole.asked


def test_more_trials_continue_and_finalists_are_not_trained_twice(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    few = replace(OPTIONS, trials=12)
    search(tmp_path, first, few).explore()
    search(tmp_path, first, few).finish()
    again = search(tmp_path, second, few)
    assert again.explore() == (12, 12)
    assert [trial.figure for trial in again.finish()] and second.asked == []
    assert search(tmp_path, second).explore() == (12, 30)
    assert len(second.asked) == 18
