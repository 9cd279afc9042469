"""Write what is new for watched drafts: as a feed, a mail, a page, a list, or for programs.

A new format is what writes it, and a row in FORMATS.
"""

import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import PurePath
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from recsys.formats.answers import facts, json_text, percent
from recsys.formats.references.people import natural
from recsys.formats.references.reference_writers import escaped, markdown_item
from recsys.formats.references.shown_facts import names_of, one_line, paper_link
from recsys.formats.references.web_page import html_text, note_list, page_head
from recsys.formats.references.web_page import paper_lines as html_lines
from recsys.store.artifacts import VERSION
from recsys.watching.state import Entry, Watch

WATCH_SCHEMA = "recsys.watch/1"
ATOM = "http://www.w3.org/2005/Atom"
MEDIA_TYPE = "application/atom+xml; charset=utf-8"
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NO_ADDRESS = re.compile(r'[\s<>"{}|\\^`]')
"""What stands in no address but as a number."""
_STYLE = """
section { border-top: 1px solid var(--line); padding: .6rem 0; } h2 { font-size: 1.1rem; }
.title { margin: 0; font-weight: 600; } .facts { margin: 0; color: var(--soft); }
"""


@dataclass(frozen=True, slots=True)
class News:
    """What a format writes.

    watches: with something to tell, and the entries of each, newest first. all: every watch that
    was asked for, for feeds: they hold what was told before, too. address: of the feed itself.
    whole: whether it is that of all watches, however few there are.
    """

    watches: Sequence[tuple[Watch, Sequence[Entry]]]
    all: Sequence[Watch] = ()
    address: str | None = None
    whole: bool = False


def draft_name(watch: Watch) -> str:
    """Name the file of a draft."""
    return one_line(PurePath(watch.draft).name)


def headline(entry: Entry) -> str:
    """Say an entry in a line: the title of a new paper, or what became of a cited one."""
    title = one_line(entry.paper.title) or "Untitled"
    return title if entry.is_new else f"{entry.kind.capitalize()}: {title}"


def said_of(entry: Entry) -> list[str]:
    """Say below an entry how probable it is and why, or what happened."""
    if entry.probability is None:
        return [entry.text] if entry.text else []
    return [f"{percent(entry.probability)} probability of being cited", *entry.reasons]


def summary(news: News) -> str:
    """Count what is new in one line: `2 new papers and 1 change for paper.tex`."""
    entries = [entry for _, each in news.watches for entry in each]
    new = sum(entry.is_new for entry in entries)
    counts = ((new, "new paper"), (len(entries) - new, "change to a cited paper"))
    plural = {"new paper": "new papers", "change to a cited paper": "changes to cited papers"}
    told = [f"{n} {name if n == 1 else plural[name]}" for n, name in counts if n]
    drafts = ", ".join(draft_name(watch) for watch, _ in news.watches)
    return f"{' and '.join(told)} for {drafts}"


def markdown(news: News) -> str:
    """Write a list for each draft."""
    lines: list[str] = []
    for watch, entries in news.watches:
        lines += [f"# New for {escaped(draft_name(watch))}", ""]
        for entry in entries:
            mark = "" if entry.is_new else f"**{entry.kind.capitalize()}:** "
            lines.append(f"- {mark}{markdown_item(entry.paper)}")
            lines += [f"    - {escaped(line)}" for line in said_of(entry)]
        lines.append("")
    return "\n".join(lines)


def html(news: News) -> str:
    """Write a web page that needs nothing else."""
    parts = [page_head("New for your drafts", _STYLE)]
    for watch, entries in news.watches:
        parts.append(f"<section>\n<h2>{html_text(draft_name(watch))}</h2>\n")
        for entry in entries:
            parts.append(_entry_html(entry))
        parts.append("</section>\n")
    return "".join((*parts, "</body>\n</html>\n"))


def _entry_html(entry: Entry) -> str:
    said = said_of(entry)
    lines = said if entry.is_new else [f"{entry.kind.capitalize()}: {line}" for line in said]
    return html_lines(entry.paper) + note_list(lines)


def as_json(news: News) -> str:
    """Write one JSON object of schema `recsys.watch/1`."""
    watches = [
        {
            "name": watch.name,
            "draft": watch.draft,
            "entries": [_entry_record(entry) for entry in entries],
        }
        for watch, entries in news.watches
    ]
    return json_text({"schema": WATCH_SCHEMA, "watches": watches}, indent=1) + "\n"


