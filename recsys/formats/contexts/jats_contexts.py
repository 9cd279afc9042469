"""Read the citing sentences of articles in JATS, the XML of PubMed Central and of journals."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO
from xml.etree.ElementTree import Element

from recsys.formats.contexts.citing_text import ELSEWHERE, cited_sentences
from recsys.formats.contexts.found_contexts import (
    NO_NAME,
    context_of,
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
    cited = _Cited.of(article, work)
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
        yield from _sentences(citing, cited, _Marked.of(paragraph, cited), section)


@dataclass(frozen=True, slots=True)
class _Cited:
    """The list of references: the works of each entry, and the entries in their order."""

    works: Mapping[str, list[Reference]]
    places: Mapping[str, int]
    order: Sequence[str]

    @classmethod
    def of(cls, article: Element, work: Reference) -> "_Cited":
        order = [entry.get("id", "") for entry in article.iter("ref")]
        works: dict[str, list[Reference]] = {}
        for each in work.cites:
            works.setdefault(each.key, []).append(each)
        # A citation within an entry may be pointed at, too.
        for entry in article.iter("ref"):
            for inner in entry:
                if (name := inner.get("id")) and name not in works:
                    works[name] = works.get(entry.get("id", ""), [])
        return cls(works, {name: place for place, name in enumerate(order)}, order)

    def between(self, first: str, last: str) -> Sequence[str]:
        """Return the entries from the one behind `first` up to the one before `last`."""
        begin, end = self.places.get(first, -1), self.places.get(last, -1)
        if begin < 0 or not 0 < end - begin <= _WIDEST_RANGE:
            return ()
        return self.order[begin + 1 : end]


@dataclass(frozen=True, slots=True)
class _Marked:
    """A paragraph with ELSEWHERE at each mark, and the entries that are cited at each."""

    text: str
    keys: Sequence[Sequence[str]]

    @classmethod
    def of(cls, paragraph: Element, cited: _Cited) -> "_Marked":
        pieces: list[str] = []
        keys: list[list[str]] = []
        since: list[str] = []
        for item in _pieces(paragraph):
            if isinstance(item, str):
                pieces.append(without_signs(item))
                since.append(item)
                continue
            named = item.get("rid", "").split()
            found = [name for name in named if name in cited.works or name in cited.places]
            if not found:
                if item.get("ref-type") not in (None, "fn", "table-fn", "aff", "corresp"):
                    pieces.append("".join(item.itertext()))  # "Figure 3" is read on.
                continue
            if keys and _RANGE.fullmatch("".join(since)):
                found = [*cited.between(keys[-1][-1], found[0]), *found]
            pieces.append(ELSEWHERE)
            keys.append(found)
            since = []
        return cls("".join(pieces), keys)


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


def _sentences(
    citing: Reference, cited: _Cited, marked: _Marked, section: str
) -> Iterator[Context | Problem]:
    for sentence, marks in cited_sentences(marked.text):
        for key in dict.fromkeys(key for mark in marks for key in marked.keys[mark]):
            for work in cited.works.get(key, ()):
                if is_known(work):
                    yield context_of(citing, work, sentence, section)
                else:
                    yield NO_NAME
