"""Files of works ingested at once and as dumps: what both wrote, byte by byte."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from recsys.pipelines.corpora.collect import AS_TOLD, Reading
from recsys.pipelines.corpora.source_files import SourceFile, source_files
from recsys.pipelines.index.ingest import IngestReport, ingest
from recsys.pipelines.jobs.engines import Engine, Result, Shards, Stage, Task


@dataclass(frozen=True, slots=True)
class BothWays:
    """What the two ways made of the same files."""

    at_once: tuple[IngestReport, dict[str, bytes]]
    as_dumps: tuple[IngestReport, dict[str, bytes]]

    def check(self) -> IngestReport:
        """Compare reports and folders; return the report."""
        (report, files), (other, others) = self.at_once, self.as_dumps
        assert other == report
        assert other.lines() == report.lines()
        assert sorted(others) == sorted(files)
        assert [name for name in files if files[name] != others[name]] == []
        return report


def contents(folder: Path) -> dict[str, bytes]:
    """Read all files of a folder."""
    return {each.name: each.read_bytes() for each in sorted(folder.iterdir())}


@dataclass(frozen=True, slots=True)
class Here:
    """An engine that is this process."""

    here: bool = True

    def map(
        self, stage: Stage[Task, Result], shards: Shards[Task]
    ) -> Generator[tuple[int, Result], None, None]:
        """Do one shard after the other."""
        yield from enumerate(map(stage.start(), shards))


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
    return ingest(files, folder, reading, work=place, engine=engine or Here(), parts=parts)


def both_ways(
    sources: Sequence[Path],
    work: Path,
    reading: Reading = AS_TOLD,
    *,
    parts: int = 3,
    engine: Engine | None = None,
) -> BothWays:
    """Ingest files in both ways into new folders below `work`."""
    files = source_files(sources)
    once, dumped = work / "once", work / "dumped"
    once.mkdir(parents=True)
    dumped.mkdir()
    report = ingest(files, once, reading)
    other = as_dumps(files, dumped, work / "place", reading, parts=parts, engine=engine)
    return BothWays((report, contents(once)), (other, contents(dumped)))
