"""Write what the probes found out into a folder."""

from pathlib import Path

from recsys.errors import InputError
from recsys.eval.report.canvas import picture
from recsys.eval.report.page import Page
from recsys.eval.report.page_formats import as_json
from recsys.eval.report.page_html import html
from recsys.eval.studies.probes.maps import PAGES, map_png, map_svg
from recsys.eval.studies.probes.probe_results import ProbeResult, told_lines

PAGE, FIGURES, TOLD = "probes.html", "probes.json", "told.jsonl"


def check_folder(folder: Path) -> None:
    """Create the folder, and refuse what would fail after the work is done.

    Raises:
        InputError: it is a file, or its parent is not there.
        MissingExtraError: matplotlib is not installed.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file.", "Give the path of a folder to write.")
    if not folder.parent.is_dir():
        raise InputError(f"There is no folder {folder.parent}.", "Create it first.")
    with picture(""):
        folder.mkdir(exist_ok=True)


def write_folder(folder: Path, found: ProbeResult, page: Page) -> None:
    """Write the page, its figures, what was told of each paper, and the maps as SVG and PNG."""
    (folder / FIGURES).write_text(as_json(page), encoding="utf-8")
    (folder / TOLD).write_text("".join(f"{line}\n" for line in told_lines(found)), encoding="utf-8")
    for name, each in found.maps().items():
        (folder / f"{name}.svg").write_text(map_svg(each), encoding="utf-8")
        for colours in PAGES:
            (folder / f"{name}-{colours}.png").write_bytes(map_png(each, colours))
    (folder / PAGE).write_text(html(page), encoding="utf-8")
