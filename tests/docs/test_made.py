"""What pages take from the code: the rooms and their levels, the picture, tables of words."""

from xml.etree import ElementTree

import pytest

from docs.made.commands import commands
from docs.made.house import House, read_house
from docs.made.house_picture import ROOF, TRIP, WIDTH, house_picture
from docs.made.tables import code, table, words

HOUSE = House(
    rooms={"attic": 1, "hall": 2, "kitchen": 3, "cellar": 4},
    imports={
        ("attic", "hall"): 1,
        ("attic", "cellar"): 7,
        ("hall", "cellar"): 2,
        ("kitchen", "cellar"): 1,
    },
)


def test_a_room_lies_above_all_that_it_imports() -> None:
    assert HOUSE.levels() == {"attic": 2, "hall": 1, "kitchen": 1, "cellar": 0}
    assert HOUSE.below("attic") == {"hall", "cellar"}


def test_imports_that_follow_from_others_are_left_out() -> None:
    assert HOUSE.steps() == [("attic", "hall"), ("hall", "cellar"), ("kitchen", "cellar")]


def test_rooms_that_import_each_other_share_a_level() -> None:
    both = House(HOUSE.rooms, {**HOUSE.imports, ("cellar", "kitchen"): 1})
    assert both.levels() == {"attic": 2, "hall": 1, "kitchen": 0, "cellar": 0}
    assert {("kitchen", "cellar"), ("cellar", "kitchen")} <= set(both.steps())
    assert ("attic", "cellar") not in both.steps()


def test_a_part_keeps_the_imports_between_its_own_rooms() -> None:
    part = HOUSE.of(["hall", "cellar"])
    assert part.rooms == {"hall": 2, "cellar": 4}
    assert part.imports == {("hall", "cellar"): 2}


def test_the_house_is_the_one_that_stands_here() -> None:
    house = read_house()
    assert set(TRIP) <= set(house.rooms)
    assert ("recsys.stage_two", "recsys.stage_one") in house.imports
    assert sum(house.rooms.values()) > 100
    floor = {name for name in house.rooms if name.startswith("recsys.")} - {ROOF}
    climbing = {pair for pair in house.imports if pair[0] in floor and pair[1] not in floor}
    assert climbing == {("recsys.recommend", ROOF)}  # `recsys.load`, when it is called.


def test_the_picture_shows_every_room_once_and_inside() -> None:
    house = read_house()
    root = ElementTree.fromstring(house_picture(house))
    space = "{http://www.w3.org/2000/svg}"
    texts = [each.text or "" for each in root.iter(f"{space}text")]
    shown = [text for text in texts if text.endswith("modules")]
    assert sorted(shown) == sorted(f"{count} modules" for count in house.rooms.values())
    boxes = [each for each in root.iter(f"{space}rect") if each.get("class") == "box"]
    corners = {(float(each.attrib["x"]), float(each.attrib["y"])) for each in boxes}
    assert len(corners) == len(boxes) == len(house.rooms)
    for each in boxes:
        assert 0 <= float(each.attrib["x"]) <= WIDTH - float(each.attrib["width"])
    numbers = [text for text in texts if text.isdecimal()]
    assert sorted(numbers) == [str(number + 1) for number in range(len(TRIP))]


@pytest.mark.parametrize(
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


def test_a_table_has_as_many_cells_in_every_line() -> None:
    text = table(("a", "b"), [(code("x|y"), "z")])
    assert text == "| a | b |\n| --- | --- |\n| `x\\|y` | z |"


def test_the_commands_tell_choices_and_defaults_apart() -> None:
    lines = commands().splitlines()
    [k] = {line for line in lines if line.startswith("| `-k ") and "recommend" in line}
    assert k.endswith("| 20; x\\>=1 |")
    assert any(line.startswith("| `--format` |") and "`bibtex`" in line for line in lines)
