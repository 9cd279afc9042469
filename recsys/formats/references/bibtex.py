"""Write papers as BibTeX, and read BibTeX and biblatex: one entry per work."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from recsys.formats.latex.latex_text import from_latex, to_latex
from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import first_page
from recsys.formats.references.bibliography import (
    LONGEST_TEXT,
    Problem,
    address_in,
    identified,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.bibtex_entries import entries_in
from recsys.formats.references.bibtex_exports import cited_by, ids_in
from recsys.formats.references.bibtex_names import names_between_and
from recsys.formats.references.bibtex_parents import Entry
from recsys.formats.references.csl import keywords_in
from recsys.formats.references.people import Name, name_of
from recsys.formats.references.shown_facts import (
    MEETING,
    OTHER,
    bare_doi,
    citation_keys,
    kind_of,
    names_of,
    one_line,
    web_address,
)
from recsys.records import Paper, Reference

_LONGEST_SOURCE = 4 * LONGEST_TEXT  # Characters of LaTeX.
_NO_NAMES = frozenset({"and", "others"})
_ENTRY = re.compile(
    r"^[ \t]{0,8}@(?:string[ \t]{0,8}[{(]\s{0,80}[\w:-]{1,80}\s{0,80}="
    r"|(?:comment|preamble)[ \t]{0,8}[{(]"
    r"|[a-z]{1,40}[ \t]{0,8}[{(]\s{0,80}[^\s,=\"#%{}()]{1,200}[ \t]{0,8},)",
    re.IGNORECASE | re.MULTILINE,
)
_PUBMED_KEY = re.compile(r"PMID:(\d{1,9})")
_OLD_NUMBER = re.compile(r"\d{7}(?:v\d{1,2})?")
_PAGES = ("pages", "eid", "articleno", "art_number", "article-number")
_LONGEST_VOLUME = 40
_IN_PUBMED = frozenset({"pmid", "pubmed_id", "pmcid", "eprinttype"})
_VENUES = ("journaltitle", "journal", "booktitle", "eventtitle")
_KINDS: Mapping[str, str] = {
    "article": "article-journal",
    "book": "book",
    "booklet": "pamphlet",
    "collection": "book",
    "conference": "paper-conference",
    "dataset": "dataset",
    "electronic": "webpage",
    "inbook": "chapter",
    "incollection": "chapter",
    "inproceedings": "paper-conference",
    "manual": "report",
    "mastersthesis": "thesis",
    "mvbook": "book",
    "online": "webpage",
    "patent": "patent",
    "phdthesis": "thesis",
    "proceedings": "book",
    "report": "report",
    "software": "software",
    "techreport": "report",
    "thesis": "thesis",
    "unpublished": "manuscript",
    "www": "webpage",
}

# What the field `type` of an entry of no other kind says.
_TOLD_KINDS = {"thesis": "thesis", "report": "report", "preprint": "article"}


def write(papers: Sequence[Paper]) -> str:
    """Write one BibTeX entry per paper, in order, with keys such as `Cohan2020Specter`."""
    keys = citation_keys(papers)
    return "\n".join(entry(key, paper) for key, paper in zip(keys, papers, strict=True))


def entry(key: str, paper: Paper) -> str:
    """Write the entry of one paper."""
    kind, container = _type_of(paper)
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in _fields(paper, container))
    return f"@{kind}{{{key},\n{lines}}}\n"


def looks_so(head: str) -> bool:
    """Whether a text has an entry of BibTeX, or a string, preamble or comment of it."""
    return _ENTRY.search(head) is not None


def read(lines: Iterable[str]) -> Iterator[Reference | Problem]:
    """Read BibTeX or biblatex; broken entries are reported with their line and left out."""
    for item in entries_in(lines):
        yield item if isinstance(item, Problem) else _reference(item)


def _reference(entry: Entry) -> Reference:
    fields = entry.fields
    title, subtitle = _plain(fields, "title"), _plain(fields, "subtitle")
    reference = Reference(
        key=entry.key,
        title=f"{title}: {subtitle}" if title and subtitle else title,
        authors=names_in(names_between_and(fields.get("author", ""))),
        year=year_in(fields.get("year")) or year_in(fields.get("date")),
        venue=next(filter(None, (_plain(fields, venue) for venue in _VENUES)), None),
        abstract=_plain(fields, "abstract"),
        url=_address(fields),
        kind=_kind(entry),
        volume=_volume(fields),
        page=next(filter(None, (first_page(_plain(fields, name)) for name in _PAGES)), None),
        keyphrases=_keyphrases(fields),
        ids=ids_in(fields),
        cites=cited_by(fields),
    )
    places = ("doi", "journal", "volume", "howpublished", "note", "annote", "bdsk-url-1", "ee")
    found = identified(reference, *map(fields.get, places), _eprint(fields))
    if match := _PUBMED_KEY.fullmatch(entry.key):
        fields = {"pmid": match[1], **fields}
    return named(found, _numbers(fields)) if _IN_PUBMED & fields.keys() else found


def _kind(entry: Entry) -> str:
    kind, told = _KINDS.get(entry.kind, "document"), entry.fields.get("type", "").lower()
    if kind == "document":
        return next((better for word, better in _TOLD_KINDS.items() if word in told), kind)
    return kind


def _volume(fields: Mapping[str, str]) -> str | None:
    """Return the volume, unless an identifier stands in its place."""
    volume = _plain(fields, "volume")
    return volume if volume and len(volume) <= _LONGEST_VOLUME and "/" not in volume else None


def _numbers(fields: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    yield from ((name, fields.get(name)) for name in ("pmid", "pmcid"))
    yield "pmid", fields.get("pubmed_id")
    if fields.get("eprinttype", "").lower() in ("pubmed", "pmid"):
        yield "pmid", fields.get("eprint")


def _keyphrases(fields: Mapping[str, str]) -> tuple[str, ...]:
    """Return the authors' own, then those of a database."""
    found = (keywords_in(_plain(fields, name)) for name in ("author_keywords", "keywords"))
    return tuple(dict.fromkeys(phrase for phrases in found for phrase in phrases))


