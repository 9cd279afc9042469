import json
from itertools import pairwise
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsys.indexes.backends import LITTLE, SMALL, by_size
from recsys.pipelines.corpora.collect import DUMP_BYTES
from recsys.pipelines.planning.dump_reading import DUMPED
from recsys.pipelines.planning.machine_kinds import MACHINES, smallest
from recsys.pipelines.planning.measured_rates import committed
from recsys.pipelines.planning.plan_text import plan_json, plan_lines
from recsys.pipelines.planning.plan_values import Figure, SizePlan, Workload
from recsys.pipelines.planning.shown_figures import said, shown
from recsys.pipelines.planning.size_plan import (
    ANSWERER,
    ANSWERS,
    BUILDER,
    DISK,
    ENCODERS,
    HOURS,
    LAYOUT,
    MEMORY,
    RAY,
    SERVING,
    TEXT,
    VECTORS,
    plan,
)
from tests.pipelines.planning.round_rates import MILLION, round_rates
from tests.rows import each_row

HOUR, MIB = 3600, 1 << 20
RATES = committed()
DUMPS = ceil(MILLION * DUMP_BYTES / RATES["papers"].value)
"""Papers of about so many on are read as dumps, where rates of dumps are known."""
WALL = {"encoding", "reading and linking", "all of it"}
"""Hours that a larger machine makes fewer."""


def made(papers: int, /, **more: float) -> SizePlan:
    return plan(Workload(papers, queries=more.pop("queries", 0.0)), round_rates(**more))


def test_hours_computed_by_hand() -> None:
    found = made(2 * MILLION, words=360, encoding=50, sealing=36)
    assert found.value(HOURS, "words and postings") == pytest.approx(720 / HOUR)
    assert found.value(HOURS, "checksums, putting in force") == pytest.approx(72 / HOUR)
    assert found.value(HOURS, "encoding, if one processor did it") == pytest.approx(40_000 / HOUR)
    assert found.choice(BUILDER).startswith("laptop (8 processors")
    assert found.value(HOURS, "encoding") == pytest.approx(5_000 / HOUR)
    parts = [each.value or 0 for each in found.parts[HOURS][:5]]
    assert found.value(HOURS, "all of it") == pytest.approx(sum(parts))
    assert found.value(HOURS, "encoding, on one graphics card instead") is None


def test_disk_computed_by_hand() -> None:
    rates = {"papers": 5e8, "columns": 4e8, "links": 1e7, "text": 9e8, "codes": 4e8, "rests": 8e8}
    found = made(2 * MILLION, **rates)
    graph = 2e7 * 8 + 2e6 * 16
    assert found.value(DISK, "graph of citations") == pytest.approx(graph / 1e9)
    assert found.value(DISK, "columns") == pytest.approx((8e8 - graph) / 1e9)
    assert found.value(DISK, "index") == pytest.approx(2 * (5e8 + 4e8 + 9e8 + 4e8 + 8e8) / 1e9)
    assert found.value(DISK, "beside it while it is built") == pytest.approx(2e6 * 384 * 4 / 1e9)
    assert found.value(HOURS, "upload to a store") == pytest.approx(6 * 8 / HOUR)
    assert found.value(MEMORY, "to answer quickly") == pytest.approx(2 * (4 + 9 + 4 + 8) / 10)


def test_few_papers_have_whole_vectors() -> None:
    found = made(9_000)
    assert found.value(DISK, "vectors") == pytest.approx(9_000 * 384 * 4 / 1e9)
    assert found.value(HOURS, "search of vectors") == 0
    assert found.choice(VECTORS) == "exact"


def test_dumps_are_read_by_all_processors_and_in_little_memory() -> None:
    # 5 GB packed. Of 30 s for what took 20 at once, 24 are shared by the 16 of a workstation.
    dumps = {"records_at_once": 20, "records_as_dumps": 30, "files_of_dumps": 24}
    rates = {"papers": 5e8, "building_memory": 2000.0, "memory_of_dumps": 1000.0, **dumps}
    found = made(10 * MILLION, **rates)
    assert found.choice(BUILDER).startswith("workstation (16 processors")
    once = round_rates()["reading"].at(10 * MILLION) / HOUR
    assert found.value(HOURS, "reading and linking") == pytest.approx(once * (6 + 1.5) / 20)
    needed = 1000 * MIB + 22 * 10 * MILLION
    assert found.value(MEMORY, "to read and link papers") == pytest.approx(needed / 1e9)


