"""Write papers in every format in which people take references away."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from recsys.formats import identifiers
from recsys.formats.latex.latex_text import to_latex
from recsys.formats.papers.title_case import is_name
from recsys.formats.references.citation_keys import citation_keys
from recsys.formats.references.kinds import (
    CHAPTER,
    JOURNAL,
    MEETING,
    PREPRINT,
    REPORT,
    THESIS,
    kind_of,
)
from recsys.formats.references.people import natural, own_name, people_in, written
from recsys.formats.references.shown_facts import (
    bare_doi,
    names_of,
    one_line,
    own_abstract,
    paper_link,
    web_address,
)
from recsys.formats.references.web_page import web_page
from recsys.records import Paper
from recsys.store.words import STOP_WORDS

_TYPES_OF_RIS = {
    JOURNAL: "JOUR",
    MEETING: "CONF",
    CHAPTER: "CHAP",
    THESIS: "THES",
    REPORT: "RPRT",
    "book": "BOOK",
    "dataset": "DATA",
    "software": "COMP",
}
"""All other works are GEN; so are preprints, for RIS has no type for them."""
_TYPES_OF_BIBTEX = {
    JOURNAL: ("article", "journal"),
    MEETING: ("inproceedings", "booktitle"),
    CHAPTER: ("incollection", "booktitle"),
    THESIS: ("phdthesis", "school"),
    REPORT: ("techreport", "institution"),
    "book": ("book", "publisher"),
}
"""Kind -> type of entry, and the field of the venue; all other works are @misc."""
_COLUMNS = ("id", "title", "authors", "year", "venue", "doi", "url")
# Spreadsheets take these at the start of a cell for a formula; an apostrophe keeps them text.
_FORMULA = re.compile("'*[=+\\-@\uff1d\uff0b\uff0d\uff20]")
_MARKS_OF_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|])")


def bibtex(papers: Sequence[Paper], keys: Sequence[str] | None = None) -> str:
    """Write one BibTeX entry per paper, in order.

    keys: of each paper; None: `citation_keys`, as for all formats that have keys.
    """
    named = zip(keys or citation_keys(papers), papers, strict=True)
    return "\n".join(entry(key, paper, abstract=True) for key, paper in named)


def entry(key: str, paper: Paper, *, abstract: bool = False) -> str:
    """Write the entry of one paper."""
    kind = kind_of(paper)
    entry_type, container = _TYPES_OF_BIBTEX.get(kind, ("misc", "howpublished"))
    told = f"{' '.join(map(str, paper.labels.values()))}{paper.venue or ''}".lower()
    if kind == THESIS and "master" in told:
        entry_type = "mastersthesis"
    degree = any(word in told for word in ("master", "phd", "doctor", "ph.d"))
    names = (paper.id, paper.url, paper.doi, *paper.aliases)
    arxiv = next(filter(None, map(identifiers.arxiv, names)), "") if kind == PREPRINT else ""
    fields = {
        "title": protected_title(paper.title),
        "author": " and ".join(latex_authors(paper)),
        "year": "" if paper.year is None else str(paper.year),
        container: to_latex(one_line(paper.venue or "")),
        "type": "Thesis" if kind == THESIS and not degree else "",  # Else styles say PhD thesis.
        "eprint": arxiv,
        "archiveprefix": "arXiv" if arxiv else "",
        "doi": bare_doi(paper),
        "url": web_address(paper),
        "abstract": to_latex(own_abstract(paper)) if abstract else "",
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@{entry_type}{{{key},\n{lines}}}\n"


def protected_title(title: str) -> str:
    """Write a title as BibTeX, in braces what styles that lower-case titles must leave.

    These are words with a capital inside, single letters, names that are known, and, in a title
    that is written as a sentence, every capitalised word that does not begin one.

    >>> protected_title("Scaling BERT with the Bayesian view of McNee: A study")
    'Scaling {BERT} with the {Bayesian} view of {McNee}: A study'
    """
    words = one_line(title).split()
    telling = [word for word in words[1:] if len(word) > _SHORT_WORD]
    telling = [word for word in telling if word.lower() not in STOP_WORDS]
    as_sentence = 0 < len(telling) <= 2 * sum(word[0].islower() for word in telling)
    shown, begins = [], True
    for word in words:
        core = word.strip(_AROUND)
        inner = any(character.isupper() for character in core[1:])
        letter = len(core) == 1 and core != "A"
        name = core[:1].isupper() and not begins and (as_sentence or letter or is_name(core))
        latex = to_latex(word)
        if inner or name:
            before, whole, after = word.partition(core)
            latex = f"{to_latex(before)}{{{to_latex(whole)}}}{to_latex(after)}"
        shown.append(latex)
        begins = word.endswith(":")
    return " ".join(shown)


_SHORT_WORD = 3
"""Letters of words that titles in capitals leave small, too."""
_AROUND = "()[]'\"\u2018\u2019\u201c\u201d.,;:?!"


def latex_authors(paper: Paper) -> Iterable[str]:
    """Write each author as BibTeX; in braces whoever would be taken apart."""
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
        yield f"{{{to_latex(name.natural)}}}" if whole or "\\" in latex else latex


def ris(papers: Sequence[Paper], keys: Sequence[str] | None = None) -> str:
    """Write one record of RIS per paper, in order, as reference managers import it."""
    records = []
    for key, paper in zip(keys or citation_keys(papers), papers, strict=True):
        facts = {
            "TI": one_line(paper.title),
            "T2": one_line(paper.venue or ""),
            "PY": "" if paper.year is None else str(paper.year),
            "DO": bare_doi(paper),
            "UR": web_address(paper),
            "AB": own_abstract(paper),
        }
        lines = [
            ("TY", _TYPES_OF_RIS.get(kind_of(paper), "GEN")),
            ("ID", key),
            *(("AU", written(name)) for name in map(own_name, names_of(paper))),
            *((tag, value) for tag, value in facts.items() if value),
            ("ER", ""),
        ]
        records.append("".join(f"{tag}  - {value}\n" for tag, value in lines))
    return "\n".join(records)


def csl_json(papers: Sequence[Paper], keys: Sequence[str] | None = None) -> str:
    """Write one item of CSL 1.0.2 per paper, in order, as pandoc and Zotero read it."""
    items = []
    for key, paper in zip(keys or citation_keys(papers), papers, strict=True):
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
            "abstract": own_abstract(paper),
        }
        items.append({name: value for name, value in facts.items() if value})
    return json.dumps(items, ensure_ascii=False, indent=1) + "\n"


def spreadsheet(papers: Sequence[Paper], _: Sequence[str] | None = None) -> str:
    """Write one row of CSV per paper below a header row, without keys; every cell is quoted.

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


def markdown(papers: Iterable[Paper], _: Sequence[str] | None = None) -> str:
    """Write a numbered Markdown list for people, one line per paper, without keys."""
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


class Writer(Protocol):
    """Writes papers in order; keys: of each paper, None for the usual ones."""

    def __call__(self, papers: Sequence[Paper], keys: Sequence[str] | None = None, /) -> str:
        """Write them."""


WRITERS: Mapping[str, Writer] = {
    "bibtex": bibtex,
    "ris": ris,
    "csl-json": csl_json,
    "csv": spreadsheet,
    "markdown": markdown,
    "html": web_page,
}
"""A format's name, and what writes papers in it, in order."""
