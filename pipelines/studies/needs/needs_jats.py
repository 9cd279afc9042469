"""Read the running text of an article in JATS as sentences with their citation marks.

Drafts are not written in JATS, so this is a reader for training only.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from xml.etree.ElementTree import Element

from recsys.formats.bodies.sentence_splitting import sentence_spans
from recsys.formats.markup.element_text import text_of
from recsys.formats.markup.xml_stream import Layout, Record, records
from recsys.passages import Body, Mark, Sentence

_LAYOUT = Layout(frozenset({"article"}), frozenset({"front", "sub-article", "response"}))
# What is no running text.
_LEFT_OUT = frozenset(
    "fig fig-group table-wrap table-wrap-group disp-formula disp-formula-group caption table label "
    "supplementary-material media graphic boxed-text code preformat fn object-id ref-list "
    "def-list list title tex-math".split()
)
_FORMULA = "x"
"""What stands for a formula: a letter reads well in most places."""
_HERE = "\ufdd0"
"""What stands for a citation while a paragraph is cut: a character that no text holds."""
_SEE = r"(?:(?:see|also|reviewed|review|reviews|for|in|by|but|and|cf\.|e\.g\.|i\.e\.)[,:]?\s+)*"
_MARKS = re.compile(
    rf"(?:\s*[\[(]\s*{_SEE}{_HERE}(?:[\s,;\u2010-\u2015-]|{_HERE}|and\s|references therein)*[\])]"
    rf"(?:\s*[,;\u2010-\u2015-]?(?=\s*\[{_HERE}))?)+"
    rf"|\s*{_HERE}(?:[\s,;\u2010-\u2015-]*{_HERE})*"
)


@dataclass(slots=True)
class _Paragraph:
    """A paragraph's text while it is gathered, with the keys of its citations in order."""

    pieces: list[str] = field(default_factory=list)
    keys: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, element: Element) -> None:
        for piece in _inside(element):
            if isinstance(piece, tuple):
                self.keys.append(piece)
                self.pieces.append(_HERE)
            else:
                self.pieces.append(piece)


def read_articles(raw: bytes) -> Iterator[Body]:
    """Read the body of each article of a file; a broken one ends the file."""
    for found in records(BytesIO(raw), _LAYOUT):
        body = found.element.find("body") if isinstance(found, Record) else None
        if body is not None:
            yield Body(tuple(_sentences(body)))


def _sentences(body: Element) -> Iterator[Sentence]:
    for number, (section, element) in enumerate(_paragraphs(body)):
        paragraph = _Paragraph()
        paragraph.add(element)
        text, marks = _without_marks("".join(paragraph.pieces), paragraph.keys)
        for start, end in sentence_spans(text):
            inside = (mark for mark in marks if start < mark.at <= end)
            placed = tuple(Mark(m.at - start, m.keys, printed=m.printed) for m in inside)
            yield Sentence(text[start:end], placed, section, number)


def _paragraphs(body: Element) -> Iterator[tuple[str, Element]]:
    """Yield each paragraph with the title of the main section that it stands in."""
    for child in body:
        title = text_of(child.find("title")) or ""
        yield from ((title, paragraph) for paragraph in _running(child))


def _running(element: Element) -> Iterator[Element]:
    """Yield the paragraphs at or inside an element, lists' too, but none of a figure or a note."""
    if element.tag == "p":
        yield element
        return
    for child in element if element.tag in ("sec", "list", "list-item", "disp-quote") else ():
        yield from _running(child)


def _inside(element: Element) -> Iterator[str | tuple[str, ...]]:
    """Yield the texts of a paragraph, and in their places the keys of what is cited."""
    yield element.text or ""
    for child in element:
        yield from _child(child)
        yield child.tail or ""


def _child(child: Element) -> Iterable[str | tuple[str, ...]]:
    if child.tag == "xref" and child.get("ref-type") == "bibr":
        keys = tuple((child.get("rid") or "").split()) or ("?",)
        bracketed = child.find("sup") is not None or (text_of(child) or "")[:1] in ("[", "(")
        return ["[", keys, "]"] if bracketed else [keys]
    if child.tag in ("inline-formula", "math"):
        return [_FORMULA]
    if child.tag in _LEFT_OUT:
        return []
    inner = list(_inside(child))
    # Raised numbers are the brackets of other journals.
    raised = child.tag == "sup" and any(isinstance(piece, tuple) for piece in inner)
    return ["[", *inner, "]"] if raised else inner


def _without_marks(text: str, keys: list[tuple[str, ...]]) -> tuple[str, list[Mark]]:
    """Take the citations out of a paragraph's text, on one line."""
    text = re.sub(r"\s+", " ", text)
    pieces, marks, at, done, waiting = list[str](), list[Mark](), 0, 0, iter(keys)
    for match in _MARKS.finditer(text):
        pieces.append(text[done : match.start()])
        at, done = at + len(pieces[-1]), match.end()
        named = tuple(key for _ in range(match[0].count(_HERE)) for key in next(waiting))
        marks.append(Mark(at, named, printed=match[0].strip().replace(_HERE, "*")))
    return "".join([*pieces, text[done:]]), marks
