"""One small invented corpus, written in several formats, for tests of what becomes of files."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from recsys.pipelines.corpora.collect import AS_TOLD, Reading, collect
from recsys.pipelines.corpora.collect_report import CollectReport
from recsys.pipelines.corpora.source_files import source_files

Record = Mapping[str, Any]


def write(path: Path, text: str) -> Path:
    """Write a text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def json_lines(path: Path, records: Iterable[Record]) -> Path:
    """Write a record a line."""
    return write(path, "".join(json.dumps(record) + "\n" for record in records))


def read(
    *sources: Path, reading: Reading = AS_TOLD, folder: Path
) -> tuple[dict[str, dict[str, Any]], CollectReport]:
    """Collect files into papers by id; what was rejected stands in the folder."""
    table, report = collected(*sources, reading=reading, folder=folder)
    return {paper["id"]: paper for paper in table.to_pylist()}, report


def collected(
    *sources: Path, reading: Reading = AS_TOLD, folder: Path
) -> tuple[pa.Table, CollectReport]:
    """Collect files into a table."""
    papers, report = collect(source_files(sources), folder, reading, cache=folder / "pdfs")
    return papers.table(), report


BIB = """@article{ash2001, title = {Slow rivers of the northern plain}, author = {Ash, Ada and
 Birch, Ben}, journal = {Journal of Water}, year = 2001, volume = 12, pages = {101--119},
 doi = {10.5555/WATER.2001.101}}
@article{oak1999, title = {How glaciers carve a wide valley}, author = {Oak, Olaf},
 journal = {Ice Letters}, year = 1999, volume = 3, pages = {7--9}}
"""
RIS = """TY  - JOUR
TI  - SLOW RIVERS OF THE NORTHERN PLAIN
AU  - Ash, A.
PY  - 2001
DO  - 10.5555/water.2001.101
AB  - We followed nine rivers for a winter and measured how slowly they run.
ER  -

TY  - JOUR
TI  - Sand in deserts moves at night
AU  - Elm, Eve
PY  - 2005
T2  - Acta Arida
VL  - 8
SP  - 33
ER  -

"""
WOS = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Ash, A
   Birch, B
TI Slow rivers of the northern plain
SO JOURNAL OF WATER
CR Oak O, 1999, ICE LETT, V3, P7
   Nobody N, 1980, LOST J, V1, P2, DOI 10.5555/lost
   Nobody N, 1981, LOST J, V2, P3
PY 2001
VL 12
BP 101
DI 10.5555/WATER.2001.101
UT WOS:000370000000001
ER

PT J
AU Elm, E
TI Sand in deserts moves at night
SO ACTA ARIDA
CR Ash A, 2001, J WATER, V12, P101, DOI 10.5555/water.2001.101
   Oak O, 1999, ICE LETT, V3, P7
PY 2005
VL 8
BP 33
UT WOS:000370000000002
ER

EF
"""
RIVERS, GLACIERS, SAND = "10.5555/water.2001.101", "oak1999", "wos:000370000000002"


def references(papers: Mapping[str, Record]) -> dict[str, Sequence[str]]:
    """Return what each paper refers to."""
    return {name: paper["references"] or [] for name, paper in papers.items()}


def three(folder: Path) -> list[Path]:
    """Write the same three papers in three formats."""
    return [
        write(folder / "refs.bib", BIB),
        write(folder / "papers.ris", RIS),
        write(folder / "savedrecs.txt", WOS),
    ]


def openalex(number: int, **more: object) -> dict[str, object]:
    """Return a work as OpenAlex tells it."""
    return {
        "id": f"https://openalex.org/W{number}",
        "title": f"The {('slow', 'deep', 'wide')[number % 3]} river number {number}",
        "publication_year": 2000 + number,
        "referenced_works": [],
        **more,
    }
