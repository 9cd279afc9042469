"""Make a paper of a corpus out of what a file tells of a work."""

from collections.abc import Iterator

from recsys.formats.papers.paper_fields import FieldError
from recsys.records import Paper, Reference


def paper_of(reference: Reference, *, own: bool = False) -> Paper:
    """Return the paper that a record describes.

    own: the record is of our own format, whose aliases are all there are; of others, what
    identifies the work becomes an alias.

    Raises:
        FieldError: there is no id, or no title.
    """
    if reference.id is None:
        raise FieldError("missing id")
    if reference.title is None:
        raise FieldError("missing title")
    labels = reference.labels
    if reference.kind and "type" not in labels:
        labels = {**labels, "type": reference.kind}
    names = reference.ids if own else aliases_of(reference)
    return Paper(
        id=reference.id,
        title=reference.title,
        abstract=reference.abstract,
        year=reference.year,
        authors=reference.authors,
        venue=reference.venue,
        references=reference.cited_ids,
        keyphrases=reference.keyphrases,
        doi=reference.doi,
        url=reference.url,
        labels=labels,
        aliases=tuple(dict.fromkeys(name for name in names if name != reference.id)),
    )


def aliases_of(reference: Reference) -> Iterator[str]:
    """Yield what else names a work: a bare DOI, the others with their scheme."""
    if reference.doi:
        yield reference.doi.lower()
    names = (("arxiv", reference.arxiv), ("pmid", reference.pmid), ("acl", reference.acl))
    yield from (f"{scheme}:{name}" for scheme, name in names if name)
    yield from reference.ids
