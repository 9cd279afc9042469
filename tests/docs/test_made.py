"""What pages take from the code: the layers and their picture, tables of words."""

import re
from xml.etree import ElementTree

import networkx as nx

from docs.made.commands import commands
from docs.made.layers import (
    BOX_HEIGHT,
    BOX_WIDTH,
    TRIP,
    WIDTH,
    layer_of,
    levels,
    picture,
    read_folders,
    shown_imports,
)
from docs.made.tables import words
from tests.rows import each_row

LONGEST_REFERENCE = 6_500
"""Words of the page of commands: what several share stands there once."""

IMPORTS = nx.DiGraph(
    [("attic", "hall"), ("attic", "cellar"), ("hall", "cellar"), ("kitchen", "cellar")]
)


def test_imports_that_follow_from_others_are_left_out() -> None:
    shown = [("attic", "hall"), ("hall", "cellar"), ("kitchen", "cellar")]
    assert shown_imports(IMPORTS) == shown


def test_folders_that_import_each_other_share_a_level() -> None:
    both = nx.DiGraph([*IMPORTS.edges, ("cellar", "kitchen")])
    assert levels(both) == [["cellar", "kitchen"], ["hall"], ["attic"]]
    assert {("kitchen", "cellar"), ("cellar", "kitchen")} <= set(shown_imports(both))
    assert ("attic", "cellar") not in shown_imports(both)


def test_the_layers_are_those_of_the_code_and_imports_point_down() -> None:
    folders = read_folders()
    assert {*TRIP, "recsys.indexes", "recsys.eval.report", "recsys.pipelines.index"} <= set(folders)
    assert "recsys.pipelines" not in folders
    assert folders.has_edge("recsys.ranking", "recsys.retrieval")
    assert sum(folders.nodes[name]["modules"] for name in folders) > 100
    climbing = {(a, b) for a, b in folders.edges if layer_of(a) > layer_of(b)}
    assert climbing == {("recsys.recommend", "recsys.app")}  # `recsys.load`, when it is called.
    across = {(a, b) for a, b in folders.edges if "indexes" in a + b and "eval" in a + b}
    assert {pair for pair in across if layer_of(pair[0]) == layer_of(pair[1])} == set()


def test_the_picture_shows_every_folder_once_and_inside() -> None:
    folders = read_folders()
    root = ElementTree.fromstring(picture(folders))
    space = "{http://www.w3.org/2000/svg}"
    texts = [each.text or "" for each in root.iter(f"{space}text")]
    shown = [text for text in texts if text.endswith("modules")]
    counted = (f"{folders.nodes[name]['modules']} modules" for name in folders)
    assert sorted(shown) == sorted(counted)
    boxes = [each for each in root.iter(f"{space}rect") if each.get("class") == "box"]
    corners = {(float(each.attrib["x"]), float(each.attrib["y"])) for each in boxes}
    assert len(corners) == len(boxes) == len(folders)
    height = float(root.attrib["viewBox"].split()[3])
    for x, y in corners:
        assert 0 <= x <= WIDTH - BOX_WIDTH and 0 <= y <= height - BOX_HEIGHT
    numbers = [text for text in texts if text.isdecimal()]
    assert sorted(numbers) == [str(number + 1) for number in range(len(TRIP))]


@each_row(
    ("text", "expected"),
    [
        ("Given as for --seeds.", "Given as for `--seeds`."),
        ('Such as "*TVCG*".', r'Such as "\*TVCG\*".'),
        ("As `recsys embed --out` does.", "As `recsys embed --out` does."),
        ("<a|b> [c]", r"\<a\|b\> \[c\]"),
    ],
)
def test_help_for_the_terminal_reads_the_same_on_a_page(text: str, expected: str) -> None:
    assert words(text) == expected


def test_the_commands_tell_choices_and_defaults_apart() -> None:
    lines = commands().splitlines()
    assert "- `-k N`: Number of papers to recommend (20)." in lines
    assert any(line.startswith("- `--format`: ") and "`bibtex`" in line for line in lines)


def test_what_commands_share_is_explained_once_and_named_in_each() -> None:
    shared, *sections = re.split(r"^## recsys ", commands(), flags=re.MULTILINE)
    explained = [line for line in shared.splitlines() if line.startswith("- `--seed N`: ")]
    assert explained == ["- `--seed N`: Random seed (0)."]
    seeded = [section for section in sections if "`--seed`" in section]
    assert len(seeded) > 5 and not any("Random seed (0)" in section for section in sections)
    assert all(len(set(names)) == len(names) for names in map(names_explained, sections))


def names_explained(section: str) -> list[str]:
    return re.findall(r"^- `([^`]+)`: ", section, flags=re.MULTILINE)


def test_the_reference_of_commands_is_short() -> None:
    assert len(commands().split()) <= LONGEST_REFERENCE
