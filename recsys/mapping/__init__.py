"""The map of a draft: the papers around it by year and topic, and the gaps between them."""

from recsys.mapping.drawing import Group, Kind, Map, Node, draw_map
from recsys.mapping.map_pages import (
    MAP_CSS,
    MAP_FORMATS,
    gaps_in_words,
    map_file,
    map_page,
    map_svg,
    map_view,
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
    "gaps_in_words",
    "map_file",
    "map_page",
    "map_svg",
    "map_view",
]
