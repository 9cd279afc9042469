from typing import TYPE_CHECKING

from benchmarks.start_floor import measure_start

if TYPE_CHECKING:
    from tests.built_index import Built


def test_the_start_is_measured_against_its_floor(built: "Built") -> None:
    found = measure_start(built.index, rounds=1)
    assert found["ratio"]["floor"] == 1
    assert {*found["rounds"]} == {"floor", "table", "jsonl", "version", "help"}
    assert all(len(seconds) == 1 and seconds[0] > 0 for seconds in found["rounds"].values())
