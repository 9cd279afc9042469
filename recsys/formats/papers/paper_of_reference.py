"""Make a paper of a corpus out of what a file tells of a work."""

import re

from recsys.formats import identifiers
from recsys.formats.papers.paper_fields import FieldError
from recsys.records import Paper, Reference

_ARXIV_DOI = "10.48550/arxiv."
_ARXIV_VERSION = re.compile(r"v[0-9]{1,3}$")


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
    names = reference.ids if own else names_of(reference)
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


def names_of(work: Reference) -> list[str]:
    """List the names of a work, the surest first: the file's own id, then its identifiers.

    A DOI is bare and in lower case; others have their scheme. What arXiv registered as a DOI is
    known by its arXiv id, too; an id that is a DOI, as one.
    """
    doi = (work.doi or "").lower()
    names = [work.id or "", doi]
    if not doi and work.id and work.id.startswith("10.") and identifiers.doi(work.id):
        names.append(work.id.lower())
    if work.arxiv:
        names.append(f"arxiv:{work.arxiv.lower()}")
    elif doi.startswith(_ARXIV_DOI):
        names.append(f"arxiv:{_ARXIV_VERSION.sub('', doi.removeprefix(_ARXIV_DOI))}")
    if work.pmid:
        names.append(f"pmid:{work.pmid}")
    if work.acl:
        names.append(f"acl:{work.acl}")
    if work.ids:
        names += work.ids
    return list(dict.fromkeys(filter(None, names)))
