"""The map as a picture, a list and a page: the same in a file and on the site.

Lines and names come on hover and focus, by style; the script adds a card, arrow keys and taps.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from recsys.formats.drafts.wording import counted
from recsys.formats.references.people import natural, own_name
from recsys.formats.references.shown_facts import names_of, one_line, paper_link
from recsys.html_pages import templates_in
from recsys.mapping.drawing import Kind, Map, Node
from recsys.mapping.naming import Name, place_names, text_width
from recsys.mapping.phrases import JOINT
from recsys.mapping.placing import MARGIN, SMALL, WIDE, radii_of
from recsys.records import Paper

if TYPE_CHECKING:
    from jinja2 import Environment

Address: TypeAlias = Callable[[Paper], str | None]
"""Where a paper's link leads; None: to its row in the list."""

TEMPLATES = Path(__file__).parent / "templates"
MAP_STYLE, MAP_SCRIPT = TEMPLATES / "map.css", TEMPLATES / "map.js"
MAP_CSS = MAP_STYLE.read_text(encoding="utf-8")
"""Rules for the classes of `map_view`; all begin with `map`."""
IN_WORDS: Mapping[Kind, str] = {"cited": "you cite it", "suggested": "suggested", "near": "related"}
LONGEST_TITLE, LONGEST_NAME = 84, 22
MOST_NAMED = 4
"""Dots of a group with a name, beside those that are suggested or missed most."""
LABEL_SIZE = 13.0
"""Height of the letters of a group's label, in CSS pixels."""
LEGEND_ROW = 18.0
_NOT_XML = re.compile("[\ufffe\uffff]")


def map_svg(map_: Map, *, paper_address: Address = paper_link) -> str:
    """Write the picture: one `svg` element, without style.

    paper_address: where the link of a paper leads; papers without an address lead to their row in
    the list.
    """
    return _part("picture(drawn, '')", map_, paper_address)


def map_view(map_: Map, *, paper_address: Address = paper_link) -> str:
    """Write the gaps, the picture in two sizes, and the list: what a page shows of a map.

    paper_address: where the link of a paper leads; a paper without an address has no link in the
    list.
    """
    return _part("view()", map_, paper_address)


def map_file(map_: Map) -> str:
    """Write the picture as an SVG file, with its style inside."""
    return _part("picture(drawn, css)", map_, paper_link)


def map_page(map_: Map) -> str:
    """Write a whole HTML page; nothing is loaded, and no script runs but the map's own."""
    page = _templates().get_template("map_page.html.jinja")
    return page.render(_values(map_, paper_link)) + "\n"


MAP_FORMATS: Mapping[str, Callable[[Map], str]] = {".html": map_page, ".svg": map_file}
"""What a file's ending says of how a map is written."""


def gaps_in_words(map_: Map) -> list[str]:
    """Say of each gap, the widest first, what is not cited, and what of it is most relevant."""
    lines = []
    for group in map_.gaps:
        names = [short_name(map_.nodes[at].paper) for at in map_.missing(group)]
        listed = names[-1] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        lines.append(f"{map_.groups[group].in_words}. Most relevant: {listed}.")
    return lines


def short_name(paper: Paper) -> str:
    """Name a paper by its first author and its year, such as `Card 1999`; by its title without."""
    names = names_of(paper)[:1]
    name = _text(own_name(names[0]).surname if names else paper.title) or "Untitled"
    return f"{_cut(name, LONGEST_NAME)} {'n.d.' if paper.year is None else paper.year}"


def names_on(map_: Map) -> list[Name]:
    """Name what is suggested and what gaps miss most, then what is cited most of each group."""
    nodes, frame = map_.nodes, map_.frame
    missing = {at for group in map_.gaps for at in map_.missing(group)}
    missing |= {at for at, node in enumerate(nodes) if node.kind == "suggested"}
    order = {at: (0, nodes[at].rank) for at in missing}
    for group in range(len(map_.groups)):
        others = [at for at in map_.members(group) if at not in missing]
        others.sort(key=lambda at: (nodes[at].kind != "cited", -nodes[at].citations, at))
        order |= {at: (1 + place, group) for place, at in enumerate(others[:MOST_NAMED])}
    wanted = [
        (at, short_name(nodes[at].paper), at in missing)
        for at in sorted(order, key=order.__getitem__)
    ]
    radii = radii_of(np.array([node.citations for node in nodes]))
    dots = np.column_stack([[n.x for n in nodes], [n.y for n in nodes], radii])
    labels = [
        (0.0, band.top, MARGIN + _label_width(map_, group) + 8, band.top + frame.label)
        for group, band in enumerate(map_.groups)
    ]
    draft = (map_.draft_x - 32, map_.draft_y - 12, map_.draft_x + 32, map_.draft_y + 30)
    bands = [map_.groups[node.group] for node in nodes]
    bounds = [(2.0, band.top + 2, frame.width - 2, band.bottom - 1) for band in bands]
    return place_names(wanted, dots, np.array([*labels, draft]), np.array(bounds))


