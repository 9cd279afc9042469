"""The record formats in which corpora come, recognised by their keys."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from recsys.formats.papers.paper_fields import (
    Record,
    doi_of,
    id_of,
    ids_of,
    inverted_text,
    labels_of,
    names_of,
    nested,
    required_id,
    required_title,
    text_of,
    url_of,
    year_of,
)
from recsys.records import Paper


@dataclass(frozen=True, slots=True)
class PaperFormat:
    """One way to write a paper down.

    A record is of the format if it has all keys of `needs` and one of `marks` (where there are
    any). `parse` raises FieldError when the record has no id or title.
    """

    name: str
    needs: frozenset[str]
    marks: frozenset[str]
    parse: Callable[[Record], Paper]

    def fits(self, record: Record) -> bool:
        """Tell whether a record looks like one of this format."""
        keys = record.keys()
        return self.needs <= keys and (not self.marks or not self.marks.isdisjoint(keys))


def recognise(records: Iterable[Record]) -> PaperFormat | None:
    """Return the format that most of the records have, None when they have none."""
    votes: Counter[str] = Counter()
    for record in records:
        votes.update([row.name for row in FORMATS if row.fits(record)][:1])
    return BY_NAME[votes.most_common(1)[0][0]] if votes else None


def _native(record: Record) -> Paper:
    return Paper(
        id=required_id(record, "id"),
        title=required_title(record, "title"),
        abstract=text_of(record.get("abstract")),
        year=year_of(record.get("year")),
        authors=names_of(record.get("authors"), "name"),
        venue=text_of(record.get("venue")),
        references=ids_of(record.get("references")),
        keyphrases=names_of(record.get("keyphrases")),
        doi=doi_of(record.get("doi")),
        url=url_of(record.get("url")),
        labels=labels_of(record.get("labels")),
    )


def _opencorpus(record: Record) -> Paper:
    return Paper(
        id=required_id(record, "id"),
        title=required_title(record, "title"),
        abstract=text_of(record.get("paperAbstract")),
        year=year_of(record.get("year")),
        authors=names_of(record.get("authors"), "name"),
        venue=text_of(record.get("venue")) or text_of(record.get("journalName")),
        references=ids_of(record.get("outCitations")),
        keyphrases=names_of(record.get("keyPhrases")) or names_of(record.get("entities")),
        doi=doi_of(record.get("doi")),
        url=url_of(record.get("s2Url")),
        labels=_labels(fields=names_of(record.get("fieldsOfStudy"))),
    )


def _semantic_scholar(record: Record) -> Paper:
    # References must name papers as their own records do: by paperId where there is one.
    kinds = ("paperId",) if id_of(record.get("paperId")) else ("corpusid", "corpusId")
    paper_id = required_id(record, *kinds)
    external = record.get("externalIds") or record.get("externalids") or {}
    fields = record.get("fieldsOfStudy") or record.get("s2fieldsofstudy")
    types = record.get("publicationTypes") or record.get("publicationtypes")
    return Paper(
        id=paper_id,
        title=required_title(record, "title"),
        abstract=text_of(record.get("abstract")),
        year=year_of(record.get("year")),
        authors=names_of(record.get("authors"), "name"),
        venue=text_of(record.get("venue")) or text_of(nested(record, "journal", "name")),
        references=_cited(record.get("references"), kinds),
        doi=doi_of(external.get("DOI")) if isinstance(external, dict) else None,
        url=url_of(record.get("url")),
        labels=_labels(fields=names_of(fields, "category"), type=names_of(types)),
    )


def _cited(references: object, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Read references given as ids, as papers, or as {"citedPaper": paper}."""
    found: list[str] = []
    for item in references if isinstance(references, list) else ():
        paper = item.get("citedPaper", item) if isinstance(item, dict) else item
        values = [paper.get(kind) for kind in kinds] if isinstance(paper, dict) else [paper]
        found.extend(ids_of(values)[:1])
    return tuple(found)


def _openalex(record: Record) -> Paper:
    work = required_id(record, "id")
    venue = nested(record, "primary_location", "source", "display_name")
    older_venue = nested(record, "host_venue", "display_name")
    abstract = inverted_text(record.get("abstract_inverted_index"))
    authorships = record.get("authorships")
    people = [
        nested(item, "author", "display_name") or item.get("raw_author_name")
        for item in (authorships if isinstance(authorships, list) else ())
        if isinstance(item, dict)
    ]
    return Paper(
        id=_work(work),
        title=required_title(record, "title", "display_name"),
        abstract=abstract or text_of(record.get("abstract")),
        year=year_of(record.get("publication_year")),
        authors=names_of(people),
        venue=text_of(venue) or text_of(older_venue),
        references=tuple(map(_work, ids_of(record.get("referenced_works")))),
        keyphrases=names_of(record.get("keywords"), "display_name", "keyword"),
        doi=doi_of(record.get("doi")),
        url=url_of(work, f"https://openalex.org/{work}"),
        labels=_labels(
            topic=text_of(nested(record, "primary_topic", "display_name")),
            type=text_of(record.get("type")),
        ),
    )


def _work(address: str) -> str:
    """Shorten https://openalex.org/W123 to W123."""
    return address.rsplit("/", 1)[-1]


def _aminer(record: Record) -> Paper:
    venue = record.get("venue")
    raw_venue = nested(record, "venue", "raw") or nested(record, "venue", "name_d")
    links = record.get("url")
    abstract = text_of(record.get("abstract"))
    return Paper(
        id=required_id(record, "id", "_id"),
        title=required_title(record, "title"),
        abstract=abstract or inverted_text(nested(record, "indexed_abstract", "InvertedIndex")),
        year=year_of(record.get("year")),
        authors=names_of(record.get("authors"), "name"),
        venue=text_of(venue) or text_of(raw_venue),
        references=ids_of(record.get("references")),
        keyphrases=names_of(record.get("keywords")) or names_of(record.get("fos"), "name"),
        doi=doi_of(record.get("doi")),
        url=url_of(*(links if isinstance(links, list) else [links])),
        labels=_labels(type=text_of(record.get("doc_type"))),
    )


def _labels(**values: str | tuple[str, ...] | None) -> dict[str, object]:
    """Collect labels, leaving out unknown and empty ones; several values become a list."""
    return {
        name: list(dict.fromkeys(value)) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value
    }


def _keys(*names: str) -> frozenset[str]:
    return frozenset(names)


# In order: the first row that fits a record has it.
FORMATS = (
    PaperFormat(
        "OpenAlex works",
        _keys("id"),
        _keys("referenced_works", "abstract_inverted_index", "authorships", "publication_year"),
        _openalex,
    ),
    PaperFormat(
        "Semantic Scholar OpenCorpus",
        _keys("id", "title"),
        _keys("paperAbstract", "outCitations", "inCitations"),
        _opencorpus,
    ),
    PaperFormat(
        "Semantic Scholar API or S2AG",
        _keys("title"),
        _keys("paperId", "corpusid", "corpusId"),
        _semantic_scholar,
    ),
    PaperFormat(
        "AMiner DBLP",
        _keys("title"),
        _keys("indexed_abstract", "n_citation", "fos", "_id"),
        _aminer,
    ),
    PaperFormat("recsys", _keys("id", "title"), _keys(), _native),
)
BY_NAME = {row.name: row for row in FORMATS}
