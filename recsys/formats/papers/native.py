"""Papers as recsys writes them down itself."""

from recsys.formats.papers.paper_fields import (
    Record,
    doi_of,
    ids_of,
    labels_of,
    names_of,
    required_id,
    required_title,
    text_of,
    url_of,
    year_of,
)
from recsys.records import Reference


def reference_of(record: Record) -> Reference:
    """Read one record; all of it is taken as it stands."""
    return Reference(
        id=required_id(record, "id"),
        title=required_title(record, "title"),
        abstract=text_of(record.get("abstract")),
        year=year_of(record.get("year")),
        authors=names_of(record.get("authors"), "name"),
        venue=text_of(record.get("venue")),
        cited_ids=ids_of(record.get("references")),
        keyphrases=names_of(record.get("keyphrases")),
        doi=doi_of(record.get("doi")),
        url=url_of(record.get("url")),
        labels=labels_of(record.get("labels")),
        ids=ids_of(record.get("aliases")),
    )
