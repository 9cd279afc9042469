"""The map as a picture: SVG without a script; lines and names come on hover and focus, by style.

All dots lie below all links, so that the lines and the name of one paper lie above the other dots.
"""

from collections.abc import Iterator, Sequence

from recsys.formats.references.shown_facts import paper_link
from recsys.mapping.map_values import Group, Kind, Map, Node
from recsys.mapping.placing import BOTTOM, LABEL, MARGIN, TOP
from recsys.mapping.shown_nodes import (
    IN_WORDS,
    Address,
    cut,
    escaped,
    facts_of,
    isolated,
    number,
    target,
    title_of,
)

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
