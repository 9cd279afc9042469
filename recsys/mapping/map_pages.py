"""The map as a picture, as a table and as a page, without a script.

Lines and names come on hover and focus, by style.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from recsys.formats.references.people import natural
from recsys.formats.references.shown_facts import names_of, one_line, paper_link
from recsys.html_pages import templates_in
from recsys.mapping.drawing import Kind, Map, Node
from recsys.mapping.placing import BOTTOM, LABEL, MARGIN, TOP
from recsys.records import Paper

if TYPE_CHECKING:
    from jinja2 import Environment

Address: TypeAlias = Callable[[Paper], str | None]
"""Where a paper's link leads; None: to its row in the table."""

TEMPLATES = Path(__file__).parent / "templates"
MAP_STYLE = TEMPLATES / "map.css"
MAP_CSS = MAP_STYLE.read_text(encoding="utf-8")
"""Rules for the classes of `map_svg`, `map_table` and `map_gaps`; all begin with `map`."""
IN_WORDS: Mapping[Kind, str] = {"cited": "you cite it", "suggested": "suggested", "near": "near"}
RADII: Mapping[Kind, float] = {"cited": 4.5, "suggested": 3.5, "near": 3.0}
LONGEST_NAME = 84
HELP = "point at a paper, or step through by Tab, to see what it cites and what cites it"
_NOT_XML = re.compile("[\ufffe\uffff]")


def map_svg(map_: Map, *, paper_address: Address = paper_link) -> str:
    """Write the picture: one `svg` element, without style.

    paper_address: where the link of a paper leads; papers without an address lead to their row in
    the table.
    """
    return _part("picture('')", map_, paper_address)


def map_table(map_: Map, *, paper_address: Address = paper_link) -> str:
    """Write a `table` with a part for each group, in the order of the picture.

    paper_address: where the link of a paper leads; a paper without an address has no link.
    """
    return _part("table()", map_, paper_address)


def map_gaps(map_: Map) -> str:
    """Write the gaps as an ordered list, the widest first; a sentence where there are none."""
    return _part("gaps()", map_, paper_link)


def map_file(map_: Map) -> str:
    """Write the picture as an SVG file, with its style inside."""
    return _part("picture(css)", map_, paper_link)


def map_page(map_: Map) -> str:
    """Write a whole HTML page: no script, nothing loaded."""
    page = _templates().get_template("map_page.html.jinja")
    return page.render(_values(map_, paper_link)) + "\n"


MAP_FORMATS: Mapping[str, Callable[[Map], str]] = {".html": map_page, ".svg": map_file}
"""What a file's ending says of how a map is written."""


def _part(call: str, map_: Map, address: Address) -> str:
    source = '{% import "map_parts.jinja" as map with context %}{{ map.' + call + " }}"
    return _templates().from_string(source).render(_values(map_, address))


def _values(map_: Map, address: Address) -> dict[str, object]:
    count, groups = len(map_.nodes), len(map_.groups)
    counted = (
        f"{'1 paper' if count == 1 else f'{count:,} papers'} in "
        f"{'1 group' if groups == 1 else f'{groups:,} groups'}, by topic and year."
    )
    if map_.hidden:
        counted += f" Of what you cite, {map_.hidden:,} more found no place."
    legend: list[tuple[str, str, float]] = []
    x = MARGIN + 5
    for kind, words in IN_WORDS.items():
        legend.append((kind, words, x))
        x += 30 + 7 * len(words)
    return {
        "drawn": map_,
        "address": address,
        "cited": [node for node in map_.nodes if node.kind == "cited"],
        "cites": [[map_.nodes[other] for other in node.links] for node in map_.nodes],
        "citing": [
            [other for other in map_.nodes if place in other.links] for place in range(count)
        ],
        "counted": counted,
        "css": MAP_CSS,
        "legend": [*legend, ("", HELP, x)],
    }


@cache
def _templates() -> "Environment":
    templates = templates_in(TEMPLATES, "A map")
    templates.globals.update(
        in_words=IN_WORDS, radii=RADII, bottom=BOTTOM, label=LABEL, margin=MARGIN, top=TOP
    )
    templates.filters.update(
        called=lambda paper: _text(paper.title) or "Untitled",
        cut=lambda text: (
            text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 3].rstrip()}..."
        ),
        facts=_facts,
        # Keeps a text that may run from right to left from turning what stands beside it.
        isolated="\u2068{}\u2069".format,
        number=lambda value: f"{value:.1f}".removesuffix(".0"),
        text=_text,
    )
    return templates


def _facts(node: Node) -> str:
    """Say who wrote a paper, when, and what it is to the draft."""
    names = [natural(name) for name in names_of(node.paper)[:2]]
    more = len(node.paper.authors) > 2
    who = f"{names[0]} et al." if more and names else " and ".join(names)
    when = "n.d." if node.paper.year is None else str(node.paper.year)
    return _text(", ".join(part for part in (who, when, IN_WORDS[node.kind]) if part))


def _text(text: str | None) -> str:
    """Put a text on one line, without the characters that XML forbids."""
    return _NOT_XML.sub("", one_line(text or ""))
