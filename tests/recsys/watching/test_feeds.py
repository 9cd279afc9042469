"""What is written of news: the feed by the rules of feedvalidator.org, and the other formats."""

import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from recsys.records import Paper
from recsys.watching.feeds import ATOM, FORMATS, News, atom, format_for, mail, summary
from recsys.watching.state import Entry, Watch, entry_of

NOW = datetime(2026, 11, 28, 7, 30, tzinfo=UTC)
WATCH = Watch("paper", uuid.uuid4().hex, uuid.uuid4().hex, "/home/ann/paper.tex", index="/my.index")
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_NO_ADDRESS = re.compile(r'[\s<>"{}|\\^`]')
_VOID = {"br", "hr", "img", "meta", "link"}


def new(name: str, **facts: object) -> Entry:
    paper = Paper(name, f"On {name}", authors=("Ann Ash",), year=2026, doi=f"10.1000/{name}")
    paper = replace(paper, **facts)  # type: ignore[arg-type]  # Fields as a test names them.
    return entry_of(WATCH, "new", paper, NOW, probability=0.31, reasons=("similar to your draft",))


def watched(*entries: Entry, watch: Watch = WATCH) -> Watch:
    return replace(watch, entries=entries, ran=NOW)


def faults_of(text: str) -> list[str]:
    """Check a feed as feedvalidator.org does (RFC 4287, and what it recommends beside)."""
    feed = ElementTree.fromstring(text)
    entries = feed.findall(f"{{{ATOM}}}entry")
    found = ["the root is not atom:feed"] * (feed.tag != f"{{{ATOM}}}feed")
    for element in (feed, *entries):
        found += _element_faults(element)
    for entry in entries:
        found += _entry_faults(entry)
    ids = [element.findtext(f"{{{ATOM}}}id") for element in (feed, *entries)]
    authors = [element.find(f"{{{ATOM}}}author") for element in (feed, *entries)]
    names = [
        author.findtext(f"{{{ATOM}}}name", "").strip() for author in feed.iter(f"{{{ATOM}}}author")
    ]
    addresses = [link.get("href", " ") for link in feed.iter(f"{{{ATOM}}}link")]
    own = [link.get("href", "") for link in feed.findall(f"{{{ATOM}}}link[@rel='self']")]
    rules = {
        "an id comes twice": len(set(ids)) == len(ids),
        "an entry has no author": authors[0] is not None or None not in authors,
        "an author has no name": all(names),
        "there is no self link": len(own) == 1 and bool(urlsplit(own[0]).scheme),
        "a link has no address": not any(_NO_ADDRESS.search(each) for each in addresses),
        "a category has no term": all(c.get("term") for c in feed.iter(f"{{{ATOM}}}category")),
    }
    return [*found, *(name for name, kept in rules.items() if not kept)]


def _element_faults(element: ElementTree.Element) -> Iterator[str]:
    """Check what feed and entries have in common."""
    for name in ("id", "title", "updated"):
        if len(element.findall(f"{{{ATOM}}}{name}")) != 1:
            yield f"{element.tag} has not exactly one {name}"
    if not urlsplit(element.findtext(f"{{{ATOM}}}id", "")).scheme:
        yield "an id is no absolute IRI"
    if not element.findtext(f"{{{ATOM}}}title", "").strip():
        yield "a title is empty"
    for name in ("updated", "published"):
        for date in element.findall(f"{{{ATOM}}}{name}"):
            if not _DATE.fullmatch(date.text or ""):
                yield f"{date.text!r} is no date of RFC 3339"


def _entry_faults(entry: ElementTree.Element) -> Iterator[str]:
    """Check what only entries have."""
    content = entry.find(f"{{{ATOM}}}content")
    links = entry.findall(f"{{{ATOM}}}link[@rel='alternate']")
    if content is None and not links:
        yield "an entry has neither content nor an alternate link"
    if content is not None and content.get("type") == "html":
        yield from _Balance.faults(content.text or "")
    if len({(link.get("type"), link.get("hreflang")) for link in links}) < len(links):
        yield "two alternate links are of one type and language"


