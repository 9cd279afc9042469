"""Which dots of a map are named, and where: no name covers another, a dot or a label of a group."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from recsys.mapping.grouping import Reals

SIZE = 11.0
"""Height of the letters of a name, in CSS pixels."""
CLOSE, FAR = (2.0, 6.0, 11.0), (17.0, 25.0, 34.0, 44.0, 56.0, 70.0, 86.0)
"""Distances of a name from its dot. A line leads to one that is FAR."""
_DIRECTIONS = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
_ASIDE = np.array([-2.0, 0.0, 2.0, 0.0])
"""Room between names that stand beside each other."""
_ANCHORS: Mapping[int, Literal["start", "middle", "end"]] = {1: "start", 0: "middle", -1: "end"}
_WIDTHS = {
    **dict.fromkeys("ijl.,:;'|!()[]", 0.32),
    **dict.fromkeys("frtI- ", 0.4),
    **dict.fromkeys("mwMW@%\u2026", 0.95),
}
"""Of letters, as shares of SIZE: those of the widest of the usual fonts."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name beside a dot, on one line.

    node: which dot. x, y: where its baseline starts, or ends as `anchor` says. line: from the dot
    to a name that is far, x and y of both ends.
    """

    node: int
    text: str
    x: float
    y: float
    anchor: Literal["start", "middle", "end"]
    line: tuple[float, float, float, float] | None = None


def text_width(text: str, size: float = SIZE) -> float:
    """Estimate how wide a text is, rather too much than too little."""
    return size * sum(
        _WIDTHS.get(letter, 0.74 if letter.isupper() else 0.6 if letter < "\u1100" else 1.05)
        for letter in text
    )


def place_names(
    wanted: Sequence[tuple[int, str, bool]], dots: Reals, taken: Reals, bounds: Reals
) -> list[Name]:
    """Name dots, those first that are wanted first, as long as there is room.

    Args:
        wanted: dot, its name, and whether the name may be far.
        dots: (m, 3) x, y and radius of each dot.
        taken: (b, 4) left, top, right and bottom of boxes that stay free.
        bounds: (m, 4) the box that the name of each dot stays within.
    """
    around = np.column_stack([dots[:, :2] - dots[:, 2:] - 1, dots[:, :2] + dots[:, 2:] + 1])
    boxes = np.concatenate([around, taken.reshape(-1, 4)])
    names = []
    for node, text, far in wanted:
        spots, places = _spots(dots[node], text_width(text), CLOSE + FAR if far else CLOSE)
        others = np.delete(boxes, node, axis=0)
        free = (
            (spots[:, None, 2] <= others[:, 0])
            | (others[:, 2] <= spots[:, None, 0])
            | (spots[:, None, 3] <= others[:, 1])
            | (others[:, 3] <= spots[:, None, 1])
        ).all(axis=1)
        free &= (spots[:, :2] >= bounds[node, :2]).all(axis=1)
        free &= (spots[:, 2:] <= bounds[node, 2:]).all(axis=1)
        if not free.any():
            continue
        best = int(np.argmax(free))
        (x, y), across = places[best].tolist(), _DIRECTIONS[best % len(_DIRECTIONS)][0]
        line = (*dots[node, :2].tolist(), x, y) if best >= len(CLOSE) * len(_DIRECTIONS) else None
        names.append(Name(node, text, x, float(spots[best, 1]) + SIZE, _ANCHORS[across], line))
        boxes = np.concatenate([boxes, spots[best : best + 1] + _ASIDE])
    return names


def _spots(dot: Reals, width: float, distances: Sequence[float]) -> tuple[Reals, Reals]:
    """List where a name may stand, the best first: (c, 4) boxes, (c, 2) where they meet the dot."""
    x, y, radius = dot.tolist()
    height = SIZE * 1.25
    places, spots = [], []
    for away in distances:
        for across, down in _DIRECTIONS:
            reach = (radius + away) * (0.7 if across and down else 1.0)  # A corner is further.
            at_x, at_y = x + across * reach, y + down * reach
            left, top = at_x - width * (1 - across) / 2, at_y - height * (1 - down) / 2
            places.append((at_x, at_y))
            spots.append((left, top, left + width, top + height))
    return np.array(spots), np.array(places)
