"""The record formats in which corpora come, recognised by their keys: one literal table.

A new format is a module with `reference_of`, and a row.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from recsys.formats.papers.paper_fields import Record
from recsys.formats.papers.paper_of_reference import paper_of
from recsys.records import Paper, Reference

OWN = "recsys"
"""The name of the format in which this program writes papers down."""


@dataclass(frozen=True, slots=True)
class PaperFormat:
    """One way to write a paper down.

    A record is of the format if it has all keys of `needs`, one of `marks` (where there are any),
    and none of `lacks`. module: has `reference_of`, which reads a record.
    """

    name: str
    needs: frozenset[str]
    marks: frozenset[str]
    module: str
    lacks: frozenset[str] = frozenset()

    def fits(self, record: Record) -> bool:
        """Tell whether a record looks like one of this format."""
        keys = record.keys()
        return (
            self.needs <= keys
            and (not self.marks or not self.marks.isdisjoint(keys))
            and self.lacks.isdisjoint(keys)
        )

    def reference_of(self, record: Record) -> Reference:
        """Read a record.

        Raises:
            FieldError: it tells no work, or not enough of one.
        """
        return _reader(self.module)(record)

    def parse(self, record: Record) -> Paper:
        """Read a record as a paper of a corpus.

        Raises:
            FieldError: it has no id or no title.
        """
        return paper_of(self.reference_of(record), own=self.name == OWN)


@cache
def _reader(module: str) -> Callable[[Record], Reference]:
    found: Callable[[Record], Reference] = import_module(module).reference_of
    return found


def format_of(record: Record) -> PaperFormat | None:
    """Return the format of one record, None when it has none."""
    return next((row for row in FORMATS if row.fits(record)), None)


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
        "S2ORC of the API",
        _keys("corpusid"),
        _keys("content", "body"),
        "recsys.formats.papers.s2orc",
    ),
    PaperFormat(
        "Semantic Scholar API or S2AG",
        _keys("title"),
        _keys("paperId", "corpusid", "corpusId"),
        "recsys.formats.papers.semantic_scholar",
    ),
    PaperFormat(
        "S2AG abstracts, summaries, vectors",
        _keys("corpusid"),
        _keys("abstract", "openaccessinfo", "text", "vector"),
        "recsys.formats.papers.semantic_scholar",
    ),
    PaperFormat(
        "S2AG citations",
        _keys("citingcorpusid", "citedcorpusid"),
        _keys(),
        "recsys.formats.papers.semantic_scholar",
    ),
    PaperFormat(
        "S2ORC",
        _keys("paper_id"),
        _keys("outbound_citations", "has_outbound_citations", "s2_url", "bib_entries", "_pdf_hash"),
        "recsys.formats.papers.s2orc",
    ),
    PaperFormat(
        "AMiner DBLP",
        _keys("title"),
        _keys("indexed_abstract", "n_citation", "fos", "_id"),
        "recsys.formats.papers.aminer",
    ),
    PaperFormat(
        "Crossref works",
        _keys("DOI"),
        _keys("indexed", "deposited", "prefix", "member", "reference-count", "references-count"),
        "recsys.formats.papers.crossref",
    ),
    PaperFormat(
        "arXiv snapshot",
        _keys("id", "title"),
        _keys("authors_parsed", "journal-ref", "report-no"),
        "recsys.formats.papers.arxiv_snapshot",
    ),
    PaperFormat("Lens", _keys("lens_id"), _keys(), "recsys.formats.papers.lens"),
    PaperFormat(
        "Europe PMC",
        _keys("id", "title"),
        _keys("authorString", "pubYear", "abstractText", "pageInfo", "citedByCount"),
        "recsys.formats.papers.europe_pmc",
    ),
    PaperFormat(
        "dblp search",
        _keys("key", "title"),
        _keys("ee", "venue", "authors"),
        "recsys.formats.papers.dblp_search",
        lacks=_keys("id", "itemType"),
    ),
    PaperFormat("Zotero", _keys("itemType"), _keys(), "recsys.formats.references.zotero"),
    PaperFormat(
        "CSL-JSON",
        _keys("title"),
        _keys("type", "author", "issued", "container-title", "citation-key", "DOI", "URL"),
        "recsys.formats.references.csl",
        lacks=_keys("authors", "references", "year", "venue"),
    ),
    PaperFormat(OWN, _keys("id", "title"), _keys(), "recsys.formats.papers.native"),
)
BY_NAME = {row.name: row for row in FORMATS}