def _entry_record(entry: Entry) -> dict[str, Any]:
    paper = entry.paper
    return {
        "id": entry.id,
        "kind": entry.kind,
        "on": entry.on.isoformat(),
        "paper": paper.id,
        "title": paper.title,
        "authors": list(paper.authors),
        "year": paper.year,
        "venue": paper.venue,
        "doi": paper.doi,
        "url": paper_link(paper),
        "text": entry.text,
        "probability": entry.probability,
        "reasons": list(entry.reasons),
    }


def atom(news: News) -> str:
    """Write a feed (RFC 4287) of what was told of all watches, newest first."""
    watches = news.all
    alone = None if news.whole else watches[0]
    ElementTree.register_namespace("", ATOM)
    feed = _element("feed")
    _add(feed, "id", uuid.UUID(alone.id if alone else watches[0].everything).urn)
    name = f" for {draft_name(alone)}" if alone else ""
    _add(feed, "title", f"What is new{name}")
    entries = sorted(
        ((watch, entry) for watch in watches for entry in watch.entries),
        key=lambda pair: pair[1].on,
        reverse=True,
    )
    last = [entry.on for _, entry in entries] + [watch.ran for watch in watches if watch.ran]
    _add(feed, "updated", _date(max(last[:1] or [datetime.fromtimestamp(0, UTC)])))
    _add(_add(feed, "author"), "name", "recsys")
    _add(feed, "generator", "recsys", version=VERSION)
    if news.address:
        _add(feed, "link", rel="self", type="application/atom+xml", href=news.address)
    for watch, entry in entries:
        feed.append(_atom_entry(watch, entry))
    ElementTree.indent(feed)
    text = ElementTree.tostring(feed, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _atom_entry(watch: Watch, entry: Entry) -> ElementTree.Element:
    element = _element("entry")
    _add(element, "id", entry.id)
    _add(element, "title", headline(entry))
    _add(element, "updated", _date(entry.on))
    _add(element, "published", _date(entry.on))
    for name in map(natural, names_of(entry.paper)):
        _add(_add(element, "author"), "name", name)
    if link := paper_link(entry.paper):
        address = _NO_ADDRESS.sub(lambda found: quote(found[0]), link)
        _add(element, "link", rel="alternate", href=address)
    _add(element, "category", term=entry.kind)
    _add(element, "category", term=watch.name, scheme="urn:recsys:watch")
    _add(element, "content", _entry_html(entry), type="html")
    return element


def _element(name: str) -> ElementTree.Element:
    return ElementTree.Element(f"{{{ATOM}}}{name}")


def _add(
    parent: ElementTree.Element, name: str, text: str | None = None, **attributes: str
) -> ElementTree.Element:
    element = _element(name)
    element.text = None if text is None else _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)
    element.attrib |= {key: _NO_XML.sub("", value) for key, value in attributes.items()}
    parent.append(element)
    return element


def _date(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def mail(news: News, moment: datetime) -> bytes:
    """Write a message (RFC 5322) with the news as text and as HTML, of no sender's machine."""
    message = EmailMessage()
    message["Subject"] = f"recsys: {summary(news)}"
    message["From"] = "recsys <recsys@localhost>"
    message["To"] = "undisclosed-recipients:;"
    message["Date"] = format_datetime(moment)
    ids = "".join(entry.id for _, entries in news.watches for entry in entries)
    message["Message-ID"] = f"<{uuid.uuid5(uuid.NAMESPACE_URL, ids).hex}@recsys.localhost>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content("\n".join(_plain(news)))
    message.add_alternative(html(news), subtype="html")
    return message.as_bytes()


def _plain(news: News) -> Iterator[str]:
    for watch, entries in news.watches:
        yield from (draft_name(watch), "")
        for entry in entries:
            lines = (headline(entry), facts(entry.paper), *said_of(entry), paper_link(entry.paper))
            yield from (f"  {one_line(line)}" for line in lines if line)
            yield ""


FORMATS: Mapping[str, Callable[[News], str]] = {
    "atom": atom,
    "markdown": markdown,
    "html": html,
    "json": as_json,
}
"""How news can be written -> what writes it."""
SUFFIXES: Mapping[str, str] = {
    ".xml": "atom", ".atom": "atom", ".html": "html", ".htm": "html", ".json": "json",
}  # fmt: skip
"""Suffix of a file -> the format that it is written in unless another one is named."""


def format_for(out: PurePath | None) -> str:
    """Choose the format of a file by its name; a list where it tells nothing."""
    return SUFFIXES.get(out.suffix.lower() if out else "", "markdown")