def test_few_papers_are_read_at_once() -> None:
    found = made(MILLION, papers=5e8, records_as_dumps=10**6)
    assert found.value(HOURS, "reading and linking") == pytest.approx(100 / HOUR)


@each_row("name", DUMPED)
def test_while_nobody_has_measured_dumps_all_is_read_at_once(name: str) -> None:
    rates = {each: rate for each, rate in round_rates(papers=5e9).items() if each != name}
    found = plan(Workload(MILLION), rates)
    assert found.value(HOURS, "reading and linking") == pytest.approx(100 / HOUR)


def test_what_engines_cost_is_told_where_it_was_measured() -> None:
    found = made(MILLION, Ray_beyond=12.0, LanceDB=8.5)
    whys = {each.name: each.why for each in found.choices}
    assert "+12 %" in whys[RAY]
    assert "8.5 CPU ms" in whys[VECTORS]
    bare = {name: rate for name, rate in round_rates().items() if not rate.row.late}
    assert "%" not in next(
        each.why for each in plan(Workload(MILLION), bare).choices if each.name == RAY
    )


def test_answers_computed_by_hand() -> None:
    rates = {"near_vectors": 10.0, "word_search": 20.0, "ranking": 50.0, "encoding": 50.0}
    found = made(MILLION, queries=100, **rates)
    assert found.value(ANSWERS, "encoding of the draft") == pytest.approx(20)
    assert found.value(ANSWERS, "an answer") == pytest.approx(100)
    # Ten a second by each of eight processors, of which answers take three fifths.
    assert found.value(SERVING, "answers a second by each") == pytest.approx(48)
    assert found.value(SERVING, "machines that answer") == 3
    assert found.choice(LAYOUT) == "s3:// store"


def test_without_queries_no_machines_are_counted() -> None:
    found = made(MILLION)
    assert [each.name for each in found.parts[SERVING]] == ["answers a second by each"]
    assert found.choice(LAYOUT) == "local folder"


def test_wider_vectors_take_more_and_nobody_knows_how_long_they_take_to_encode() -> None:
    narrow, wide = (plan(Workload(MILLION, dim), round_rates()) for dim in (384, 768))
    for name in ("vectors, scanned part", "vectors, exact part", "beside it while it is built"):
        assert wide.value(DISK, name) == pytest.approx(2 * (narrow.value(DISK, name) or 0))
    assert wide.value(HOURS, "encoding") is None
    assert wide.value(ANSWERS, "encoding of the draft") is None
    assert "without encoding: unknown" in "\n".join(plan_lines(wide))


def test_the_rate_of_a_graphics_card_is_told() -> None:
    found = plan(Workload(MILLION, gpu=1000.0), round_rates())
    [figure] = [each for each in found.parts[HOURS] if "card" in each.name]
    assert figure.value == pytest.approx(1000 / HOUR)
    assert figure.basis == "told"


def test_a_day_of_encoding_is_shared() -> None:
    # 8 processors would take 347 hours.
    found = made(MILLION, encoding=0.1)
    assert found.choice(ENCODERS) == "15"
    assert found.choice(RAY) == "worth it"
    assert (found.value(HOURS, "encoding") or 0) <= 24


def test_what_fits_no_machine_is_said() -> None:
    found = made(MILLION, text=10**13)
    assert found.choice(ANSWERER).startswith("large server")
    assert (found.choice(VECTORS), found.choice(TEXT)) == ("lance", "lance")
    assert "; none has" in next(each.why for each in found.choices if each.name == ANSWERER)


def test_the_smallest_machine_with_room_is_chosen() -> None:
    kinds = [*MACHINES.values()]
    assert smallest(memory=0, disk=0) == kinds[0]
    for small, large in pairwise(kinds):
        assert smallest(memory=0.8 * small.memory + 1, disk=0) == large
    assert smallest(memory=10**6, disk=0) is None


def test_machines_come_by_size() -> None:
    sizes = [(each.processors, each.memory, each.disk) for each in MACHINES.values()]
    assert sizes == sorted(sizes)


