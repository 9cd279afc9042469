"""Input that is nested as deeply as one likes, for every reader: one table.

`cases(levels)` gives a name, the suffix of the file that it would stand in, and its bytes.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from tests.inputs.small_pdf import nested_drawings, nested_page_tree, nested_value, pdf_of
from tests.recsys.formats.drafts.small_docx import docx, mark, paragraph

LEVELS = (10, 100, 1_000, 100_000)
_ABSTRACT = "\\begin{abstract}We measure rivers.\\end{abstract}"


@dataclass(frozen=True, slots=True)
class Nest:
    """What stands around a middle, once a level."""

    name: str
    suffix: str
    before: str
    opening: str
    middle: str
    closing: str
    after: str

    def text(self, levels: int) -> str:
        """Nest the middle."""
        inside = self.opening * levels + self.middle + self.closing * levels
        return self.before + inside + self.after


_LINES = Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").strip()
NESTS = tuple(Nest(*json.loads(line)) for line in _LINES.split("\n"))
"""Every construct that opens and closes."""


_WITHIN = (
    ("tables", "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"),
    ("paragraphs", "<w:p><w:r><w:txbxContent>", "</w:txbxContent></w:r></w:p>"),
    ("insertions", "<w:ins>", "</w:ins>"),
    ("fields", mark("begin"), mark("end")),
    ("shown fields", mark("begin") + mark("separate"), mark("end")),
)


def cases(levels: int) -> Iterator[tuple[str, str, bytes]]:
    """Give every construct, closed and never closed: a name, a suffix, the bytes."""
    for nest in NESTS:
        yield nest.name, nest.suffix, nest.text(levels).encode()
        if nest.closing:
            open_for_ever = replace(nest, closing="", after="")
            yield f"{nest.name}, never closed", nest.suffix, open_for_ever.text(levels).encode()
    yield "tex: definitions that use one another", ".tex", _macros(levels).encode()
    yield "bib: strings that use one another", ".bib", _strings(levels).encode()
    yield "bib: parents of parents", ".bib", _parents(levels).encode()
    yield "md: yaml anchors", ".md", _anchors(levels).encode()
    yield "md: yaml anchors in a list", ".md", _anchors_in_a_list(levels).encode()
    yield "docx: entities", ".docx", docx(document=_entities(levels))
    for name, begin, end in _WITHIN:
        yield f"docx: {name}", ".docx", docx(begin * levels + paragraph("On rivers") + end * levels)
        yield f"docx: {name}, never closed", ".docx", docx(begin * levels + paragraph("On rivers"))
    yield "pdf: page tree", ".pdf", nested_page_tree(levels)
    yield "pdf: drawings in drawings", ".pdf", nested_drawings(levels)
    yield "pdf: arrays", ".pdf", nested_value("[", "]", levels)
    yield "pdf: dictionaries", ".pdf", nested_value("<</A ", ">>", levels)
    yield "pdf: brackets in text", ".pdf", nested_value("(", ")", levels)
    yield "pdf: arrays, never closed", ".pdf", nested_value("[", "", levels)
    yield "pdf: arrays in a page", ".pdf", pdf_of(b"BT /F1 9 Tf " + b"[" * levels + b"] TJ ET")
    yield "pdf: saved states", ".pdf", pdf_of(b"q " * levels + b"BT /F1 9 Tf (x) Tj ET")
    yield "pdf: marked content", ".pdf", pdf_of(b"/P BMC " * levels + b"BT (x) Tj ET")


def _macros(levels: int) -> str:
    """Define macros each of which is the one before, twice."""
    lines = [r"\newcommand{\xa}{On rivers}"]
    names = [_letters(number) for number in range(levels)]
    lines += [rf"\newcommand{{\x{new}}}{{\x{old}\x{old}}}" for old, new in pairwise(names)]
    return "\n".join([*lines, rf"\title{{\x{names[-1]}}}", _ABSTRACT])


def _strings(levels: int) -> str:
    lines = ["@string{x0 = {On rivers}}"]
    lines += [f"@string{{x{n} = x{n - 1} # x{n - 1}}}" for n in range(1, levels)]
    return "\n".join([*lines, f"@article{{a, title = x{levels - 1}}}\n"])


def _parents(levels: int) -> str:
    children = [f"@book{{b{n}, crossref = {{b{n - 1}}}, xdata = {{b0}}}}" for n in range(1, levels)]
    return "\n".join(["@book{b0, title = {On rivers}, year = 2020}", *children])


def _anchors(levels: int) -> str:
    """Write the mapping whose every line is the one before, nine times."""
    lines = ["---", "title: On rivers", "a0: &a0 [x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join([*lines, f"author: *a{levels - 1}", "---", "", "We measure rivers."])


def _anchors_in_a_list(levels: int) -> str:
    lines = ["---", "- &a0 [x]"]
    lines += [f"- &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join([*lines, "---", "", "We measure rivers."])


def _entities(levels: int) -> str:
    lines = ['<!ENTITY x0 "rivers">']
    lines += [f'<!ENTITY x{n} "{f"&x{n - 1};" * 10}">' for n in range(1, levels)]
    return f'<?xml version="1.0"?><!DOCTYPE w [{"".join(lines)}]><w>&x{levels - 1};</w>'


def _letters(number: int) -> str:
    digits = "" if number else "a"
    while number:
        number, digit = divmod(number, 26)
        digits = chr(ord("a") + digit) + digits
    return digits
