"""Papers of Semantic Scholar's API and of its datasets (S2AG)."""

from recsys.formats.papers.paper_fields import (
    Record,
    doi_of,
    id_of,
    ids_of,
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
        labels=labelled(fields=names_of(fields, "category"), type=names_of(types)),
    )


def _cited(references: object, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Read references given as ids, as papers, or as {"citedPaper": paper}."""
    found: list[str] = []
    for item in references if isinstance(references, list) else ():
        paper = item.get("citedPaper", item) if isinstance(item, dict) else item
        values = [paper.get(kind) for kind in kinds] if isinstance(paper, dict) else [paper]
        found.extend(ids_of(values)[:1])
    return tuple(found)
