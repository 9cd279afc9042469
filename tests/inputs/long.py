"""Input that is long without being nested, for every reader: one table.

`cases(levels)` gives a name, the suffix of the file that it would stand in, and its bytes; what is
repeated is repeated `levels` times.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.inputs.small_pdf import pdf_of
from tests.recsys.formats.drafts.small_docx import (
    docx,
    field,
    mark,
    packed,
    paragraph,
    run,
    style,
)

LEVELS = (100, 10_000, 100_000)
SUFFIXES = (".tex", ".bib", ".ris", ".md", ".json", ".txt", ".html", ".csv", ".pdf", ".docx",
            ".zip", ".xml", ".wos", ".jsonl", ".csljson", ".ids", ".vectors", ".clicks", ".trec",
            ".qrels")  # fmt: skip
"""Every kind of file that somebody may hand in."""
_CHARACTERS = "a \n\t{}[]()<>\\\"'`*_#$%&@-=:;,.|~^!0é\u202e"


@dataclass(frozen=True, slots=True)
class Row:
    """What stands before, many times, and after."""

    name: str
    suffix: str
    before: str
    repeated: str
    after: str


_LINES = Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").strip()
ROWS = tuple(Row(*json.loads(line)) for line in _LINES.split("\n"))
"""What readers look for, many times."""


def cases(levels: int) -> Iterator[tuple[str, str, bytes]]:
    """Give every row, what no row can say, and every character for every kind of file."""
    yield from rows(levels)
    for suffix in SUFFIXES:
        for character in _CHARACTERS:
            yield f"{suffix[1:]}: {character!r}", suffix, (character * levels).encode()


def rows(levels: int) -> Iterator[tuple[str, str, bytes]]:
    """Give every row, and what none can say."""
    for row in ROWS:
        text = row.before + row.repeated * levels + row.after
        yield f"{row.suffix[1:]}: {row.name}", row.suffix, text.encode()
    many = "\n".join(rf"\newcommand{{\x{_letters(n)}}}{{y}}" for n in range(levels))
    yield "tex: 1 definition each", ".tex", rf"{many}\title{{\xa}}".encode()
    yield "pdf: text", ".pdf", pdf_of(b"BT /F1 9 Tf " + b"(x) Tj " * levels + b"ET")
    yield "pdf: lines", ".pdf", pdf_of(b"BT /F1 9 Tf " + b"0 -9 Td (rivers) Tj " * levels + b"ET")
    yield "pdf: numbers", ".pdf", pdf_of(b"1 " * levels)
    yield "pdf: no operator", ".pdf", pdf_of(b"x" * levels)
    yield "pdf: resources", ".pdf", pdf_of(b"BT (x) Tj ET", b"/A 1 " * levels)
    yield "pdf: trailers", ".pdf", pdf_of(b"BT (x) Tj ET") + b"startxref\n0\n%%EOF\n" * levels
    title = paragraph("On rivers", style="Title")
    yield "docx: paragraphs", ".docx", docx(title, paragraph("Rivers are long.") * levels)
    yield "docx: runs", ".docx", docx(paragraph(inside=run("river ") * levels))
    yield "docx: references", ".docx", docx(title, paragraph("References"), _ITEM * levels)
    cited = field('ADDIN ZOTERO_ITEM CSL_CITATION {"citationItems":[{"itemData":{"title":"x"}}]}')
    yield "docx: citations", ".docx", docx(title, paragraph(inside=cited) * levels)
    yield "docx: open fields", ".docx", docx(paragraph("x", inside=mark("begin")) * levels, title)
    yield "docx: open records", ".docx", docx(title, paragraph(inside=field("<EndNote>" * levels)))
    yield "docx: styles", ".docx", docx(title, styles=style("A", "a", base="A") * levels)
    yield "zip: sources", ".zip", packed({f"{n}.tex": b"\\input{x}" for n in range(levels // 10)})
    yield "zip: inputs", ".zip", packed({"a.tex": b"\\input{b}" * levels, "b.tex": b"x"})


_ITEM = paragraph("A. Ash. On the measure of rivers. Water, 2001.")


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))
