"""Write papers as a web page, and read and write COinS: references inside of one, for Zotero.

COinS are OpenURL 1.0 ContextObjects (NISO Z39.88-2004) in key-encoded values, each as the title of
an empty element. Pages have no script, and load nothing.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import parse_qs, quote

from recsys.formats.references.bibliography import (
    LONGEST_TEXT,
    Problem,
    address_in,
    identified,
    names_in,
    text_in,
    year_in,
)
from recsys.formats.references.citation_keys import citation_keys
from recsys.formats.references.kinds import CHAPTER, JOURNAL, MEETING, OTHER, kind_of
from recsys.formats.references.people import natural, own_name, people_in, written
from recsys.formats.references.shown_facts import (
    bare_doi,
    names_of,
    one_line,
    paper_link,
    web_address,
)
from recsys.records import Paper, Reference

MARK = "Z3988"
"""The class of the elements."""
# Per kind: the format, what says which sort of it, the keys of the title and the venue.
_SHAPES: Mapping[str, tuple[str, tuple[str, str], str, str]] = {
    JOURNAL: ("journal", ("rft.genre", "article"), "rft.atitle", "rft.jtitle"),
    MEETING: ("book", ("rft.genre", "proceeding"), "rft.atitle", "rft.btitle"),
    CHAPTER: ("book", ("rft.genre", "bookitem"), "rft.atitle", "rft.btitle"),
    OTHER: ("dc", ("rft.type", "document"), "rft.title", "rft.source"),
}
_GENRES = {"proceeding": MEETING, "conference": MEETING, "article": JOURNAL, "bookitem": "chapter"}
_SPAN = re.compile(r"<span\b([^<>]*)>", re.IGNORECASE)
_TITLE = re.compile(r"\btitle\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_MOST_FIELDS = 10_000
_LONGEST_TAG = 2**20  # Characters after which a tag that does not end is given up.
_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
"""
_STYLE = """
:root { --text: #1c2024; --soft: #5b6470; --line: #d9dee4; --page: #fff; --link: #0b57a4; }
@media (prefers-color-scheme: dark) {
:root { --text: #e6e9ed; --soft: #a0a9b4; --line: #39414b; --page: #15181c; --link: #8ec1ff; }
}
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 46rem; background: var(--page);
color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; }
.count { color: var(--soft); margin: 0 0 1rem; }
ol { margin: 0; padding-left: 2.5rem; }
li { padding: .75rem 0; border-top: 1px solid var(--line); }
li::marker { color: var(--soft); font-variant-numeric: tabular-nums; }
ol p { margin: 0; }
.title { font-weight: 600; }
.title code { color: var(--soft); font-weight: 400; font-size: .85rem; }
.facts, .notes { color: var(--soft); font-size: .925rem; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .15em; }
.notes { margin: .35rem 0 0; padding-left: 1.1rem; list-style: disc; }
.notes li { padding: 0; border: 0; }
@media print { body { max-width: none; } li { break-inside: avoid; } }
"""


def web_page(
    papers: Sequence[Paper],
    keys: Sequence[str] | None = None,
    *,
    notes: Sequence[Sequence[str]] | None = None,
    heading: str = "Reading list",
    made: Sequence[str] = (),
) -> str:
    """Write a whole page with one list item per paper, in order, each with its citation key.

    keys: of each paper; None: `citation_keys`. notes: lines that are shown below each paper, such
    as its chance and the reasons for it; as many as there are papers. made: when, and of what, the
    page was made.
    """
    below = [()] * len(papers) if notes is None else notes
    count = f"{len(papers):,} paper{'' if len(papers) == 1 else 's'}"
    count = html_text(" \u00b7 ".join((count, *made)))
    page = [page_head(html_text(heading), _STYLE), f'<p class="count">{count}</p>\n<ol>\n']
    for paper, lines, key in zip(papers, below, keys or citation_keys(papers), strict=True):
        shown = paper_lines(paper, f" <code>{html_text(key)}</code>")
        page += ("<li>\n", shown, note_list(lines), f"{span(paper)}\n</li>\n")
    return "".join((*page, "</ol>\n</body>\n</html>\n"))


def page_head(heading: str, style: str) -> str:
    """Begin a page that needs nothing else; the heading is mark-up already."""
    title = f"<title>{heading}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    return f"{_HEAD}{title}<h1>{heading}</h1>\n"


