"""Read BibTeX and biblatex: one entry per work."""

import re
from collections.abc import Iterable, Iterator, Mapping

from recsys.formats.exports.export_facts import accession
from recsys.formats.exports.scopus_citations import cited_in
from recsys.formats.exports.wos_citations import cited_of
from recsys.formats.latex.latex_text import from_latex
from recsys.formats.papers.external_ids import named
from recsys.formats.papers.paper_fields import first_page
from recsys.formats.references.bibliography import (
    LONGEST_TEXT,
    Problem,
    address_in,
    identified,
    in_two_ways,
    keywords_in,
    kinds_by_word,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.bibtex_entries import Entry, entries_in, split_outside
from recsys.formats.references.journal_macros import JOURNALS
from recsys.formats.references.people import People, people_in
from recsys.records import Reference

_LONGEST_SOURCE = 4 * LONGEST_TEXT  # Characters of LaTeX.
_LONGEST_NAMES = 200_000  # Characters: the largest collaborations have some 5000 authors.
_LONGEST_LIST = 1_000_000  # Characters of a list of references.
_LONGEST_VOLUME = 40
_ENTRY = re.compile(
    r"^[ \t]{0,8}@(?:string[ \t]{0,8}[{(]\s{0,80}[\w:-]{1,80}\s{0,80}="
    r"|(?:comment|preamble)[ \t]{0,8}[{(]"
    r"|[a-z]{1,40}[ \t]{0,8}[{(]\s{0,80}[^\s,=\"#%{}()]{1,200}[ \t]{0,8},)",
    re.IGNORECASE | re.MULTILINE,
)
_AND = re.compile(r"(?<!\\)[{}]|(?<=\s)and(?=\s)", re.IGNORECASE)
_COMMA = re.compile(r"(?<!\\)[{}]|,")
_OTHERS = re.compile(r"(?i)\b(?:and\s+others|et\.?\s+al\.?)[\s}]*\Z")
_LONGEST_END = 60
_BRACED = re.compile(r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}")
_APART = re.compile(r",|;|\s(?:and|&)\s")
"""What would part names, were it not between braces."""
_MACRO = re.compile(r"\\([A-Za-z]{2,12})(?![A-Za-z])")
_TILDE = re.compile(r"\\~\{\}|\\textasciitilde")
_PUBMED_KEY = re.compile(r"PMID:(\d{1,9})")
_OLD_NUMBER = re.compile(r"\d{7}(?:v\d{1,2})?")
# What the Web of Science adds: a list of what a work cites, escaped, a reference on each line.
_ENDS = re.compile(r"\.\s+(?=[^\d.,][^.,]{0,60}, \d{4},)")
_ESCAPED = re.compile(r"\\([&%_#$])")
_BRACES = dict.fromkeys(map(ord, "{}"))
_LATEX = re.compile(r"[\\{$]")
_IN_PUBMED = frozenset({"pmid", "pubmed_id", "pmcid", "eprinttype"})
_PAGES = ("pages", "eid", "articleno", "art_number", "article-number")
_VENUES = ("journaltitle", "journal", "booktitle", "eventtitle")
_ADDRESSES = ("url", "howpublished", "ee", "bdsk-url-1")
_PLACES = ("doi", "journal", "volume", "howpublished", "note", "annote", "bdsk-url-1", "ee")
_KINDS = kinds_by_word(
    """article-journal: article; book: book | collection | mvbook | proceedings
    chapter: inbook | incollection; dataset: dataset; manuscript: unpublished
    pamphlet: booklet; paper-conference: conference | inproceedings; patent: patent
    report: manual | report | techreport; software: software
    thesis: mastersthesis | phdthesis | thesis; webpage: electronic | online | www"""
)
# What the field `type` of an entry of no other kind says.
_TOLD_KINDS = {"thesis": "thesis", "report": "report", "preprint": "article"}


def looks_so(head: str) -> bool:
    """Whether a text has an entry of BibTeX, or a string, preamble or comment of it."""
    return _ENTRY.search(head) is not None


def read(lines: Iterable[str]) -> Iterator[Reference | Problem]:
    """Read BibTeX or biblatex; broken entries are reported with their line and left out."""
    for item in entries_in(lines):
        if isinstance(item, Problem):
            yield item
            continue
        people = _people(item.fields.get("author", ""))
        work = _reference(item, names_in(people.spoken))
        if people.unsure:
            yield in_two_ways(work.authors, item.key)
        if not work.venue and (macro := _MACRO.search(item.fields.get("journal", ""))):
            text = f"{item.key}: the journal is {macro[0]}, which is no macro that is known."
            yield Problem(text, "journal by an unknown macro", kept=True)
        yield work


def _reference(entry: Entry, authors: tuple[str, ...]) -> Reference:
    fields = entry.fields

    def plain(*names: str, macros: bool = False) -> str | None:
        sources = (fields.get(name, "")[:_LONGEST_SOURCE] for name in names)
        if macros:
            sources = (_MACRO.sub(_journal, source) for source in sources)
        return next(filter(None, (text_in(from_latex(source)) for source in sources)), None)

    title, subtitle, volume = plain("title"), plain("subtitle"), plain("volume")
    told, kind = fields.get("type", "").lower(), _KINDS.get(entry.kind, "document")
    if kind == "document":
        kind = next((better for word, better in _TOLD_KINDS.items() if word in told), kind)
    if volume and (len(volume) > _LONGEST_VOLUME or "/" in volume):
        volume = None  # An identifier stands in its place.
    names = (accession(fields.get(name, "").strip("{} ")) for name in ("unique-id", "url"))
    # In `\url{...}`, too; `\_` and the like are escapes.
    sources = (fields.get(name, "").replace(r"\url", "") for name in _ADDRESSES)
    addresses = (_TILDE.sub("~", source) for source in sources)
    # What an entry of no other kind says of its publication is its venue, unless it is a link.
    how = plain("howpublished") or ""
    how = "" if address_in(how) or "\\url" in how else how
    # The authors' own keywords, then those of a database.
    phrases = (*keywords_in(plain("author_keywords")), *keywords_in(plain("keywords")))
    work = Reference(
        key=entry.key,
        title=f"{title}: {subtitle}" if title and subtitle else title,
        authors=authors,
        year=year_in(fields.get("year")) or year_in(fields.get("date")),
        venue=plain(*_VENUES, macros=True) or how or None,
        abstract=plain("abstract"),
        url=next(filter(None, map(address_in, addresses)), None),
        kind=kind,
        volume=volume,
        page=next(filter(None, (first_page(plain(name)) for name in _PAGES)), None),
        keyphrases=tuple(dict.fromkeys(phrases)),
        ids=tuple(dict.fromkeys(name for _, ids in names for name in ids)),
        cites=_cited_by(fields),
        others=_OTHERS.search(fields.get("author", "")[-_LONGEST_END:]) is not None,
    )
    work = identified(work, *map(fields.get, _PLACES), _eprint(fields))
    key = _PUBMED_KEY.fullmatch(entry.key)
    if key is None and _IN_PUBMED.isdisjoint(fields):
        return work
    number = fields.get("pmid", key[1] if key else None)
    is_eprint = fields.get("eprinttype", "").lower() in ("pubmed", "pmid")
    return named(
        work,
        [
            ("pmid", number),
            ("pmcid", fields.get("pmcid")),
            ("pmid", fields.get("pubmed_id")),
            ("pmid", fields.get("eprint") if is_eprint else None),
        ],
    )


def _journal(macro: re.Match[str]) -> str:
    return JOURNALS.get(macro[1].lower(), macro[0])


def _eprint(fields: Mapping[str, str]) -> str | None:
    """Return the eprint as an arXiv id unless the entry names another archive."""
    archive = fields.get("eprinttype") or fields.get("archiveprefix") or "arxiv"
    number = fields.get("eprint", "").strip()
    if archive.lower() != "arxiv" or not number:
        return None
    branch = fields.get("eprintclass") or fields.get("primaryclass") or ""
    old = _OLD_NUMBER.fullmatch(number) and branch
    return f"arXiv:{branch.partition('.')[0]}/{number}" if old else f"arXiv:{number}"


def _cited_by(fields: Mapping[str, str]) -> tuple[Reference, ...]:
    """Return what an entry says that its work cites, as the Web of Science or Scopus export it."""
    if cited := fields.get("cited-references"):
        text = _ESCAPED.sub(r"\1", cited[:_LONGEST_LIST]).translate(_BRACES)
        lines = [line.strip() for line in text.split("\n")]
        if sum(len(_ENDS.findall(line)) for line in lines) * 4 >= len(lines):
            lines = _ENDS.split(" ".join(lines))  # Another program broke the lines elsewhere.
        return tuple(cited_of(line) for part in lines if (line := part.strip().rstrip(". ")))
    cited = fields.get("references", "")[:_LONGEST_LIST]
    if not cited or "scopus" not in f"{fields.get('source')} {fields.get('url')}".lower():
        return ()  # Others call notes or links so.
    return cited_in(from_latex(cited) if _LATEX.search(cited) else cited)


def _people(field: str) -> People:
    """Read the names of an author field; `{...}` is a name that stays as it is.

    bibtexparser splits such lists, too, but loses the accent of a name that begins with one.

    >>> _people("Cohan, Arman and King, Jr., Martin and {Simon and Co, Ltd}").spoken
    ('Arman Cohan', 'Martin King Jr.', 'Simon and Co, Ltd')
    >>> _people("Matthew Kay 0001 and Martin King, Jr. and family=Ash, given=Ann").spoken
    ('Matthew Kay', 'Martin King Jr.', 'Ann Ash')
    """
    names = []
    for name in split_outside(field[:_LONGEST_NAMES], _AND):
        written = split_outside(name, _COMMA)
        parts = [from_latex(part).strip() for part in written]
        pairs = zip(written, parts, strict=True)
        kept = any("{" in latex and _APART.search(part) for latex, part in pairs)
        whole = kept or _BRACED.fullmatch(name.strip())
        names.append(f"{{{', '.join(parts)}}}" if whole else ", ".join(parts))
    return people_in(*names, commas="within")