class _Balance(HTMLParser):
    """Looks for elements that are not closed, and for scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[str] = []

    @classmethod
    def faults(cls, text: str) -> list[str]:
        parser = cls()
        parser.feed(text)
        return [*parser.found, *(f"{tag} is not closed" for tag in parser.open)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style", "iframe", "object", "form"):
            self.found.append(f"{tag} is dangerous in a feed")
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.found.append(f"{tag} is closed and not open")


def feed_of(*watches: Watch, whole: bool = False) -> str:
    return atom(News((), watches, "https://example.org/feed.xml", whole))


def test_a_feed_is_valid() -> None:
    retracted = entry_of(WATCH, "retracted", Paper("10.1/x", "On x"), NOW, text="It was retracted.")
    other = replace(WATCH, name="other", id=uuid.uuid4().hex)
    later = replace(entry_of(other, "new", Paper("x", "On x"), NOW + timedelta(1)), probability=0.5)
    feeds = {
        "empty": feed_of(watched()),
        "never run": feed_of(WATCH),
        "one": feed_of(watched(new("a"), retracted)),
        "all": feed_of(watched(new("a")), watched(later, watch=other), whole=True),
        "no link, no author": feed_of(watched(new("a", doi=None, authors=()))),
    }
    assert {name: faults for name, text in feeds.items() if (faults := faults_of(text))} == {}
    newest_first = [
        entry.findtext(f"{{{ATOM}}}title")
        for entry in ElementTree.fromstring(feeds["all"]).findall(f"{{{ATOM}}}entry")
    ]
    assert newest_first == ["On x", "On a"]


def test_the_rules_find_what_is_wrong() -> None:
    good = feed_of(watched(new("a")))
    damages = {
        "<author>": "<person>",
        "T07:30:00Z": " 07:30",
        'rel="self"': 'rel="via"',
        "urn:uuid:": "",
        "&lt;/p&gt;": "",
        "<published>": "<title>x</title><published>",
    }
    unseen = []
    for old, wrong in damages.items():
        text = good.replace(old, wrong).replace(
            "</author>", f"</{wrong[1:]}" if old == "<author>" else "</author>"
        )
        if old not in good or not faults_of(text):
            unseen.append(old)
    assert unseen == []


@given(st.text(), st.text(), st.text(max_size=20))
def test_no_title_author_or_address_makes_a_feed_invalid(title: str, author: str, url: str) -> None:
    entry = new("a", title=title, authors=(author,), url=f"http://example.org/{url}", doi=None)
    assert faults_of(feed_of(watched(entry))) == []
    every = News([(WATCH, [entry])], [WATCH])
    assert all(write(every) for write in FORMATS.values()) and mail(every, NOW)


def test_ids_depend_on_watch_kind_and_paper_alone() -> None:
    later = entry_of(WATCH, "new", Paper("a", "Another title"), NOW + timedelta(9))
    assert later.id == new("a").id != new("b").id
    assert later.id != entry_of(WATCH, "retracted", Paper("a", ""), NOW).id
    assert later.id != entry_of(replace(WATCH, id=uuid.uuid4().hex), "new", later.paper, NOW).id


def test_a_summary_counts() -> None:
    retracted = entry_of(WATCH, "retracted", Paper("x", "On x"), NOW)
    rows: Sequence[tuple[list[Entry], str]] = (
        ([new("a")], "1 new paper for paper.tex"),
        ([new("a"), new("b")], "2 new papers for paper.tex"),
        ([retracted], "1 change to a cited paper for paper.tex"),
        ([new("a"), retracted], "1 new paper and 1 change to a cited paper for paper.tex"),
    )
    said = [summary(News([(WATCH, entries)])) for entries, _ in rows]
    assert said == [expected for _, expected in rows]


def test_a_format_follows_the_name_of_a_file() -> None:
    names = {
        "a.xml": "atom",
        "a.ATOM": "atom",
        "a.html": "html",
        "a.json": "json",
        "a.md": "markdown",
    }
    assert {name: format_for(Path(name)) for name in names} == names
    assert format_for(None) == "markdown"
