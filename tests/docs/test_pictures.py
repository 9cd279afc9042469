"""Pictures: each that a page shows is there, and small."""

import re
from pathlib import Path

from docs.pictures import MOST_BYTES, SHOTS, STATIC, reduced
from tests.docs.written_pages import PAGES, ROOT
from tests.rows import each_row

_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")


@each_row("page", PAGES)
def test_pictures_of_pages_are_there_and_say_what_they_show(page: str) -> None:
    for said, address in _PICTURE.findall(PAGES[page]):
        if not address.startswith("https://"):
            assert said and ((ROOT / page).parent / address).is_file(), address


@each_row("name", SHOTS)
def test_pictures_of_the_page_are_small(name: str) -> None:
    picture = (STATIC / f"{name}.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) <= MOST_BYTES
    assert any(f"_static/{name}.png" in text for text in PAGES.values())


def test_a_picture_is_written_with_few_colours(tmp_path: Path) -> None:
    before = (STATIC / "map.png").read_bytes()
    assert reduced(before) == reduced(reduced(before)) and len(reduced(before)) <= len(before) * 1.1
