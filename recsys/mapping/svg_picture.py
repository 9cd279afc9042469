"""The map as a picture: SVG without a script; lines and names come on hover and focus, by style.

All dots lie below all links, so that the lines and the name of one paper lie above the other dots.
"""

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from recsys.formats.references.people import natural
from recsys.formats.references.shown_facts import names_of, one_line, paper_link
from recsys.mapping.map_values import Group, Kind, Map, Node
from recsys.mapping.placing import BOTTOM, LABEL, MARGIN, TOP
from recsys.records import Paper

# What picture and table say of a paper, escaped for both HTML and SVG.

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


RADII: dict[Kind, float] = {"cited": 4.5, "suggested": 3.5, "near": 3.0}
REACH = 6.0
"""Radius within which the pointer finds a paper."""
LONGEST_NAME = 84
TABLE = "map-table"


def map_svg(map_: Map, *, paper_address: Address = paper_link) -> str:
    """Write the picture: one `svg` element, without style.

    paper_address: where the link of a paper leads; papers without an address lead to their row in
    the table.
    """
    size = f"{number(map_.width)} {number(map_.height)}"
    name = escaped(map_.title) or "the draft"
    parts = [
        f'<svg class="map" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" role="group" '
        'aria-labelledby="map-title">',
        f'<title id="map-title">Map of the papers around {isolated(name)}</title>',
        *_bands(map_),
        *_columns(map_),
        *(_label(map_, place, group) for place, group in enumerate(map_.groups)),
        '<g class="map-dots">',
        *(_dot(node.kind, node.x, node.y) for node in map_.nodes),
        "</g>",
        *_legend(map_),
        *_draft(map_),
        *(_link(map_, place, paper_address) for place in range(len(map_.nodes))),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _columns(map_: Map) -> Iterator[str]:
    end = number(map_.height - BOTTOM)
    for tick in map_.ticks:
        x = number(tick.x)
        yield f'<line class="map-column" x1="{x}" y1="{number(TOP)}" x2="{x}" y2="{end}"/>'
        label = escaped(tick.label)
        yield f'<text x="{x}" y="{number(TOP - 10)}" text-anchor="middle">{label}</text>'


def _bands(map_: Map) -> Iterator[str]:
    for place, group in enumerate(map_.groups):
        kind = "map-band-gap" if place in map_.gaps else "map-band"
        top, width = number(group.top), number(map_.width)
        yield (
            f'<rect class="{kind}" x="0" y="{top}" width="{width}" '
            f'height="{number(group.bottom - group.top)}"/>'
        )
        yield f'<line class="map-edge" x1="0" y1="{top}" x2="{width}" y2="{top}"/>'


def _label(map_: Map, place: int, group: Group) -> str:
    mark = ""
    if place in map_.gaps:
        mark = f'<tspan class="map-mark" dx="10">gap {map_.gaps.index(place) + 1}</tspan>'
    return (
        f'<text x="{number(MARGIN)}" y="{number(group.top + LABEL - 7)}">'
        f'<tspan class="map-label">{isolated(escaped(group.label))}</tspan>'
        f'<tspan dx="10">{group.counted}</tspan>{mark}</text>'
    )


def _dot(kind: Kind, x: float, y: float) -> str:
    return (
        f'<circle class="map-{kind}" cx="{number(x)}" cy="{number(y)}" r="{number(RADII[kind])}"/>'
    )


def _legend(map_: Map) -> Iterator[str]:
    x, y = MARGIN + 5, map_.height - BOTTOM / 2
    yield '<g class="map-dots" aria-hidden="true">'
    for kind, words in IN_WORDS.items():
        yield _dot(kind, x, y)
        yield f'<text x="{number(x + 10)}" y="{number(y + 4)}">{words}</text>'
        x += 30 + 7 * len(words)
    yield (
        f'<text x="{number(x)}" y="{number(y + 4)}">'
        "point at a paper, or step through by Tab, to see what it cites and what cites it</text>"
    )
    yield "</g>"


def _draft(map_: Map) -> Iterator[str]:
    """Mark the draft; its lines lead to what it cites."""
    x, y, side = map_.draft_x, map_.draft_y, 7.0
    cited = [node for node in map_.nodes if node.kind == "cited"]
    corners = ((x, y - side), (x + side, y), (x, y + side), (x - side, y))
    points = " ".join(f"{number(a)},{number(b)}" for a, b in corners)
    yield f'<a href="#{TABLE}">'
    yield f"<title>Your draft: cites {len(cited):,} of these papers</title>"
    yield _lines("map-lines", x, y, cited)
    yield f'<circle class="map-reach" cx="{number(x)}" cy="{number(y)}" r="12"/>'
    yield f'<polygon class="map-draft" points="{points}"/>'
    yield (
        f'<text class="map-draft-name" x="{number(x)}" y="{number(y + 24)}" text-anchor="middle">'
        "your draft</text>"
    )
    yield "</a>"


def _link(map_: Map, place: int, address: Address) -> str:
    node = map_.nodes[place]
    title, facts = title_of(node.paper), facts_of(node)
    cites = [map_.nodes[other] for other in node.links]
    citing = [other for other in map_.nodes if place in other.links]
    return (
        f'<a href="{target(map_, place, address)}">'
        f"<title>{escaped(title)} ({escaped(facts)})</title>"
        + _lines("map-lines map-citing", node.x, node.y, citing)
        + _lines("map-lines", node.x, node.y, cites)
        + f'<circle class="map-reach" cx="{number(node.x)}" cy="{number(node.y)}" '
        f'r="{number(REACH)}"/>{_hint(map_, node, title, facts)}</a>'
    )


def _lines(kind: str, x: float, y: float, ends: Sequence[Node]) -> str:
    if not ends:
        return ""
    begin = f"M{number(x)} {number(y)}"
    return (
        f'<path class="{kind}" d="'
        + "".join(f"{begin}L{number(end.x)} {number(end.y)}" for end in ends)
        + '"/>'
    )


def _hint(map_: Map, node: Node, title: str, facts: str) -> str:
    """Name a paper beside its dot; to the side where there is room."""
    share = node.x / map_.width
    anchor = "start" if share < 0.4 else "end" if share > 0.6 else "middle"
    above = node.y > TOP + 40
    first = node.y - 26 if above else node.y + 20
    x = number(node.x)
    return (
        f'<text class="map-hint" aria-hidden="true" x="{x}" y="{number(first)}" '
        f'text-anchor="{anchor}">{isolated(escaped(cut(title, LONGEST_NAME)))}'
        f'<tspan class="map-facts" x="{x}" dy="15">{isolated(escaped(facts))}</tspan></text>'
    )


# The style of maps, for a page's style sheet or for one that stands alone.
#
# Picture and table have classes only, no styles of their own: a page may forbid these.

MAP_CSS = """\
.map, .map-table, .map-gaps {
  --map-page: #fff; --map-text: #1c2024; --map-soft: #56606c; --map-line: #dfe4e9;
  --map-cited: #0b57a4; --map-suggested: #b3500b; --map-near: #8993a0; --map-gap: #fdf4e7;
}
@media (prefers-color-scheme: dark) {
  .map, .map-table, .map-gaps {
    --map-page: #15181c; --map-text: #e6e9ed; --map-soft: #a3acb7; --map-line: #2d343c;
    --map-cited: #8ec1ff; --map-suggested: #f0a35e; --map-near: #6d7885; --map-gap: #2a2219;
  }
}
.map-frame { overflow-x: auto; }
.map { display: block; width: 100%; min-width: 44rem; height: auto; background: var(--map-page);
  font: 12px system-ui, sans-serif; }
.map text { fill: var(--map-soft); }
.map-column { stroke: var(--map-line); stroke-width: 1; }
.map-band { fill: none; }
.map-band-gap { fill: var(--map-gap); }
.map-edge { stroke: var(--map-line); stroke-width: 1; }
.map .map-label { fill: var(--map-text); font-weight: 600; font-size: 13px; }
.map .map-mark { fill: var(--map-suggested); font-weight: 600; }
.map-dots { pointer-events: none; }
.map-cited { fill: var(--map-cited); }
.map-suggested { fill: var(--map-page); stroke: var(--map-suggested); stroke-width: 2; }
.map-near { fill: var(--map-near); }
.map-draft { fill: var(--map-text); }
.map .map-draft-name { fill: var(--map-text); font-weight: 600; }
.map a { cursor: pointer; outline: none; }
.map-reach { fill: transparent; stroke: none; }
.map a:hover .map-reach, .map a:focus .map-reach { stroke: var(--map-text); stroke-width: 2; }
.map-lines, .map-hint { visibility: hidden; pointer-events: none; }
.map a:hover .map-lines, .map a:focus .map-lines,
.map a:hover .map-hint, .map a:focus .map-hint { visibility: visible; }
.map-lines { fill: none; stroke: var(--map-cited); stroke-width: 1.2; stroke-opacity: .75; }
.map-citing { stroke: var(--map-near); }
.map .map-hint { stroke: var(--map-page); stroke-width: 5px; stroke-linejoin: round;
  paint-order: stroke; fill: var(--map-text); }
.map .map-hint .map-facts { fill: var(--map-soft); }
.map-gaps { color: var(--map-text); padding-left: 1.4rem; }
.map-gaps li { padding: .1rem 0; }
.map-gaps span, .map-counts { color: var(--map-soft); font-weight: 400; }
.map-table { border-collapse: collapse; width: 100%; color: var(--map-text); font-size: .925rem; }
.map-table caption { text-align: start; color: var(--map-soft); padding: .5rem 0; }
.map-table th, .map-table td { text-align: start; vertical-align: top;
  padding: .3rem .75rem .3rem 0; border-top: 1px solid var(--map-line); overflow-wrap: break-word; }
.map-table thead th { border-top: 0; color: var(--map-soft); font-weight: 400; }
.map-table .map-group th { padding-top: 1.1rem; }
.map-table .map-mark { color: var(--map-suggested); }
.map-table td:first-child { color: var(--map-soft); }
.map-table td:nth-child(2) { overflow-wrap: anywhere; }
.map-number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.map-kind { white-space: nowrap; }
.map-kind-cited { color: var(--map-cited); }
.map-kind-suggested { color: var(--map-suggested); }
.map-kind-near { color: var(--map-soft); }
@media (max-width: 40rem) {
  .map-table .map-cites { display: none; }
  .map-table { font-size: .85rem; }
  .map-table th, .map-table td { padding-right: .4rem; }
}
@media print {
  .map { min-width: 0; }
  .map-table tr { break-inside: avoid; }
}
"""
"""Rules for the classes of `map_svg`, `map_table` and `map_gaps`; all begin with `map`."""
