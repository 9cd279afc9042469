"""Papers of Semantic Scholar's Open Corpus, the format of Citeomatic's data."""

from recsys.formats.papers.paper_fields import (
    Record,
    doi_of,
    ids_of,
    labelled,
    names_of,
    required_id,
    required_title,
    text_of,
    url_of,
    year_of,
)
from recsys.records import Paper


def paper_of(record: Record) -> Paper:
    """Read one record."""
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
        labels=labelled(fields=names_of(record.get("fieldsOfStudy"))),
    )
