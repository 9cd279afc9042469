"""Correct a BibTeX file by the records that a check found, and nothing else in it."""

from collections.abc import Mapping

from recsys.checking.fields import is_a_preprint
from recsys.checking.verdicts import CheckReport, Notice, Verdict
from recsys.formats.latex.latex_text import to_latex
from recsys.formats.references.bibtex_entries import EntrySpan, entry_spans
from recsys.formats.references.reference_writers import latex_authors, protected_title
from recsys.records import Paper, Reference

_VENUES = ("journaltitle", "journal", "booktitle")


def fixes(report: CheckReport, text: str) -> Mapping[str, Mapping[str, str]]:
    """Return what to change in a BibTeX file: key -> field -> value in LaTeX.

    A field that differs gets the record's value, a missing DOI is added, and what is said of a
    preprint becomes what is said of its publication. A key that occurs twice is left alone.
    """
    spans: dict[str, list[EntrySpan]] = {}
    for span in entry_spans(text):
        spans.setdefault(span.key, []).append(span)
    changes = {}
    for item in report.items:
        found, record = spans.get(item.reference.key, []), item.record
        checked = item.verdict in (Verdict.CONFIRMED, Verdict.DIFFERS)
        if len(found) != 1 or record is None or not record.is_meant or not checked:
            continue
        named = {each.field for each in item.differences}
        if item.published is not None:
            named |= {"venue", "year", "doi"}
        if any(remark.notice is Notice.INCOMPLETE for remark in item.remarks):
            named |= {"doi"}
        values = _values((item.published or record).work, found[0])
        if fields := dict(values[name] for name in sorted(named & values.keys())):
            changes[item.reference.key] = fields
    return changes


def _values(work: Reference, span: EntrySpan) -> dict[str, tuple[str, str]]:
    """Return what a record has: field -> its name in the entry, and its value there."""
    paper = Paper("", work.title or "", authors=work.authors, year=work.year, venue=work.venue)
    venue = next((name for name in _VENUES if name in span.fields), None)
    year = "date" if "date" in span.fields and "year" not in span.fields else "year"
    values = {
        "title": ("title", protected_title(paper.title)),
        "authors": ("author", " and ".join(latex_authors(paper))),
        "year": (year, "" if work.year is None else str(work.year)),
        "doi": ("doi", work.doi or ""),
    }
    if venue is not None and not is_a_preprint(work):
        values["venue"] = (venue, to_latex(work.venue or ""))
    return {name: (field, value) for name, (field, value) in values.items() if value}
