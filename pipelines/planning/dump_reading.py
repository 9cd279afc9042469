"""What reading papers takes: at once in one process, or part by part where they are a dump."""

from dataclasses import replace

from recsys.pipelines.corpora.collect import DUMP_BYTES
from recsys.pipelines.planning.figure_sources import Rates
from recsys.pipelines.planning.machine_kinds import GB
from recsys.pipelines.planning.plan_values import Figure

DUMPED = ("records at once", "records as dumps", "files of dumps", "memory of dumps")
"""The rates of dumps: plans read all at once while one of them is unknown."""
_PAPER_BYTES = 22
"""Of each paper of a dump, what is whole in memory: 18 of papers, 4 of works."""
_HOUR, _MIB = 3600.0, 1 << 20


def is_dump(rates: Rates) -> bool:
    """Tell whether papers are so many that they are read as dumps.

    Files are taken to be as long as papers are in the index, where they are packed, too.
    """
    return all(name in rates.known for name in DUMPED) and rates.at("papers") >= DUMP_BYTES


def reading_memory(rates: Rates) -> Figure:
    """Tell how many GB of memory reading and linking want."""
    name = "to read and link papers"
    if not is_dump(rates):
        size = rates.at("reading memory") * _MIB / GB
        return rates.figure(name, size, "GB", ["reading memory"])
    own = rates.at("memory of dumps") * _MIB + _PAPER_BYTES * rates.workload.papers
    found = rates.figure(name, own / GB, "GB", ["memory of dumps"])
    source = f"{found.source} and {_PAPER_BYTES} bytes a paper; beside that of the processes"
    return replace(found, basis="carried", source=source)


def reading_hours(rates: Rates, processors: int) -> Figure:
    """Tell how many hours reading and linking take; processors share what they can of dumps."""
    hours, name = rates.at("reading") / _HOUR, "reading and linking"
    if not is_dump(rates):
        return rates.figure(name, hours, "h", ["reading"])
    once, dumped, shared = (rates.known[each].value for each in DUMPED[:3])
    taken = (dumped - shared + shared / processors) / once
    return rates.figure(name, hours * taken, "h", ["reading", *DUMPED[:3]])
