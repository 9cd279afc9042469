"""The rates that plans are made of: one literal table, and the numbers out of the results.

An installed package holds no results: their few numbers that count here lie in `rates.json`, which
`python -m recsys.pipelines.planning` writes. A new rate is a row.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recsys.pipelines.planning.growth_laws import LAWS, Growth

SCALE = "benchmarks/scale.json"
DUMPS = "docs/results/dumps.md"
NUMBERS = Path(__file__).with_name("rates.json")
NEAR = 30_000
"""Papers at which another machine is compared with the one that was measured: half a minute."""
LARGEST, SECOND, SMALLEST = 1_000_000, 100_000, 7_000
"""Sizes through which rates go; NEAR is none of them, so that it shows how well laws hold."""

_WHOLE = 1000
"""From here on, numbers are written without digits behind the point."""


@dataclass(frozen=True, slots=True)
class RateRow:
    """Where a rate comes from.

    path: of its value in the JSON of `file`, keys with `/` between them; {size} stands for the
    papers. less: paths of what is taken off it. papers, second: where it was measured, and a
    smaller size that tells the part that does not grow. speed: path of what takes longer on a
    slower machine, in the same measure, None for that of the value itself; "" for what does not
    depend on the machine. late: whether plans do without, where the results do not have it.
    """

    unit: str
    law: str
    meaning: str
    path: str
    less: tuple[str, ...] = ()
    file: str = SCALE
    papers: int = LARGEST
    second: int | None = SECOND
    speed: str | None = None
    late: bool = False


_BUILD, _ANSWERS = "sizes/{size}/build/after", "sizes/{size}/answers/after"
_STAGES, _BYTES, _PARTS = f"{_BUILD}/stages", f"{_BUILD}/bytes", f"{_ANSWERS}/parts"
_SCAN = f"{_ANSWERS}/scan"

RATES: Mapping[str, RateRow] = {
    "reading": RateRow(
        "CPU s", "n log n", "read, merge and link papers", f"{_STAGES}/corpus/cpu_seconds"
    ),
    "words": RateRow(
        "CPU s", "linear", "count words, invert them", f"{_STAGES}/text/cpu_seconds"
    ),
    "encoding": RateRow(
        "texts/CPU s", "constant", "encode by MiniLM in 8 bits, one thread a processor",
        "encoding/after/texts_per_second/recsys int8/cpu", second=None,
    ),
    "lists": RateRow(
        "CPU s", "n lists", "put given vectors into the lists of `ivf`",
        f"{_STAGES}/vectors/cpu_seconds", speed=_SCAN,
    ),
    "sealing": RateRow(
        "CPU s", "linear", "take checksums of all files, put the index in force",
        f"{_BUILD}/cpu_seconds",
        less=tuple(f"{_STAGES}/{name}/cpu_seconds" for name in ("corpus", "text", "vectors")),
        speed=f"{_STAGES}/corpus/cpu_seconds",
    ),
    "links": RateRow("links", "linear", "links among the papers", f"{_BUILD}/links", speed=""),
    "columns": RateRow(
        "bytes", "linear", "columns and links", f"{_BYTES}/columns and links", speed=""
    ),
    "papers": RateRow("bytes", "linear", "what is told of papers", f"{_BYTES}/Parquet", speed=""),
    "text": RateRow("bytes", "linear", "words and postings", f"{_BYTES}/text", speed=""),
    "rests": RateRow(
        "bytes", "linear", "vectors, the 16 bits that no scan needs", f"{_BYTES}/vectors", speed=""
    ),
    "codes": RateRow(
        "bytes", "linear", "vectors, the 8 bits of a scan", f"{_BYTES}/their search", speed=""
    ),
    "forest": RateRow(
        "bytes", "linear", "a forest of `annoy`", "sizes/{size}/build/before/bytes/their search",
        papers=100_000, second=None, speed="",
    ),
    "reading memory": RateRow(
        "MiB", "linear", "largest memory when papers were read, mapped files too",
        f"{_STAGES}/corpus/peak_mib", speed="",
    ),
    "building memory": RateRow(
        "MiB", "linear", "largest memory of the build, mapped files too",
        f"{_STAGES}/vectors/peak_mib", speed="",
    ),
    "opening": RateRow("CPU ms", "linear", "open an index", f"{_ANSWERS}/opening"),
    "near vectors": RateRow(
        "CPU ms", "one list", "search the vectors by `ivf`", f"{_PARTS}/vectors", speed=_SCAN
    ),
    "all vectors": RateRow(
        "CPU ms", "linear", "search the vectors by `exact`", f"{_PARTS}/vectors",
        papers=SMALLEST, second=None,
    ),
    "word search": RateRow(
        "CPU ms", "linear", "search the words of a draft", f"{_PARTS}/bm25",
        # Not that of the search: made papers of other texts have other words.
        speed=f"{_PARTS}/answer",
    ),
    "ranking": RateRow(
        "CPU ms", "log n", "the rest of an answer: candidates, features, trees, reasons",
        f"{_PARTS}/answer", less=(f"{_PARTS}/vectors", f"{_PARTS}/bm25"),
    ),
    "records at once": RateRow(
        "CPU s", "constant", "read made records in one process", "CPU seconds/at once",
        file=DUMPS, second=None, speed="", late=True,
    ),
    "records as dumps": RateRow(
        "CPU s", "constant", "read the same as dumps", "CPU seconds/as dumps",
        file=DUMPS, second=None, speed="", late=True,
    ),
    "files of dumps": RateRow(
        "CPU s", "constant", "of this, what processors share",
        "of these, in processes that read files/as dumps",
        file=DUMPS, second=None, speed="", late=True,
    ),
    "memory of dumps": RateRow(
        "MiB", "constant", "largest memory of what joins dumps",
        "largest memory of the program, MiB/as dumps",
        file=DUMPS, second=None, speed="", late=True,
    ),
    "Ray beyond": RateRow(
        "%", "constant", "what Ray computes beyond processes of one machine",
        "30,000 papers, Ray beyond/CPU s",
        file="docs/results/engines.md", second=None, speed="", late=True,
    ),
    "LanceDB": RateRow(
        "CPU ms", "constant", "search the vectors of a million papers by `lance`",
        "sizes/{size}/lance/milliseconds",
        file="benchmarks/engines-search.json", second=None, speed="", late=True,
    ),
}  # fmt: skip
"""Every rate by its name."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate by its name.

    value: at `papers`. second: (papers, value) of a smaller size. near: what tells the speed of the
    machine that was measured, None where it does not matter. times: what the rate is multiplied
    with here, None where this machine was not measured.
    """

    name: str
    value: float
    papers: int
    second: tuple[int, float] | None = None
    near: float | None = None
    times: float | None = None

    @property
    def row(self) -> RateRow:
        """Return where it comes from."""
        return RATES[self.name]

    def at(self, papers: float) -> float:
        """Carry the rate over to another number of papers."""
        return (self.times or 1.0) * self._growth().at(papers)

    def reaches(self, papers: float) -> bool:
        """Tell whether so many papers were measured, so that nothing is carried further."""
        return self.row.law == "constant" or papers <= self.papers

    def said(self) -> str:
        """Say it in words: value, unit, size, law and source."""
        told = self.told()
        if self.row.law != "constant":
            told += f" at {self.papers:,} papers, growing {LAWS[self.row.law].meaning}"
        here = "" if self.times is None else f"; measured here, now: {self.times:,.3g} times that"
        return f"{told} ({self.row.file}){here}"

    def told(self) -> str:
        """Write value and unit."""
        digits = f"{self.value:,.0f}" if self.value >= _WHOLE else f"{self.value:.4g}"
        return f"{digits} {self.row.unit}"

    def _growth(self) -> Growth:
        return Growth(self.row.law, self.papers, self.value, self.second)


def numbers_of(results: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Take the numbers of every rate out of results: the value of each file by its name.

    A late one that they do not have is left out.
    """
    found = {}
    for name, row in RATES.items():
        told = results.get(row.file, {})
        if row.late and not _there(told, row):
            continue
        numbers = {"value": value_of(told, row, row.papers)}
        if row.second is not None:
            numbers["second"] = value_of(told, row, row.second)
        if row.speed != "":
            numbers["near"] = speed_of(told, row)
        found[name] = numbers
    return found


