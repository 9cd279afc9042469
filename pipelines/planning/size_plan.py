"""Make a plan: what an index of so many papers takes, and how it is best built and kept."""

from collections.abc import Mapping
from math import ceil

from recsys.indexes.backends import by_size
from recsys.pipelines.planning.answering_plan import (
    answer_figures,
    machine_figures,
    memory_to_answer,
)
from recsys.pipelines.planning.building_plan import (
    BESIDE,
    INDEX,
    WITHIN,
    disk_figures,
    encoding_hours,
    hour_figures,
    memory_figures,
)
from recsys.pipelines.planning.code_limits import Circumstances, limits
from recsys.pipelines.planning.figure_sources import Rates
from recsys.pipelines.planning.machine_kinds import FREE, MachineKind, largest, smallest
from recsys.pipelines.planning.measured_rates import Rate
from recsys.pipelines.planning.plan_values import Choice, Figure, SizePlan, Workload
from recsys.pipelines.planning.shown_figures import shown

HOURS, DISK, MEMORY, ANSWERS, SERVING = "hours", "disk", "memory", "an answer", "answering"
BUILDER, ENCODERS, RAY = "machine that builds", "machines that encode", "Ray"
ANSWERER, VECTORS, TEXT, LAYOUT = "machine that answers", "vectors", "text", "where it lies"


def plan(workload: Workload, known: Mapping[str, Rate]) -> SizePlan:
    """Plan for a workload by known rates."""
    rates = Rates(known, workload)
    disk, building, answers = disk_figures(rates), memory_figures(rates), answer_figures(rates)
    reading = memory_to_answer(disk)
    size = {each.name: each.value or 0 for each in disk}
    memory = max(each.value or 0 for each in building)
    room, kept = 2 * size[INDEX] + size[BESIDE], 2 * size[INDEX]
    builder, fits_builder = _machine(memory, room)
    answerer, fits_answerer = _machine(reading.value or 0, kept)
    encoders = _encoders(rates, builder)
    answer = next(each.value or 0 for each in answers if each.name == "an answer")
    serving = machine_figures(workload.queries, answer, answerer)
    several = any(each.name == "machines that answer" and each.value != 1 for each in serving)
    parts: dict[str, tuple[Figure, ...]] = {
        HOURS: hour_figures(rates, builder, encoders, size[INDEX]),
        DISK: disk,
        MEMORY: (*building, reading),
        ANSWERS: answers,
        SERVING: serving,
    }
    choices = (
        Choice(BUILDER, str(builder), _why(fits_builder, memory, room)),
        Choice(ENCODERS, f"{encoders:,}", f"so that encoding ends within {WITHIN:.0f} hours"),
        _ray(encoders, known),
        Choice(ANSWERER, str(answerer), _why(fits_answerer, reading.value or 0, kept)),
        _vectors(workload.papers, known, fits=fits_answerer),
        _text(fits=fits_answerer),
        _layout(several=several, ray=encoders > 1),
    )
    seen = limits(Circumstances(known, workload, builder, answerer))
    measured = max(each.papers for each in known.values())
    told = {name: each.said() for name, each in known.items()}
    return SizePlan(workload, measured, parts, choices, seen, told)


def _machine(memory: float, disk: float) -> tuple[MachineKind, bool]:
    """Choose the smallest machine with room; else the largest, and say that it has none."""
    found = smallest(memory=memory, disk=disk)
    return (largest(), False) if found is None else (found, True)


def _encoders(rates: Rates, builder: MachineKind) -> int:
    hours = encoding_hours(rates)
    return 1 if hours is None else max(ceil(hours / builder.processors / WITHIN), 1)


def _why(fits: bool, memory: float, disk: float) -> str:
    size = f"{shown(memory)} GB of memory and {shown(disk)} GB of disk"
    if fits:
        return f"the smallest of the table that has {size} in {FREE:.0%} of its own"
    return f"the largest of the table; none has {size} in {FREE:.0%} of its own"


def _ray(encoders: int, known: Mapping[str, Rate]) -> Choice:
    cost = ""
    if (rate := known.get("Ray beyond")) is not None:
        cost = f"; on one machine it takes {rate.value:+.0f} % (rate `{rate.name}`)"
    if encoders == 1:
        why = f"one machine encodes within {WITHIN:.0f} hours; more would be done sooner{cost}"
        return Choice(RAY, "not needed", why)
    why = f"`recsys build --engine ray` shares encoding among {encoders:,} machines{cost}"
    return Choice(RAY, "worth it", why)


def _vectors(papers: int, known: Mapping[str, Rate], *, fits: bool) -> Choice:
    pace = ""
    if (rate := known.get("LanceDB")) is not None:
        pace = f"; `lance` searches a million in {rate.told()} (rate `{rate.name}`)"
    if fits:
        why = f"what `recsys build` chooses for so many papers{pace}"
        return Choice(VECTORS, by_size(papers), why)
    why = f"what is searched does not fit into the memory of one machine{pace}"
    return Choice(VECTORS, "lance", why)


def _text(*, fits: bool) -> Choice:
    if fits:
        return Choice(TEXT, "own", "postings are mapped, and fit into memory")
    return Choice(TEXT, "lance", "postings do not fit into the memory of one machine")


def _layout(*, several: bool, ray: bool) -> Choice:
    if several:
        why = "several machines answer: each keeps a copy by the hashes of the files"
        return Choice(LAYOUT, "s3:// store", why)
    if ray:
        why = (
            "one machine answers, and gets from Ray what others encode; `batch`, `evaluate` and "
            "`train ranker` on Ray want it in a shared folder"
        )
        return Choice(LAYOUT, "local folder", why)
    return Choice(LAYOUT, "local folder", "one machine builds and answers")
