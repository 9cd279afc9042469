"""Draw the house as SVG: the roof on the stairs, these on the walls, and the floor between them."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from docs.made.house import WAY, House

ROOF = "recsys.app"
TRIP = (
    ROOF,
    "recsys.formats",
    "recsys.asking",
    "recsys.stage_one",
    "recsys.stage_two",
)
"""The rooms that a draft passes, in order; `recsys.recommend` leads it from one to the next."""
WIDTH, BOX_WIDTH, BOX_HEIGHT, ROW, EDGE = 640, 104, 38, 60, 14
WALL = 126
STYLE = """
svg { color-scheme: light dark; }
text { font: 13px system-ui, sans-serif; fill: #1f2933; }
.count, .note { font-size: 11px; fill: #52606d; }
.part { fill: #f5f7fa; stroke: #cbd2d9; }
.box { fill: #ffffff; stroke: #7b8794; }
.trip .box { stroke: #b44d12; stroke-width: 2; }
.badge { fill: #b44d12; }
.badge + text { fill: #ffffff; font-size: 11px; font-weight: 600; }
.arrow { fill: none; stroke: #9aa5b1; stroke-width: 1.3; marker-end: url(#tip); }
#tip path { fill: #9aa5b1; }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e7eb; }
  .count, .note { fill: #9aa5b1; }
  .part { fill: #1b2129; stroke: #3e4c59; }
  .box { fill: #2a323c; stroke: #7b8794; }
  .trip .box { stroke: #f0883e; }
  .badge { fill: #f0883e; }
  .badge + text { fill: #1f1206; }
  .arrow { stroke: #7b8794; }
  #tip path { fill: #7b8794; }
}
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the house: what it is called, its rooms, and its place in the picture."""

    title: str
    house: House
    x: float
    y: float
    width: float
    height: float

    def boxes(self) -> dict[str, tuple[float, float]]:
        """Place each room: its box's upper left corner; what is imported lies below."""
        found = {}
        for row, names in enumerate(_rows(self.house, self.width)):
            space = self.width / len(names)
            for place, name in enumerate(names):
                x = self.x + space * (place + 0.5) - BOX_WIDTH / 2
                found[name] = (x, self.y + self.height - EDGE - BOX_HEIGHT - ROW * row)
        return found


def house_picture(house: House) -> str:
    """Draw every room with the number of its modules, and the imports that make the levels."""
    parts = _parts(house)
    height = max(part.y + part.height for part in parts) + 2
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-label="The rooms of recsys and what they import">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>',
    ]
    lines += [line for part in parts for line in _drawn(part)]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _parts(house: House) -> list[Part]:
    """Place the roof, the stairs, both walls and the floor between these."""
    rooms = {
        root: [each for each in house.rooms if each.split(".")[0] == root]
        for root in ("pipelines", "indexes", "eval", "recsys")
    }
    floor = house.of(set(rooms["recsys"]) - {ROOF})
    stairs = house.of(rooms["pipelines"])
    left, right = house.of(rooms["indexes"]), house.of(rooms["eval"])
    middle = WIDTH - 2 * (WALL + EDGE)
    tall = max(_height(floor, middle), _height(left, WALL), _height(right, WALL))
    high = _height(stairs, WIDTH)
    top = 104.0
    walls = top + high + EDGE
    return [
        Part(f"roof: {ROOF}", house.of([ROOF]), 1, 1, WIDTH - 2, top - EDGE),
        Part("stairs: pipelines", stairs, 1, top, WIDTH - 2, high),
        Part("wall: indexes", left, 1, walls, WALL, tall),
        Part("floor: recsys", floor, WALL + EDGE, walls, middle, tall),
        Part("wall: eval", right, WIDTH - WALL - 1, walls, WALL, tall),
    ]


def _rows(house: House, width: float) -> list[list[str]]:
    """Set the rooms in rows from below, a level in several where it is too wide for one."""
    level = house.levels()
    most = max(1, int(width // (BOX_WIDTH + EDGE)))
    rows = []
    for step in sorted(set(level.values())):
        names = [name for name in house.rooms if level[name] == step]
        rows += [names[start : start + most] for start in range(0, len(names), most)]
    return rows


def _height(house: House, width: float) -> float:
    return ROW * len(_rows(house, width)) + EDGE + 18


def _drawn(part: Part) -> list[str]:
    boxes = part.boxes()
    lines = [_outline(part)]
    lines += [_arrow(boxes[room], boxes[to]) for room, to in part.house.steps()]
    lines += [_box(name, place, part.house.rooms) for name, place in boxes.items()]
    return lines


def _outline(part: Part) -> str:
    right, bottom = part.x + part.width, part.y + part.height
    title = f'<text class="note" x="{part.x + 12:g}" y="{part.y + 20:g}">{part.title}</text>'
    if not part.title.startswith("roof"):
        return (
            f'<rect class="part" x="{part.x:g}" y="{part.y:g}" width="{part.width:g}" '
            f'height="{part.height:g}" rx="4"/>{title}'
        )
    slope = part.width / 5
    corners = f"{part.x:g},{bottom:g} {part.x + slope:g},{part.y:g} {right - slope:g},{part.y:g}"
    return (
        f'<polygon class="part" points="{corners} {right:g},{bottom:g}"/>'
        f'<text class="note" x="{part.x + slope + 12:g}" y="{part.y + 20:g}">{part.title}</text>'
    )


def _box(name: str, place: tuple[float, float], rooms: Mapping[str, int]) -> str:
    x, y = place
    middle = x + BOX_WIDTH / 2
    label = escape(name.split(".")[-1].replace("_", " "))
    number = TRIP.index(name) + 1 if name in TRIP else 0
    badge = (
        f'<circle class="badge" cx="{x:g}" cy="{y:g}" r="9"/>'
        f'<text x="{x:g}" y="{y + 4:g}" text-anchor="middle">{number}</text>'
    )
    return (
        f'<g class="{"trip" if number or name.endswith(WAY) else "room"}">'
        f'<rect class="box" x="{x:g}" y="{y:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5"/>'
        f'<text x="{middle:g}" y="{y + 17:g}" text-anchor="middle">{label}</text>'
        f'<text class="count" x="{middle:g}" y="{y + 31:g}" text-anchor="middle">'
        f"{rooms[name]} modules</text>{badge if number else ''}</g>"
    )


def _arrow(source: tuple[float, float], target: tuple[float, float]) -> str:
    """Draw from the bottom of a box to the top of another, or between boxes of one row."""
    (x1, y1), (x2, y2) = source, target
    if y1 == y2:
        start, end = (x1 + BOX_WIDTH, x2) if x1 < x2 else (x1, x2 + BOX_WIDTH)
        shift = 12 if x1 < x2 else 26
        return f'<path class="arrow" d="M{start:g} {y1 + shift:g} L{end:g} {y2 + shift:g}"/>'
    if y1 > y2:  # Two rooms import each other: the way back is drawn beside the way down.
        x = x1 + BOX_WIDTH / 2 + 14
        return f'<path class="arrow" d="M{x:g} {y1:g} L{x:g} {y2 + BOX_HEIGHT:g}"/>'
    middle1, middle2, half = x1 + BOX_WIDTH / 2, x2 + BOX_WIDTH / 2, (y2 - y1 - BOX_HEIGHT) / 2
    return (
        f'<path class="arrow" d="M{middle1:g} {y1 + BOX_HEIGHT:g} '
        f'C{middle1:g} {y1 + BOX_HEIGHT + half:g} {middle2:g} {y2 - half:g} {middle2:g} {y2:g}"/>'
    )