def paper_lines(paper: Paper, beside: str = "") -> str:
    """Write a paper in two lines: its title, linked, and what stands `beside`; who, when, where."""
    title, link = html_text(paper.title) or "Untitled", paper_link(paper)
    if link:
        title = f'<a href="{html.escape(link)}">{title}</a>'
    authors = html_text(", ".join(map(natural, names_of(paper)))) or "Unknown authors"
    year = "n.d." if paper.year is None else str(paper.year)
    venue = f" <cite>{html_text(paper.venue)}</cite>." if html_text(paper.venue) else ""
    facts = f'<p class="facts" dir="auto">{authors} ({year}).{venue}</p>\n'
    return f'<p class="title" dir="auto">{title}{beside}</p>\n{facts}'


def note_list(notes: Iterable[str]) -> str:
    """Write notes as a list, nothing where there is none."""
    items = "".join(f'<li dir="auto">{html_text(note)}</li>\n' for note in notes)
    return f'<ul class="notes">\n{items}</ul>\n' if items else ""


def html_text(text: str | None) -> str:
    """Write a text on one line, so that HTML shows it as it is."""
    return html.escape(one_line(text or ""))


def span(paper: Paper) -> str:
    """Write the element of COinS that holds a paper's reference."""
    name, sort, title, venue = _SHAPES.get(kind_of(paper), _SHAPES[OTHER])
    author_key, doi = "rft.creator" if name == "dc" else "rft.au", bare_doi(paper)
    pairs = [
        ("ctx_ver", "Z39.88-2004"),
        ("rft_val_fmt", f"info:ofi/fmt:kev:mtx:{name}"),
        sort,
        (title, one_line(paper.title)),
        (venue, one_line(paper.venue or "")),
        ("rft.date", "" if paper.year is None else str(paper.year)),
        *((author_key, written(own_name(author))) for author in names_of(paper)),
        ("rft_id", f"info:doi/{doi}" if doi else ""),
        ("rft_id", web_address(paper) or ""),
    ]
    context = "&".join(f"{key}={quote(value, safe='')}" for key, value in pairs if value)
    return f'<span class="{MARK}" title="{html.escape(context)}"></span>'


def looks_so(head: str) -> bool:
    """Whether a text is a web page with references inside."""
    return any(MARK in span[1] for span in _SPAN.finditer(head))


def read(lines: Iterable[str]) -> Iterator[Reference | Problem]:
    """Read the references inside a web page."""
    number = 0
    for text in _whole_tags(lines):
        for tag in _SPAN.finditer(text):
            title = _TITLE.search(tag[1]) if MARK in tag[1] else None
            if title is None:
                continue
            number += 1
            context = html.unescape(title[1] or title[2] or "")
            try:
                yield _reference(parse_qs(context, max_num_fields=_MOST_FIELDS))
            except ValueError as error:
                yield Problem(f"reference {number} cannot be read: {error}.", "unreadable COinS")


def _whole_tags(lines: Iterable[str]) -> Iterator[str]:
    """Join lines until no tag is left open at their end."""
    gathered: list[str] = []
    size = 0
    for line in lines:
        gathered.append(line)
        size += len(line)
        opened, closed = line.rfind("<"), line.rfind(">")
        inside = opened > closed or (opened == closed == -1 and len(gathered) > 1)
        if not inside or size > _LONGEST_TAG:
            yield "".join(gathered)
            gathered, size = [], 0
    yield "".join(gathered)


def _reference(context: Mapping[str, Sequence[str]]) -> Reference:
    def first(*keys: str) -> str | None:
        values = (text_in(value) for key in keys for value in context.get(key, ()))
        return next(filter(None, values), None)

    places = context.get("rft_id", ()) or context.get("rft.identifier", ())
    title, book = first("rft.atitle") or first("rft.title"), first("rft.btitle")
    authors = [*context.get("rft.au", ()), *context.get("rft.creator", ())]
    parts = filter(None, (first("rft.aufirst"), first("rft.aulast")))
    kind = "book" if (first("rft_val_fmt") or "").endswith("book") else OTHER
    reference = Reference(
        title=title or book,
        authors=names_in(people_in(*(authors or [" ".join(parts)]), commas="within").spoken),
        year=year_in(first("rft.date")),
        venue=first("rft.jtitle", "rft.source") or (title and book),
        url=next(filter(None, map(address_in, places)), None),
        kind=_GENRES.get(first("rft.genre") or "", kind),
    )
    return identified(reference, *(place[:LONGEST_TEXT] for place in places))
