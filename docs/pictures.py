"""Make the pictures of the page that README and the guides show: `make pictures`.

They show the starter corpus and the examples: the same code gives the same pictures. They are small
for they have 256 colours.
"""

from io import BytesIO
from pathlib import Path
from typing import Any

from tests.web_check.browser import Page, browser
from tests.web_check.server import serving

STATIC = Path(__file__).parent / "_static"
EXAMPLES = Path(__file__).parents[1] / "examples"
DRAFT = ("paper.tex", "paper.bib")
"""What is asked: a draft that cites some papers of the corpus."""
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
SHOTS: dict[str, dict[str, Any]] = {
    "page-light": {"viewport": WIDE, "color_scheme": "light"},
    "page-dark": {"viewport": WIDE, "color_scheme": "dark"},
    "page-phone": {"viewport": PHONE, "color_scheme": "light", "has_touch": True},
    "map": {"viewport": WIDE | {"height": 1104}, "color_scheme": "light"},
}
"""Picture -> the window that is photographed, as Playwright's `new_context` takes it."""
MOST_BYTES = 200_000


def main() -> None:
    """Ask in a browser, and write the pictures.

    Raises:
        RecsysError: Chromium or Playwright is not installed.
    """
    with serving(None) as server, browser() as started:
        for name, window in SHOTS.items():
            context = started.new_context(**window, reduced_motion="reduce")
            picture = reduced(_photographed(context.new_page(), server.address, name))
            context.close()
            if len(picture) > MOST_BYTES:
                raise ValueError(f"{name}.png has {len(picture):,} bytes: show less of the page.")
            (STATIC / f"{name}.png").write_bytes(picture)


def _photographed(page: Page, address: str, name: str) -> bytes:
    page.goto(address)
    page.set_input_files("#file", [EXAMPLES / each for each in DRAFT])
    page.click("button.main")
    page.wait_for_url("**/answers/*")
    if name == "map":
        page.goto(f"{page.url}/map")
    picture: bytes = page.screenshot()
    return picture


def reduced(picture: bytes) -> bytes:
    """Write a PNG with 256 colours instead of all."""
    from PIL import Image

    out = BytesIO()
    with Image.open(BytesIO(picture)) as image:
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    main()