def _plain(fields: Mapping[str, str], field: str) -> str | None:
    return text_in(from_latex(fields.get(field, "")[:_LONGEST_SOURCE]))


def _address(fields: Mapping[str, str]) -> str | None:
    r"""Find the web address, also in `\url{...}`; `\_` and the like are escapes in it."""
    for field in ("url", "howpublished", "ee", "bdsk-url-1"):
        address = fields.get(field, "").replace(r"\url", "")
        if found := address_in(address.replace(r"\~{}", "~").replace(r"\textasciitilde", "~")):
            return found
    return None


def _eprint(fields: Mapping[str, str]) -> str | None:
    """Return the eprint as an arXiv id unless the entry names another archive."""
    archive = fields.get("eprinttype") or fields.get("archiveprefix") or "arxiv"
    number = fields.get("eprint", "").strip()
    if archive.lower() != "arxiv" or not number:
        return None
    branch = fields.get("eprintclass") or fields.get("primaryclass") or ""
    old = _OLD_NUMBER.fullmatch(number) and branch
    return f"arXiv:{branch.partition('.')[0]}/{number}" if old else f"arXiv:{number}"


def _fields(paper: Paper, container: str) -> Iterator[tuple[str, str]]:
    fields = {
        "title": " ".join(map(_title_word, one_line(paper.title).split())),
        "author": " and ".join(map(_author, names_of(paper))),
        "year": "" if paper.year is None else str(paper.year),
        container: _tex(paper.venue),
        "doi": bare_doi(paper) or "",
        "url": web_address(paper) or "",
        "abstract": _tex(paper.abstract),
    }
    return ((name, value) for name, value in fields.items() if value)


def _type_of(paper: Paper) -> tuple[str, str]:
    """Return the entry type, and the field that holds the venue."""
    kind = kind_of(paper)
    if kind == OTHER:
        return "misc", "howpublished"
    return ("inproceedings", "booktitle") if kind == MEETING else ("article", "journal")


def _title_word(word: str) -> str:
    # Styles lower-case titles; braces keep BERT and GraphRank as they are.
    kept = any(character.isupper() for character in word.lstrip("(['\"")[1:])
    return f"{{{to_latex(word)}}}" if kept else to_latex(word)


def _author(text: str) -> str:
    name = name_of(text)
    in_parts = Name(name.family, name.suffix, name.given).inverted
    spoken = " " not in name.family and not name.suffix
    latex = to_latex(name.natural if spoken else in_parts)
    # Readers take a group apart; bibtexparser loses escapes beside "and".
    group = not name.given and (" " in latex or "," in latex or latex.lower() in _NO_NAMES)
    return f"{{{to_latex(name.natural)}}}" if group or "\\" in latex else latex


def _tex(text: str | None) -> str:
    return to_latex(one_line(text or ""))
