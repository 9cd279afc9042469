"""Parts of papers that Semantic Scholar's datasets keep in files of their own, by corpus id.

An abstract, or that one paper cites another: who joins the records by their ids has the paper.
"""

from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import (
    FieldError,
    Record,
    id_of,
    nested,
    required_id,
    text_of,
)
from recsys.records import Reference


def reference_of(record: Record) -> Reference:
    """Read one record; there is an id and no title.

    Raises:
        FieldError: it has no id, or tells nothing that a corpus keeps.
    """
    if "citingcorpusid" in record:
        cited = id_of(record.get("citedcorpusid"))
        return Reference(
            id=required_id(record, "citingcorpusid"), cited_ids=(cited,) if cited else ()
        )
    paper_id = required_id(record, "corpusid")
    if "abstract" not in record:
        raise FieldError("a summary or a vector")
    reference = Reference(id=paper_id, abstract=text_of(record.get("abstract")))
    external = nested(record, "openaccessinfo", "externalids")
    others = external.items() if isinstance(external, dict) else ()
    return named(reference, (("corpusid", paper_id), *others))