def test_a_plan_tells_how_it_knows() -> None:
    bases = {each.name: each.basis for each in plan(Workload(MILLION), RATES).parts[DISK]}
    assert bases["index"] == "measured"
    assert bases["beside it while it is built"] == "layout"
    further = {each.name: each.basis for each in plan(Workload(2 * MILLION), RATES).parts[DISK]}
    assert further["index"] == "carried"


def machine_rank(text: str) -> int:
    return [*MACHINES].index(text.split(" (")[0])


@given(st.data())
def test_more_papers_never_need_less(data: st.DataObject) -> None:
    borders = [1, LITTLE, SMALL, DUMPS + MILLION, 10**11]
    low, high = data.draw(st.sampled_from([*pairwise(borders)]))
    below = DUMPS - MILLION if low == SMALL else high - 1
    few, many = sorted(data.draw(st.tuples(*2 * [st.integers(low, below)])))
    queries = data.draw(st.sampled_from([0.0, 0.5, 50.0, 5000.0]))
    one, other = (plan(Workload(each, queries=queries), RATES) for each in (few, many))
    assert by_size(few) == by_size(many)
    for part in (HOURS, DISK, MEMORY, ANSWERS):
        for figure in one.parts[part]:
            if figure.value is not None and figure.name not in WALL:
                assert figure.value <= (other.value(part, figure.name) or 0) * (1 + 1e-9)
    for name in (BUILDER, ANSWERER):
        assert machine_rank(one.choice(name)) <= machine_rank(other.choice(name))
    if queries:
        assert processors(one) <= processors(other)
    reached = {each.name for each in one.limits if each.reached and "encoding" not in each.name}
    if one.choice(BUILDER) == other.choice(BUILDER):
        if one.choice(ANSWERER) == other.choice(ANSWERER):
            assert reached <= {each.name for each in other.limits if each.reached}


def processors(found: SizePlan) -> float:
    kind = [*MACHINES.values()][machine_rank(found.choice(ANSWERER))]
    return kind.processors * (found.value(SERVING, "machines that answer") or 0)


@settings(max_examples=20)
@given(st.floats(0.1, 1e4), st.floats(0.1, 1e4))
def test_more_queries_never_need_fewer_machines(one: float, other: float) -> None:
    few, many = (plan(Workload(MILLION, queries=each), RATES) for each in sorted((one, other)))
    name = "machines that answer"
    assert (few.value(SERVING, name) or 0) <= (many.value(SERVING, name) or 0)


def test_a_plan_is_written_for_programs() -> None:
    value = json.loads(plan_json(plan(Workload(200 * MILLION, queries=50), RATES)))
    assert value["schema"] == "recsys.plan/1"
    assert value["workload"]["papers"] == 200_000_000
    [never] = [each for each in value["limits"] if each["name"] == "places of postings"]
    assert never["papers"] is None
    figures = [each for part in value["parts"].values() for each in part]
    assert all(each["source"] and each["basis"] for each in figures)
    assert set(value["rates"]) == set(RATES)


def test_a_plan_names_the_rate_of_every_measured_figure() -> None:
    found = plan(Workload(200 * MILLION), RATES)
    for part in found.parts.values():
        for each in part:
            named = [name for name in RATES if f"`{name}`" in each.source]
            made_of_others = each.source.startswith(("the sum", "all parts"))
            assert named or made_of_others or each.basis not in ("measured", "carried")


@each_row(
    ("value", "unit", "text"),
    [
        (None, "h", "unknown"),
        (1375.2, "h", "1,375 h"),
        (5.65, "h", "5.65 h"),
        (0.5, "h", "30 min"),
        (0.001, "h", "3.6 s"),
        (0.5, "GB", "500 MB"),
        (1129.0, "ms", "1.13 s"),
        (22.4, "ms", "22.4 ms"),
        (3, "", "3"),
        (0, "h", "0 h"),
    ],
)
def test_figures_are_written_in_a_unit_that_suits_them(
    value: float | None, unit: str, text: str
) -> None:
    assert said(Figure("a", value, unit, "measured", "b")) == text


def test_a_number_keeps_three_digits() -> None:
    assert [shown(each) for each in (0.0123, 1.234, 12.34, 123.4)] == [
        "0.012",
        "1.23",
        "12.3",
        "123",
    ]
