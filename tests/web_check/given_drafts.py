"""The same draft in every format that the page takes."""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.web_check import bombs


@dataclass(frozen=True, slots=True)
class Given:
    """Files that are given together. title: whether the page must find the draft's title."""

    name: str
    files: Sequence[tuple[str, bytes]]
    title: bool = True


def given_drafts(paper: dict[str, Any], cited: Sequence[dict[str, Any]]) -> list[Given]:
    """Write a paper of the corpus as drafts that cite others."""
    title, abstract = paper["title"], paper["abstract"]
    bib = bibliography(cited).encode()
    tex = _latex(title, abstract, [f"p{n}" for n in range(len(cited))]).encode()
    body = {"title": title, "abstract": abstract, "references": [each["id"] for each in cited]}
    ris = "".join(f"TY  - JOUR\nTI  - {each['title']}\nER  - \n\n" for each in cited)
    return [
        Given("tex-bib", [("draft.tex", tex), ("refs.bib", bib)]),
        Given("zip", [("draft.zip", bombs.zip_of([("main.tex", tex), ("refs.bib", bib)]))]),
        Given("md", [("draft.md", f"# {title}\n\n## Abstract\n\n{abstract}\n".encode())]),
        Given("docx", [("draft.docx", _word(title, abstract))]),
        Given("pdf", [("draft.pdf", _pdf(title, abstract))]),
        Given("bib", [("library.bib", bib)], title=False),
        Given("ris", [("library.ris", ris.encode())], title=False),
        Given("json", [("draft.json", json.dumps(body).encode())]),
    ]


def unfinished(
    paper: dict[str, Any], cited: Sequence[dict[str, Any]]
) -> Sequence[tuple[str, bytes]]:
    """Write a draft in LaTeX that lacks a citation at a sentence on each of some papers."""
    said = "\n".join(f"{_escaped(each['title'])} was said before \\cite{{?}}." for each in cited)
    tex = _latex(paper["title"], paper["abstract"], ["p0"]).replace("As has been", f"{said}\n\nAs")
    return [("draft.tex", tex.encode()), ("refs.bib", bibliography(cited[:1]).encode())]


def bibliography(papers: Sequence[dict[str, Any]]) -> str:
    """Write papers as BibTeX, by title and, where it is known, year."""
    return "\n".join(_entry(number, paper) for number, paper in enumerate(papers))


def _entry(number: int, paper: dict[str, Any]) -> str:
    year = f"  year = {{{paper['year']}}},\n" if paper["year"] else ""
    return f"@article{{p{number},\n  title = {{{{{_escaped(paper['title'])}}}}},\n{year}}}"


def _latex(title: str, abstract: str, keys: Sequence[str]) -> str:
    return (
        "\\documentclass{article}\n\\title{"
        + _escaped(title)
        + "}\n\\begin{document}\n\\maketitle\n"
        "\\begin{abstract}\n" + _escaped(abstract) + "\n\\end{abstract}\n"
        "As has been said \\cite{" + ",".join(keys) + "}.\n\\bibliography{refs}\n\\end{document}\n"
    )


def _escaped(text: str) -> str:
    for sign in "&%$#_":
        text = text.replace(sign, "\\" + sign)
    return text


def _word(title: str, abstract: str) -> bytes:
    import docx

    document, out = docx.Document(), io.BytesIO()
    document.add_heading(title, 0)
    document.add_heading("Abstract", 1)
    document.add_paragraph(abstract)
    document.add_heading("1 Introduction", 1)
    document.add_paragraph("We begin.")
    document.save(out)
    return out.getvalue()


def _pdf(title: str, abstract: str) -> bytes:
    """Typeset a page: the title large, then the abstract in lines."""
    words, lines = abstract.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 80:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    shown = [f"/F1 18 Tf 60 720 Td ({_in_pdf(title)}) Tj", "/F1 12 Tf 0 -40 Td (Abstract) Tj"]
    shown += [f"/F1 10 Tf 0 -14 Td ({_in_pdf(line)}) Tj" for line in lines]
    shown += ["/F1 12 Tf 0 -30 Td (1 Introduction) Tj", "/F1 10 Tf 0 -14 Td (We begin.) Tj"]
    content = ("BT " + "\n".join(shown) + " ET").encode("latin-1", "replace")
    return bombs.pdf_of(b"<< /Length %d >>\nstream\n" % len(content), content)


def _in_pdf(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
