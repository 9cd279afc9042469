"""Papers of AMiner's DBLP citation network, in all its versions."""

from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import (
    Record,
    first_page,
    ids_of,
    inverted_text,
    labelled,
    names_of,
    nested,
    required_id,
    required_title,
    text_of,
    url_of,
    volume_of,
    year_of,
)
from recsys.records import Reference


def reference_of(record: Record) -> Reference:
    """Read one record."""
    venue = record.get("venue")
    raw_venue = nested(record, "venue", "raw") or nested(record, "venue", "name_d")
    links = record.get("url")
    abstract = text_of(record.get("abstract"))
    reference = Reference(
        id=required_id(record, "id", "_id"),
        title=required_title(record, "title"),
        abstract=abstract or inverted_text(nested(record, "indexed_abstract", "InvertedIndex")),
        year=year_of(record.get("year")),
        authors=names_of(record.get("authors"), "name"),
        venue=text_of(venue) or text_of(raw_venue),
        cited_ids=ids_of(record.get("references")),
        keyphrases=names_of(record.get("keywords")) or names_of(record.get("fos"), "name"),
        url=url_of(*(links if isinstance(links, list) else [links])),
        volume=volume_of(record.get("volume")),
        page=first_page(record.get("page_start")),
        labels=labelled(type=text_of(record.get("doc_type"))),
    )
    return named(reference, (("doi", record.get("doi")),))
