"""Files of works ingested at once and as dumps: what both wrote is the same, byte by byte."""

from collections.abc import Sequence
from pathlib import Path

from recsys.pipelines.corpora.collect import AS_TOLD, Reading
from recsys.pipelines.corpora.source_files import SourceFile, source_files
from recsys.pipelines.index.ingest import IngestReport, ingest
from recsys.pipelines.jobs.engines import Engine
from tests.pipelines.jobs.counting_engine import CountingEngine


def contents(folder: Path) -> dict[str, bytes]:
    """Read all files of a folder."""
    return {each.name: each.read_bytes() for each in sorted(folder.iterdir())}


def as_dumps(
    files: Sequence[SourceFile],
    folder: Path,
    place: Path,
    reading: Reading = AS_TOLD,
    *,
    parts: int = 2,
    engine: Engine | None = None,
) -> IngestReport:
    """Ingest each file as a shard."""
    engine = engine or CountingEngine()
    return ingest(files, folder, reading, work=place, engine=engine, parts=parts)


def both_ways(
    sources: Sequence[Path], work: Path, reading: Reading = AS_TOLD, *, parts: int = 3
) -> IngestReport:
    """Ingest files in both ways into new folders below `work`; compare reports and folders."""
    files = source_files(sources)
    once, dumped = work / "once", work / "dumped"
    once.mkdir(parents=True)
    dumped.mkdir()
    report = ingest(files, once, reading)
    other = as_dumps(files, dumped, work / "place", reading, parts=parts)
    assert (other, other.lines()) == (report, report.lines())
    written, same = contents(once), contents(dumped)
    assert sorted(same) == sorted(written)
    assert [name for name in written if written[name] != same[name]] == []
    return report
