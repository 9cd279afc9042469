"""Draw the layers of the program: its folders, and which imports which, read off the imports."""

from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import Any, TypeAlias

import grimp
import networkx as nx

Folders: TypeAlias = Any
"""A networkx.DiGraph: nodes are folders such as "recsys.ranking", with their number of `modules`;
an edge says that a module of one imports a module of the other."""

SPLIT = ("recsys.pipelines", "recsys.indexes", "recsys.eval")
"""Packages whose own folders are drawn."""
SHARED, WAY = "recsys.shared", "recsys.recommend"
"""The modules that lie flat in `recsys`: what every folder speaks, and the way of a draft."""
ENTRANCE = frozenset({"recsys", "recsys.__main__", "recsys.public", WAY})
ASKED = ("recsys.records", "recsys.formats.")
"""An answer writes itself in any format, when it is asked to: that is no way down."""
LAYERS = (
    ("app", ("recsys.app",)),
    ("pipelines", ("recsys.pipelines",)),
    ("libraries", ("recsys.indexes", "recsys.eval")),
    ("core", ()),
)
"""From the top down: name, and the packages; core is everything else."""
TRIP = ("recsys.app", "recsys.formats", "recsys.query", "recsys.retrieval", "recsys.ranking")
"""The folders that a draft passes, in order; `recsys.recommend` leads it from one to the next."""
WIDTH, BOX_WIDTH, BOX_HEIGHT, ROW, MARGIN, TITLE = 640, 104, 38, 60, 14, 28
STYLE = """
svg { color-scheme: light dark; }
text { font: 13px system-ui, sans-serif; fill: #1f2933; }
.count, .note { font-size: 11px; fill: #52606d; }
.layer { fill: #f5f7fa; stroke: #cbd2d9; }
.box { fill: #ffffff; stroke: #7b8794; }
.trip .box { stroke: #b44d12; stroke-width: 2; }
.badge { fill: #b44d12; }
.badge + text { fill: #ffffff; font-size: 11px; font-weight: 600; }
.arrow { fill: none; stroke: #9aa5b1; stroke-width: 1.3; marker-end: url(#tip); }
#tip path { fill: #9aa5b1; }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e7eb; }
  .count, .note { fill: #9aa5b1; }
  .layer { fill: #1b2129; stroke: #3e4c59; }
  .box { fill: #2a323c; stroke: #7b8794; }
  .trip .box { stroke: #f0883e; }
  .badge { fill: #f0883e; }
  .badge + text { fill: #1f1206; }
  .arrow { stroke: #7b8794; }
  #tip path { fill: #7b8794; }
}
"""
HEAD = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>'
)


def read_folders() -> Folders:
    """Read the folders and their imports; imports for the type checker alone do not count."""
    imports = grimp.build_graph("recsys", exclude_type_checking_imports=True, cache_dir=None)
    modules = [name for name in imports.modules if name not in SPLIT]
    packages = {name for name in modules if imports.find_children(name)}
    folder = {name: folder_of(name, name in packages) for name in modules}
    graph = nx.DiGraph()
    for name, count in sorted(Counter(folder.values()).items()):
        graph.add_node(name, modules=count)
    for name in sorted(folder):
        for to in imports.find_modules_directly_imported_by(name):
            asked = name == ASKED[0] and to.startswith(ASKED[1])
            if to in folder and folder[to] != folder[name] and not asked:
                graph.add_edge(folder[name], folder[to])
    return graph


def folder_of(module: str, package: bool = False) -> str:
    """Name the folder that a module, or a package itself, is drawn in.

    >>> folder_of("recsys.eval.report.page"), folder_of("recsys.errors")
    ('recsys.eval.report', 'recsys.shared')
    """
    if module in ENTRANCE:
        return WAY
    parts = module.split(".")
    inside = parts if package else parts[:-1]
    depth = 3 if ".".join(parts[:2]) in SPLIT else 2
    return ".".join(inside[:depth]) if len(inside) > 1 else SHARED


def layer_of(folder: str) -> int:
    """Tell by its number from the top which layer a folder belongs to."""
    package = ".".join(folder.split(".")[:2])
    return next((i for i, (_, held) in enumerate(LAYERS) if package in held), len(LAYERS) - 1)