def _label_width(map_: Map, group: int) -> float:
    """Estimate how wide a group's label is, with what stands beside it."""
    band = map_.groups[group]
    label, counted = text_width(_label(map_, group), LABEL_SIZE), text_width(band.counted, 12)
    mark = 10 + text_width("gap 1", 12) if group in map_.gaps else 0.0
    if map_.frame.label > WIDE.label:  # On two lines.
        return max(label, counted + mark)
    return label + 10 + counted + mark


def _label(map_: Map, group: int) -> str:
    """Cut the label of a group to the width of the map, rather after a phrase than within one."""
    room = map_.frame.width - 2 * MARGIN
    label = _text(map_.groups[group].label)
    if text_width(label, LABEL_SIZE) > room:
        label = label.partition(JOINT)[0]
    while text_width(label, LABEL_SIZE) > room:
        label = label[:-2].rstrip() + "\u2026"
    return label


def backbone(map_: Map) -> list[tuple[Node, Node]]:
    """Tie each paper to the most cited paper of its group that it cites."""
    ties = []
    for node in map_.nodes:
        inside = [at for at in node.links if map_.nodes[at].group == node.group]
        if inside:
            cited = max(inside, key=lambda at: (map_.nodes[at].citations, -at))
            ties.append((node, map_.nodes[cited]))
    return ties


def legend_of(map_: Map) -> list[tuple[str, float, str, float, float]]:
    """List what the dots mean: class, radius, words, x and y, as many on a line as it holds."""
    sizes = radii_of(np.array([1, 10, 100])).tolist()
    items: list[tuple[str, float, str]] = [(kind, 5.0, words) for kind, words in IN_WORDS.items()]
    items.append(("gap", 6.0, "gap: you cite few"))
    items += [
        ("size", size, words)
        for size, words in zip(sizes, ("1", "10", "100 citations"), strict=True)
    ]
    placed, x, y = [], MARGIN, LEGEND_ROW - 4
    for kind, radius, words in items:
        width = 2 * radius + 5 + text_width(words, 12)
        if x > MARGIN and x + width > map_.frame.width - MARGIN:
            x, y = MARGIN, y + LEGEND_ROW
        placed.append((kind, radius, words, x + radius, y))
        x += width + (10 if kind == "size" else 16)
    return placed


def _part(call: str, map_: Map, address: Address) -> str:
    source = '{% import "map_parts.jinja" as map with context %}{{ map.' + call + " }}"
    return _templates().from_string(source).render(_values(map_, address))


def _values(map_: Map, address: Address) -> dict[str, object]:
    papers, groups = counted(len(map_.nodes), "paper"), counted(len(map_.groups), "group")
    told = f"{papers} in {groups}, by topic and year."
    if map_.hidden:
        told += f" Of what you cite, {map_.hidden:,} more found no place."
    script = MAP_SCRIPT.read_text(encoding="utf-8")
    return {
        "drawn": map_,
        "address": address,
        "citing": [
            [other for other, node in enumerate(map_.nodes) if place in node.links]
            for place in range(len(map_.nodes))
        ],
        "cited": [place for place, node in enumerate(map_.nodes) if node.kind == "cited"],
        "counted": told,
        "css": MAP_CSS,
        "script": script,
        "script_hash": b64encode(sha256(script.encode()).digest()).decode(),
    }


@cache
def _templates() -> "Environment":
    templates = templates_in(TEMPLATES, "A map")
    templates.globals.update(
        backbone=backbone,
        in_words=IN_WORDS,
        label_of=_label,
        legend_of=legend_of,
        margin=MARGIN,
        names_on=names_on,
        small=SMALL,
    )
    templates.filters.update(
        called=lambda paper: _text(paper.title) or "Untitled",
        cut=lambda text: _cut(text, LONGEST_TITLE),
        facts=_facts,
        # Keeps a text that may run from right to left from turning what stands beside it.
        isolated="\u2068{}\u2069".format,
        number=lambda value: f"{value:.1f}".removesuffix(".0"),
        radius=lambda node: float(radii_of(np.array([node.citations]))[0]),
        short=short_name,
        text=_text,
    )
    return templates


def _facts(node: Node) -> str:
    """Say who wrote a paper, when, and how often it is cited."""
    names = [natural(name) for name in names_of(node.paper)[:2]]
    more = len(node.paper.authors) > 2
    who = f"{names[0]} et al." if more and names else " and ".join(names)
    when = "n.d." if node.paper.year is None else str(node.paper.year)
    cited = "1 citation" if node.citations == 1 else f"{node.citations:,} citations"
    return _text(", ".join(part for part in (who, when, cited) if part))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}\u2026"


def _text(text: str | None) -> str:
    """Put a text on one line, without the characters that XML forbids."""
    return _NOT_XML.sub("", one_line(text or ""))
