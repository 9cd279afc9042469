"""Write the tables of the sources on the web: what each gives, and where it answers."""

from docs.made.tables import code, table, words
from recsys.pipelines.online.sites import SITES, Site
from recsys.pipelines.online.sources import SOURCES, Kind, SourceFacts, facts_of

_KINDS = (Kind.CITING, Kind.SEARCH, Kind.CHANGED)


def online_sources() -> str:
    """Write a row for each source, and one for each address."""
    header = ("source", "names", "abstracts", "references", *_KINDS, "terms", "licence")
    rows = [_row(facts_of(name)) for name in SOURCES]
    hosts = ("site", "address", "seconds between requests", "with key or mail", "key")
    return "\n\n".join(
        (table(header, rows), table(hosts, [_site_row(site) for site in SITES.values()]))
    )


def _row(facts: SourceFacts) -> tuple[str, ...]:
    return (
        code(facts.name),
        ", ".join(map(code, facts.schemes)),
        _mark(facts.abstracts),
        _mark(facts.references),
        *(_mark(kind in facts.kinds) for kind in _KINDS),
        f"[{facts.title}]({facts.terms})",
        words(facts.licence),
    )


def _site_row(site: Site) -> tuple[str, ...]:
    quicker = "" if site.pace_known is None else f"{site.pace_known:g}"
    key = code(site.key) if site.key else ""
    return (code(site.name), code(site.address), f"{site.pace:g}", quicker, key)


def _mark(has: bool) -> str:
    return "x" if has else ""