def levels(graph: Folders) -> list[list[str]]:
    """Sort the nodes into levels from below; what a node imports lies below it.

    Nodes that import each other share a level.
    """
    circles = nx.condensation(graph)
    level: dict[int, int] = {}
    for circle in reversed(list(nx.topological_sort(circles))):
        level[circle] = max((level[to] + 1 for to in circles.successors(circle)), default=0)
    of = {name: level[circle] for name, circle in circles.graph["mapping"].items()}
    return [sorted(n for n in of if of[n] == each) for each in range(max(of.values()) + 1)]


def shown_imports(graph: Folders) -> list[tuple[str, str]]:
    """List the imports that do not follow from others."""
    circles = nx.condensation(graph)
    mapping = circles.graph["mapping"]
    needed = set(nx.transitive_reduction(circles).edges)
    kept = ((a, b) for a, b in graph.edges if (mapping[a], mapping[b]) in needed)
    inside = ((a, b) for a, b in graph.edges if mapping[a] == mapping[b])
    return sorted([*kept, *inside])


def picture(graph: Folders) -> str:
    """Draw each layer above those that it may import, and the imports within it, as SVG."""
    lines, top = [], 1.0
    for number, (title, _) in enumerate(LAYERS):
        layer = graph.subgraph([name for name in graph if layer_of(name) == number])
        boxes = _places(layer, top)
        height = max(y for _, y in boxes.values()) + BOX_HEIGHT + MARGIN - top
        lines.append(
            f'<rect class="layer" x="1" y="{top:g}" width="{WIDTH - 2}" height="{height:g}" '
            'rx="4"/>'
            f'<text class="note" x="13" y="{top + 18:g}">{title}</text>'
        )
        lines += [_arrow(boxes[a], boxes[b]) for a, b in shown_imports(layer)]
        for name, place in boxes.items():
            lines.append("".join(_box(name, place, layer.nodes[name]["modules"])))
        top += height + MARGIN
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top - MARGIN + 1:g}" '
        'role="img" aria-label="The layers of recsys, their folders, and what these import">'
    )
    return "\n".join([start, f"<style>{STYLE}</style>", HEAD, *lines, "</svg>"]) + "\n"


def _places(layer: Folders, top: float) -> dict[str, tuple[float, float]]:
    """Place each box by its upper left corner; a level of many boxes takes several rows."""
    most = WIDTH // (BOX_WIDTH + MARGIN)
    rows = [
        level[start : start + most]
        for level in reversed(levels(layer))
        for start in range(0, len(level), most)
    ]
    return {
        name: (WIDTH * (place + 0.5) / len(row) - BOX_WIDTH / 2, top + TITLE + ROW * number)
        for number, row in enumerate(rows)
        for place, name in enumerate(row)
    }


def _box(name: str, place: tuple[float, float], modules: int) -> Iterator[str]:
    x, y = place
    middle = x + BOX_WIDTH / 2
    label = escape(name.split(".")[-1].replace("_", " "))
    yield f'<g class="{"trip" if name in (*TRIP, WAY) else "folder"}">'
    yield f'<rect class="box" x="{x:g}" y="{y:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" '
    yield 'rx="5"/>'
    yield f'<text x="{middle:g}" y="{y + 17:g}" text-anchor="middle">{label}</text>'
    yield f'<text class="count" x="{middle:g}" y="{y + 31:g}" text-anchor="middle">'
    yield f"{modules} modules</text>"
    if name in TRIP:
        yield f'<circle class="badge" cx="{x:g}" cy="{y:g}" r="9"/>'
        yield f'<text x="{x:g}" y="{y + 4:g}" text-anchor="middle">{TRIP.index(name) + 1}</text>'
    yield "</g>"


def _arrow(source: tuple[float, float], target: tuple[float, float]) -> str:
    """Draw from the bottom of a box to the top of another, or between boxes of one row."""
    (x1, y1), (x2, y2) = source, target
    if y1 == y2:
        start, end = (x1 + BOX_WIDTH, x2) if x1 < x2 else (x1, x2 + BOX_WIDTH)
        shift = 12 if x1 < x2 else 26
        return f'<path class="arrow" d="M{start:g} {y1 + shift:g} L{end:g} {y2 + shift:g}"/>'
    x1, x2, half = x1 + BOX_WIDTH / 2, x2 + BOX_WIDTH / 2, (y2 - y1 - BOX_HEIGHT) / 2
    y1 += BOX_HEIGHT
    curve = f"C{x1:g} {y1 + half:g} {x2:g} {y2 - half:g} {x2:g} {y2:g}"
    return f'<path class="arrow" d="M{x1:g} {y1:g} {curve}"/>'
