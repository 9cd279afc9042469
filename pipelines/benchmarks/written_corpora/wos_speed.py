"""How fast an export of the Web of Science becomes a corpus: 100,000 records, 40 references each."""

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pipelines.benchmarks.written_corpora.cited_forms import citing
from pipelines.benchmarks.written_corpora.known_works import KnownCorpus, KnownWork
from pipelines.benchmarks.written_corpora.wos_files import write_wos_text
from pipelines.corpora.collect import AS_TOLD, collect
from pipelines.corpora.library_works import PdfReading
from pipelines.corpora.source_files import source_files
from recsys.progress import silent

RECORDS, REFERENCES = 100_000, 40
_SEED = 3
_DOIS = 0.85


def write_export(known: KnownCorpus, records: int, folder: Path) -> None:
    """Write a corpus again and again, each time with other titles and numbers, as one export."""
    folder.mkdir(parents=True, exist_ok=True)
    corpus = _repeated(known, records)
    cite = citing(corpus, dois=_DOIS, seed=_SEED)
    write_wos_text(corpus.records(), cite, folder)


def time_reading(folder: Path) -> dict[str, Any]:
    """Read a folder; return the records and the processor time of this thread, in seconds."""
    files = source_files([folder])
    begun = time.thread_time()
    pdfs = PdfReading(folder.parent / "cache", silent)
    papers, report = collect(files, folder.parent / "rejects.jsonl", AS_TOLD, pdfs=pdfs)
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


def _main() -> Iterator[str]:
    yield json.dumps(time_reading(Path(sys.argv[1])))


if __name__ == "__main__":
    sys.stdout.writelines(_main())
