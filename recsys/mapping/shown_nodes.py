"""What picture and table say of a paper, escaped for both HTML and SVG."""

import html
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from recsys.formats.references.people import natural
from recsys.formats.references.shown_facts import names_of, one_line
from recsys.mapping.map_values import Kind, Map, Node
from recsys.records import Paper

Address: TypeAlias = Callable[[Paper], str | None]
"""Where a paper's link leads; None: to its row in the table."""

IN_WORDS: Mapping[Kind, str] = {"cited": "you cite it", "suggested": "suggested", "near": "near"}
UNTITLED = "Untitled"

_NOT_XML = re.compile("[\ufffe\uffff]")


def escaped(text: str | None) -> str:
    """Put a text on one line, and escape it for text and attributes."""
    return html.escape(_NOT_XML.sub("", one_line(text or "")))


def isolated(text: str) -> str:
    """Keep a text that may run from right to left from turning what stands beside it."""
    return f"\u2068{text}\u2069"


def title_of(paper: Paper) -> str:
    """Return a paper's title, or say that it has none."""
    return one_line(paper.title) or UNTITLED


def cut(text: str, most: int) -> str:
    """Shorten a text to so many characters."""
    return text if len(text) <= most else f"{text[: most - 3].rstrip()}..."


def facts_of(node: Node) -> str:
    """Say who wrote a paper, when, and what it is to the draft."""
    names = [natural(name) for name in names_of(node.paper)[:2]]
    more = len(node.paper.authors) > 2
    who = f"{names[0]} et al." if more and names else " and ".join(names)
    when = "n.d." if node.paper.year is None else str(node.paper.year)
    return ", ".join(part for part in (who, when, IN_WORDS[node.kind]) if part)


def target(map_: Map, place: int, address: Address) -> str:
    """Return where the link of a node leads, escaped."""
    return html.escape(address(map_.nodes[place].paper) or f"#{row_id(place)}")


def row_id(place: int) -> str:
    """Name the table row of a node."""
    return f"map-paper-{place + 1}"


def number(value: float) -> str:
    """Write a coordinate, with one digit after the point at most."""
    text = f"{value:.1f}"
    return text.removesuffix(".0")
