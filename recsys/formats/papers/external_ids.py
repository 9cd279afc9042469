"""The names of works: those that records list by who gave them, and those that papers get."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from recsys.formats import identifiers
from recsys.formats.papers.paper_fields import FieldError, lower_doi
from recsys.records import Paper, Reference

Pairs: TypeAlias = Iterable[tuple[object, object]]
"""Names of schemes, as a program spells them, and the identifiers."""

SCHEMES: Mapping[str, str] = {
    name: names.split()[0]
    for names in (
        *("acl acl_id", "arxiv arxiv_id", "core coreid", "corpusid", "dblp", "doi", "eid", "lens"),
        *("mag mag_id magid", "openalex", "pmc pmc_id pmcid pubmedcentral", "s2", "wos"),
        "pmid pubmed pubmed_id",
    )
    for name in names.split()
}
"""How programs call the schemes, in lower case -> how an alias does."""
_DIGITS = re.compile(r"\d{1,12}(?=\D*\Z)")
_NO_ID = re.compile(r"[\s\x00-\x1f\ud800-\udfff]")
_LONGEST_ID = 200
_ARXIV_DOI = "10.48550/arxiv."
_ARXIV_VERSION = re.compile(r"v[0-9]{1,3}$")
_PLACEHOLDER = re.compile(
    r"10\.0000/|10\.1000/xyz|10\.[0-9x]{4,9}/x{3,}"  # Of templates, and of the handbook.
    r"|10\.[0-9]{4,9}/(?=(?:[^0-9]*0){4})[^1-9]*\Z|10\.1109/access\.[0-9]{4}\.doi\Z|10\.3390/xx"
    r"|arxiv:1011\.1669\Z"  # What Mendeley puts where it knows nothing better.
    # Words and zeros in columns of numbers.
    r"|(?:pmid|pmc|mag|corpusid|wos|lens|openalex):(?:[^0-9]|0)*\Z|eid:(?!2-s2\.0-)[^\s]*"
)


def placeholder(name: str) -> str | None:
    """Return what shows that a name, as `names_of` gives it, identifies no work; None if it may.

    >>> placeholder("pmid:0"), placeholder("eid:scopus"), placeholder("10.1145/3292500.3330701")
    ('pmid:0', 'eid:scopus', None)
    """
    if match := _PLACEHOLDER.match(name):
        return match[0]
    is_doi, _, suffix = name.partition("/")
    return name if is_doi.startswith("10.") and identifiers.TEMPLATE.search(suffix) else None


def numbers_in(pairs: Pairs) -> dict[str, Any]:
    """Return the identifiers that a record lists, as fields of a work; other schemes are left out.

    A DOI that arXiv or the ACL gave tells their own identifier, too.
    """
    own: dict[str, Any] = {}
    ids: list[str] = []
    for name, value in pairs:
        scheme = SCHEMES.get(name.lower()) if isinstance(name, str) else None
        text = _spelt(scheme, value) if scheme else None
        if scheme and text:
            if scheme in ("acl", "arxiv", "doi", "pmid"):
                own.setdefault(scheme, text)
            else:
                ids.append(f"{scheme}:{text}")
    doi = own.get("doi")
    if doi and "arxiv" in doi:
        own.setdefault("arxiv", identifiers.arxiv(doi))
    if doi and doi.startswith(("10.18653/v1/", "10.3115/v1/")):
        own.setdefault("acl", identifiers.acl(doi))
    return own | ({"ids": tuple(dict.fromkeys(ids))} if ids else {})


def named(reference: Reference, pairs: Pairs) -> Reference:
    """Give a reference the identifiers that a record lists; see `numbers_in`."""
    known = {field: value for field, value in numbers_in(pairs).items() if value}
    ids = (*reference.ids, *known.pop("ids", ()))
    return replace(reference, ids=tuple(dict.fromkeys(ids)), **known)


def _spelt(scheme: str, value: object) -> str | None:
    """Return an identifier in its one spelling, None when it is none."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, int) and not isinstance(value, bool):
        value = f"{value:d}" if abs(value) < 10**18 else None
    if not isinstance(value, str):
        return None
    if scheme == "doi":
        return lower_doi(value)
    text = value.strip()[:_LONGEST_ID]
    if scheme == "arxiv":
        return identifiers.arxiv(text) or identifiers.arxiv(f"arXiv:{text}")
    if scheme == "acl":
        return identifiers.acl(text)
    if scheme in ("pmid", "pmc", "mag"):
        match = _DIGITS.search(text)
        number = match[0].lstrip("0") if match else ""
        return (f"PMC{number}" if scheme == "pmc" else number) if number else None
    bare = text.rsplit("/", 1)[-1] if scheme == "openalex" else text
    return bare if bare and not _NO_ID.search(bare) else None


def names_of(work: Reference) -> list[str]:
    """List the names of a work, the surest first: the file's own id, then its identifiers.

    A DOI is bare and in lower case; others have their scheme. What arXiv registered as a DOI is
    known by its arXiv id, too; an id that is a DOI, as one.
    """
    doi = identifiers.doi(work.doi) or (work.doi or "").lower()
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
    return list(dict.fromkeys(filter(None, (*names, *work.ids))))


def paper_of(reference: Reference, *, own: bool = False) -> Paper:
    """Return the paper of a corpus that a record describes.

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
