"""What building an index takes: hours, room on the disk, and memory."""

from collections.abc import Sequence
from dataclasses import replace

from recsys.indexes.backends import by_size, holds_vectors
from recsys.pipelines.planning.dump_reading import reading_hours, reading_memory
from recsys.pipelines.planning.figure_sources import MEASURED_DIM, Rates, summed
from recsys.pipelines.planning.machine_kinds import GB, MachineKind
from recsys.pipelines.planning.plan_values import Figure, Workload

TOLD, INDEX, BESIDE = "papers with their texts", "index", "beside it while it is built"
"""Of the disk: the part that answers do not read, the sum, and what is gone afterwards."""
WITHIN = 24.0
"""Hours within which encoding shall end: where one machine takes longer, more share it."""
MIB = 1 << 20
_HOUR = 3600.0
_LINK_BYTES, _STARTS_BYTES = 8, 16
"""Of the graph: each link lies in both directions as an int32, and each paper begins in both."""
_WHOLE = 4
"""Bytes of a number of a vector while it is encoded, before a search splits it."""


def disk_figures(rates: Rates) -> tuple[Figure, ...]:
    """Tell how many GB an index takes, part by part."""
    graph = _LINK_BYTES * rates.at("links") + _STARTS_BYTES * rates.workload.papers
    parts = (
        rates.figure(TOLD, rates.at("papers") / GB, "GB", ["papers"]),
        rates.figure(
            "columns", max(rates.at("columns") - graph, 0) / GB, "GB", ["columns", "links"]
        ),
        rates.figure("graph of citations", graph / GB, "GB", ["links"]),
        rates.figure("words and postings", rates.at("text") / GB, "GB", ["text"]),
        *_of_vectors(rates),
    )
    return (*parts, summed(INDEX, parts), _while_building(rates.workload))


def memory_figures(rates: Rates) -> tuple[Figure, ...]:
    """Tell how many GB of memory the stages want."""
    size = rates.by_width("building memory") * MIB / GB
    lists = rates.figure("to prepare the search of vectors", size, "GB", ["building memory"])
    mapped = replace(lists, source=f"{lists.source}, of which mapped files may be read again")
    return (reading_memory(rates), mapped)


def hour_figures(
    rates: Rates, machine: MachineKind, machines: int, index: float
) -> tuple[Figure, ...]:
    """Tell how many hours the stages take: all but encoding and reading dumps on one processor.

    machines: that encode. index: GB to send to a store.
    """
    lists = rates.by_width("lists") if _splits(rates.workload.papers) else 0.0
    parts = (
        reading_hours(rates, machine.processors),
        rates.figure("words and postings", rates.at("words") / _HOUR, "h", ["words"]),
        _encoding(rates, machine.processors * machines),
        rates.figure("search of vectors", lists / _HOUR, "h", ["lists"]),
        rates.figure("checksums, putting in force", rates.at("sealing") / _HOUR, "h", ["sealing"]),
    )
    return (
        *parts,
        summed("all of it", parts),
        _on_one_processor(rates),
        _on_a_card(rates.workload),
        _upload(rates.workload, index),
    )


def encoding_hours(rates: Rates) -> float | None:
    """Tell how many hours one processor encodes; None where nobody measured such an encoder."""
    if rates.workload.dim != MEASURED_DIM:
        return None
    return rates.workload.papers / rates.at("encoding") / _HOUR


def _encoding(rates: Rates, processors: int) -> Figure:
    hours, name = encoding_hours(rates), "encoding"
    if hours is None:
        return _unknown(name)
    found = rates.figure(name, hours / processors, "h", ["encoding"])
    return replace(found, source=f"{found.source}, {processors:,} processors")


def _on_one_processor(rates: Rates) -> Figure:
    hours, name = encoding_hours(rates), "encoding, if one processor did it"
    return _unknown(name) if hours is None else rates.figure(name, hours, "h", ["encoding"])


def _unknown(name: str) -> Figure:
    why = f"only an encoder of {MEASURED_DIM} numbers was measured; `recsys embed` tells the pace"
    return Figure(name, None, "h", "unknown", why)


def _on_a_card(workload: Workload) -> Figure:
    name = "encoding, on one graphics card instead"
    if workload.gpu is None:
        return Figure(name, None, "h", "unknown", "never measured: tell it by --gpu-rate TEXTS")
    hours = workload.papers / workload.gpu / _HOUR
    return Figure(name, hours, "h", "told", f"{workload.gpu:,.0f} texts/s, as --gpu-rate says")


def _upload(workload: Workload, index: float) -> Figure:
    hours = 8 * index / workload.network / _HOUR
    source = f"all of the index at {workload.network:g} Gbit/s, see --network; not measured"
    return Figure("upload to a store", hours, "h", "assumed", source)


def _splits(papers: int) -> bool:
    return holds_vectors({"backend": by_size(papers)})


def _of_vectors(rates: Rates) -> Sequence[Figure]:
    workload = rates.workload
    if not _splits(workload.papers):
        size = _WHOLE * workload.papers * workload.dim
        source = f"{_WHOLE} bytes a number, scanned as they are"
        return [Figure("vectors", size / GB, "GB", "layout", source)]
    return [
        rates.figure("vectors, scanned part", rates.by_width("codes") / GB, "GB", ["codes"]),
        rates.figure("vectors, exact part", rates.by_width("rests") / GB, "GB", ["rests"]),
    ]


def _while_building(workload: Workload) -> Figure:
    size = _WHOLE * workload.papers * workload.dim / GB
    source = f"vectors of {_WHOLE} bytes a number, gone when the index is in force"
    return Figure(BESIDE, size, "GB", "layout", source)