def committed() -> dict[str, Rate]:
    """Return the rates of the results that came with this version."""
    numbers = json.loads(NUMBERS.read_text(encoding="utf-8"))
    return {name: rate_of(name, numbers[name]) for name in RATES if name in numbers}


def rate_of(name: str, numbers: Mapping[str, float]) -> Rate:
    """Make a rate of its numbers."""
    row = RATES[name]
    second = None if row.second is None else (row.second, numbers["second"])
    return Rate(name, numbers["value"], row.papers, second, numbers.get("near"))


def value_of(told: Mapping[str, Any], row: RateRow, papers: int) -> float:
    """Find the value of a rate in results at a number of papers."""
    return _at(told, row.path, papers) - sum(_at(told, path, papers) for path in row.less)


def speed_of(told: Mapping[str, Any], row: RateRow, papers: int = NEAR) -> float:
    """Find what tells the speed of a machine for a rate."""
    return value_of(told, row, papers) if row.speed is None else _at(told, row.speed, papers)


def _there(told: Mapping[str, Any], row: RateRow) -> bool:
    try:
        value_of(told, row, row.papers)
    except KeyError:
        return False
    return True


def _at(told: Mapping[str, Any], path: str, papers: int) -> float:
    value: Any = told
    for key in path.format(size=papers).split("/"):
        value = value[key]
    return float(value)
