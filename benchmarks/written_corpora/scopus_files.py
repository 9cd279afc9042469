"""Write works as Scopus exports them: as a table, and as RIS, with references as free text."""

import csv
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from benchmarks.written_corpora.cited_forms import (
    Citation,
    Cite,
    initials,
    last_page,
)
from benchmarks.written_corpora.known_works import KnownWork
from recsys.formats.references.people import Name

_HEADER = (
    "Authors,Author full names,Author(s) ID,Title,Year,Source title,Volume,Issue,Art. No.,"
    "Page start,Page end,Page count,Cited by,DOI,Link,Abstract,References,Document Type,"
    "Publication Stage,Open Access,Source,EID"
).split(",")
_MOST_AUTHORS = 10
_ADDRESS = "https://www.scopus.com/inward/record.uri?eid={}&partnerID=40"


def write_scopus(works: Iterable[KnownWork], cite: Cite, folder: Path, *, older: bool) -> None:
    """Write `scopus.csv`. older: in the spelling of references with the year in the middle."""
    with (folder / "scopus.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, _HEADER, restval="", lineterminator="\n")
        writer.writeheader()
        for work in works:
            writer.writerow(_row(work, cite(work), older=older))


def write_scopus_ris(works: Iterable[KnownWork], cite: Cite, folder: Path) -> None:
    """Write `scopus.ris`; references are a note."""
    with (folder / "scopus.ris").open("w", encoding="utf-8-sig") as file:
        for work in works:
            lines = [("TY", "JOUR" if work.volume else "CONF"), ("TI", work.title)]
            lines += [("AU", f"{name.family}, {initials(name, '.')}") for name in work.authors]
            lines += [("PY", str(work.year or "")), ("T2", work.venue or "")]
            lines += [("VL", work.volume or ""), ("SP", work.page or ""), ("DO", work.doi or "")]
            lines += [("UR", _ADDRESS.format(eid(work))), ("AB", work.abstract or "")]
            if cited := cite(work):
                lines.append(("N1", f"References: {_references(cited, older=False)}"))
            text = "".join(f"{tag}  - {' '.join(value.split())}\n" for tag, value in lines if value)
            file.write(f"{text}ER  - \n\n")


def eid(work: KnownWork) -> str:
    """Return the number of a work in Scopus."""
    return f"2-s2.0-{85_000_000_000 + work.number}"


def _row(work: KnownWork, cited: list[Citation], *, older: bool) -> dict[str, object]:
    digits = bool(work.page and work.page.isdigit())
    comma = ", " if older else "; "
    return {
        "Authors": comma.join(map(_short, work.authors)),
        "Author full names": "; ".join(f"{name.inverted} (1)" for name in work.authors),
        "Title": work.title,
        "Year": work.year or "",
        "Source title": work.venue or "",
        "Volume": work.volume or "",
        "Art. No.": "" if digits else work.page or "",
        "Page start": work.page if digits else "",
        "Page end": last_page(work.page) if work.page and digits else "",
        "DOI": work.doi or "",
        "Link": _ADDRESS.format(eid(work)),
        "Abstract": work.abstract or "[No abstract available]",
        "References": _references(cited, older=older),
        "Document Type": "Article",
        "Publication Stage": "Final",
        "Source": "Scopus",
        "EID": eid(work),
    }


def _references(cited: list[Citation], *, older: bool) -> str:
    return "; ".join(map(partial(scopus_citation, older=older), cited))


def scopus_citation(each: Citation, *, older: bool) -> str:
    """Write a reference as a list of Scopus does."""
    people = [_old(name) if older else _short(name) for name in each.authors[:_MOST_AUTHORS]]
    place = _place(each, older=older)
    doi = [f"DOI {each.doi}"] if each.doi else []
    year = f"({each.year})" if each.year else ""
    if older:
        before = ", ".join([*people, each.title] if each.title else people)
        return " ".join(filter(None, (before, year, ", ".join([*place, *doi]))))
    title = [each.title] if each.title else []
    return ", ".join([*people, *title, *place, *doi, *([year] if year else [])])


def _place(each: Citation, *, older: bool) -> list[str]:
    issue = each.work.number % 12 + 1
    parts = [each.venue] if each.venue else []
    if each.volume:
        parts += [f"{each.volume} ({issue})"] if older else [each.volume, str(issue)]
    if each.page:
        digits = each.page.isdigit()
        span = f"pp. {each.page}-{last_page(each.page)}" if digits else f"art. no. {each.page}"
        parts.append(span)
    return parts


def _short(name: Name) -> str:
    return f"{name.family} {initials(name, '.')}".strip()


def _old(name: Name) -> str:
    return f"{name.family}, {initials(name, '.')}".rstrip(", ")
