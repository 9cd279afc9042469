"""Read a file of works as papers of a corpus, each by itself: nothing is merged or linked.

A record becomes a `Found` paper, with remarks on what was odd about it, or a `Reject`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from recsys.formats.papers.external_ids import paper_of
from recsys.formats.papers.paper_fields import FieldError
from recsys.formats.work_stream import Reject, Remark, WorkStream, open_works
from recsys.progress import Progress, silent
from recsys.records import Paper

_EXCERPT = 200  # characters of a rejected paper


@dataclass(frozen=True, slots=True)
class Found:
    """A paper, the line it came from, and what was odd about it."""

    line: int
    paper: Paper
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class PaperStream:
    """The recognised format's name and what each record gave, in order; ids are distinct."""

    format: str
    items: Iterator[Found | Reject]


@contextmanager
def open_papers(source: Path, *, progress: Progress = silent) -> Iterator[PaperStream]:
    """Open a file of papers and recognise its format; see `open_works`.

    Raises:
        CorpusError: the file cannot be read, or is of no known format.
    """
    with open_works(source, progress=progress) as stream:
        yield PaperStream(stream.format, _papers(stream))


def _papers(stream: WorkStream) -> Iterator[Found | Reject]:
    """Reject what has no id or no title, and the papers whose id was seen: the first wins."""
    seen: set[str] = set()
    for item in stream.items:
        if isinstance(item, Reject):
            yield item
            continue
        work = item.work
        try:
            paper = paper_of(work, own=stream.sealed)
        except FieldError as error:
            yield Reject(item.line, str(error), (work.title or work.id or work.key)[:_EXCERPT])
            continue
        if paper.id in seen:
            yield Reject(item.line, "duplicate id", f"{paper.id}: {paper.title}"[:_EXCERPT])
            continue
        seen.add(paper.id)
        yield Found(item.line, paper, item.remarks)
