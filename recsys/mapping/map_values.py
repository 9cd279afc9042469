"""What a map is made of: papers at places, groups of them, and the gaps between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from recsys.records import Paper

Kind: TypeAlias = Literal["cited", "suggested", "near"]
"""What a paper is to the draft: it cites it, the answer recommends it, or it is merely near."""


@dataclass(frozen=True, slots=True)
class Node:
    """One paper on the map.

    x, y: its middle, within the frame. group: position in `Map.groups`. links: positions in
    `Map.nodes` of the papers that it cites.
    """

    paper: Paper
    kind: Kind
    x: float
    y: float
    group: int
    links: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Papers on one topic: a band across the map, from `top` to `bottom`.

    label: the phrases that tell it from the others; never empty. near: papers on the map that the
    draft does not cite; cited: those that it cites.
    """

    label: str
    near: int
    cited: int
    top: float
    bottom: float

    @property
    def counted(self) -> str:
        """Say how many papers are near, and how many of the group the draft cites."""
        papers = "1 near paper" if self.near == 1 else f"{self.near:,} near papers"
        return f"{papers}, you cite {self.cited:,}"


@dataclass(frozen=True, slots=True)
class Tick:
    """A column of the map that is named: a year, or where papers without one stand."""

    label: str
    x: float


@dataclass(frozen=True, slots=True)
class Map:
    """The papers around a draft: x is the year, y the topic.

    title: the draft's, empty if it has none. width, height: of the frame that everything lies in.
    nodes: by group from the top, older ones first. gaps: positions in `groups` of at most three
    that have many near papers and few that the draft cites, the widest gap first. draft_x, draft_y:
    where the draft stands. hidden: cited papers of the corpus that found no place.
    """

    title: str
    width: float
    height: float
    nodes: tuple[Node, ...]
    groups: tuple[Group, ...]
    gaps: tuple[int, ...]
    ticks: tuple[Tick, ...]
    draft_x: float
    draft_y: float
    hidden: int = 0

    def members(self, group: int) -> Sequence[int]:
        """List the positions of a group's papers."""
        return [place for place, node in enumerate(self.nodes) if node.group == group]
