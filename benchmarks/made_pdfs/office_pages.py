"""Print invented papers with LibreOffice, as word processors set them: flat OpenDocument text."""

import html
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from benchmarks.made_pdfs.invented_papers import Invented
from benchmarks.made_pdfs.web_pages import STYLES, cited_in_order
from recsys.errors import RecsysError

SECONDS = 180
_ONE_AT_A_TIME = Lock()
"""Two LibreOffices would fight for one profile."""

OFFICE_SHEETS: Mapping[str, tuple[int, str]] = {
    "one column": (1, "Liberation Serif"),
    "two columns": (2, "Liberation Sans"),
}
"""Columns and typeface."""
_NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{place}:1.0"'
    for name, place in (
        ("office", "office"), ("style", "style"), ("text", "text"),
        ("fo", "xsl-fo-compatible"), ("svg", "svg-compatible"),
    )
)  # fmt: skip
_PARAGRAPHS = (
    ("Title", "20pt", 'fo:text-align="center" fo:margin-bottom="8pt"', 'fo:font-weight="bold"'),
    ("By", "12pt", 'fo:text-align="center"', ""),
    ("Place", "10pt", 'fo:text-align="center"', 'fo:font-style="italic"'),
    ("Head", "13pt", 'fo:margin-top="8pt"', 'fo:font-weight="bold"'),
    ("Body", "10.5pt", 'fo:text-align="justify" fo:margin-bottom="4pt"', ""),
    ("Entry", "10.5pt", 'fo:margin-left="0.6cm" fo:text-indent="-0.6cm"', ""),
)


def print_office(paper: Invented, sheet: str, style: str, folder: Path) -> Path:
    """Print a paper to `folder`/KEY.pdf.

    Raises:
        RecsysError: LibreOffice is not installed, or makes no PDF of it.
    """
    page, made = folder / f"{paper.work.key}.fodt", folder / f"{paper.work.key}.pdf"
    page.write_text(_document(paper, sheet, style), encoding="utf-8")
    profile = (folder / ".office").resolve().as_uri()
    command = ["soffice", f"-env:UserInstallation={profile}", "--headless", "--convert-to", "pdf"]
    try:
        with _ONE_AT_A_TIME:
            subprocess.run(
                [*command, "--outdir", str(folder), str(page)],
                env=os.environ | {"SAL_USE_VCLPLUGIN": "svp"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
            )
    except OSError as error:
        raise RecsysError(
            f"soffice could not be started: {error.strerror}.",
            "apt-get install libreoffice-writer-nogui",
        ) from error
    if not made.is_file():
        raise RecsysError(f"LibreOffice made no {made.name}.", f"Open {page} in it.")
    return made


def _document(paper: Invented, sheet: str, style: str) -> str:
    columns, face = OFFICE_SHEETS[sheet]
    work, (write, number) = paper.work, STYLES[style]
    ordered, mark = cited_in_order(paper, style)
    names = ", ".join(f"{each.given} {each.family}" for each in work.authors)
    entries = [
        number.format(place) + html.unescape(re.sub(r"</?[bi]>", "", write(each)))
        for place, each in enumerate(ordered, start=1)
    ]
    body = [_line("Head", "Abstract"), _line("Body", paper.abstract)]
    for place, (heading, text) in enumerate(paper.text, start=1):
        body += [_line("Head", f"{place}. {heading}")]
        body += [_line("Body", re.sub(r"\{\{(.+?)\}\}", mark, text))]
    body += [_line("Head", "References"), *(_line("Entry", entry) for entry in entries)]
    head = (
        _line("Title", work.title), _line("By", names),
        _line("Place", f"{work.venue}, {work.year}"),
    )  # fmt: skip
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {_NAMESPACES} '
        'office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text">'
        f"{_styles(columns, face)}<office:body><office:text>{''.join(head)}"
        f'<text:section text:style-name="Columns" text:name="all">{"".join(body)}'
        "</text:section></office:text></office:body></office:document>"
    )


def _styles(columns: int, face: str) -> str:
    paragraphs = "".join(
        f'<style:style style:name="{name}" style:family="paragraph">'
        f'<style:paragraph-properties {shape}/><style:text-properties fo:font-size="{size}" '
        f'style:font-name="Face" {look}/></style:style>'
        for name, size, shape, look in _PARAGRAPHS
    )
    return (
        f'<office:font-face-decls><style:font-face style:name="Face" '
        f"svg:font-family=\"'{face}'\"/></office:font-face-decls>"
        f"<office:styles>{paragraphs}</office:styles><office:automatic-styles>"
        '<style:style style:name="Columns" style:family="section"><style:section-properties>'
        f'<style:columns fo:column-count="{columns}" fo:column-gap="0.6cm"/>'
        "</style:section-properties></style:style></office:automatic-styles>"
    )


def _line(style: str, text: str) -> str:
    return f'<text:p text:style-name="{style}">{html.escape(text)}</text:p>'
