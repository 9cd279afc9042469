"""Works of OpenAlex."""

from collections.abc import Iterator

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

_ARXIV = "arxiv.org/abs/"
_MOST_PLACES = 20


def reference_of(record: Record) -> Reference:
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
    reference = Reference(
        id=_work(work),
        title=required_title(record, "title", "display_name"),
        abstract=abstract or text_of(record.get("abstract")),
        year=year_of(record.get("publication_year")),
        authors=names_of(people),
        venue=text_of(venue) or text_of(older_venue),
        cited_ids=tuple(map(_work, ids_of(record.get("referenced_works")))),
        keyphrases=names_of(record.get("keywords"), "display_name", "keyword"),
        url=url_of(work, f"https://openalex.org/{work}"),
        volume=volume_of(nested(record, "biblio", "volume")),
        page=first_page(nested(record, "biblio", "first_page")),
        labels=_labels(record),
    )
    return named(reference, _names(record, work))


def _labels(record: Record) -> dict[str, object]:
    flags = (("is_retracted", "retracted"), ("is_paratext", "paratext"))
    return labelled(
        topic=text_of(nested(record, "primary_topic", "display_name")),
        type=text_of(record.get("type")),
    ) | {label: True for key, label in flags if record.get(key) is True}


def _names(record: Record, work: str) -> Iterator[tuple[str, object]]:
    yield "openalex", work
    yield "doi", record.get("doi")
    ids = record.get("ids")
    if isinstance(ids, dict):
        yield from ((name, ids.get(name)) for name in ("doi", "pmid", "pmcid", "mag"))
    locations = record.get("locations")
    places = locations[:_MOST_PLACES] if isinstance(locations, list) else ()
    for place in (record.get("primary_location"), *places):
        page = place.get("landing_page_url") if isinstance(place, dict) else None
        if isinstance(page, str) and _ARXIV in page:
            yield "arxiv", page


def _work(address: str) -> str:
    """Shorten https://openalex.org/W123 to W123."""
    return address.rsplit("/", 1)[-1]
