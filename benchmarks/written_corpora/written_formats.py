"""The formats in which corpora are written, and by which name a work is known when read back."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.written_corpora.article_files import (
    pmc,
    pmid,
    write_jats,
    write_pubmed,
)
from benchmarks.written_corpora.bibtex_files import write_bibtex
from benchmarks.written_corpora.cited_forms import Cite
from benchmarks.written_corpora.known_works import KnownWork
from benchmarks.written_corpora.scopus_files import (
    eid,
    write_scopus,
    write_scopus_ris,
)
from benchmarks.written_corpora.service_files import (
    crossref_doi,
    openalex_id,
    s2_id,
    write_crossref,
    write_openalex,
    write_semantic_scholar,
)
from benchmarks.written_corpora.wos_files import write_wos_table, write_wos_text

Write = Callable[[Iterable[KnownWork], Cite, Path], None]


@dataclass(frozen=True, slots=True)
class WrittenFormat:
    """A format. write: into a folder. name: by which a work is known, None where it has none.

    dois: the share of known DOIs that its lists of references tell, 0: none ever does.
    """

    write: Write
    name: Callable[[KnownWork], str | None]
    dois: float = 0.0
    lists: bool = True


WOS_TEXT, SCOPUS, BIBTEX = "Web of Science, text", "Scopus, CSV", "BibTeX"
FORMATS: Mapping[str, WrittenFormat] = {
    WOS_TEXT: WrittenFormat(write_wos_text, lambda work: f"wos:{work.number:015}", 0.85),
    "Web of Science, table": WrittenFormat(
        write_wos_table, lambda work: f"wos:{work.number:015}", 0.85
    ),
    SCOPUS: WrittenFormat(partial(write_scopus, older=False), lambda work: f"eid:{eid(work)}"),
    "Scopus, CSV, older": WrittenFormat(
        partial(write_scopus, older=True), lambda work: f"eid:{eid(work)}"
    ),
    "Scopus, RIS": WrittenFormat(write_scopus_ris, lambda work: f"eid:{eid(work)}"),
    "PubMed, XML": WrittenFormat(write_pubmed, lambda work: f"pmid:{pmid(work)}", 0.8),
    "JATS": WrittenFormat(write_jats, lambda work: f"pmc:{pmc(work)}", 0.7),
    "Crossref": WrittenFormat(write_crossref, crossref_doi, 0.7),
    "OpenAlex": WrittenFormat(write_openalex, openalex_id),
    "Semantic Scholar": WrittenFormat(write_semantic_scholar, s2_id),
    BIBTEX: WrittenFormat(write_bibtex, lambda work: work.doi, lists=False),
}
