"""The sources that can be asked: one literal table, each row imported when it is."""

from collections.abc import Callable, Mapping
from importlib import import_module

from recsys.errors import check_name
from recsys.pipelines.online.contract import Source, SourceFacts
from recsys.pipelines.online.polite_client import Client

SOURCES: Mapping[str, tuple[str, str]] = {
    "openalex": ("recsys.pipelines.online.sources.from_openalex", "OpenAlex"),
    "semanticscholar": ("recsys.pipelines.online.sources.from_semantic_scholar", "SemanticScholar"),
    "crossref": ("recsys.pipelines.online.sources.from_crossref", "Crossref"),
    "arxiv": ("recsys.pipelines.online.sources.from_arxiv", "Arxiv"),
    "pubmed": ("recsys.pipelines.online.sources.from_pubmed", "PubMed"),
    "zotero": ("recsys.pipelines.online.sources.from_zotero", "Zotero"),
}
"""Name -> module and class; the module's FACTS tell what it gives."""


def facts_of(name: str) -> SourceFacts:
    """Return what a source gives; raises as `source` does."""
    facts: SourceFacts = import_module(_row(name)[0]).FACTS
    return facts


def source(name: str, client: Client) -> Source:
    """Return a source.

    Raises:
        InputError: there is none of that name.
    """
    module, kind = _row(name)
    made: Callable[[Client], Source] = getattr(import_module(module), kind)
    return made(client)


def _row(name: str) -> tuple[str, str]:
    check_name(name, SOURCES, "source")
    return SOURCES[name]
