"""Drafts of other kinds: notebooks, literate programs, Typst, Org, OpenDocument, packed projects."""

import io
import json
import zipfile
from collections.abc import Mapping

from benchmarks.written_drafts.written_draft import BIB, KEYS, WrittenDraft

FORMATS, YAML = "formats", "front matter in YAML"
TITLE = "Bells without ropes"
ABSTRACT = "We ring bells without ropes. It is loud."
AUTHORS = ("Ivy Moss", "Otto van der Fern")

_TEX = r"""\documentclass{article}
\title{Bells without ropes}
\author{Ivy Moss \and Otto van der Fern}
\begin{document}
\begin{abstract}We ring bells without ropes. It is loud.\end{abstract}
\section{One}
Text \cite{lichen2001,tide2010}.
\bibliography{refs}
\end{document}
"""
_PART = "\\documentclass{standalone}\n\\begin{document}A figure, and more of it.\\end{document}\n"
_BODY = "\n# Introduction\n\nLichens [@lichen2001] and tides [see @tide2010, p. 3].\n"
_PLAIN = f"---\ntitle: {TITLE}\nauthor: [Ivy Moss, Otto van der Fern]\nabstract: {ABSTRACT}\n"


def _packed(files: Mapping[str, str | bytes]) -> bytes:
    """Pack files into a zip."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()


def _written(name: str, draft: str, text: str | bytes, part: str = FORMATS) -> WrittenDraft:
    files = {draft: text, "refs.bib": BIB}
    return WrittenDraft(part, name, files, draft, TITLE, ABSTRACT, AUTHORS, KEYS[:2])


def _notebook(*cells: tuple[str, str]) -> str:
    found: list[dict[str, object]] = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
        | ({"outputs": [], "execution_count": None} if kind == "code" else {})
        for kind, text in cells
    ]
    return json.dumps({"cells": found, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


_ODT_HEAD = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" office:version="1.2">'
    '<office:automatic-styles><style:style style:name="P1" style:family="paragraph" '
    'style:parent-style-name="Title"/></office:automatic-styles><office:body><office:text>'
)
_ODT_MARK = (
    '<text:reference-mark-start text:name="ZOTERO_ITEM CSL_CITATION {&quot;citationItems&quot;:'
    "[{&quot;id&quot;:1,&quot;itemData&quot;:{&quot;id&quot;:1,&quot;type&quot;:"
    "&quot;article-journal&quot;,&quot;title&quot;:&quot;Lichen clocks on city walls&quot;,"
    '&quot;issued&quot;:{&quot;date-parts&quot;:[[2001]]}}}]} RNDab"/>(Moss, 2001)'
    '<text:reference-mark-end text:name="ZOTERO_ITEM CSL_CITATION {} RNDab"/>'
)
_ODT_CITED = (
    '<text:bibliography-mark text:identifier="tide2010" text:bibliography-type="conference" '
    'text:author="Mia Strand" text:title="Reading tide tables backwards" text:year="2010">'
    "[tide2010]</text:bibliography-mark>"
)
_ODT_BODY = (
    '<text:p text:style-name="P1">Bells <text:span>without</text:span><text:s/>ropes</text:p>'
    '<text:p text:style-name="Author">Ivy Moss, Otto van der Fern</text:p>'
    '<text:h text:outline-level="1">Abstract</text:h>'
    "<text:p>We ring bells without ropes. It is loud.</text:p>"
    '<text:h text:outline-level="1">Introduction</text:h>'
    f"<text:p>Lichens {_ODT_MARK} and tides {_ODT_CITED} and walls.</text:p>"
)
_ODT_END = "</office:text></office:body></office:document-content>"
_ODT = _packed(
    {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": _ODT_HEAD + _ODT_BODY + _ODT_END,
        "META-INF/manifest.xml": "<manifest/>",
    }
)
_TYPST = """#import "@preview/charged-ieee:0.1.0": ieee
#show: ieee.with(
  title: [Bells *without* ropes],
  abstract: [
    We ring bells without _ropes_. It is loud.
  ],
  authors: (
    (name: "Ivy Moss", organization: [University of Brass], email: "ivy@bells.example"),
    (name: "Otto van der Fern", department: [Ropes]),
  ),
  bibliography: bibliography("refs.bib"),
)

