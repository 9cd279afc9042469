"""Write and read COinS: a reference inside a web page, where the Zotero button finds it.

It is an OpenURL 1.0 ContextObject (NISO Z39.88-2004) in key-encoded values, as the title of an
empty element.
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
from recsys.formats.references.people import name_of, natural
from recsys.formats.references.shown_facts import (
    JOURNAL,
    MEETING,
    OTHER,
    bare_doi,
    kind_of,
    names_of,
    one_line,
    web_address,
)
from recsys.records import Paper, Reference

MARK = "Z3988"
"""The class of the elements."""
_FORMAT = "info:ofi/fmt:kev:mtx:"
# Per kind: the format, what says which sort of it, the keys of the title and the venue.
_SHAPES: Mapping[str, tuple[str, tuple[str, str], str, str]] = {
    JOURNAL: ("journal", ("rft.genre", "article"), "rft.atitle", "rft.jtitle"),
    MEETING: ("book", ("rft.genre", "proceeding"), "rft.atitle", "rft.btitle"),
    OTHER: ("dc", ("rft.type", "document"), "rft.title", "rft.source"),
}
_GENRES = {"proceeding": MEETING, "conference": MEETING, "article": JOURNAL, "bookitem": "chapter"}
_SPAN = re.compile(r"<span\b([^<>]*)>", re.IGNORECASE)
_TITLE = re.compile(r"\btitle\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_MOST_FIELDS = 10_000
_LONGEST_TAG = 2**20  # Characters after which a tag that does not end is given up.


def span(paper: Paper) -> str:
    """Write the element that holds a paper's reference."""
    pairs = ((key, value) for key, value in _pairs(paper) if value)
    context = "&".join(f"{key}={quote(value, safe='')}" for key, value in pairs)
    return f'<span class="{MARK}" title="{html.escape(context)}"></span>'


def read(lines: Iterable[str]) -> Iterator[Reference | Problem]:
    """Read the references inside a web page."""
    spans = (span[1] for text in _whole_tags(lines) for span in _SPAN.finditer(text))
    titles = (_TITLE.search(span) for span in spans if MARK in span)
    contexts = (html.unescape(title[1] or title[2] or "") for title in titles if title)
    return (_read(number, context) for number, context in enumerate(contexts, start=1))


def looks_so(head: str) -> bool:
    """Whether a text is a web page with references inside."""
    return any(MARK in span[1] for span in _SPAN.finditer(head))


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


def _pairs(paper: Paper) -> Iterator[tuple[str, str]]:
    name, sort, title, venue = _SHAPES[kind_of(paper)]
    yield "ctx_ver", "Z39.88-2004"
    yield "rft_val_fmt", _FORMAT + name
    yield sort
    yield title, one_line(paper.title)
    yield venue, one_line(paper.venue or "")
    yield "rft.date", "" if paper.year is None else str(paper.year)
    for author in names_of(paper):
        yield ("rft.creator" if name == "dc" else "rft.au"), name_of(author).inverted
    doi = bare_doi(paper)
    yield "rft_id", f"info:doi/{doi}" if doi else ""
    yield "rft_id", web_address(paper) or ""


def _read(number: int, context: str) -> Reference | Problem:
    try:
        return _reference(parse_qs(context, max_num_fields=_MOST_FIELDS))
    except ValueError as error:
        return Problem(f"reference {number} cannot be read: {error}.", "unreadable COinS")


def _reference(context: Mapping[str, Sequence[str]]) -> Reference:
    places = context.get("rft_id", ()) or context.get("rft.identifier", ())
    genre, kind = _first(context, "rft.genre"), _first(context, "rft_val_fmt") or ""
    title = _first(context, "rft.atitle") or _first(context, "rft.title")
    own_title = title or _first(context, "rft.btitle")
    venue = _first(context, "rft.jtitle", "rft.source") or (title and _first(context, "rft.btitle"))
    authors = [*context.get("rft.au", ()), *context.get("rft.creator", ())]
    reference = Reference(
        title=own_title,
        authors=tuple(map(natural, names_in(authors or [_split_name(context)]))),
        year=year_in(_first(context, "rft.date")),
        venue=venue,
        url=next(filter(None, map(address_in, places)), None),
        kind=_GENRES.get(genre or "", "book" if kind.endswith("book") else OTHER),
    )
    return identified(reference, *(place[:LONGEST_TEXT] for place in places))


def _first(context: Mapping[str, Sequence[str]], *keys: str) -> str | None:
    return next(
        (text for key in keys for value in context.get(key, ()) if (text := text_in(value))), None
    )


def _split_name(context: Mapping[str, Sequence[str]]) -> str:
    parts = (_first(context, "rft.aufirst"), _first(context, "rft.aulast"))
    return " ".join(filter(None, parts))
