"""Input that is nested as deeply as one likes, for every reader: one table.

`cases(levels)` gives a name, the suffix of the file that it would stand in, and its bytes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

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


def _title(name: str, opening: str, closing: str, middle: str = "rivers") -> Nest:
    return Nest(f"tex title: {name}", ".tex", r"\title{", opening, middle, closing, "}" + _ABSTRACT)


def _body(name: str, opening: str, closing: str, middle: str = "rivers") -> Nest:
    before = r"\documentclass{article}\title{On rivers}\begin{document}"
    return Nest(f"tex body: {name}", ".tex", before, opening, middle, closing, r"\end{document}")


def _json(name: str, opening: str, closing: str, key: str = "references") -> Nest:
    before = f'{{"title": "On rivers", "{key}": '
    return Nest(f"json: {name}", ".json", before, opening, "1", closing, "}")


def _markdown(name: str, opening: str, closing: str) -> Nest:
    return Nest(f"md: {name}", ".md", "# On rivers\n\n", opening, "rivers", closing, "\n\nMore.\n")


def _entry(name: str, opening: str, closing: str, field: str = "title") -> Nest:
    before = f"@article{{rivers2020, {field} = {{On "
    return Nest(f"bib: {name}", ".bib", before, opening, "rivers", closing, "}, year = 2020}\n")


NESTS = (
    _title("braces", "{", "}"),
    _title("accents", r"\'{", "}", "e"),
    _title("accents without braces", r"\'", "", "e"),
    _title("many accents", r"\v{\"", "}", "e"),
    _title("accents in formulas", r"\hat{", "}", "x"),
    _title("formulas", r"$\mbox{", "}$"),
    _title("brackets", r"\footnote[", "]{x}"),
    _title("emphasis", r"\emph{", "}"),
    _title("switches", r"{\bf ", "}"),
    _title("fractions", r"\frac{", "}{2}", "x"),
    _title("footnotes", r"a\footnote{", "}"),
    _title("links", r"\href{http://x.org}{", "}"),
    _title("powers", "$x^{", "}$", "2"),
    _title("roots", r"\sqrt[3]{", "}", "2"),
    _title("environments", r"\begin{center}", r"\end{center}"),
    _title("citations", r"\cite{", "}"),
    _title("unknown commands", r"\mine{", "}"),
    _title("unknown environments", r"\begin{mine}", r"\end{mine}"),
    _body("braces", "{", "}"),
    _body("accents", r"\'{", "}", "e"),
    _body("brackets", "[", "]"),
    _body("environments", r"\begin{itemize}\item ", r"\end{itemize}"),
    _body("figures", r"\begin{figure}", r"\end{figure}"),
    _body("sections", r"\section{", "}"),
    _body("citations", r"\citep[see ", "]{a}"),
    _body("conditions", r"\iffalse ", r"\fi "),
    _body("open conditions", r"\ifx ", r"\fi "),
    _body("authors", r"\author{", "}"),
    _body("titles", r"\title{", "}"),
    _body("abstracts", r"\begin{abstract}", r"\end{abstract}"),
    _body("definitions", r"\newcommand{\x}{", "}"),
    _body("bibliography items", r"\bibitem[", "]{a}"),
    _body("verbatim", r"\begin{verbatim}", r"\end{verbatim}"),
    _body("inputs", r"\input{", "}"),
    _body("formulas", "$a", "$"),
    _body("long titles", r"\title{" + "$.$" * 99, "}"),
    _body("long authors", r"\author{" + "$.$ and " * 99, "}"),
    _body("long abstracts", r"\begin{abstract}" + "$.$" * 99, r"\end{abstract}"),
    _body("long citations", "A river that is long. " * 9 + r"\cite[see ", "]{a}"),
    _body("comments", "%", "\n"),
    _entry("braces", "{", "}"),
    _entry("accents", r"{\'", "}"),
    _entry("accents with braces", r"\'{", "}"),
    _entry("commands", r"\emph{", "}"),
    _entry("formulas", r"$\mbox{", "}$"),
    _entry("quotes", '{"', '"}'),
    _entry("names in names", "{A and ", "}", "author"),
    _entry("commas in names", "{A, ", "}", "author"),
    _entry("concatenation", "a # ", ""),
    _entry("entries", "@article{a, title = {", "}}"),
    Nest("typ: brackets", ".typ", "#set document(title: ", "[", "On rivers", "]", ")\nRivers.\n"),
    Nest("typ: authors", ".typ", "#title[On rivers]\n#x(authors: ", "(", '"A B"', ",)", ")\n"),
    Nest("org: emphasis", ".org", "#+title: ", "*/", "rivers", "/*", "\nRivers.\n"),
    Nest("ipynb: cells", ".ipynb", '{"cells": ', "[", "1", "]", ', "title": "On rivers"}'),
    Nest("bib: strings", ".bib", "@string{", "a = {", "x", "}", "}\n@article{a, title = a}\n"),
    Nest("bib: joined", ".bib", '@article{a, title = "x"', ' # "y"', "", "", "}\n"),
    Nest("bib: comments", ".bib", "", "@comment{", "x", "}", "\n@article{a, title={x}}\n"),
    _json("arrays", "[", "]"),
    _json("objects", '{"title":', "}"),
    _json("both", '[{"a":', "}]"),
    _json("unknown key", "[", "]", "else"),
    Nest("json: bare arrays", ".json", "", "[", "", "]", ""),
    Nest("json: items", ".json", '{"items": ', '[{"type":', '"book"', "}]", "}"),
    Nest("csl: titles", ".csljson", '[{"type": "book", "title": ', "[", '"x"', "]", "}]"),
    Nest(
        "csl: dates", ".csljson", '[{"type": "book", "issued": ', '{"date-parts":', "1", "}", "}]"
    ),
    Nest("corpus: arrays", ".jsonl", '{"id": "a", "title": "x", "y": ', "[", "", "]", "}\n"),
    Nest("corpus: objects", ".jsonl", '{"id": "a", "title": "x", "y": ', '{"z":', "1", "}", "}\n"),
    Nest("corpus: pages", ".jsonl", "", '{"results": [', "", "]}", "\n"),
    Nest("corpus: lines", ".jsonl", "", "{\n", '"id": "a"', "\n}", "\n"),
    Nest("vectors: arrays", ".vectors", '{"paper_id": "a", "embedding": ', "[", "1", "]", "}\n"),
    Nest("clicks: arrays", ".clicks", '{"query": "a", "shown": ', "[", '"b"', "]", "}\n"),
    _markdown("quotes", "> ", ""),
    _markdown("lists", "- ", ""),
    _markdown("emphasis", "*", "*"),
    _markdown("strong", "**a ", "**"),
    _markdown("underscores", "_a ", "_"),
    _markdown("links", "[", "](http://x.org)"),
    _markdown("images", "![", "](x)"),
    _markdown("notes", "^[", "]"),
    _markdown("citations", "[@", "]"),
    _markdown("divisions", ":::: {.abstract}\n", "\n::::\n"),
    _markdown("fences", "```\n", "\n```\n"),
    _markdown("comments", "<!-- ", " -->"),
    _markdown("elements", "<b>", "</b>"),
    _markdown("attributes", "# a {", "}\n"),
    _markdown("headings", "# a\n", ""),
    Nest("md: yaml lists", ".md", "---\ntitle: ", "[", "x", "]", "\n---\n\nText.\n"),
    Nest("md: yaml mappings", ".md", "---\ntitle: ", "{a: ", "x", "}", "\n---\n\nText.\n"),
    Nest("md: yaml lines", ".md", "---\ntitle: x\nauthor:\n", "- ", "x", "", "\n---\n\nText.\n"),
    Nest("html: elements", ".html", "<html>", "<div>", "<span class=Z3988>", "</div>", "</html>"),
    Nest("html: spans", ".html", "", '<span class="Z3988" title="', "x", '"></span>', ""),
    Nest("html: entities", ".html", '<span class="Z3988" title="', "&amp;", "x", "", '"></span>'),
    Nest("ris: tags", ".ris", "TY  - JOUR\n", "TI  - ", "x", "", "\nER  - \n"),
    Nest("ris: entries", ".ris", "", "TY  - JOUR\n", "TI  - x\n", "ER  - \n", ""),
    Nest("csv: quotes", ".csv", "title,doi\n", '"', "x", '"', ",10.1/x\n"),
    Nest(
        "text: brackets", ".txt", "On rivers\n\nAbstract. ", "[", "x", "]", "\n\nReferences\n[1] x"
    ),
    Nest("text: lists", ".txt", "On rivers\n\nReferences\n", "[1] ", "x", "", "\n"),
)
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
