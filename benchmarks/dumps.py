"""Make dumps of any size, and measure reading them: in one process, and file by file in several.

    python -m benchmarks.dumps measure FOLDER --records 2000000 --files 64 --jobs 2

Most files are works of OpenAlex; some are papers of Semantic Scholar's datasets, half of which are
works of OpenAlex, too; some, its citations. References are ids, a fifth of them of nothing that is
there; a record in a thousand is broken. The same size gives the same bytes. Each way of reading
runs in a program of its own, and both folders must be the same, byte by byte.
"""

import filecmp
import json
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.bench import DOCS, Docs, gzipped, program, run_module
from benchmarks.edge_dropout import spread_bits
from benchmarks.made_corpus import invented_author, invented_word
from benchmarks.result_tables import written
from docs.made.marked_pages import page_with, rewrite_block
from recsys.errors import RecsysError
from recsys.pipelines.corpora.collect import PART_BYTES
from recsys.pipelines.corpora.source_files import SourceFile, source_files
from recsys.pipelines.index.ingest import ingest
from recsys.pipelines.jobs.engines import ProcessPool
from recsys.store.arrays import Floats, Longs

BLOCK = "dumps"
ONCE, DUMPS = "at-once", "as-dumps"
OPENALEX, PAPERS = 44, 14
"""Of 64 files; the others are citations."""
_WORDS, _PEOPLE, _VENUES = 30_000, 400_000, 3_000
_TITLE, _ABSTRACT, _AUTHORS, _CITED = 8, 60, 5, 20
_OUTSIDE, _BROKEN, _CROWD = 0.2, 0.001, 0.004
_AT_ONCE = 2000
_SMALL = "the of and in to for with that we is are this by on from as".split()

Records = Iterator[dict[str, Any]]


