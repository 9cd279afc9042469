"""Ask each source on the web one small thing: does it answer, is the key good, what is left?"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from recsys.app.doctor import Check
from recsys.errors import OnlineError, SourceUnreachable
from recsys.extras import need
from recsys.pipelines.online.client import Client, ClientConfig, Question
from recsys.pipelines.online.http_exchange import Reply
from recsys.pipelines.online.sites import SITES, Site, read_keys

PATIENCE = 20.0
"""Seconds for one answer."""
_KNOWN = frozenset({404})
"""A source that does not have the one thing that is asked for has answered all the same."""
_ASKED: Mapping[str, Question] = {
    "openalex": Question("openalex", "/works/W2741809807", (("select", "id"),)),
    "semanticscholar": Question(
        "semanticscholar",
        "/graph/v1/paper/649def34f8be52c8b66281af98ae884c09aef38b",
        (("fields", "paperId"),),
    ),
    "crossref": Question("crossref", "/works", (("rows", "0"),)),
    "arxiv": Question("arxiv", "/api/query", (("id_list", "2004.07180"),), json=False),
    "arxiv-oai": Question("arxiv-oai", "/oai", (("verb", "Identify"),), json=False),
    "pubmed": Question(
        "pubmed", "/entrez/eutils/einfo.fcgi", (("db", "pubmed"), ("retmode", "json"))
    ),
    "zotero": Question("zotero", "/api/users/0/items/top", (("v", "3"), ("limit", "1"))),
    "zotero-web": Question("zotero-web", "/keys/current", (("v", "3"),)),
}


def examine_sources(config: ClientConfig | None = None) -> Iterator[Check]:
    """Ask every source once, in order; nothing is stored.

    Args:
        config: of the client; as this user's environment says where none are given.

    Raises:
        MissingExtraError: the package that asks is not installed.
        InputError: a key cannot be one, or others may read the file of keys.
    """
    need("httpx2", "Asking sources on the web")
    given = config or ClientConfig(keys=read_keys())
    once = replace(given, store=None, tries=1, longest=PATIENCE, most_requests=3 * len(_ASKED))
    with Client(once) as client:
        for name, question in _ASKED.items():
            if name == "zotero-web" and not client.has_key(name):
                continue  # There is nothing to ask for without one.
            yield _checked(client, SITES[name], replace(question, tolerated=_KNOWN, kept=False))


def _checked(client: Client, site: Site, question: Question) -> Check:
    try:
        reply = client.ask(question)
    except SourceUnreachable as error:
        if site.name == "zotero":  # Not to have it is no problem.
            return Check(site.name, True, "not running here; only `recsys fetch --zotero` asks it")
        return Check(site.name, False, error.what, "Check the network; sources rest, too.")
    except OnlineError as error:
        return Check(site.name, False, error.what, error.hint)
    return Check(site.name, True, ", ".join(_found(client, site, reply)))


def _found(client: Client, site: Site, reply: Reply) -> Iterator[str]:
    yield "answers"
    if site.key:
        yield "the key is good" if client.has_key(site.name) else f"no key ({site.key})"
    left = reply.headers.get("x-ratelimit-remaining", "")
    allowed = reply.headers.get("x-ratelimit-limit", "")
    if left.isdigit() and allowed.isdigit():
        yield f"{int(left):,} of {int(allowed):,} credits left"
