"""Read the identifiers that records of works list by the name of who gave them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from recsys.formats import identifiers
from recsys.formats.papers.paper_fields import lower_doi
from recsys.records import Reference

Pairs: TypeAlias = Iterable[tuple[object, object]]
"""Names of schemes, as a program spells them, and the identifiers."""

# How programs call the schemes, in lower case, and how an alias does.
_SCHEMES: Mapping[str, str] = {
    "acl": "acl",
    "acl_id": "acl",
    "arxiv": "arxiv",
    "arxiv_id": "arxiv",
    "core": "core",
    "coreid": "core",
    "corpusid": "corpusid",
    "dblp": "dblp",
    "doi": "doi",
    "eid": "eid",
    "lens": "lens",
    "mag": "mag",
    "mag_id": "mag",
    "magid": "mag",
    "openalex": "openalex",
    "pmc": "pmc",
    "pmc_id": "pmc",
    "pmcid": "pmc",
    "pmid": "pmid",
    "pubmed": "pmid",
    "pubmed_id": "pmid",
    "pubmedcentral": "pmc",
    "s2": "s2",
    "wos": "wos",
}
_DIGITS = re.compile(r"\d{1,12}(?=\D*\Z)")
_NO_ID = re.compile(r"[\s\x00-\x1f\ud800-\udfff]")
_LONGEST_ID = 200


def named(reference: Reference, pairs: Pairs) -> Reference:
    """Give a reference the identifiers that a record lists; those of unknown schemes are left out.

    A DOI that arXiv or the ACL gave tells their own identifier, too.
    """
    found: dict[str, str] = {}
    ids: list[str] = []
    for name, value in pairs:
        scheme = _SCHEMES.get(name.lower()) if isinstance(name, str) else None
        text = _spelt(scheme, value) if scheme else None
        if scheme and text:
            if scheme in ("acl", "arxiv", "doi", "pmid"):
                found.setdefault(scheme, text)
            else:
                ids.append(f"{scheme}:{text}")
    doi = found.get("doi")
    if doi and "arxiv" in doi:
        found.setdefault("arxiv", identifiers.arxiv(doi) or "")
    if doi and doi.startswith(("10.18653/v1/", "10.3115/v1/")):
        found.setdefault("acl", identifiers.acl(doi) or "")
    return replace(
        reference,
        doi=doi or reference.doi,
        arxiv=found.get("arxiv") or reference.arxiv,
        acl=found.get("acl") or reference.acl,
        pmid=found.get("pmid") or reference.pmid,
        ids=tuple(dict.fromkeys((*reference.ids, *ids))),
    )


def pmid_in(value: object) -> str | None:
    """Return the number of a record of PubMed, also out of its address."""
    return _spelt("pmid", value)


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
