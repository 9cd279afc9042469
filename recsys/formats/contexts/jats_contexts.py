"""Read the citing sentences of articles in JATS, the XML of PubMed Central and of journals."""

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO
from xml.etree.ElementTree import Element

from recsys.formats.contexts.citing_text import (
    ELSEWHERE,
    NO_NAME,
    cited_contexts,
    is_known,
    without_signs,
)
from recsys.formats.markup import jats_xml
from recsys.formats.markup.element_text import title_of
from recsys.formats.markup.xml_stream import Layout, Record, records
from recsys.formats.references.bibliography import Problem
from recsys.passages import Context
from recsys.records import Reference

_LAYOUT = Layout(
    frozenset({"article"}),
    frozenset(
        "floats-group sub-article response supplementary-material permissions fig fig-group "
        "table-wrap table-wrap-group table disp-formula inline-formula tex-math graphic media "
        "array code preformat".split()
    ),
)
_PARAGRAPHS = frozenset({"p", "term", "def"})
_NO_TEXT = frozenset({"title", "label", "caption", "fn", "xref", "ref-list", "abstract", "math"})
_RANGE = re.compile(r"\s*[\u2010-\u2015-]\s*")
_WIDEST_RANGE = 200


def looks_so(head: str) -> bool:
    """Whether a file holds articles in JATS; whether with their text is seen when it is read."""
    return jats_xml.looks_so(head)


def read(stream: BinaryIO) -> Iterator[Context | Problem]:
    """Read the articles of a file, one after the other."""
    for found in records(stream, _LAYOUT):
        if isinstance(found, Problem):
            yield found
        else:
            yield from _article(found)


def _article(found: Record) -> Iterator[Context | Problem]:
    article, body = found.element, found.element.find("body")
    work = jats_xml.work_of_article(article)
    if body is None or work is None:
        text = f"line {found.line}: the article comes without its text."
        yield Problem(text, "article without text", found.line)
        return
    if not is_known(work):
        yield NO_NAME
        return
    entries = _Entries(article, work)
    citing = Reference(
        id=work.id,
        title=work.title,
        authors=work.authors[:1],
        year=work.year,
        doi=work.doi,
        arxiv=work.arxiv,
        pmid=work.pmid,
        ids=work.ids,
    )
    for section, paragraph in _paragraphs(body):
        text, keys = _marked(paragraph, entries)
        yield from cited_contexts(citing, entries.works, text, keys, section)


class _Entries:
    """The list of references: the works of each entry, and the entries in their order."""

    def __init__(self, article: Element, work: Reference) -> None:
        entries = list(article.iter("ref"))
        self.order = [entry.get("id", "") for entry in entries]
        self.places = {name: place for place, name in enumerate(self.order)}
        self.works: dict[str, list[Reference]] = {}
        for cited in work.cites:
            self.works.setdefault(cited.key, []).append(cited)
        # A citation within an entry may be pointed at, too.
        for entry in entries:
            works = self.works.setdefault(entry.get("id", ""), [])
            for inner in entry:
                if name := inner.get("id"):
                    self.works.setdefault(name, works)

    def between(self, first: str, last: str) -> Sequence[str]:
        """Return the entries from the one behind `first` up to the one before `last`."""
        begin, end = self.places.get(first, -1), self.places.get(last, -1)
        if begin < 0 or not 0 < end - begin <= _WIDEST_RANGE:
            return ()
        return self.order[begin + 1 : end]


def _marked(paragraph: Element, entries: _Entries) -> tuple[str, list[list[str]]]:
    """Put ELSEWHERE at each mark of a paragraph; also return the entries cited at each."""
    pieces: list[str] = []
    keys: list[list[str]] = []
    since: list[str] = []
    for item in _pieces(paragraph):
        if isinstance(item, str):
            pieces.append(without_signs(item))
            since.append(item)
            continue
        cited = [name for name in item.get("rid", "").split() if name in entries.works]
        if not cited:
            if item.get("ref-type") not in (None, "fn", "table-fn", "aff", "corresp"):
                pieces.append("".join(item.itertext()))  # "Figure 3" is read on.
            continue
        if keys and _RANGE.fullmatch("".join(since)):
            cited = [*entries.between(keys[-1][-1], cited[0]), *cited]
        pieces.append(ELSEWHERE)
        keys.append(cited)
        since = []
    return "".join(pieces), keys


def _pieces(paragraph: Element) -> Iterator[str | Element]:
    """Yield the texts of a paragraph and its cross references, in order."""
    stack: list[Element | str] = [paragraph]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif item.tag == "xref":
            yield item
        elif item is paragraph or not (item.tag in _NO_TEXT or item.tag in _PARAGRAPHS):
            for child in reversed(item):
                stack.append(child.tail or "")
                stack.append(child)
            yield item.text or ""


def _paragraphs(body: Element) -> Iterator[tuple[str, Element]]:
    """Yield the paragraphs, also those of lists and boxes, with the title of their section."""
    stack: list[tuple[Element, str]] = [(body, "")]
    while stack:
        element, section = stack.pop()
        if element.tag in ("sec", "app"):
            section = title_of(element.find("title")) or section
        if element.tag in _PARAGRAPHS:
            yield section, element
        inside = [child for child in element if child.tag not in _NO_TEXT]
        stack.extend((child, section) for child in reversed(inside))
