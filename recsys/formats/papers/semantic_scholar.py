"""Papers of Semantic Scholar's API and of its datasets (S2AG).

The datasets keep abstracts and citations in files of their own, by corpus id: who joins the records
by their ids has the paper.
"""

from collections.abc import Iterator

from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import (
    FieldError,
    Record,
    first_page,
    id_of,
    ids_of,
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
    """Read one record; that of a dataset of parts has an id and no title.

    Raises:
        FieldError: it has no id, or no title where it should, or tells nothing that a corpus keeps.
    """
    if "citingcorpusid" in record:
        cited = id_of(record.get("citedcorpusid"))
        citing = required_id(record, "citingcorpusid")
        return Reference(id=citing, cited_ids=(cited,) if cited else ())
    return _part(record) if "corpusid" in record and "title" not in record else _paper(record)


def _part(record: Record) -> Reference:
    paper_id = required_id(record, "corpusid")
    if "abstract" not in record:
        raise FieldError("a summary or a vector")
    reference = Reference(id=paper_id, abstract=text_of(record.get("abstract")))
    external = nested(record, "openaccessinfo", "externalids")
    others = external.items() if isinstance(external, dict) else ()
    return named(reference, (("corpusid", paper_id), *others))


def _paper(record: Record) -> Reference:
    # References must name papers as their own records do: by paperId where there is one.
    kinds = ("paperId",) if id_of(record.get("paperId")) else ("corpusid", "corpusId")
    paper_id = required_id(record, *kinds)
    fields = record.get("fieldsOfStudy") or record.get("s2fieldsofstudy")
    types = record.get("publicationTypes") or record.get("publicationtypes")
    reference = Reference(
        id=paper_id,
        title=required_title(record, "title"),
        abstract=text_of(record.get("abstract")),
        year=year_of(record.get("year")),
        authors=names_of(record.get("authors"), "name"),
        venue=text_of(record.get("venue")) or text_of(nested(record, "journal", "name")),
        cited_ids=_cited(record.get("references"), kinds),
        cites=tuple(_unresolved(record.get("references"), kinds)),
        url=url_of(record.get("url")),
        volume=volume_of(nested(record, "journal", "volume")),
        page=first_page(nested(record, "journal", "pages")),
        labels=labelled(fields=names_of(fields, "category"), type=names_of(types)),
    )
    return named(reference, _names(record))


def _names(record: Record) -> Iterator[tuple[object, object]]:
    yield "s2", record.get("paperId")
    yield "corpusid", record.get("corpusid") or record.get("corpusId")
    external = record.get("externalIds") or record.get("externalids")
    if isinstance(external, dict):
        yield from external.items()


def _cited(references: object, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Read references given as ids, as papers, or as {"citedPaper": paper}."""
    found: list[str] = []
    for item in references if isinstance(references, list) else ():
        paper = item.get("citedPaper", item) if isinstance(item, dict) else item
        values = [paper.get(kind) for kind in kinds] if isinstance(paper, dict) else [paper]
        found.extend(ids_of(values)[:1])
    return tuple(found)


def _unresolved(references: object, kinds: tuple[str, ...]) -> Iterator[Reference]:
    """Yield the works of the list that have no id of their own, as it describes them."""
    for item in references if isinstance(references, list) else ():
        paper = item.get("citedPaper", item) if isinstance(item, dict) else None
        if not isinstance(paper, dict) or any(id_of(paper.get(kind)) for kind in kinds):
            continue
        if title := text_of(paper.get("title")):
            external = paper.get("externalIds")
            work = Reference(
                title=title,
                authors=names_of(paper.get("authors"), "name")[:1],
                year=year_of(paper.get("year")),
                venue=text_of(paper.get("venue")),
            )
            yield named(work, external.items() if isinstance(external, dict) else ())
