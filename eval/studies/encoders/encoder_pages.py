"""Write a comparison of encoders into a folder."""

from pathlib import Path

from recsys.eval.report.page import Page
from recsys.eval.report.page_formats import as_json
from recsys.eval.report.page_html import html
from recsys.eval.studies.encoders.encoder_figures import Encoders
from recsys.eval.studies.encoders.report_encoders import maps
from recsys.eval.studies.probes.maps import PAGES, map_png, map_svg

PAGE, FIGURES = "encoders.html", "encoders.json"


def write_folder(folder: Path, found: Encoders, page: Page) -> None:
    """Write the page, its figures, and the maps as SVG and PNG."""
    (folder / FIGURES).write_text(as_json(page), encoding="utf-8")
    for name, each in maps(found).items():
        (folder / f"{name}.svg").write_text(map_svg(each), encoding="utf-8")
        for colours in PAGES:
            (folder / f"{name}-{colours}.png").write_bytes(map_png(each, colours))
    (folder / PAGE).write_text(html(page), encoding="utf-8")
