"""The map of a draft: the papers around it by year and topic, and the gaps between them."""

from recsys.mapping.drawing import Group, Kind, Map, Node, draw_map
from recsys.mapping.map_pages import (
    MAP_CSS,
    MAP_FORMATS,
    map_file,
    map_gaps,
    map_page,
    map_svg,
    map_table,
)
from recsys.mapping.placing import Tick

__all__ = [
    "MAP_CSS",
    "MAP_FORMATS",
    "Group",
    "Kind",
    "Map",
    "Node",
    "Tick",
    "draw_map",
    "map_file",
    "map_gaps",
    "map_page",
    "map_svg",
    "map_table",
]
