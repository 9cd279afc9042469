"""What answering from an index takes: time, memory, machines."""

from collections.abc import Sequence
from math import ceil

from recsys.indexes.backends import by_size, holds_vectors
from recsys.pipelines.planning.building_plan import BESIDE, INDEX, TOLD
from recsys.pipelines.planning.figure_sources import MEASURED_DIM, Rates, summed, weakest
from recsys.pipelines.planning.machine_kinds import BUSY, MachineKind
from recsys.pipelines.planning.plan_values import Figure

_MS = 1000.0


def answer_figures(rates: Rates) -> tuple[Figure, ...]:
    """Tell how many milliseconds of one processor the parts of an answer take."""
    split = holds_vectors({"backend": by_size(rates.workload.papers)})
    vectors = "near vectors" if split else "all vectors"
    parts = (
        rates.figure("search of vectors", rates.by_width(vectors), "ms", [vectors]),
        rates.figure("search of words", rates.at("word search"), "ms", ["word search"]),
        rates.figure("ranking", rates.at("ranking"), "ms", ["ranking"]),
        _encoding(rates),
    )
    return (
        *parts,
        summed("an answer", parts),
        rates.figure("opening the index, once", rates.at("opening"), "ms", ["opening"]),
    )


def memory_to_answer(disk: Sequence[Figure]) -> Figure:
    """Tell how much memory holds all that answers read. disk: what the index takes there."""
    read = [each for each in disk if each.name not in (TOLD, INDEX, BESIDE)]
    source = (
        f"all parts of the index but `{TOLD}`; files are mapped: with less, they are read from "
        "the disk, which is slower and was not measured"
    )
    size = sum(each.value or 0 for each in read)
    return Figure("to answer quickly", size, "GB", weakest(read), source)


def machine_figures(queries: float, taken: float, machine: MachineKind) -> tuple[Figure, ...]:
    """Tell how many answers a machine gives, and how many machines it takes.

    queries: answers a second. taken: milliseconds of one processor for each.
    """
    each = BUSY * machine.processors * _MS / taken
    source = f"{machine.processors} processors, of whose time answers take {BUSY:.0%}"
    counted = Figure("answers a second by each", each, "", "assumed", source)
    if not queries:
        return (counted,)
    source = f"for {queries:,.3g} answers a second; each holds the whole index"
    count = max(ceil(queries / each), 1)
    return (counted, Figure("machines that answer", count, "", "assumed", source))


def _encoding(rates: Rates) -> Figure:
    name = "encoding of the draft"
    if rates.workload.dim != MEASURED_DIM:
        why = f"only an encoder of {MEASURED_DIM} numbers was measured"
        return Figure(name, None, "ms", "unknown", why)
    return rates.figure(name, _MS / rates.at("encoding"), "ms", ["encoding"])
