"""The map of a draft: the papers around it by year and topic, and the gaps between them."""

from recsys.mapping.drawing import draw_map
from recsys.mapping.map_page import MAP_FORMATS, map_file, map_page
from recsys.mapping.map_values import Group, Kind, Map, Node, Tick
from recsys.mapping.node_table import map_gaps, map_table
from recsys.mapping.svg_picture import MAP_CSS, map_svg

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
