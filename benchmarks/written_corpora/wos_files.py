"""Write works as the Web of Science exports them, as text and as a table."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from benchmarks.written_corpora.cited_forms import (
    Citation,
    Cite,
    initials,
    last_page,
)
from benchmarks.written_corpora.known_works import KnownWork
from recsys.formats.references.people import Name

_ONE_EXPORT = 500
"""Records that one file holds when cited references are exported with them."""
_SHORT = 5
_LEFT_OUT = frozenset("of the and in for on a an de la le".split())
_COLUMNS = "PT AU AF TI SO LA DT AB CR NR TC J9 PY VL BP EP AR DI UT".split()


def write_wos_text(works: Iterable[KnownWork], cite: Cite, folder: Path) -> None:
    """Write `savedrecs.txt` and the like, 500 records each."""
    for number, some in enumerate(_exports(works)):
        with (folder / f"savedrecs{number:04}.txt").open("w", encoding="utf-8-sig") as file:
            file.write("FN Clarivate Analytics Web of Science\nVR 1.0\n")
            for work in some:
                file.write(wos_record(work, cite(work)))
            file.write("EF\n")


def write_wos_table(works: Iterable[KnownWork], cite: Cite, folder: Path) -> None:
    """Write tables with a tab between fields, several values parted by semicolons."""
    for number, some in enumerate(_exports(works)):
        with (folder / f"savedrecs{number:04}.tsv").open("w", encoding="utf-8-sig") as file:
            file.write("\t".join(_COLUMNS) + "\n")
            for work in some:
                fields = dict(_fields(work, cite(work)))
                cells = ("; ".join(fields.get(name, ())) for name in _COLUMNS)
                file.write("\t".join(" ".join(cell.split()) for cell in cells) + "\n")


def wos_record(work: KnownWork, cited: list[Citation]) -> str:
    """Write a record of the text format."""
    fields = (f"{tag} " + "\n   ".join(lines) for tag, lines in _fields(work, cited) if lines)
    return "\n".join(fields) + "\nER\n\n"


def wos_citation(each: Citation) -> str:
    """Write a cited reference on one line, as the export does."""
    author = _cited_author(each.authors[0]) if each.authors else "[Anonymous]"
    source = journal(each.venue or each.title or "")
    if each.year is None:
        return f"{author}, IN PRESS {source}"
    parts = [author, str(each.year), source]
    parts += [f"V{each.volume}"] if each.volume else []
    if each.page:
        parts.append(f"P{each.page}" if each.page.isdigit() else f"ARTN {each.page}")
    return ", ".join(parts + ([f"DOI {each.doi}"] if each.doi else []))


def journal(venue: str) -> str:
    """Shorten the name of a journal: "Journal of Things" is "J THINGS"."""
    words = [word for word in venue.upper().split() if word.lower() not in _LEFT_OUT]
    short = {"JOURNAL": "J", "INTERNATIONAL": "INT", "PROCEEDINGS": "P", "AMERICAN": "AM"}
    plain = ("".join(filter(str.isalnum, word)) for word in words)
    return " ".join(short.get(word, word[:_SHORT]) for word in plain if word) or "UNKNOWN J"


def _fields(work: KnownWork, cited: list[Citation]) -> Iterator[tuple[str, list[str]]]:
    yield "PT", ["J" if work.volume else "C"]
    yield "AU", [f"{name.family}, {initials(name)}".rstrip(", ") for name in work.authors]
    yield "AF", [name.inverted for name in work.authors]
    yield "TI", [work.title]
    yield "SO", [(work.venue or "").upper()] if work.venue else []
    yield "LA", ["English"]
    yield "DT", ["Article" if work.volume else "Proceedings Paper"]
    yield "AB", [work.abstract] if work.abstract else []
    yield "CR", [wos_citation(each) for each in cited]
    yield "NR", [str(len(cited))]
    yield "TC", ["0"]
    yield "J9", [journal(work.venue)] if work.venue else []
    yield "PY", [str(work.year)] if work.year else []
    yield "VL", [work.volume] if work.volume else []
    if work.page and work.page.isdigit():
        yield "BP", [work.page]
        yield "EP", [last_page(work.page)]
    elif work.page:
        yield "AR", [work.page]
    yield "DI", [work.doi] if work.doi else []
    yield "UT", [f"WOS:{work.number:015}"]


def _cited_author(name: Name) -> str:
    letters = initials(name)
    return f"{name.family} {letters}".strip().replace(",", " ")


def _exports(works: Iterable[KnownWork]) -> Iterator[list[KnownWork]]:
    left = iter(works)
    while some := list(islice(left, _ONE_EXPORT)):
        yield some
