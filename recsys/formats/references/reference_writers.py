"""Write papers in every format in which people take references away."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from recsys.formats.latex.latex_text import to_latex
from recsys.formats.references.people import natural, own_name, people_in, written
from recsys.formats.references.shown_facts import (
    JOURNAL,
    MEETING,
    OTHER,
    bare_doi,
    citation_keys,
    kind_of,
    names_of,
    one_line,
    paper_link,
    web_address,
)
from recsys.formats.references.web_page import web_page
from recsys.records import Paper

_TYPES_OF_RIS = {JOURNAL: "JOUR", MEETING: "CONF", OTHER: "GEN"}
_COLUMNS = ("id", "title", "authors", "year", "venue", "doi", "url")
# Spreadsheets take these at the start of a cell for a formula; an apostrophe keeps them text.
_FORMULA = re.compile("'*[=+\\-@\uff1d\uff0b\uff0d\uff20]")
_MARKS_OF_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|])")


def bibtex(papers: Sequence[Paper]) -> str:
    """Write one BibTeX entry per paper, in order, with keys such as `Cohan2020Specter`."""
    keys = citation_keys(papers)
    return "\n".join(entry(key, paper) for key, paper in zip(keys, papers, strict=True))


def entry(key: str, paper: Paper) -> str:
    """Write the entry of one paper."""
    kind = kind_of(paper)
    entry_type, container = ("article", "journal")
    if kind == OTHER:
        entry_type, container = ("misc", "howpublished")
    elif kind == MEETING:
        entry_type, container = ("inproceedings", "booktitle")
    fields = {
        "title": latex_title(paper),
        "author": " and ".join(latex_authors(paper)),
        "year": "" if paper.year is None else str(paper.year),
        container: to_latex(one_line(paper.venue or "")),
        "doi": bare_doi(paper),
        "url": web_address(paper),
        "abstract": to_latex(one_line(paper.abstract or "")),
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@{entry_type}{{{key},\n{lines}}}\n"


def latex_title(paper: Paper) -> str:
    """Write a title in LaTeX; styles lower-case titles, so braces keep BERT and GraphRank."""
    title = []
    for word in one_line(paper.title).split():
        capital = any(character.isupper() for character in word.lstrip("(['\"")[1:])
        title.append(f"{{{to_latex(word)}}}" if capital else to_latex(word))
    return " ".join(title)


def latex_authors(paper: Paper) -> list[str]:
    """Write the names of authors in LaTeX, so that readers take them apart as they are."""
    authors = []
    for name in map(own_name, names_of(paper)):
        in_parts = ", ".join(filter(None, (name.surname, name.suffix, name.given)))
        forms = [in_parts] if " " in name.surname or name.suffix else [in_parts, name.natural]
        # What stands behind a name may be taken for initials: "Weinan E".
        read = [people_in(form, commas="within").spoken for form in forms]
        told = dict(zip(read, forms, strict=True)).get((name.natural,))
        latex = to_latex(told or name.natural)
        # Readers take a group apart; bibtexparser loses escapes beside "and".
        joins = latex.lower() in ("and", "others")
        group = not name.given and (" " in latex or "," in latex or joins)
        whole = told is None or group
        authors.append(f"{{{to_latex(name.natural)}}}" if whole or "\\" in latex else latex)
    return authors


def ris(papers: Sequence[Paper]) -> str:
    """Write one record of RIS per paper, in order, as reference managers import it."""
    records = []
    for key, paper in zip(citation_keys(papers), papers, strict=True):
        facts = {
            "TI": one_line(paper.title),
            "T2": one_line(paper.venue or ""),
            "PY": "" if paper.year is None else str(paper.year),
            "DO": bare_doi(paper),
            "UR": web_address(paper),
            "AB": one_line(paper.abstract or ""),
        }
        lines = [
            ("TY", _TYPES_OF_RIS[kind_of(paper)]),
            ("ID", key),
            *(("AU", written(name)) for name in map(own_name, names_of(paper))),
            *((tag, value) for tag, value in facts.items() if value),
            ("ER", ""),
        ]
        records.append("".join(f"{tag}  - {value}\n" for tag, value in lines))
    return "\n".join(records)


def csl_json(papers: Sequence[Paper]) -> str:
    """Write one item of CSL 1.0.2 per paper, in order, as pandoc and Zotero read it."""
    items = []
    for key, paper in zip(citation_keys(papers), papers, strict=True):
        authors = []
        for name in map(own_name, names_of(paper)):
            parts = {
                "family": name.family,
                "non-dropping-particle": name.particle,
                "given": name.given,
                "suffix": name.suffix,
            }
            parts = {part: text for part, text in parts.items() if text}
            authors.append(parts if name.given else {"literal": name.natural})
        facts = {
            "id": key,
            "type": kind_of(paper),
            "title": one_line(paper.title),
            "author": authors,
            "issued": {} if paper.year is None else {"date-parts": [[paper.year]]},
            "container-title": one_line(paper.venue or ""),
            "DOI": bare_doi(paper),
            "URL": web_address(paper),
            "abstract": one_line(paper.abstract or ""),
        }
        items.append({name: value for name, value in facts.items() if value})
    return json.dumps(items, ensure_ascii=False, indent=1) + "\n"


def spreadsheet(papers: Sequence[Paper]) -> str:
    """Write one row of CSV per paper below a header row; every cell is quoted.

    Names of authors are joined by "; ", a semicolon or backslash inside one has a backslash before
    it. A cell that a spreadsheet would take for a formula begins with an apostrophe.
    `recsys.formats.exports.table_reading` reads such tables.
    """
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for paper in papers:
        cells = (
            one_line(paper.id),
            one_line(paper.title),
            "; ".join(re.sub(r"[\\;]", r"\\\g<0>", name) for name in names_of(paper)),
            "" if paper.year is None else str(paper.year),
            one_line(paper.venue or ""),
            bare_doi(paper) or "",
            web_address(paper) or "",
        )
        writer.writerow([f"'{cell}" if _FORMULA.match(cell) else cell for cell in cells])
    return file.getvalue()


def markdown(papers: Iterable[Paper]) -> str:
    """Write a numbered Markdown list for people, one line per paper."""
    return "".join(f"{i}. {markdown_item(paper)}\n" for i, paper in enumerate(papers, start=1))


def markdown_item(paper: Paper) -> str:
    """Write one paper as Markdown: authors (year), linked title, venue."""
    authors = escaped(", ".join(map(natural, names_of(paper)))) or "Unknown authors"
    year = "n.d." if paper.year is None else str(paper.year)
    title, link = escaped(paper.title), paper_link(paper)
    venue = f" *{escaped(paper.venue)}*." if paper.venue else ""
    return f"{authors} ({year}). " + (f"[{title}](<{link}>)." if link else f"{title}.") + venue


def escaped(text: str | None) -> str:
    """Write a text on one line, so that Markdown shows it as it is."""
    return _MARKS_OF_MARKDOWN.sub(r"\\\1", one_line(text or ""))


WRITERS: Mapping[str, Callable[[Sequence[Paper]], str]] = {
    "bibtex": bibtex,
    "ris": ris,
    "csl-json": csl_json,
    "csv": spreadsheet,
    "markdown": markdown,
    "html": web_page,
}
"""A format's name, and what writes papers in it, in order."""