= Introduction <intro>
Lichens @lichen2001 and tides #cite(<tide2010>, form: "prose"), see @intro. // @rope2015
"""
_PLAIN_TYPST = """#set document(title: "Bells without ropes", author: ("Ivy Moss", "Otto van der Fern"))
/* a comment = No */
= Abstract
We ring bells without ropes. It is loud.

= Introduction
Lichens @lichen2001[p. 7] and tides @tide2010.
#bibliography("refs.bib", style: "apa")
"""
_ORG = """#+TITLE: Bells without
#+TITLE: ropes
#+AUTHOR: Ivy Moss
#+AUTHOR: Otto van der Fern
#+OPTIONS: toc:nil
#+bibliography: refs.bib

#+begin_abstract
We ring bells *without* /ropes/. It is loud.
#+end_abstract

* TODO Introduction :draft:
Lichens [cite:@lichen2001] and tides [cite/t:see @tide2010 p. 3].
# A comment @rope2015
#+begin_src python
@bell1999
#+end_src
"""
_ORG_REF = """#+TITLE: Bells without ropes
#+AUTHOR: Ivy Moss, Otto van der Fern
* Abstract
We ring bells without ropes. It is loud.
* Introduction
Lichens citep:lichen2001 and tides [[cite:&tide2010]].
bibliography:refs.bib
"""
_RNW = r"""\documentclass{article}
\usepackage{Sweave}
<<setup, echo=FALSE>>=
title <- "\\title{Wrong}"  # \cite{rope2015}
@
""" + _TEX.partition("\n")[2].replace(
    "Text", "Text of \\Sexpr{nrow(d)} bells.\n<<>>=\nx <- '\\cite{bell1999}'\n@ %def x\nText"
)

_TABS = _PLAIN.replace("author: [", "author:\n\t- Ivy Moss\n\t- Otto van der Fern\nkeywords: [")
_YAML = {
    "tabs for spaces": _TABS + "bibliography:\trefs.bib\n",
    "tabs after values": _PLAIN.replace("\n", "\t\n") + "bibliography: refs.bib\t\n",
    "a key twice": _PLAIN + "bibliography: refs.bib\ndate: 2020\ndate: 2021\n",
    "an unquoted colon": f"---\ntitle: Bells: without ropes\nauthor: [Ivy Moss, Otto van der Fern]\n"
    f"abstract: {ABSTRACT}\nbibliography: refs.bib\n",
    "authors of Quarto": f"---\ntitle: {TITLE}\nauthor:\n  - name: Ivy Moss\n    orcid: 0000-0000\n"
    "    affiliations:\n      - name: University of Brass\n        city: Brass\n    corresponding: true\n"
    "  - name:\n      given: Otto\n      family: Fern\n      dropping-particle: van der\n"
    f"    affiliation: Institute\nabstract: |\n  {ABSTRACT}\nbibliography: [refs.bib]\n",
    "one author of Quarto as a map": f"---\ntitle: {TITLE}\nauthor:\n  name: Ivy Moss and Otto van der "
    f"Fern\n  email: ivy@bells.example\nabstract: >\n  We ring bells without\n  ropes. It is loud.\n"
    "bibliography: refs.bib\n",
    "authors of rticles": f"---\ntitle: {TITLE}\nauthors:\n  - name: Ivy Moss\n    department: Bells\n"
    "    thanks: Paid\n  - name: Otto van der Fern\n    thanks: |\n      Note\n"
    f"abstract: {ABSTRACT}\nbibliography: refs.bib\n",
    "authors by affiliation": f"---\ntitle: {TITLE}\nauthor:\n  - Ivy Moss:\n      institute: [brass]\n"
    f"  - Otto van der Fern:\n      institute: ropes\nabstract: {ABSTRACT}\nbibliography: refs.bib\n",
    "ended by dots": _PLAIN + "bibliography: refs.bib\n...\n",
    "a template's braces": _PLAIN + "bibliography: refs.bib\nparams:\n  x: !r Sys.Date()\n"
    "  y: `r 1 + 1`\n",
}


def packed_drafts() -> tuple[WrittenDraft, ...]:
    """Write a draft of each kind, and with each oddity of front matter."""
    fronts = (
        _written(name, "paper.qmd", front + ("" if "\n..." in front else "---\n") + _BODY, YAML)
        for name, front in _YAML.items()
    )
    return (*_OTHERS, *(_titled(each) for each in fronts))


def _titled(draft: WrittenDraft) -> WrittenDraft:
    from dataclasses import replace

    return replace(draft, title="Bells: without ropes") if "colon" in draft.name else draft


_PROJECT = {"main.tex": _TEX, "figures/plot.tex": _PART, "refs.bib": BIB, "README.md": "# Notes\n"}
_OTHERS = (
    _written("Sweave (.Rnw)", "paper.Rnw", _RNW),
    _written(
        "R Markdown (.Rmd)",
        "paper.Rmd",
        f"{_PLAIN}bibliography: refs.bib\n---\n{_BODY}\n```{{r}}\nx <- '@bell1999'\n```\n",
    ),
    _written(
        "Quarto (.qmd)",
        "paper.qmd",
        f"{_PLAIN}bibliography: refs.bib\n---\n{_BODY}\n```{{python}}\n@rope2015\n```\n",
    ),
    WrittenDraft(
        FORMATS,
        "notebook (.ipynb), headings",
        {
            "paper.ipynb": _notebook(
                ("markdown", f"# {TITLE}\n\nIvy Moss, Otto van der Fern"),
                ("code", "print('# No')"),
                ("markdown", f"## Abstract\n{ABSTRACT}\n"),
                ("markdown", "## One\n[@lichen2001; @tide2010]"),
            )
        },
        "paper.ipynb",
        TITLE,
        ABSTRACT,
        keys=(),
        told=("2 citations, none could be looked up",),
    ),
    _written(
        "notebook (.ipynb), front matter",
        "paper.ipynb",
        _notebook(
            ("raw", f"{_PLAIN}bibliography: refs.bib\n---"),
            ("code", "@bell1999"),
            ("markdown", _BODY),
        ),
    ),
    _written("Typst (.typ), a template", "paper.typ", _TYPST),
    _written("Typst (.typ), plain", "paper.typ", _PLAIN_TYPST),
    _written("Org (.org), org-cite", "paper.org", _ORG),
    _written("Org (.org), org-ref", "paper.org", _ORG_REF),
    WrittenDraft(
        FORMATS,
        "OpenDocument (.odt)",
        {"paper.odt": _ODT},
        "paper.odt",
        TITLE,
        ABSTRACT,
        AUTHORS,
        cited=("Lichen clocks on city walls", "Reading tide tables backwards"),
    ),
    WrittenDraft(
        FORMATS,
        "Overleaf's zip",
        {"paper.zip": _packed(_PROJECT)},
        "paper.zip",
        TITLE,
        ABSTRACT,
        AUTHORS,
        KEYS[:2],
    ),
    WrittenDraft(
        FORMATS,
        "project folder",
        {f"thesis/{k}": v for k, v in _PROJECT.items()},
        "thesis",
        TITLE,
        ABSTRACT,
        AUTHORS,
        KEYS[:2],
    ),
    WrittenDraft(
        FORMATS,
        "project folder of Quarto",
        {
            "thesis/paper.qmd": f"{_PLAIN}bibliography: ../thesis/refs.bib\n---\n{_BODY}",
            "thesis/refs.bib": BIB,
            "thesis/README.md": "# Notes\n",
        },
        "thesis",
        TITLE,
        ABSTRACT,
        AUTHORS,
        KEYS[:2],
    ),
)
