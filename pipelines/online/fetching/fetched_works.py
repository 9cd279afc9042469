"""Make papers of fetched works: one of those that are one, each with where it came from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from recsys.errors import NothingFound
from recsys.formats.work_stream import WorkStream, of_reader
from recsys.pipelines.corpora.collect import AS_TOLD, gather
from recsys.pipelines.corpora.collect_report import CollectReport
from recsys.pipelines.corpora.library_works import PdfReading
from recsys.pipelines.corpora.source_files import SourceFile
from recsys.pipelines.corpora.source_intake import SourceIntake
from recsys.pipelines.corpora.write_corpus import write_papers
from recsys.pipelines.online.contract import SourceFacts
from recsys.pipelines.online.fetching.fetch_journal import JournaledSource
from recsys.pipelines.online.fetching.work_keys import key_at
from recsys.records import Reference

PROVENANCE = "fetched from "
"""A paper's label of this and the name of a source tells by which id it came, and on which day."""


@dataclass(frozen=True, slots=True)
class FetchedWorks:
    """Works of one source, and the days on which they came."""

    facts: SourceFacts
    works: Sequence[Reference]
    days: dict[str, str]

    def labelled(self) -> Iterator[Reference]:
        """Give the works with where each came from."""
        for work in self.works:
            key = key_at(work, self.facts.schemes) or ""
            told = f"{key} on {self.days.get(key, '')}"
            yield replace(work, labels={**work.labels, PROVENANCE + self.facts.name: told})


def of_source(source: JournaledSource, works: Sequence[Reference]) -> FetchedWorks:
    """Take works as they came from a source."""
    return FetchedWorks(source.facts, works, source.days)


def write_fetched(
    fetched: Sequence[FetchedWorks], out: Path, *, beside: Path | None = None
) -> CollectReport:
    """Merge works of sources, and write them as papers, whole or not at all.

    Args:
        fetched: of each source, in the order in which they count.
        out: a file of JSON lines, packed where its name ends in `.gz`.
        beside: a file of papers that they are merged with; it counts first.

    Raises:
        NothingFound: there is no paper.
    """
    with TemporaryDirectory(prefix="recsys-") as folder:
        rejects = Path(folder, "rejects.jsonl")
        with SourceIntake(rejects, PdfReading(Path(folder))) as intake:
            if beside is not None:
                intake.read_all([SourceFile(beside, True)], {})
            for each in fetched:
                works = WorkStream(each.facts.title, False, of_reader(each.labelled()))
                intake.read_stream(each.facts.title, works)
        papers, report = gather(intake, AS_TOLD)
        if not papers.num_rows:
            raise NothingFound(
                "The sources know no paper of what was asked.",
                "Give a draft with a title, an abstract or references, or other words.",
            )
        write_papers(papers, out)
    return report
