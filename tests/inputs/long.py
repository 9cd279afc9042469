"""Input that is long without being nested, for every reader: one table.

`cases(levels)` gives a name, the suffix of the file that it would stand in, and its bytes; what is
repeated is repeated `levels` times.
"""

from collections.abc import Iterator
from dataclasses import dataclass

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
_WOS = "FN Clarivate Analytics Web of Science\nVR 1.0\n"
_ARTICLE = (
    "<PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>Rivers of ice"
    "</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
)
_JATS = (
    "<article><front><article-meta><title-group><article-title>x</article-title></title-group>"
    "</article-meta></front><back><ref-list>"
)
_HEAD = r"\documentclass{article}\title{On rivers}\begin{document}"


@dataclass(frozen=True, slots=True)
class Row:
    """What stands before, many times, and after."""

    name: str
    suffix: str
    before: str
    repeated: str
    after: str = ""


ROWS = (
    Row("words", ".tex", r"\title{", "rivers ", "}"),
    Row("an abstract", ".tex", r"\title{x}\begin{abstract}", "We measure $x$. ", r"\end{abstract}"),
    Row("titles", ".tex", "", r"\title{x}"),
    Row("open titles", ".tex", "", r"\title{"),
    Row("open options", ".tex", "", r"\title["),
    Row("authors", ".tex", _HEAD, r"\author{Ann Lee}"),
    Row("authors in one", ".tex", r"\title{x}\author{", r"Ann Lee \and ", "}"),
    Row("open abstracts", ".tex", "", r"\begin{abstract}"),
    Row("open verbatim", ".tex", "", r"\begin{verbatim*}\end{verbatim}"),
    Row("open conditions", ".tex", "", r"\iffalse\newif\ifx"),
    Row("definitions", ".tex", "", r"\newcommand{\x}{y}", _HEAD),
    Row("long definitions", ".tex", "", r"\newcommand{\x}", "{y}"),
    Row("open definitions", ".tex", "", r"\newcommand{\x}{"),
    Row("a macro that is itself", ".tex", r"\def\x{\x\x}\title{", r"\x ", "}"),
    Row("a macro of its argument", ".tex", r"\newcommand{\x}[1]{#1#1}\title{", r"\x{a}", "}"),
    Row("a macro that repeats", ".tex", r"\def\x#1{" + "#1" * 999 + r"}\title{\x{", "a", "}}"),
    Row("a macro that explodes", ".tex", r"\def\x#1#2{" + "#1" * 999 + "}" + _HEAD + r"\x{",
        "#2", "}{" + "yes and no " * 999 + "}"),
    Row("citations", ".tex", _HEAD, r"\cite{a,b}"),
    Row("open citations", ".tex", _HEAD, r"\cite["),
    Row("plural citations", ".tex", _HEAD + r"\cites", "[a]{b}"),
    Row("keys", ".tex", _HEAD + r"\cite{", "a,", "}"),
    Row("items", ".tex", _HEAD + r"\begin{thebibliography}{9}", r"\bibitem{a} A. Lee, ``On x y''"),
    Row("open labels", ".tex", _HEAD, r"\bibitem["),
    Row("entries of biblatex", ".tex", "", r"\entry{a}\field{title}{x}\endentry"),
    Row("fields of biblatex", ".tex", r"\entry{a}", r"\field{title}{x}", r"\endentry"),
    Row("inputs", ".tex", _HEAD, r"\input{a}"),
    Row("sections", ".tex", _HEAD, r"\section{x} Rivers are long and wide. "),
    Row("open figures", ".tex", _HEAD, r"\begin{figure}"),
    Row("accents", ".tex", r"\title{", r"\'e", "}"),
    Row("backslashes", ".tex", r"\title{x}", "\\"),
    Row("verbs", ".tex", r"\title{x}", r"\verb|"),
    Row("spaces", ".tex", r"\title", " ", "{x}"),
    Row("lines after commands", ".tex", r"\title{x}\author{A B}\and", "\n", "{x}"),
    Row("cited letters", ".tex", r"\title{x}\ci", "cite"),
    Row("entries", ".bib", "", "@article{a, title = {x}}\n"),
    Row("entries on a line", ".bib", "", "@article{a, title = {x}} "),
    Row("open entries", ".bib", "", "@article{a, title = {x"),
    Row("entries without a key", ".bib", "", "@article{"),
    Row("fields", ".bib", "@article{a", ", title = {x}", "}"),
    Row("other fields", ".bib", "@article{a", ", f = 1", "}"),
    Row("strings", ".bib", "", "@string{a = {x}}\n"),
    Row("joined", ".bib", "@article{a, title = x", " # x", "}"),
    Row("names", ".bib", "@article{a, author = {", "Lee, Ann and ", "}}"),
    Row("open names", ".bib", "@article{a, author = {", "{Lee and ", "}}"),
    Row("escapes", ".bib", "@article{a, title = {", r"\alpha ", "}}"),
    Row("escaped braces", ".bib", "@article{a, title = {", r"\{", "}}"),
    Row("parents", ".bib", "@book{a, xdata = {", "a,", "}}"),
    Row("at signs", ".bib", "@article{a, title={x}}\n", "@"),
    Row("lines", ".ris", "TY  - JOUR\n", "TI  - x\n", "ER  - \n"),
    Row("entries", ".ris", "", "TY  - JOUR\nTI  - x\nER  - \n"),
    Row("a line", ".ris", "TY  - JOUR\nTI  - ", "x ", "\nER  - \n"),
    Row("lines that go on", ".ris", "TY  - JOUR\nTI  - x\n", "rivers\n", "ER  - \n"),
    Row("names", ".ris", "TY  - JOUR\n", "AU  - Lee, Ann\n", "ER  - \n"),
    Row("headings", ".md", "", "# x\n\n"),
    Row("underlined", ".md", "", "x\n===\n"),
    Row("open fences", ".md", "# x\n", "```x\n~~~\n"),
    Row("a long fence", ".md", "", "`" * 19),
    Row("a fence of waves", ".md", "", "~" * 19),
    Row("open comments", ".md", "# x\n", "<!-"),
    Row("open links", ".md", "# x\n\n", "[a]("),
    Row("open brackets", ".md", "# x\n\n", "[@a"),
    Row("open divisions", ".md", "# x\n", "::: {.abstract\n"),
    Row("keys", ".md", "# x\n\n", "@a:"),
    Row("open elements", ".md", "# x\n\n", "<a "),
    Row("yaml", ".md", "---\n", "title: x\n", "---\nx"),
    Row("open yaml", ".md", "---\n", "title: x\n"),
    Row("yaml authors", ".md", "---\nauthor:\n", "- Ann Lee\n", "---\nx"),
    Row("yaml quotes", ".md", '---\ntitle: "', "\\n", '"\n---\nx'),
    Row("keys", ".json", '{"title": "x"', ', "a": 1', "}"),
    Row("references", ".json", '{"title": "x", "references": ["a"', ', "a"', "]}"),
    Row("works", ".json", '{"title": "x", "references": [{"title": "a"}', ',{"title":"a"}', "]}"),
    Row("digits", ".json", '{"title": "x", "year": ', "1", "}"),
    Row("a title", ".json", '{"title": "', "x ", '"}'),
    Row("escapes", ".json", '{"title": "', r"\ud83d", '"}'),
    Row("items", ".csljson", '[{"type":"book","title":"x"}', ',{"type":"book","title":"x"}', "]"),
    Row("names", ".csljson", '[{"type": "book", "author": [{"family":"L"}', ',{"family":"L"}',
        "]}]"),
    Row("paragraphs", ".txt", "On rivers\n\n", "Rivers are long and wide.\n\n"),
    Row("works", ".txt", "x\n\nReferences\n", "[1] x 10.1000/x\n"),
    Row("headings", ".txt", "", "References\n"),
    Row("abstracts", ".txt", "", "Abstract\n"),
    Row("identifiers", ".txt", "", "10.1000/x\n"),
    Row("one identifier", ".txt", "10.1000/", "x/"),
    Row("arxiv", ".txt", "x\n\nReferences\n", "arXiv:"),
    Row("addresses", ".txt", "x\n\nReferences\n", "https://doi.org/"),
    Row("spans", ".html", "", '<span class="Z3988" title="rft.title=x">'),
    Row("open spans", ".html", '<span class="Z3988">', "<span "),
    Row("fields", ".html", '<span class="Z3988" title="rft.title=x', "&amp;rft.au=x", '"></span>'),
    Row("open titles", ".html", "", "<span Z3988 title="),
    Row("rows", ".csv", "title,doi\n", "x,10.1/x\n"),
    Row("columns", ".csv", "title", ",doi", "\nx\n"),
    Row("open quotes", ".csv", "title,doi\n", '"x,'),
    Row("works", ".csv", "Title,Year,Authors\n", "Rivers of ice,2001,A. Lee\n"),
    Row("references", ".csv", 'Authors,Title,Year,References,EID\nA,x,2001,"',
        "Lee A., Deep maps, Nature, 521, pp. 436-444, (2015); ", '",1\n'),
    Row("open brackets", ".csv", 'Publication ID,Title,PubYear,Cited references\n1,x,2001,"',
        "[Lee, A]|", '"\n'),
    Row("works", ".tsv", "PT\tAU\tTI\tPY\tUT\n", "J\tLee, A\tRivers of ice\t2001\tWOS:1\n"),
    Row("cited", ".tsv", "PT\tAU\tTI\tPY\tCR\nJ\tLee, A\tx\t2001\t", "Li B, 1999, J X, V1, P2; "),
    Row("merged", ".csv", "merge_date,id,merge_into_id\n", "2022-01-01,W2,W1\n"),
    Row("works", ".wos", _WOS, "PT J\nTI Rivers of ice\nPY 2001\nER\n\n", "EF\n"),
    Row("cited", ".wos", f"{_WOS}PT J\nTI x\nCR ", "Li B, 1999, J X, V1, P2\n   ", "\nER\n"),
    Row("cited dois", ".wos", f"{_WOS}PT J\nTI x\nCR Li B, 1999, DOI [", "10.1/x, ", "]\nER\n"),
    Row("a cited work", ".wos", f"{_WOS}PT J\nTI x\nCR ", "Li, ", "\nER\n"),
    Row("authors", ".wos", f"{_WOS}PT J\nTI x\nAU ", "Lee, A\n   ", "\nER\n"),
    Row("open works", ".wos", _WOS, "PT J\nTI Rivers\n"),
    Row("works", ".nbib", "", "\nPMID- 1\nTI  - Rivers of ice\nDP  - 2001\n"),
    Row("lines that go on", ".nbib", "\nPMID- 1\nTI  - ", "rivers\n      "),
    Row("terms", ".nbib", "\nPMID- 1\nTI  - x\n", "MH  - *Ice/history\n"),
    Row("works", ".enw", "", "%0 Journal Article\n%T Rivers of ice\n%D 2001\n\n"),
    Row("paragraphs", ".enw", "%0 Journal Article\n%T x\n%X ", "rivers\n\n"),
    Row("articles", ".xml", "<PubmedArticleSet>", _ARTICLE, "</PubmedArticleSet>"),
    Row("open articles", ".xml", "<PubmedArticleSet>", "<PubmedArticle><MedlineCitation>"),
    Row("authors", ".xml", "<dblp><article key='a'><title>x</title>", "<author>A B</author>",
        "</article></dblp>"),
    Row("characters", ".xml", "<dblp><article key='a'><title>", "&uuml;",
        "</title></article></dblp>"),
    Row("attributes", ".xml", "<dblp><article ", "a='b' "),
    Row("open comments", ".xml", "<!--", "<!-- "),
    Row("entities", ".xml", "<!DOCTYPE dblp [", "<!ENTITY a 'b'>", "]><dblp/>"),
    Row("citations", ".xml", _JATS,
        "<ref><mixed-citation>Lee A. Ice. J X. 1999;1:2-3.</mixed-citation></ref>",
        "</ref-list></back></article>"),
    Row("a citation", ".xml", f"{_JATS}<ref><mixed-citation>", "Lee A. Ice 1999;1:2. ",
        "</mixed-citation></ref></ref-list></back></article>"),
    Row("alike", ".jsonl", "", '{"corpusid": 1, "title": "Rivers of ice", "year": 2001}\n'),
    Row("cited", ".jsonl", '{"DOI": "10.1/a", "prefix": "10.1", "title": ["x"], "reference": [{}',
        ',{"unstructured": "Lee, A. (1999). Ice. J X 1, 2-3.", "key": "1"}', "]}\n"),
    Row("papers", ".jsonl", "", '{"id": "a", "title": "x"}\n'),
    Row("papers on a line", ".jsonl", '[{"id":"a","title":"x"}', ',{"id":"b","title":"x"}', "]"),
    Row("a title", ".jsonl", '{"id": "a", "title": "', "rivers ", '"}\n'),
    Row("open braces", ".jsonl", "", "{\n"),
    Row("white space", ".jsonl", "", " \t" * 9, "\n{}"),
    Row("white space", ".vectors", "", " \t" * 9, "\n{}"),
    Row("white space", ".clicks", "", " \t" * 9, "\n{}"),
    Row("open records", ".jsonl", "", '{"id": "a",'),
    Row("numbers", ".vectors", '{"paper_id": "a", "embedding": [1', ", 1", "]}\n"),
    Row("shown", ".clicks", '{"query": "a", "clicked": ["a"], "shown": ["a"', ', "b"', "]}\n"),
    Row("lines", ".trec", "", "a Q0 b 1 1.0 x\n"),
    Row("lines", ".qrels", "", "a 0 b 1\n"),
)  # fmt: skip
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
