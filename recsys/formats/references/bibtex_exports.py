"""Read what databases add to the BibTeX that they export: their numbers, and what a work cites."""

import re
from collections.abc import Mapping

from recsys.formats.exports.export_facts import accession
from recsys.formats.exports.wos_citations import cited_of
from recsys.formats.latex.latex_text import from_latex
from recsys.formats.tables import scopus_citations
from recsys.records import Reference

FIELDS = frozenset(
    "art_number article-number author_keywords cited-references pubmed_id references source "
    "unique-id".split()
)
"""The fields that are read, all of Scopus or of the Web of Science."""
_LONGEST = 1_000_000  # Characters of a list of references.
_ENDS = re.compile(r"\.\s+(?=[^\d.,][^.,]{0,60}, \d{4},)")
_ESCAPED = re.compile(r"\\([&%_#$])")
_BRACES = dict.fromkeys(map(ord, "{}"))
_LATEX = re.compile(r"[\\{$]")


def ids_in(fields: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of a work in the database, each with its scheme."""
    found = (accession(fields.get(name, "").strip("{} ")) for name in ("unique-id", "url"))
    return tuple(dict.fromkeys(each for _, ids in found for each in ids))


def cited_by(fields: Mapping[str, str]) -> tuple[Reference, ...]:
    """Return what an entry says that its work cites."""
    if listed := fields.get("cited-references"):
        found = _lines_in(_ESCAPED.sub(r"\1", listed[:_LONGEST]).translate(_BRACES))
        return tuple(cited_of(line) for each in found if (line := each.strip().rstrip(". ")))
    listed = fields.get("references", "")[:_LONGEST]
    if not listed or "scopus" not in f"{fields.get('source')} {fields.get('url')}".lower():
        return ()  # Others call notes or links so.
    return scopus_citations.cited_in(from_latex(listed) if _LATEX.search(listed) else listed)


def _lines_in(text: str) -> list[str]:
    """Return a cited reference each; other programs break the lines of a field elsewhere."""
    lines = [line.strip() for line in text.split("\n")]
    within = sum(len(_ENDS.findall(line)) for line in lines)
    return _ENDS.split(" ".join(lines)) if within * 4 >= len(lines) else lines
