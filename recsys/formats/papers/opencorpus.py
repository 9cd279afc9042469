"""Papers of Semantic Scholar's Open Corpus, the format of Citeomatic's data."""

from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import (
    Record,
    first_page,
    ids_of,
    labelled,
    names_of,
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
    paper_id = required_id(record, "id")
    reference = Reference(
        id=paper_id,
        title=required_title(record, "title"),
        abstract=text_of(record.get("paperAbstract")),
        year=year_of(record.get("year")),
        authors=names_of(record.get("authors"), "name"),
        venue=text_of(record.get("venue")) or text_of(record.get("journalName")),
        cited_ids=ids_of(record.get("outCitations")),
        keyphrases=names_of(record.get("keyPhrases")) or names_of(record.get("entities")),
        url=url_of(record.get("s2Url")),
        volume=volume_of(record.get("journalVolume")),
        page=first_page(record.get("journalPages")),
        labels=labelled(fields=names_of(record.get("fieldsOfStudy"))),
    )
    names = (("s2", paper_id), ("doi", record.get("doi")), ("pmid", record.get("pmid")))
    return named(reference, (*names, ("mag", record.get("magId"))))
