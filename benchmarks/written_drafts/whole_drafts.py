"""Drafts in LaTeX whose title and abstract stand where one must look for them: theses, parts, files."""

from collections.abc import Mapping

from benchmarks.written_drafts.written_draft import WrittenDraft

PART = "title and abstract"
TITLE = "Bells without ropes"
ABSTRACT = "We ring bells without ropes. It is loud."

_BODY = "\\section{Introduction}\nBells ring in towers of stone.\n\\end{document}\n"
_START = "\\documentclass{article}\\title{Bells without ropes}\n\\begin{document}\n"
_THESIS = "\\documentclass{book}\\title{Bells without ropes}\n\\begin{document}\n"


def whole_drafts() -> tuple[WrittenDraft, ...]:
    """Write a draft for each place in which title and abstract may stand."""
    return (*map(_draft, _ABSTRACTS, _ABSTRACTS.values()), *_THESES)


def _draft(name: str, files: Mapping[str, str]) -> WrittenDraft:
    return WrittenDraft(PART, name, files, title=TITLE, abstract=ABSTRACT)


_INSIDE = "We ring bells without ropes. It is loud."
_ABSTRACTS: Mapping[str, Mapping[str, str]] = {
    "abstract as a command": {"paper.tex": _START + rf"\abstract{{{_INSIDE}}}" + _BODY},
    "abstract in the preamble": {
        "paper.tex": _START.replace(
            r"\begin{document}", rf"\begin{{abstract}}{_INSIDE}\end{{abstract}}\begin{{document}}"
        )
        + _BODY
    },
    "\\input inside the abstract": {
        "paper.tex": _START + "\\begin{abstract}\n\\input{abs}\n\\end{abstract}\n" + _BODY,
        "abs.tex": _INSIDE,
    },
    "\\input as the argument": {
        "paper.tex": _START + "\\abstract{\\input{sections/abs.tex}}\n" + _BODY,
        "sections/abs.tex": _INSIDE,
    },
    "the environment in another file": {
        "paper.tex": _START + "\\include{front/abs}\n" + _BODY,
        "front/abs.tex": f"\\begin{{abstract}}\n{_INSIDE}\n\\end{{abstract}}",
    },
    "title in another file": {
        "paper.tex": "\\documentclass{article}\\input{meta}\\begin{document}\n"
        + f"\\begin{{abstract}}{_INSIDE}\\end{{abstract}}"
        + _BODY,
        "meta.tex": "\\title{Bells without ropes}\\author{Ivy Moss}",
    },
    "title as a macro": {
        "paper.tex": "\\documentclass{article}\\newcommand{\\thetitle}{Bells without ropes}\n"
        "\\title{\\thetitle}\\newcommand\\myabstract{We ring bells without ropes. It is loud.}\n"
        "\\begin{document}\\begin{abstract}\\myabstract\\end{abstract}" + _BODY
    },
    "abstract as a section": {"paper.tex": _START + f"\\section*{{Abstract}}\n{_INSIDE}\n" + _BODY},
    "abstract as bold words": {
        "paper.tex": _START + f"\\noindent\\textbf{{Abstract.}} {_INSIDE}\n\n" + _BODY
    },
    "abstract with an option": {
        "paper.tex": _START + f"\\begin{{abstract}}[Summary]\n{_INSIDE}\n\\end{{abstract}}" + _BODY
    },
    "abstract with keywords inside": {
        "paper.tex": _START
        + f"\\begin{{abstract}}\n{_INSIDE}\n\n\\textbf{{Keywords:}} bells, ropes\n\\end{{abstract}}"
        + _BODY
    },
    "two languages": {
        "paper.tex": _START
        + f"\\begin{{abstract}}\n{_INSIDE}\n\\end{{abstract}}\n"
        + "\\begin{otherlanguage}{german}\\begin{abstract}\nGlocken.\n\\end{abstract}\n"
        + "\\end{otherlanguage}"
        + _BODY
    },
    "\\titlenote within": {
        "paper.tex": _START.replace(
            "ropes}", "ropes\\titlenote{Paid.}\\thanks{Twice \\emph{paid}.}\\footnote[1]{Thrice.}}"
        )
        + f"\\begin{{abstract}}{_INSIDE}\\end{{abstract}}"
        + _BODY
    },
    "\\title[short] with brackets": {
        "paper.tex": _START.replace("\\title{", "\\title[Bells {[sic]} \\emph{x}]{")
        + f"\\begin{{abstract}}{_INSIDE}\\end{{abstract}}"
        + _BODY
    },
    "a commented title before": {
        "paper.tex": "%\\title{No}\n\\iffalse\\title{Neither}\\fi\n"
        + _START
        + f"\\begin{{abstract}}{_INSIDE}\\end{{abstract}}"
        + _BODY
    },
    "thesis, \\chapter*{Abstract}": {
        "paper.tex": _THESIS
        + f"\\chapter*{{Abstract}}\n{_INSIDE}\n\\chapter{{Bells}}\nLong.\n\\section{{Summary}}\nNo.\n"
        "\\end{document}"
    },
    "thesis, abstract in a file": {
        "paper.tex": _THESIS + "\\include{abstract}\n\\include{one}\n\\end{document}",
        "abstract.tex": f"\\chapter*{{Abstract}}\n{_INSIDE}\n",
        "one.tex": "\\chapter{Bells}\nLong.\n\\section{Summary}\nThis chapter rang.\n",
    },
    "thesis, summary in front": {
        "paper.tex": _THESIS
        + f"\\chapter*{{Summary}}\n{_INSIDE}\n\\tableofcontents\\chapter{{Bells}}\nLong.\n"
        "\\end{document}"
    },
    "thesis, \\addchap": {
        "paper.tex": _THESIS
        + f"\\addchap{{Abstract}}\n{_INSIDE}\n\\addchap{{Thanks}}\nYou.\n\\chapter{{Bells}}\nLong.\n"
        "\\end{document}"
    },
}
_NO_ABSTRACT = "A tower has bells, and the bells have ropes, as far as we know them."
_THESES = (
    WrittenDraft(
        PART,
        "a chapter's summary is no abstract",
        {
            "paper.tex": _THESIS + f"\\chapter{{Bells}}\n{_NO_ABSTRACT}\n\n\\section{{Summary}}\n"
            "This chapter rang.\n\\chapter{Ropes}\nNone.\n\\end{document}"
        },
        title=TITLE,
        abstract=_NO_ABSTRACT,
        told=("No abstract was found",),
    ),
    WrittenDraft(
        PART,
        "a thesis without a title",
        {
            "paper.tex": "\\documentclass{book}\\begin{document}\\input{cover}\n"
            f"\\chapter*{{Abstract}}\n{_INSIDE}\n\\chapter{{Bells}}\nLong.\n\\end{{document}}",
            "cover.tex": "\\includegraphics{cover}",
        },
        title="",
        abstract=ABSTRACT,
        told=("--title",),
    ),
    WrittenDraft(
        PART,
        "a title page by hand",
        {
            "paper.tex": "\\documentclass{report}\\begin{document}\\begin{titlepage}\\centering\n"
            "{\\Large University of Brass\\par}\\vspace{1cm}\n{\\Huge\\bfseries Bells without "
            "ropes\\par}\n{\\Large Ivy Moss}\\end{titlepage}\n"
            f"\\begin{{abstract}}{_INSIDE}\\end{{abstract}}\\chapter{{Bells}}\nLong.\n\\end{{document}}"
        },
        title=TITLE,
        abstract=ABSTRACT,
        told=("--title",),
    ),
    WrittenDraft(
        PART,
        "hyperref's title alone",
        {
            "paper.tex": "\\documentclass{report}\\hypersetup{pdftitle={Bells without ropes},"
            "pdfauthor={Ivy Moss}}\\begin{document}\\input{cover}\n"
            f"\\begin{{abstract}}{_INSIDE}\\end{{abstract}}\\chapter{{Bells}}\nLong.\n\\end{{document}}",
            "cover.tex": "\\includegraphics{cover}",
        },
        title=TITLE,
        abstract=ABSTRACT,
        told=("--title",),
    ),
)
