"""Pictures of maps: readable keys, for light and dark pages, the same every time."""

import re
from xml.etree import ElementTree

import numpy as np
from matplotlib.colors import to_rgb

from recsys.eval.report.evaluation_pictures import INK
from recsys.eval.studies.probes.maps import (
    COLOURS,
    PAGES,
    SHOWN,
    ClassMap,
    densest,
    map_svg,
)

SVG = "{http://www.w3.org/2000/svg}"


def drawn(classes: int, *, title: str = "minilm") -> ClassMap:
    """Draw a map whose class i has i + 1 papers more than class 0, named by its number."""
    labels = np.concatenate([np.full(3 + label, label) for label in range(classes)])
    points = np.random.default_rng(0).normal(size=(len(labels), 2)) + labels[:, None]
    return ClassMap(title, points, labels, [f"Class {label}" for label in range(classes)])


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_the_key_names_the_most_frequent_classes_and_counts_the_others() -> None:
    found = texts(map_svg(drawn(SHOWN + 3)))
    # Classes 14 to 3 are shown, 17 to 6 papers; 0, 1 and 2 have 3 + 4 + 5.
    assert "minilm" in found
    assert {f"Class {label} ({label + 3})" for label in range(3, 15)} <= set(found)
    assert "3 other classes (12)" in found
    assert "Class 2 (5)" not in found
    # Every number is on the map, and in the key.
    assert [found.count(str(number)) for number in range(1, SHOWN + 2)] == [2] * SHOWN + [0]


def test_a_map_takes_the_colour_of_its_page() -> None:
    svg = map_svg(drawn(14))
    assert "currentColor" in svg and "prefers-color-scheme:dark" in svg and INK not in svg
    assert not re.search(r"(fill|stroke): (#000000|#ffffff|black|white)", svg)


def test_colours_are_seen_on_both_pages() -> None:
    def light(colour: str) -> float:
        # Relative luminance, WCAG 2.
        red, green, blue = (
            c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    def contrast(one: str, other: str) -> float:
        low, high = sorted((light(one), light(other)))
        return (high + 0.05) / (low + 0.05)

    assert len(set(COLOURS)) == SHOWN
    for _, page in PAGES.values():
        assert min(contrast(colour, page) for colour in COLOURS) > 1.8


def test_any_title_and_name_can_be_drawn() -> None:
    title = r'a"b<x> & \g<0> $y$'
    found = drawn(2, title=title)
    svg = map_svg(ClassMap(title, found.points, found.labels, ["<&>", "$p$"]))
    root = ElementTree.fromstring(svg)
    assert root.attrib["aria-label"] == title
    assert {title, "<&> (3)", "$p$ (4)"} <= set(texts(svg))


def test_numbers_stand_where_a_class_is_densest_and_do_not_cover_one_another() -> None:
    nowhere, points = (
        np.empty((0, 2)),
        np.array([[5, 5.1], [5, 5.3], [5, 5.2], [0, 0], [9, 9], [7, 1], [3, 3], [1, 8]]),
    )
    assert densest(points, nowhere, 9).tolist() == [5, 5.2]
    assert densest(np.array([[1.0, 1], [5, 5]]), nowhere, 9).tolist() == [1, 1]
    # Nearest to a quarter of the points, two others: [7, 1], then at 4.5 [3, 3].
    assert densest(points, np.array([[5.0, 5.2]]), 1).tolist() == [3, 3]
    # Unless there is no place.
    assert densest(points, np.array([[5.0, 5.2]]), 99).tolist() == [5, 5.2]
