"""How fast an export of the Web of Science becomes a corpus: many records, 40 references each."""

import json
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.written_corpora.cited_forms import citing
from benchmarks.written_corpora.known_works import (
    KnownCorpus,
    KnownWork,
    read_known,
)
from benchmarks.written_corpora.wos_files import write_wos_text
from recsys.pipelines.corpora.collect import AS_TOLD, collect
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.jobs.programs import Bench, run_program

RECORDS, REFERENCES = 100_000, 40
_SEED = 3
_DOIS = 0.85


def write_export(known: KnownCorpus, records: int, folder: Path) -> None:
    """Write a corpus again and again, each time with other titles and numbers, as one export."""
    folder.mkdir(parents=True, exist_ok=True)
    corpus = _repeated(known, records)
    cite = citing(corpus, dois=_DOIS, seed=_SEED)
    write_wos_text(corpus.records(), cite, folder)


def measure_speed(bench: Bench, corpus: str, records: int = RECORDS) -> dict[str, Any]:
    """Write an export, and read, merge and link it in a process of its own.

    Returns:
        records, papers, cpu_seconds (of the thread that reads), cited {rule: works}, peak_mib.
    """
    folder = bench.work / "wos-speed"
    shutil.rmtree(folder, ignore_errors=True)
    known = read_known(bench.papers(corpus), np.random.default_rng(_SEED))
    write_export(known, records, folder / "export")
    module = "benchmarks.written_corpora.wos_speed"
    cost = run_program([sys.executable, "-m", module, folder / "export"])
    shutil.rmtree(folder)
    return {**json.loads(cost.out), "peak_mib": cost.peak_mib}


def time_reading(folder: Path) -> dict[str, Any]:
    """Read a folder as `recsys build` does; see `measure_speed`."""
    files = source_files([folder])
    begun = time.thread_time()
    work = folder.parent / "work"
    papers, report = collect(files, work, AS_TOLD, cache=folder.parent / "cache")
    seconds = time.thread_time() - begun
    cited = {rule.name: count for rule, count in report.cited.items()}
    return {
        "records": report.works,
        "papers": papers.num_rows,
        "cpu_seconds": seconds,
        "cited": cited,
    }


def _repeated(known: KnownCorpus, records: int) -> KnownCorpus:
    rng = np.random.default_rng(_SEED)
    size = len(known.works)
    works = tuple(_again(known.works[at % size], at, records, rng) for at in range(records))
    return KnownCorpus(works, tuple(range(records)))


def _again(work: KnownWork, number: int, records: int, rng: np.random.Generator) -> KnownWork:
    """Change a work's title, page and DOI, and let it cite any works: at hand, and others."""
    times = number - work.number
    cited = rng.integers(records, size=REFERENCES).tolist()
    page = work.page + str(times) if work.page and times else work.page
    return replace(
        work,
        number=number,
        title=f"{' '.join(reversed(work.title.split()))} {times}" if times else work.title,
        doi=f"{work.doi}.{times}" if work.doi and times else work.doi,
        page=page,
        cites=tuple(each for each in cited if each != number),
    )


if __name__ == "__main__":
    sys.stdout.write(json.dumps(time_reading(Path(sys.argv[1]))))
