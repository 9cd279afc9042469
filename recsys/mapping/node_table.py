"""The map as a table: every paper with its group, year, kind and citations; the gaps in words."""

from collections.abc import Iterator

from recsys.formats.references.shown_facts import paper_link
from recsys.mapping.map_values import Map
from recsys.mapping.svg_picture import IN_WORDS, TABLE, Address, escaped, row_id, target, title_of

_HEAD = (
    "<thead><tr>"
    '<th scope="col">No.</th><th scope="col">Paper</th><th scope="col">Year</th>'
    '<th scope="col">To your draft</th><th scope="col" class="map-cites">Cites No.</th>'
    "</tr></thead>"
)


def map_table(map_: Map, *, paper_address: Address = paper_link) -> str:
    """Write a `table` with a part for each group, in the order of the picture.

    paper_address: where the link of a paper leads; a paper without an address has no link.
    """
    parts = [
        f'<table class="map-table" id="{TABLE}">',
        f"<caption>{_counted(map_)}</caption>",
        _HEAD,
        *(_group(map_, place, paper_address) for place in range(len(map_.groups))),
        "</table>",
    ]
    return "\n".join(parts) + "\n"


def map_gaps(map_: Map) -> str:
    """Write the gaps as an ordered list, the widest first; a sentence where there are none."""
    if not map_.gaps:
        return '<p class="map-gaps">Every paper on this map is one that you cite.</p>\n'
    items = (
        f"<li><bdi>{escaped(map_.groups[place].label)}</bdi> "
        f"<span>{map_.groups[place].counted}</span></li>"
        for place in map_.gaps
    )
    return '<ol class="map-gaps">\n' + "\n".join(items) + "\n</ol>\n"


def _counted(map_: Map) -> str:
    count = len(map_.nodes)
    text = "1 paper" if count == 1 else f"{count:,} papers"
    groups = "1 group" if len(map_.groups) == 1 else f"{len(map_.groups):,} groups"
    text = f"{text} in {groups}, by topic and year."
    if map_.hidden:
        text += f" Of what you cite, {map_.hidden:,} more found no place."
    return text


def _group(map_: Map, place: int, address: Address) -> str:
    group = map_.groups[place]
    mark = ""
    if place in map_.gaps:
        mark = f' <span class="map-mark">gap {map_.gaps.index(place) + 1}</span>'
    head = (
        f'<tr class="map-group"><th colspan="5" scope="rowgroup"><bdi>{escaped(group.label)}</bdi> '
        f'<span class="map-counts">{group.counted}</span>{mark}</th></tr>'
    )
    return "\n".join(["<tbody>", head, *_rows(map_, place, address), "</tbody>"])


def _rows(map_: Map, group: int, address: Address) -> Iterator[str]:
    for place in map_.members(group):
        node = map_.nodes[place]
        title = f"<bdi>{escaped(title_of(node.paper))}</bdi>"
        if address(node.paper):
            title = f'<a href="{target(map_, place, address)}">{title}</a>'
        year = "n.d." if node.paper.year is None else str(node.paper.year)
        cites = ", ".join(str(other + 1) for other in node.links)
        yield (
            f'<tr id="{row_id(place)}"><td class="map-number">{place + 1}</td><td>{title}</td>'
            f'<td class="map-number">{year}</td>'
            f'<td class="map-kind map-kind-{node.kind}">{IN_WORDS[node.kind]}</td>'
            f'<td class="map-cites">{cites}</td></tr>'
        )
