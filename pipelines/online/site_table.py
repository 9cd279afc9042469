"""Where sources answer, how often they may be asked, where a key goes: one literal table."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from recsys.errors import InputError, near_miss


@dataclass(frozen=True, slots=True)
class Site:
    """A host that is asked.

    address: what all its paths follow. pace: seconds between two requests; pace_known: with a key,
    or an address of mail. key: environment variable of the key. key_header, key_parameter: where it
    goes. mail_parameter: where an address of mail goes, by which the operators can write to who
    asks too much. hint: what to do where it does not answer, if that is not to wait.
    paced_with: the site whose requests count with its own, if another's do.
    """

    name: str
    address: str
    pace: float
    pace_known: float | None = None
    key: str = ""
    key_header: str = ""
    key_parameter: str = ""
    mail_parameter: str = ""
    hint: str = ""
    paced_with: str = ""

    @property
    def variable(self) -> str:
        """The environment variable that gives another address."""
        return f"RECSYS_{self.name.upper().replace('-', '_')}_URL"


MAIL = "RECSYS_MAIL"
"""The variable of the address of mail that sources are told."""
SITES: Mapping[str, Site] = {
    site.name: site
    for site in (
        Site(
            "openalex",
            "https://api.openalex.org",
            0.1,
            key="RECSYS_OPENALEX_KEY",
            key_parameter="api_key",
        ),
        Site(
            "semanticscholar",
            "https://api.semanticscholar.org",
            3.0,  # Who has no key shares one budget with everybody.
            1.0,
            key="RECSYS_SEMANTICSCHOLAR_KEY",
            key_header="x-api-key",
        ),
        Site("crossref", "https://api.crossref.org", 1.0, 0.34, mail_parameter="mailto"),
        Site("arxiv", "https://export.arxiv.org", 3.0),
        Site("arxiv-oai", "https://oaipmh.arxiv.org", 3.0, paced_with="arxiv"),
        Site(
            "pubmed",
            "https://eutils.ncbi.nlm.nih.gov",
            0.34,
            0.1,
            key="RECSYS_PUBMED_KEY",
            key_parameter="api_key",
            mail_parameter="email",
        ),
        Site(
            "zotero",
            "http://127.0.0.1:23119",
            0.0,
            hint="Start Zotero, and allow other applications to communicate with it "
            "(Settings, Advanced).",
        ),
        Site(
            "zotero-web",
            "https://api.zotero.org",
            0.5,
            key="RECSYS_ZOTERO_KEY",
            key_header="Zotero-API-Key",
        ),
    )
}


def base_address(site: Site, given: Mapping[str, str]) -> str:
    """Return what the site's paths follow: as given, as the environment says, or its own.

    Raises:
        InputError: it is neither https, nor http on this machine.
    """
    address = given.get(site.name) or os.environ.get(site.variable) or site.address
    parts = urlsplit(address)
    if parts.scheme == "https" and parts.hostname:
        return address.rstrip("/")
    if parts.scheme == "http" and is_loopback(parts.hostname or ""):
        return address.rstrip("/")
    raise InputError(
        f"{address!r} is no address that {site.name} may be asked at.",
        "Give one that begins with https://; http:// is for this machine only.",
    )


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine, by its name or number alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def site_named(name: str) -> Site:
    """Return a row of the table.

    Raises:
        InputError: there is none of that name.
    """
    if name not in SITES:
        raise InputError(f"There is no source {name!r}.{near_miss(name, SITES)}")
    return SITES[name]
