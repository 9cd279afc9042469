"""Works of OpenAlex."""

from recsys.formats.papers.paper_fields import (
    Record,
    doi_of,
    ids_of,
    inverted_text,
    labelled,
    names_of,
    nested,
    required_id,
    required_title,
    text_of,
    url_of,
    year_of,
)
from recsys.records import Paper


def paper_of(record: Record) -> Paper:
    """Read one record."""
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
        labels=labelled(
            topic=text_of(nested(record, "primary_topic", "display_name")),
            type=text_of(record.get("type")),
        ),
    )


def _work(address: str) -> str:
    """Shorten https://openalex.org/W123 to W123."""
    return address.rsplit("/", 1)[-1]
