"""Write papers as a reference list: BibTeX and Markdown."""

import re
from collections.abc import Iterable, Sequence

from recsys.names import fold
from recsys.records import Paper
from recsys.text import STOP_WORDS

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
} | {character: "\\" + character for character in "&%$#_"}
_LATEX = re.compile(r"[\\{}~^&%$#_]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|])")
_SUFFIX = re.compile(r"(?i)(jr|sr|ii|iii|iv)\.?")
_JOURNAL = re.compile(r"(?i)\b(journal|transactions|letters|review|reviews|annals|magazine)\b")
_MEETING = re.compile(
    r"(?i)\b(proceedings|proc|conference|conf|workshop|symposium|congress|meeting)\b"
)
_ACRONYM = re.compile(r"[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?:[-/ ][A-Z]+)*(?: ?'?\d{2,4})?")
_LONGEST_ACRONYM = 30


def bibtex(papers: Sequence[Paper]) -> str:
    """Write one BibTeX entry per paper, in order, with keys such as `Cohan2020Specter`."""
    keys = citation_keys(papers)
    return "\n".join(_entry(key, paper) for key, paper in zip(keys, papers, strict=True))


def markdown(papers: Iterable[Paper]) -> str:
    """Write a numbered Markdown list, one line per paper."""
    lines = (f"{i}. {markdown_item(paper)}\n" for i, paper in enumerate(papers, start=1))
    return "".join(lines)


def markdown_item(paper: Paper) -> str:
    """Write one paper as Markdown: authors (year), linked title, venue."""
    authors = _md(", ".join(paper.authors)) or "Unknown authors"
    year = "n.d." if paper.year is None else str(paper.year)
    title, link = _md(paper.title), paper_link(paper)
    venue = f" *{_md(paper.venue)}*." if paper.venue else ""
    return f"{authors} ({year}). " + (f"[{title}](<{link}>)." if link else f"{title}.") + venue


def paper_link(paper: Paper) -> str | None:
    """Return the web address of a paper, its DOI's first; None when it has none."""
    doi = re.sub(r"(?i)^(https?://(dx\.)?doi\.org/|doi:\s*)", "", paper.doi or "").strip()
    link = f"https://doi.org/{doi}" if doi.startswith("10.") else (paper.url or "").strip()
    return re.sub(r"[\s<>{}\\]", "", link) if re.match(r"https?://", link) else None


def one_line(text: str) -> str:
    """Collapse white space and drop control characters: no title may steer a terminal."""
    return " ".join(_CONTROL.sub(" ", text).split())


def citation_keys(papers: Sequence[Paper]) -> list[str]:
    """Name each paper by surname, year and first title word, distinct ignoring case."""
    taken: set[str] = set()
    keys = []
    for paper in papers:
        stem = f"{_surname(paper)}{paper.year or ''}{_first_word(paper)}" or "Paper"
        key = next(k for k in _variants(stem) if k.casefold() not in taken)
        taken.add(key.casefold())
        keys.append(key)
    return keys


def _variants(stem: str) -> Iterable[str]:
    yield stem
    number = 2
    while True:
        yield f"{stem}-{number}"
        number += 1


def _surname(paper: Paper) -> str:
    if not paper.authors:
        return "Anonymous"
    name, comma, _ = paper.authors[0].partition(",")
    words = [word for word in name.split() if not _SUFFIX.fullmatch(word)]
    surname = name if comma or not words else words[-1]
    letters = re.sub(r"[^a-z]", "", fold(surname))
    return letters[:1].upper() + letters[1:]


def _first_word(paper: Paper) -> str:
    words = re.findall(r"[a-z0-9]+", fold(paper.title))
    kept = [word for word in words if word not in STOP_WORDS and len(word) > 1] or words
    return kept[0].capitalize() if kept else ""


def _entry(key: str, paper: Paper) -> str:
    kind, container = _kind(paper.venue)
    link = paper_link(paper) or ""
    fields = {
        "title": " ".join(map(_title_word, paper.title.split())),
        "author": " and ".join(_author(name) for name in paper.authors if name.strip()),
        "year": "" if paper.year is None else str(paper.year),
        container: _tex(paper.venue or ""),
        "doi": link.removeprefix("https://doi.org/") if "//doi.org/" in link else "",
        "url": "" if "//doi.org/" in link else link,
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@{kind}{{{key},\n{lines}}}\n"


def _kind(venue: str | None) -> tuple[str, str]:
    """Guess the entry type from the venue's name, and the field that holds the venue."""
    if not venue:
        return "misc", "howpublished"
    if _JOURNAL.search(venue) and not venue.lower().startswith("proc"):
        return "article", "journal"
    acronym = len(venue) <= _LONGEST_ACRONYM and _ACRONYM.fullmatch(venue.strip())
    if acronym or _MEETING.search(venue):
        return "inproceedings", "booktitle"
    return "article", "journal"


def _title_word(word: str) -> str:
    # Styles lower-case titles; braces keep BERT and GraphRank as they are.
    kept = any(character.isupper() for character in word.lstrip("(['\"")[1:])
    return f"{{{_tex(word)}}}" if kept else _tex(word)


def _author(name: str) -> str:
    # More than two commas, or the word "and", would be read as several people.
    whole = name.count(",") > 2 or "and" in name.lower().split()
    return f"{{{_tex(name)}}}" if whole else _tex(name)


def _tex(text: str) -> str:
    return _LATEX.sub(lambda match: _SPECIAL[match[0]], one_line(text))


def _md(text: str | None) -> str:
    return _MARKDOWN.sub(r"\\\1", one_line(text or ""))
