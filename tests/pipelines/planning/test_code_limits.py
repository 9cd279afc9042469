"""The limits of plans are those of the code."""

from importlib import import_module
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from recsys.indexes.backends import BACKENDS, LITTLE, SMALL, build_index, by_size
from recsys.pipelines.planning.building_plan import memory_figures
from recsys.pipelines.planning.code_limits import (
    LIMITS,
    ROWS,
    Circumstances,
    first_above,
    limits,
    reading_memory,
)
from recsys.pipelines.planning.growth_laws import lists
from recsys.pipelines.planning.machine_kinds import FREE, MACHINES
from recsys.pipelines.planning.measured_rates import committed
from recsys.pipelines.planning.plan_values import Workload
from recsys.store.arrays import Ragged, Rows, load_array
from recsys.store.graph import CitationGraph
from recsys.store.term_counts import offsets
from tests.pipelines.planning.round_rates import MILLION, round_rates
from tests.rows import each_row

LAPTOP, WORKSTATION = MACHINES["laptop"], MACHINES["workstation"]
HEADER = 128
"""Bytes of an .npy file before its numbers."""


def given(papers: int = 200 * MILLION) -> Circumstances:
    return Circumstances(committed(), Workload(papers), LAPTOP, WORKSTATION)


@each_row("name", LIMITS)
def test_a_limit_names_the_code_where_it_is(name: str) -> None:
    module, _, attribute = LIMITS[name].where.partition(":")
    assert hasattr(import_module(module), attribute)


def test_limits_come_in_the_order_in_which_they_are_reached() -> None:
    found = limits(given())
    assert {each.name for each in found} == set(LIMITS)
    assert [each.papers for each in found] == sorted(each.papers for each in found)
    assert [each.reached for each in found] == sorted((e.reached for e in found), reverse=True)


def test_rows_are_int32() -> None:
    row_type = get_args(get_args(Rows)[1])[0]
    assert np.iinfo(row_type).max == ROWS
    assert LIMITS["rows"].papers(given()) == ROWS


def test_pairs_of_the_most_rows_fit_into_an_int64() -> None:
    most = int(LIMITS["pairs of rows"].papers(given()))
    assert most**2 - 1 <= np.iinfo(np.int64).max < (most + 2) ** 2
    assert most > ROWS


def test_places_of_postings_are_int64() -> None:
    assert offsets([np.array([3, 4])]).dtype == np.int64


def test_more_lists_there_are_not() -> None:
    most = LIMITS["lists of `ivf`"].papers(given())
    assert lists(most - 1) < lists(most) == lists(10 * most)


def test_annoy_is_never_chosen() -> None:
    sizes = (1, LITTLE - 1, LITTLE, SMALL - 1, SMALL, MILLION, ROWS)
    assert {by_size(size) for size in sizes} == {"exact", "int8", "ivf"} <= set(BACKENDS)


def test_the_graph_takes_so_many_bytes(tmp_path: Path) -> None:
    citing = np.array([1, 2, 2, 3], np.int32)
    cited = np.array([0, 0, 1, 2], np.int32)
    CitationGraph.build(citing, cited, np.full(5, 2000, np.int16)).save(tmp_path)
    size = sum(path.stat().st_size - HEADER for path in tmp_path.iterdir())
    assert size == 8 * 4 + 16 * (5 + 1) + 2 * 5  # And years, two bytes each, are columns.


@pytest.mark.parametrize(("backend", "exact", "scanned"), [("ivf", 2, 1), ("exact", 4, 0)])
def test_a_number_of_a_vector_takes_so_many_bytes(
    tmp_path: Path, backend: str, exact: int, scanned: int
) -> None:
    vectors = np.random.default_rng(0).standard_normal((64, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    build_index(backend, vectors, tmp_path)
    sizes = {path.name: path.stat().st_size - HEADER for path in tmp_path.iterdir()}
    if scanned:
        assert sizes["rests.npy"] == exact * vectors.size
        assert sizes["codes.npy"] == scanned * vectors.size
    else:
        assert sizes == {}  # They are searched as they are, in 32 bits.


def test_files_are_mapped(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(3))
    assert isinstance(load_array(tmp_path / "a.npy").base, np.memmap)


def test_ragged_values_are_rows() -> None:
    owners = np.array([0, 1], np.int32)
    found = Ragged.from_pairs(owners, owners, 2)
    assert found.starts.dtype == np.int64
    assert found.values.dtype == np.int32


@each_row("bound", [0.5, 1, 7, 1000, 123_456])
def test_the_fewest_papers_above_a_bound(bound: float) -> None:
    found = first_above(lambda n: n / 2, bound)
    assert found / 2 > bound >= (found - 1) / 2


def test_what_stays_below_a_bound_is_never_reached() -> None:
    assert first_above(lambda n: 1.0, 2.0) == float("inf")


def test_memory_to_read_is_that_of_the_machine() -> None:
    papers = int(reading_memory(given()))
    needed = [memory_figures(given().of(n))[0].value or 0 for n in (papers - 1, papers)]
    assert needed[0] <= FREE * LAPTOP.memory < needed[1]


def test_limits_by_hand() -> None:
    rates = round_rates(opening=1000, sealing=360, encoding=10)
    where = Circumstances(rates, Workload(MILLION), LAPTOP, WORKSTATION)
    found = {each.name: each.papers for each in limits(where)}
    assert found["opening in ten seconds"] == 10 * MILLION + 1
    assert found["an hour of checksums"] == 10 * MILLION + 1
    # 8 processors, 10 texts a second each, for a day.
    assert found["a day of encoding"] == pytest.approx(8 * 10 * 86_400)
    assert found["one file on a store"] == 5 * 2**40 / 768
    assert found["copies on a store"] == 5 * 2**30 / 768
