"""Get text and identifiers out of XML elements."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from recsys.formats import identifiers
from recsys.formats.references.bibliography import text_in

NOTHING: frozenset[str] = frozenset()
_BLOCKS = frozenset("p sec title subtitle list list-item label break disp-formula td tr".split())
_NOTES = frozenset({"fn", "xref", "tex-math", "graphic", "inline-graphic", "object-id"})
_BARE_DOI = re.compile(r"10\.[0-9]{4,9}/[^\s\"<>{}|\\^`%?#&;,()\[\]]+(?<![.:])")
_FIRST_PAGE = re.compile(r"[^\s,;\-\u2010-\u2015]+")


def text_of(element: Element | None, dropped: frozenset[str] = NOTHING) -> str | None:
    """Return an element's text on one line with that of inner mark-up, None without any."""
    return None if element is None else text_in(raw_text(element, dropped))


def raw_text(element: Element, dropped: frozenset[str] = NOTHING) -> str:
    """Return an element's text as it stands there, with that of inner mark-up."""
    return "".join(_pieces(element, dropped)) if len(element) else element.text or ""


def title_of(element: Element | None) -> str | None:
    """Return a title or an abstract without its footnotes and second spellings of formulas."""
    return text_of(element, _NOTES)


def texts_of(elements: Iterator[Element] | list[Element]) -> tuple[str, ...]:
    """Return the texts of elements, each once, in order."""
    return tuple(dict.fromkeys(filter(None, map(text_of, elements))))


def text_at(element: Element, *paths: str) -> str | None:
    """Return the text at the first path that has one."""
    return next((text for path in paths if (text := text_of(element.find(path)))), None)


def unstopped(title: str | None) -> str | None:
    """Drop the full stop that some catalogues set after each title.

    >>> unstopped("On trees."), unstopped("Forests of the U.S."), unstopped("And then...")
    ('On trees', 'Forests of the U.S.', 'And then...')
    """
    if title is None or not title.endswith("."):
        return title
    last = title.rpartition(" ")[2]
    return title if "." in last[:-1] else title[:-1] or None


def bare_doi(text: str | None) -> str | None:
    """Return the DOI in a field for DOIs; `identifiers.doi` is for any text, and slower."""
    if not text:
        return None
    bare = text.strip()
    return bare.lower() if _BARE_DOI.fullmatch(bare) else identifiers.doi(bare)


def first_page(pages: str | None) -> str | None:
    """Return the first page, or the number of the article.

    >>> first_page("S123-S130"), first_page("e1002"), first_page(" 7, 9")
    ('S123', 'e1002', '7')
    """
    match = _FIRST_PAGE.search(pages or "")
    return match[0][:30] if match else None


def address_at(element: Element) -> str | None:
    """Return the target of a link, whatever the prefix of the attribute."""
    return next((value for name, value in element.items() if name.endswith("href")), None)


def _pieces(element: Element, dropped: frozenset[str]) -> Iterator[str]:
    """Yield the texts inside an element in order; what is a paragraph of its own is set apart."""
    stack: list[Element | str] = [element]
    first = True
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        if not first and item.tag in dropped:
            continue
        first = False
        apart = item.tag in _BLOCKS
        if apart:
            yield " "
            stack.append(" ")
        for child in reversed(item):
            stack.append(child.tail or "")
            stack.append(child)
        yield item.text or ""