def make_dump(folder: Path, records: int, files: int = 64) -> None:
    """Write so many records into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        first, end = (records * each // files for each in (number, number + 1))
        place = number * 64 // files
        name, kind = next((name, kind) for until, name, kind in _KINDS if place < until)
        path = folder / f"{name}-{number:03}.jsonl.gz"
        with gzipped(path, 1) as file:
            for begin in range(first, end, _AT_ONCE):
                numbers = np.arange(begin, min(begin + _AT_ONCE, end))
                broken = (_draws(numbers, 1, 3)[:, 0] < _BROKEN).tolist()
                for cut, record in zip(broken, kind(numbers, records), strict=True):
                    line = json.dumps(record).encode()
                    file.write((line[: len(line) // 2] if cut else line) + b"\n")


def _draws(numbers: Longs, count: int, kind: int) -> Floats:
    """Draw (numbers, count) values from 0 to 1: the same for the same number and kind."""
    places = np.arange(count, dtype=np.uint64)
    mixed = (numbers.astype(np.uint64)[:, None] << np.uint64(12)) + places
    mixed = (mixed + np.uint64(kind << 56)) * np.uint64(0x9E3779B97F4A7C15)
    return (spread_bits(mixed) >> np.uint64(40)).astype(np.float32) / np.float32(1 << 24)


@cache
def vocabulary() -> Sequence[str]:
    """List words, small ones first: those are frequent."""
    return [*_SMALL, *map(invented_word, range(_WORDS))]


def _texts(draws: Floats) -> list[list[str]]:
    """Write words, of which few are frequent and most are rare."""
    words = vocabulary()
    numbers = (len(words) ** draws.astype(np.float64)).astype(np.int64).tolist()
    return [[words[each - 1] for each in row] for row in numbers]


def _facts(works: Longs) -> Records:
    """Invent what is known of works: whoever tells of one tells the same."""
    titles = _texts(_draws(works, _TITLE, 1))
    rest = _draws(works, _AUTHORS + 3, 2)
    people = (rest[:, 3:] * _PEOPLE).astype(np.int64).tolist()
    for row, work in enumerate(works.tolist()):
        crowd, count, venue = rest[row, :3].tolist()
        own = " ".join(titles[row]).capitalize()
        yield {
            "title": "Editorial introduction to the special issue" if crowd < _CROWD else own,
            "year": 1970 + work * 7919 % 54,
            "authors": [*map(invented_author, people[row][: 1 + int(count * _AUTHORS)])],
            "venue": f"Journal of {invented_word(int(venue * _VENUES))} studies",
            "doi": f"10.5555/made.{work}",
        }


def openalex_works(works: Longs, records: int) -> Records:
    """Give works of OpenAlex."""
    texts = _texts(_draws(works, _ABSTRACT, 4))
    draws = _draws(works, _CITED + 1, 5)
    there = records * OPENALEX // 64
    # Beyond what is there, so many as the share of what is outside.
    cited = (draws[:, 1:] * there / (1 - _OUTSIDE)).astype(np.int64)
    cited = np.where(cited < there, cited, cited + 10 * records).tolist()
    for row, facts in enumerate(_facts(works)):
        work = int(works[row])
        index: dict[str, list[int]] = {}
        for place, word in enumerate(texts[row]):
            index.setdefault(word, []).append(place)
        mine = cited[row][: int(draws[row, 0] * _CITED)]
        yield {
            "id": f"https://openalex.org/W{work}",
            "doi": f"https://doi.org/{facts['doi']}" if work % 5 else None,
            "title": facts["title"],
            "publication_year": facts["year"],
            "authorships": [{"author": {"display_name": name}} for name in facts["authors"]],
            "primary_location": {"source": {"display_name": facts["venue"]}},
            "referenced_works": [f"https://openalex.org/W{each}" for each in mine],
            "abstract_inverted_index": index if work % 4 else None,
        }


def semantic_scholar_papers(papers: Longs, records: int) -> Records:
    """Give papers of Semantic Scholar, every other one a work of OpenAlex."""
    works = np.where(papers % 2, papers, papers * 7_919 % max(records * OPENALEX // 64, 1))
    for row, facts in enumerate(_facts(works)):
        yield {
            "corpusid": int(papers[row]),
            "externalids": {"DOI": facts["doi"] if works[row] % 5 else None},
            "title": facts["title"],
            "year": facts["year"],
            "authors": [{"name": name} for name in facts["authors"]],
            "venue": facts["venue"],
        }


def citations(pairs: Longs, records: int) -> Records:
    """Give citations among papers of Semantic Scholar."""
    begin, end = records * OPENALEX // 64, records * (OPENALEX + PAPERS) // 64
    drawn = begin + (_draws(pairs, 2, 6) * (end - begin)).astype(np.int64)
    return ({"citingcorpusid": one, "citedcorpusid": other} for one, other in drawn.tolist())


_KINDS: Sequence[tuple[int, str, Callable[[Longs, int], Records]]] = (
    (OPENALEX, "part", openalex_works),
    (OPENALEX + PAPERS, "papers", semantic_scholar_papers),
    (64, "xcitations", citations),
)
"""Until which of 64 files, how they are called, and the records in them."""


def run_way(way: str, sources: Path, work: Path, jobs: int) -> dict[str, Any]:
    """Read a dump in this process and those that it starts, into a folder below `work`.

    Returns:
        {"cpu", "wall": seconds, of all processes together, "reading": of the CPU seconds, those of
        the processes that read shards, "peak": MiB of this program, "workers": MiB of the largest
        process that it started, "lines": its report}.
    """
    files = source_files([sources])
    folder, place = work / way, work / "unfinished"
    for each in (folder, place):
        shutil.rmtree(each, ignore_errors=True)
    folder.mkdir(parents=True)
    begun = time.monotonic()
    parts = None if way == ONCE else parts_for(files)
    lines = ingest(files, folder, work=place, engine=ProcessPool(jobs), parts=parts).lines()
    wall = time.monotonic() - begun
    shutil.rmtree(place, ignore_errors=True)
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    reading = others.ru_utime + others.ru_stime
    return {
        "cpu": own.ru_utime + own.ru_stime + reading,
        "wall": wall,
        "reading": reading,
        "peak": own.ru_maxrss / 1024,
        "workers": others.ru_maxrss / 1024,
        "lines": lines,
    }


def parts_for(files: Sequence[SourceFile]) -> int:
    """Choose as many parts as files of that size have."""
    return max(1, -(-sum(file.size for file in files) // PART_BYTES))


def run_ways(sources: Path, work: Path, jobs: int) -> dict[str, dict[str, Any]]:
    """Run both ways, each in a program of its own."""
    asked = (sources, work, str(jobs))
    return {way: run_module("benchmarks.dumps", "way", way, *asked) for way in (DUMPS, ONCE)}


def same_folders(one: Path, other: Path) -> bool:
    """Tell whether two folders hold the same files, byte by byte."""
    names = sorted(each.name for each in one.iterdir())
    if names != sorted(each.name for each in other.iterdir()):
        return False
    _, differ, failed = filecmp.cmpfiles(one, other, names, shallow=False)
    return not (differ or failed)


def measure(
    folder: Annotated[Path, typer.Argument(help="Of the records; made where it is not there.")],
    records: int = 2_000_000,
    files: int = 64,
    jobs: int = 2,
    work: Path | None = None,
    docs: Docs = DOCS,
) -> None:
    """Make records unless they are there, read them in both ways, and write the page."""
    page_with(docs, BLOCK)
    place = work or folder.with_name(f"{folder.name}-measured")
    if not folder.exists():
        make_dump(folder, records, files)
    sources = source_files([folder])
    found = {
        "records": records,
        "files": len(sources),
        "mib": sum(each.size for each in sources) / 2**20,
        "parts": parts_for(sources),
        "jobs": jobs,
        "ways": run_ways(folder, place, jobs),
        "same": same_folders(place / ONCE, place / DUMPS),
    }
    rewrite_block(docs, BLOCK, written(BLOCK, found))
    if not found["same"]:
        raise RecsysError("The two ways wrote other bytes.", f"Compare what lies in {place}.")


def way(way: str, folder: Path, work: Path, jobs: int) -> None:
    """Read in one way, and write what that took as JSON."""
    json.dump(run_way(way, folder, work, jobs), sys.stdout)


main = program("benchmarks.dumps", measure, way)
if __name__ == "__main__":
    sys.exit(main())
