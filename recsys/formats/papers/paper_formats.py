"""The record formats in which corpora come, recognised by their keys: one literal table.

A new format is a module with `paper_of`, and a row.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from recsys.formats.papers.paper_fields import Record
from recsys.records import Paper


@dataclass(frozen=True, slots=True)
class PaperFormat:
    """One way to write a paper down.

    A record is of the format if it has all keys of `needs` and one of `marks` (where there are
    any). module: has `paper_of`, which reads a record.
    """

    name: str
    needs: frozenset[str]
    marks: frozenset[str]
    module: str

    def fits(self, record: Record) -> bool:
        """Tell whether a record looks like one of this format."""
        keys = record.keys()
        return self.needs <= keys and (not self.marks or not self.marks.isdisjoint(keys))

    def parse(self, record: Record) -> Paper:
        """Read a record.

        Raises:
            FieldError: it has no id or no title.
        """
        return _reader(self.module)(record)


@cache
def _reader(module: str) -> Callable[[Record], Paper]:
    found: Callable[[Record], Paper] = import_module(module).paper_of
    return found


def recognise(records: Iterable[Record]) -> PaperFormat | None:
    """Return the format that most of the records have, None when they have none."""
    votes: Counter[str] = Counter()
    for record in records:
        votes.update([row.name for row in FORMATS if row.fits(record)][:1])
    return BY_NAME[votes.most_common(1)[0][0]] if votes else None


def _keys(*names: str) -> frozenset[str]:
    return frozenset(names)


# In order: the first row that fits a record has it.
FORMATS = (
    PaperFormat(
        "OpenAlex works",
        _keys("id"),
        _keys("referenced_works", "abstract_inverted_index", "authorships", "publication_year"),
        "recsys.formats.papers.openalex",
    ),
    PaperFormat(
        "Semantic Scholar OpenCorpus",
        _keys("id", "title"),
        _keys("paperAbstract", "outCitations", "inCitations"),
        "recsys.formats.papers.opencorpus",
    ),
    PaperFormat(
        "Semantic Scholar API or S2AG",
        _keys("title"),
        _keys("paperId", "corpusid", "corpusId"),
        "recsys.formats.papers.semantic_scholar",
    ),
    PaperFormat(
        "AMiner DBLP",
        _keys("title"),
        _keys("indexed_abstract", "n_citation", "fos", "_id"),
        "recsys.formats.papers.aminer",
    ),
    PaperFormat("recsys", _keys("id", "title"), _keys(), "recsys.formats.papers.native"),
)
BY_NAME = {row.name: row for row in FORMATS}
